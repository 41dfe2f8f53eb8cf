"""A teacher: any finished run or bundle, asked for its probabilities of documents.

A bundle teaches what it serves: joined windows, calibrated, and fused with its linear suggester. A
run teaches the probabilities that its scores are made of.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from core.errors import ConfigError
from core.home import checksum_of
from core.model.bundle.manifest import MANIFEST, identity, read_manifest
from core.suggest.calibration import logits
from core.suggest.guided import GuidedSuggester
from core.suggest.label_suggester import LabelSuggester
from core.suggest.opening import load_suggester
from core.suggest.windows import DocumentReader, JoinRule
from core.vocabulary.labels import LabelSpace
from training.config import DataConfig, load_config
from training.corpora.corpus import LabelledDocument
from training.distill.transfer import reading_masks
from training.fitting.run import Run, load_trained
from training.judging.folders import RunFolder
from training.judging.scores import Scores
from training.judging.scoring import bundle_scores
from training.shipping.shipped import data_of_bundle

WEIGHTS = "model.safetensors"

_LEAST = 1e-7

Array = npt.NDArray[np.float32]
Columns = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Teacher:
    """A loaded teacher.

    Attributes:
        objective: "multi_label" or "single_label".
        known: "levels" and "assigned" -> columns of its label space that it has learned there.
        scores: its probabilities of documents in float32, in the columns of its label space. In
            float16 all that is surer than 0.9998 would be 1.
    """

    folder: Path
    label_space: LabelSpace
    objective: str
    known: Mapping[str, Columns]
    scores: Callable[[Sequence[LabelledDocument]], Scores]

    def shared(self, head: str, concept_ids: Sequence[str]) -> list[tuple[int, int]]:
        """Return pairs of a column of a student's head and one of the teacher's label space.

        Args:
            concept_ids: of each column of the student's head.
        """
        own_columns = {
            self.label_space.concept_ids[column]: column for column in self.known[head].tolist()
        }
        return [(place, own_columns[i]) for place, i in enumerate(concept_ids) if i in own_columns]

    def logits(self, scores: Scores, head: str, columns: Sequence[int]) -> Array:
        """Return logits of some columns, whose sigmoid or softmax is the teacher's probability."""
        probabilities = getattr(scores, head)[:, list(columns)].astype(np.float32)
        if head == "assigned" and self.objective == "single_label":
            return np.asarray(np.log(np.maximum(probabilities, _LEAST)), dtype=np.float32)
        return logits(probabilities)


def teacher_identity(folder: Path) -> str:
    """Return a checksum of what decides a teacher's logits; reads no weights of a bundle.

    Raises:
        ConfigError: there is no run and no bundle, or nothing that can teach.
    """
    if (folder / MANIFEST).is_file():
        return identity(read_manifest(folder))
    digest = str(RunFolder.finished(folder).facts.get("digest", ""))
    if not (folder / WEIGHTS).is_file() or not (folder / "config.toml").is_file():
        raise ConfigError(
            f"{folder} cannot teach: it keeps no {WEIGHTS} with its config.toml. Name a run of "
            "`training train`, or a bundle."
        )
    return checksum_of(folder / WEIGHTS) + digest


def teacher_data_config(folder: Path) -> DataConfig:
    """Return the data that a bundle or a run was trained on.

    Raises:
        BundleError: the bundle's manifest cannot be read.
        ConfigError: the run's config.toml cannot be read.
    """
    if (folder / MANIFEST).is_file():
        return data_of_bundle(folder)
    return load_config(folder / "config.toml").data


def teacher_checksums(folder: Path) -> dict[str, str]:
    """Return checksums by name of the files that a bundle or run was trained on, if known."""
    if (folder / MANIFEST).is_file():
        training = read_manifest(folder).get("training", {})
        return dict(training.get("data_sha256", {}))
    return dict(RunFolder.finished(folder).facts.get("data_sha256", {}))


def load_teacher(folder: Path, *, masked: bool) -> Teacher:
    """Load a bundle or a run.

    Args:
        masked: whether it will be given words that are masked.
    Raises:
        BundleError: the bundle is damaged.
        ConfigError: the run's weights or data are not there any more, or its tokenizer has no mask.
    """
    if (folder / MANIFEST).is_file():
        return _of_bundle(folder, masked)
    return _of_run(folder, masked)


def _of_bundle(folder: Path, masked: bool) -> Teacher:
    suggester = load_suggester(folder)
    if masked:
        suggester = suggester.changed(_with_masks)
    columns_known = {
        "levels": np.concatenate([np.empty(0, dtype=np.int64), *suggester.level_columns]),
        "assigned": suggester.assigned_columns,
    }
    return Teacher(
        folder,
        suggester.label_space,
        suggester.objective,
        columns_known,
        lambda documents: bundle_scores(suggester, documents, exact=True),
    )


def _with_masks(suggester: LabelSuggester) -> LabelSuggester:
    """Return a suggester that reads masks; a linear one knows words alone, and stays as it is."""
    if not isinstance(suggester, GuidedSuggester):
        return suggester
    reader = suggester.reader
    return suggester.with_reader(DocumentReader(reading_masks(reader.tokenizer), reader.reading))


def _of_run(folder: Path, masked: bool) -> Teacher:
    run = Run(load_config(folder / "config.toml"), folder)
    model = load_trained(run)
    if masked:
        run.tokenizer = reading_masks(run.tokenizer)
    none = np.empty(0, dtype=np.int64)
    columns_known = {
        "levels": run.level_columns if model.shape.plan != "none" else none,
        "assigned": run.assigned_columns if model.shape.n_assigned else none,
    }
    return Teacher(
        folder,
        run.label_space,
        run.config.model.objective,
        columns_known,
        lambda documents: run.scores(model, documents, JoinRule(), exact=True),
    )
