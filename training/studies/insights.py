"""What a bundle or a run is good at and where it errs, as a small file beside it.

`python -m training insights BUNDLE_OR_RUN --split dev` writes FOLDER/insights/insights-dev.json,
which the Insights page shows. A bundle is judged as it is shipped, on its joined, fused and
calibrated probabilities; a run on the scores that it kept, which are not calibrated.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from core.insights import Insights, Judged, insights_of
from core.model.bundle.manifest import MANIFEST
from core.suggest.backends.protocol import Backend, Logits, Windows, WindowTerms
from core.suggest.guided import GuidedSuggester
from core.suggest.label_suggester import LabelSuggester
from core.suggest.opening import load_suggester
from core.suggest.protocol import find_part
from training.config import DataConfig
from training.corpora.corpus import LabelledDocument, evenly
from training.judging.folders import JudgedData, RunFolder, load_data, over
from training.judging.judge import dev_threshold
from training.judging.recorded import commit, named_data, typed_command
from training.judging.scores import Scores, joined
from training.judging.scoring import bundle_scores
from training.shipping.shipped import load_bundle_data, require_known

FOLDER = "insights"
AT_A_TIME = 256  # documents whose logits are kept until they were calibrated both ways


@dataclass(frozen=True, slots=True)
class InsightsScope:
    """What is to be judged: a split, or only some of its documents, evenly spread over it."""

    split: str = "dev"
    n_documents: int = 0
    depth: int = 6

    def of(self, documents: Sequence[LabelledDocument]) -> list[LabelledDocument]:
        """Return the documents that are judged; all of them where `n_documents` is 0."""
        return evenly(documents, self.n_documents)


@dataclass(frozen=True, slots=True)
class ScoredDocuments:
    """The documents that are judged, with a model's scores of them and of dev.

    Attributes:
        dev: gives the threshold, as in every evaluation.
        uncalibrated: as `scores.assigned`, before calibration; None where that is the same.
        facts: model, hash, calibrated.
    """

    data: JudgedData
    documents: Sequence[LabelledDocument]
    scores: Scores
    dev: Scores
    facts: Mapping[str, Any]
    uncalibrated: npt.NDArray[Any] | None = None


def write_insights(folder: Path, options: DataConfig, wanted: InsightsScope) -> Path:
    """Measure a bundle or a finished run, and write the file into a folder of its own in it.

    Args:
        options: data that the command line names, over what a run was made from.
    """
    score = score_bundle if (folder / MANIFEST).is_file() else score_run
    scored = score(folder, options, wanted)
    path = folder / FOLDER / f"insights-{wanted.split}.json"
    facts = {"command": command(folder, options, wanted), "commit": commit()}
    measure(scored, wanted, facts).save(path)
    return path


def score_bundle(folder: Path, options: DataConfig, wanted: InsightsScope) -> ScoredDocuments:
    """Return the scores of a bundle as shipped; it reads every document once."""
    suggester = load_suggester(folder)
    data = load_bundle_data(folder, options, suggester.label_space)
    documents = wanted.of(data.corpus.split(wanted.split))
    require_known(folder, suggester.label_space, documents)
    scores, uncalibrated = scores_both_ways(suggester, documents)
    is_dev = wanted.split == "dev" and len(documents) == len(data.corpus.dev)
    dev = scores if is_dev else bundle_scores(suggester, data.corpus.dev)
    facts = {"model": suggester.name, "hash": suggester.bundle_hash, "calibrated": True}
    return ScoredDocuments(data, documents, scores, dev, facts, uncalibrated)


def score_run(folder: Path, options: DataConfig, wanted: InsightsScope) -> ScoredDocuments:
    """Return the scores that a run wrote when it was trained, not calibrated."""
    run = RunFolder.finished(folder)
    data = load_data(over(run.data(), options))
    documents = wanted.of(data.corpus.split(wanted.split))
    scores = run.scores(wanted.split).rows([row.document_id for row in documents])
    facts = {"model": folder.name, "hash": "", "calibrated": False}
    return ScoredDocuments(data, documents, scores, run.scores("dev"), facts)


def measure(scored: ScoredDocuments, wanted: InsightsScope, facts: Mapping[str, Any]) -> Insights:
    """Return all figures, with what they were measured on."""
    corpus, space = scored.data.corpus, scored.data.label_space
    judged = Judged(
        space,
        [row.assigned for row in scored.documents],
        [row.assigned for row in corpus.train],
        threshold=dev_threshold(scored.dev, scored.data),
        uncalibrated=scored.uncalibrated,
        **scored.scores.matrices(),
    )
    measured_on = {
        "split": wanted.split,
        "corpus": corpus.name,
        "n_full_texts": sum(row.is_full_text for row in scored.documents),
        "n_of_split": len(corpus.split(wanted.split)),
        "n_training_documents": len(corpus.train),
        "vocabulary": space.hierarchy.vocabulary_id,
    }
    return insights_of(judged, {**scored.facts, **measured_on, **facts}, depth=wanted.depth)


def command(folder: Path, options: DataConfig, wanted: InsightsScope) -> str:
    """Return the command that makes the file, places outside the project by their last part."""
    return typed_command(
        "insights",
        folder,
        **named_data(options),
        split=wanted.split,
        documents=wanted.n_documents or None,
        depth=None if wanted.depth == InsightsScope().depth else wanted.depth,
    )


def scores_both_ways(
    suggester: LabelSuggester, documents: Sequence[LabelledDocument]
) -> tuple[Scores, npt.NDArray[Any]]:
    """Return the suggester's scores, and what is assigned before calibration, from one reading.

    Without calibration means every logit and margin at its word, σ(logit), fused with the same
    weights; the second matrix has the shape of the others.
    """
    first, second = suggester, suggester.uncalibrated()
    guided = find_part(suggester, GuidedSuggester)
    if guided is not None:
        recording = RecordingBackend(guided.backend)
        first = first.changed(lambda part: _over(part, recording))
        second = second.changed(lambda part: _over(part, RepeatingBackend(recording)))
    calibrated, raw = [], []
    for start in range(0, max(1, len(documents)), AT_A_TIME):
        some = documents[start : start + AT_A_TIME]
        calibrated.append(bundle_scores(first, some))
        assigned = bundle_scores(second, some).assigned
        assert assigned is not None
        raw.append(assigned)
    return joined(calibrated), np.concatenate(raw)


class RecordingBackend:
    """A back-end that keeps its logits, to be repeated once."""

    def __init__(self, backend: Backend) -> None:
        self.backend = backend
        self.device, self.number_format = backend.device, backend.number_format
        self.kept: deque[Logits] = deque()

    def logits(self, windows: Windows, **options: Any) -> Logits:
        """Return the back-end's own."""
        self.kept.append(self.backend.logits(windows, **options))
        return self.kept[-1]

    def terms(self, windows: Windows, empty: Sequence[int]) -> WindowTerms:
        """Return the back-end's own."""
        return self.backend.terms(windows, empty)


class RepeatingBackend(RecordingBackend):
    """Repeats what another recorded; the windows must come in the same order."""

    def __init__(self, recording: RecordingBackend) -> None:
        super().__init__(recording.backend)
        self.kept = recording.kept

    def logits(self, windows: Windows, **options: Any) -> Logits:
        """Return the earliest logits that were not repeated yet."""
        return self.kept.popleft()


def _over(part: LabelSuggester, backend: Backend) -> LabelSuggester:
    return part.with_backend(backend) if isinstance(part, GuidedSuggester) else part
