"""Figures of a study, kept beside its page, and carried from there into the manifest of a bundle.

What stands in a manifest says of which documents it is: the name under which the figures stand, and
a sentence with the protocol and the command. Models that were judged on other documents have no
figures of that name, so that the page Models never sets the two side by side.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from core.boundaries import MEASUREMENT_FILES
from core.errors import ConfigError
from core.model.bundle.manifest import read_manifest, record_about, record_metrics
from training.judging.recorded import write_text

FIGURES = "figures.json"
WHOLE = "all"
"""The kind of documents of a figure of which there is one."""


@dataclass(frozen=True, slots=True)
class ArmFigures:
    """The figures of one arm of a study.

    Attributes:
        documents: that were judged, each once.
        folds: of the study; 1 where one model judged them all.
        means: name of the metric -> value in [0, 1].
    """

    documents: int
    folds: int
    means: dict[str, float]


def save_figures(folder: Path, arms: Mapping[str, ArmFigures], *, command: str) -> Path:
    """Write figures.json, from which tests and bundles take what the page beside it prints."""
    shown = {
        name: {**asdict(arm), "means": {k: round(v, 6) for k, v in arm.means.items()}}
        for name, arm in arms.items()
    }
    path = folder / FIGURES
    text = json.dumps({"command": command, "arms": shown}, indent=1, ensure_ascii=False)
    write_text(path, text + "\n")
    return path


def read_figures(folder: Path) -> tuple[str, dict[str, ArmFigures]]:
    """Return the command of a study, and the figures of each arm.

    Raises:
        ConfigError: the folder holds no figures, or they cannot be read.
    """
    path = folder / FIGURES
    no_figures = "{path} holds no figures of a study ({reason})."
    with MEASUREMENT_FILES.translated(no_figures, path=path):
        content = json.loads(path.read_text(encoding="utf-8"))
        return str(content["command"]), {n: ArmFigures(**arm) for n, arm in content["arms"].items()}


def record_figures(
    bundle: Path, results: Path, arms: Sequence[str], *, of: str, note: str = ""
) -> None:
    """Write into a manifest what a study found about the bundle; its weights stay the same.

    Args:
        results: folder of the study's figures.json.
        arms: those that are the bundle. One goes in as it is, of several each as a kind of its own,
            by what stands behind the last comma: `as_served` of "CodiEsp dev, as served".
        of: the documents and the protocol in a few words, such as "CMC 2007, five folds".
        note: what a reader has to know beside that.
    Raises:
        ConfigError: the study has no such arm, or the documents of the figures are not named.
    """
    command, figures = read_figures(results)
    unknown = [name for name in arms if name not in figures]
    if unknown:
        raise ConfigError(f"{results} has no arm “{unknown[0]}”; there are {', '.join(figures)}.")
    if not of.strip() or not arms:
        raise ConfigError("Figures mean nothing without their documents: name both.")
    kinds = {WHOLE if len(arms) == 1 else _kind(name): figures[name].means for name in arms}
    sentence = " ".join(
        part for part in (_protocol(figures[arms[0]]), note, f"Command: {command}") if part
    )
    judged = read_manifest(bundle).get("about", {}).get("judged", {})
    record_metrics(bundle, {of: kinds})
    record_about(bundle, {"judged": {**judged, of: sentence}})


def _kind(arm: str) -> str:
    return arm.rpartition(", ")[2].replace(" ", "_")


def _protocol(arm: ArmFigures) -> str:
    if arm.folds == 1:
        return f"{arm.documents:,} documents, over all codes that people assigned."
    return (
        f"{arm.documents:,} documents, over all codes that people assigned, each judged once, in "
        f"{arm.folds} folds, by a model of this configuration that had not seen it. The weights of "
        "this bundle are of one more training, with most of them."
    )
