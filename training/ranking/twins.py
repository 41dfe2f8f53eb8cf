"""What a bundle that has learned from everything takes from its twin, which has not seen dev and test.

On documents that a model has learned from, nothing can be fitted and nothing measured. The twin is
of the same recipe and was fitted on dev; its figures are those that can be read of both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import ConfigError
from core.model.bundle.bundle import load_bundle
from core.suggest.ranking.ranker import Ranker
from core.suggest.registry import RANKED
from core.vocabulary.labels import LabelSpace
from training.corpora.corpus import LabelledDocument
from training.ranking.add_ranker import index, mean_of, write_ranker


@dataclass(frozen=True, slots=True)
class TakenOver:
    """What a twin gives.

    Attributes:
        join, calibration: as its files have them.
        facts: for the manifest: the metrics of the twin.
        about: whose metrics these are, and the twin's threshold.
        ranker: None where the twin has none.
    """

    join: Mapping[str, Any]
    calibration: Mapping[str, Any]
    facts: Mapping[str, Any]
    about: Mapping[str, Any]
    ranker: Ranker | None

    def add_ranker(self, folder: Path, documents: Sequence[LabelledDocument]) -> None:
        """Write the twin's ranker into a bundle, with an index of all that it has learned from."""
        if self.ranker is not None:
            write_ranker(folder, self.ranker, index(mean_of(folder), documents))


def taken_over(folder: Path, label_space: LabelSpace, *, has_linear: bool) -> TakenOver:
    """Return what a twin gives a bundle.

    Args:
        has_linear: whether the bundle has a linear suggester beside the guided one.
    Raises:
        ConfigError: the twin has other labels or other suggesters.
    """
    twin = load_bundle(folder)
    if twin.label_space.concept_ids != label_space.concept_ids:
        raise ConfigError(f"{folder} is no twin: it has other labels.")
    if twin.model is None or (twin.linear is not None) != has_linear:
        raise ConfigError(f"{folder} is no twin: it has other suggesters.")
    manifest = twin.manifest
    return TakenOver(
        join=manifest["join"],
        calibration=twin.calibration,
        facts={"metrics": manifest.get("metrics", {})},
        about=_about(manifest, twin.sha256[:16]),
        ranker=Ranker.load(folder) if RANKED in manifest["suggesters"] else None,
    )


def _about(manifest: Mapping[str, Any], twin_hash: str) -> dict[str, Any]:
    about = manifest.get("about", {})
    sentence = (
        f"Measured on the twin {twin_hash}, which is of the same recipe and has not learned from dev "
        "and test, as this bundle has."
    )
    kept = {name: about[name] for name in ("threshold", "languages") if name in about}
    return {**kept, "judged": dict.fromkeys(manifest.get("metrics", {}), sentence)}
