"""From a linear suggester to a bundle of its own: calibrated on dev, and measured as shipped."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from core.errors import ConfigError
from core.model.bundle.bundle import save_bundle
from core.model.sparse_linear import TERMS_FILE, WEIGHTS_FILE, SparseLinear
from core.suggest.branches import BranchUnion
from core.suggest.calibration import Calibration, Platt, Scaling, fit_platt, logits
from core.suggest.windows import JoinRule, ReadingSettings
from core.vocabulary.labels import LabelSpace
from training.baselines.linear_run import margins_of
from training.corpora.corpus import LabelledDocument
from training.corpora.licences import licences
from training.judging.folders import JudgedData, RunFolder, load_data
from training.shipping.fit_fusion import fit_by_kind, fit_temperature
from training.shipping.shipped import about_run, kept_data

Array = npt.NDArray[np.float32]
Documents = Sequence[LabelledDocument]

MAX_WORDS = 100_000
"""Of a document that are read; a thousand pages take a second."""


def is_linear_run(folder: Path) -> bool:
    """Return whether a run's folder holds a linear suggester and no encoder."""
    return (folder / WEIGHTS_FILE).is_file() and not (folder / "config.toml").is_file()


def package_linear(folder: Path, out: Path, *, name: str = "") -> Path:
    """Make a bundle of what `linear`, or `baseline` with stems, left in a run's folder.

    Args:
        name: what the bundle calls itself; "" for the name of its vocabulary.
    Raises:
        ConfigError: the run is not finished, or its data are not there any more.
        BundleError: the linear suggester is damaged, or of another vocabulary.
    """
    run = RunFolder.finished(folder)
    data = load_data(run.data())
    linear = SparseLinear.load(folder, data.label_space)
    calibration = fit_calibration(linear, data)
    save_bundle(
        out,
        model=None,
        tokenizer=None,
        label_space=data.label_space,
        calibration=calibration.to_dict(),
        facts=_facts(run, data, name),
        linear=linear,
    )
    return out


def load_linear(folder: Path, space: LabelSpace) -> SparseLinear:
    """Return the linear suggester of a run's folder, to be set beside an encoder.

    Raises:
        ConfigError: the run is of another kind.
        BundleError: the linear suggester is damaged, or of another vocabulary.
    """
    if not any((folder / name).is_file() for name in (TERMS_FILE, WEIGHTS_FILE)):
        raise ConfigError(
            f"{folder} holds no linear suggester: name the folder of a run of `linear`, or of "
            "`baseline lr` or `baseline svm` with --features stems."
        )
    return SparseLinear.load(folder, space)


def fit_calibration(linear: SparseLinear, data: JudgedData) -> Calibration:
    """Return calibrations of margins, fitted on dev: of assigned concepts, then by level.

    A branch is as probable as that at least one of its concepts is assigned, as if these were
    independent; Platt's scaling mends what that is off by, where the vocabulary has levels.

    Raises:
        ConfigError: there is no dev document to fit on.
    """
    dev, space = data.corpus.dev, data.label_space
    if not dev:
        raise ConfigError("A bundle is calibrated on dev documents, and the corpus has none.")
    return calibration_of(margins_of(linear, dev), dev, space, single_label=data.single_label)


def calibration_of(
    margins: Array, documents: Documents, space: LabelSpace, *, single_label: bool = False
) -> Calibration:
    """Return calibrations of margins of documents that the linear suggester has not learned from.

    Args:
        margins: (n_documents, n_assignable).
    """
    has_text = np.array([bool(row.document.text) for row in documents], dtype=bool)
    gold = space.encode_assigned([row.assigned for row in documents])
    fit: Callable[[Array, Array], Scaling] = fit_temperature if single_label else fit_platt
    titles, texts = fit_by_kind(fit, margins, gold, has_text)
    assigned = np.zeros((len(documents), len(space)), dtype=np.float32)
    for rows, scaling in ((~has_text, titles), (has_text, texts)):
        assigned[np.ix_(rows, space.assignable)] = scaling(margins[rows])
    levels = _levels(assigned, documents, space) if space.n_levels > 1 else ()
    return Calibration(levels, titles, texts)


def _levels(assigned: Array, dev: Documents, space: LabelSpace) -> tuple[Platt, ...]:
    branches = logits(BranchUnion(space)(assigned))
    gold = space.encode([row.assigned for row in dev], augmented=True)
    columns = (space.level_columns(level) for level in range(1, space.n_levels + 1))
    return tuple(fit_platt(branches[:, of], gold[:, of].toarray()) for of in columns)


def _facts(run: RunFolder, data: JudgedData, name: str) -> dict[str, Any]:
    trained, vocabulary_id = run.facts, data.label_space.hierarchy.vocabulary_id
    rights = licences(data.corpus, vocabulary_id, "", vectors="random")
    return {
        "name": name or vocabulary_id,
        "reading": ReadingSettings(max_tokens=MAX_WORDS).to_dict(),
        "join": JoinRule().to_dict(),
        "training": {
            "command": trained.get("command") or "python -m training baseline linear",
            "commit": trained.get("commit", ""),
            "minutes": trained.get("minutes"),
            "documents_seen": trained.get("documents_seen", trained.get("training_documents")),
            "data": kept_data(data.source),
            "data_sha256": trained["data_sha256"],
            "versions": trained["versions"],
        },
        "licence": {what: stated for what, stated in rights.items() if what != "encoder"},
        "about": about_run(run),
    }
