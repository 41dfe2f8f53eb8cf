"""Text in, suggestions out: a bundle at work."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
import numpy.typing as npt

from core.boundaries import SENSELESS, named
from core.documents.document import Document
from core.errors import BundleError, ConfigError, StrataError, VocabularyError
from core.model.bundle import Bundle, load_bundle
from core.model.manifest import damaged
from core.model.precision import best_device
from core.suggest.calibration import Calibration
from core.suggest.consistency import TreeConsistency
from core.suggest.evidence.explanation import DocumentExplanation
from core.suggest.fusion import BranchUnion, Fusion
from core.suggest.fusion import logits as logits_of
from core.suggest.scoring import JoinRule, Logits, Progress, SilentScorer, WindowScorer
from core.suggest.suggestions import Prediction, Suggestion
from core.suggest.windows import DocumentReader, Pieces, ReadingSettings
from core.suggest.word_reader import WordReader
from core.vocabulary.labels import LabelSpace

Array = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Probabilities:
    """What the model says of one document, in label-space columns.

    Attributes:
        levels: of the level heads, calibrated; -inf in columns that they do not learn, which are
            all where the model has no level heads.
        assigned: that a concept is assigned; 0 where a concept cannot be.
        branch: that it or something narrower is assigned; coherent along the tree.
        linear_leads: where the linear suggester found a concept more probable than the guided one.
    """

    levels: Array
    assigned: Array
    branch: Array
    linear_leads: npt.NDArray[np.bool_]
    pieces: Pieces


class Predictor:
    """One loaded bundle; safe to use from several threads, fastest from one or two."""

    def __init__(self, bundle: Bundle, *, device: str | None = None) -> None:
        _require_head(bundle)
        manifest = bundle.manifest
        self.name, self.bundle_hash = bundle.name, bundle.sha256[:16]
        self.label_space: LabelSpace = bundle.label_space
        self.vocabulary_id = bundle.label_space.hierarchy.vocabulary_id
        reading = ReadingSettings(**manifest["reading"])
        self.reader: DocumentReader | WordReader = WordReader(reading)
        self.scorer: WindowScorer | SilentScorer = SilentScorer()
        if bundle.model is not None:
            model, tokenizer = bundle.guided
            self.reader = DocumentReader(tokenizer, reading)
            self.scorer = WindowScorer(model, device=device or best_device())
        self.max_tokens = reading.max_tokens
        self.join = JoinRule(**manifest["join"])
        self.calibration = Calibration.from_dict(bundle.calibration)
        self.consistent = TreeConsistency(self.label_space)
        self.linear, self.fusion = bundle.linear, _fusion(bundle)
        self.union = BranchUnion(self.label_space)
        self.level_columns = [
            self.label_space.level_columns(n + 1) for n in range(len(self.calibration.levels))
        ]
        self.assigned_columns = np.flatnonzero(self.label_space.assignable)

    @classmethod
    def load(cls, bundle_dir: Path, *, device: str | None = None) -> Predictor:
        """Load a bundle onto a device, a GPU where there is one.

        Raises:
            BundleError: the bundle is missing, damaged, or cannot suggest.
            ConfigError: `STRATA_PRECISION` names no precision.
        """
        bundle = load_bundle(bundle_dir)
        try:
            return cls(bundle, device=device)
        except (BundleError, ConfigError):
            raise
        except (*SENSELESS, StrataError) as error:  # settings of the manifest or the calibration
            raise damaged(bundle_dir, named(error)) from error

    def warm_up(self) -> None:
        """Run once, so that the first document does not wait for what torch does once."""
        self.suggest(
            Document.from_text("", "Regulation on the protection of animals", "text " * 400)
        )

    # ------------------------------------------------------------------ suggesting

    def suggest(
        self,
        document: Document,
        *,
        limit: int = 50,
        threshold: float = 0.0,
        on_progress: Progress | None = None,
    ) -> Prediction:
        """The most probable concepts of one document, best first."""
        started = time.perf_counter()
        pieces = self.reader.read(document)
        logits = self.scorer(pieces.windows, on_progress=on_progress)
        probabilities = self.probabilities(document, pieces, logits)
        return self._prediction(probabilities, limit, threshold, started)

    def suggest_batch(
        self,
        documents: Iterable[Document],
        *,
        limit: int = 50,
        threshold: float = 0.0,
        batch_size: int = 16,
    ) -> Iterator[Prediction]:
        """Predictions in the order of the documents, their windows sorted by length together."""
        started = time.perf_counter()
        for probabilities in self.probabilities_of(documents, batch_size=batch_size):
            yield self._prediction(probabilities, limit, threshold, started)
            started = time.perf_counter()

    def explain(self, document: Document) -> DocumentExplanation:
        """What the model can say about why; reads the document once more."""
        return DocumentExplanation(self, document)

    # ------------------------------------------------------------------ probabilities

    def probabilities_of(
        self, documents: Iterable[Document], *, batch_size: int = 16
    ) -> Iterator[Probabilities]:
        """Of every concept for every document, in order."""
        remaining = iter(documents)
        # Enough documents at a time that sorting their windows by length saves padding.
        while group := list(islice(remaining, 4 * batch_size)):
            pieces = [self.reader.read(document) for document in group]
            windows = [window for one in pieces for window in one.windows]
            logits = self.scorer(windows, batch_size=batch_size)
            start = 0
            for document, one in zip(group, pieces, strict=True):
                stop = start + len(one.windows)
                yield self.probabilities(document, one, logits.rows(start, stop))
                start = stop

    def probabilities(self, document: Document, pieces: Pieces, logits: Logits) -> Probabilities:
        """From the logits of a document's windows, (windows, labels)."""
        if logits.assigned is None:
            return self._linear_alone(document, pieces)
        assigned, levels = self.guided(pieces, logits)
        linear_leads = np.zeros(len(assigned), dtype=bool)
        if self.linear is not None and self.fusion is not None:
            has_text = len(pieces.windows) > 1
            # Both read as much of the text: what one does not see, the other does not tell either.
            margins = self.linear.margins(document.title, document.text[: pieces.n_characters_read])
            linear = np.zeros_like(assigned)
            linear[self.assigned_columns] = self.fusion.linear_assigned(margins, has_text=has_text)
            linear_leads = linear > assigned
            assigned = self.fusion.assigned(assigned, linear, has_text=has_text)
            levels = self.fusion.levels(
                levels, self.union(linear[None])[0], self.label_space.levels
            )
        branch = self.consistent(np.maximum(levels, assigned)[None])[0]
        return Probabilities(levels, assigned, branch, linear_leads, pieces)

    def _linear_alone(self, document: Document, pieces: Pieces) -> Probabilities:
        """From the words alone; the calibration is of margins, and of branches as unions."""
        assert self.linear is not None
        has_text = len(pieces.windows) > 1
        margins = self.linear.margins(document.title, document.text[: pieces.n_characters_read])
        platt = self.calibration.assigned_text if has_text else self.calibration.assigned
        assigned = np.zeros(len(self.label_space), dtype=np.float32)
        assigned[self.assigned_columns] = platt(margins)
        union = logits_of(self.union(assigned[None])[0])
        learned = [union[columns] for columns in self.level_columns]
        levels = self._level_probabilities(np.concatenate(learned) if learned else None)
        branch = self.consistent(np.maximum(levels, assigned)[None])[0]
        leads = np.ones(len(assigned), dtype=bool)
        return Probabilities(levels, assigned, branch, leads, pieces)

    def can_assign(self, concept_id: str) -> bool:
        """Whether the model could suggest this concept."""
        space = self.label_space
        return concept_id in space and bool(space.assignable[space.column(concept_id)])

    def assigned_column(self, concept_id: str) -> int:
        """The column of a concept among those that may be assigned.

        Raises:
            VocabularyError: the model has no such concept, or it is a mere division.
        """
        column = self.label_space.column(concept_id)
        if not self.label_space.assignable[column]:
            raise VocabularyError(
                f"{concept_id} only divides the vocabulary; it is never assigned."
            )
        return int(np.searchsorted(self.assigned_columns, column))

    def guided(self, pieces: Pieces, logits: Logits) -> tuple[Array, Array]:
        """What the guided classifier alone says, calibrated: assigned, levels (label space)."""
        joined = logits.map(self.join)
        assert joined.assigned is not None
        has_text = len(pieces.windows) > 1
        platt = self.calibration.assigned_text if has_text else self.calibration.assigned
        assigned = np.zeros(len(self.label_space), dtype=np.float32)
        assigned[self.assigned_columns] = platt(joined.assigned)
        return assigned, self._level_probabilities(joined.levels)

    def _level_probabilities(self, logits: Array | None) -> Array:
        levels = np.full(len(self.label_space), -np.inf, dtype=np.float32)
        if logits is None:
            return levels
        start = 0
        for columns, platt in zip(self.level_columns, self.calibration.levels, strict=True):
            levels[columns] = platt(logits[start : start + len(columns)])
            start += len(columns)
        return levels

    # ------------------------------------------------------------------ suggestions

    def _prediction(
        self, probabilities: Probabilities, limit: int, threshold: float, started: float
    ) -> Prediction:
        columns = self._best(probabilities.assigned, limit, threshold)
        suggestions = [
            self._suggestion(probabilities, column, rank)
            for rank, column in enumerate(columns, start=1)
        ]
        pieces = probabilities.pieces
        return Prediction(
            suggestions=tuple(suggestions),
            branch_probability=self._branches(probabilities, columns),
            n_tokens=pieces.n_tokens,
            n_tokens_read=pieces.n_tokens_read,
            n_windows=len(pieces.windows),
            bundle_hash=self.bundle_hash,
            vocabulary_version=self.label_space.hierarchy.version,
            seconds=time.perf_counter() - started,
            own_probability=self._own(probabilities, columns),
        )

    def _best(self, assigned: Array, limit: int, threshold: float) -> list[int]:
        # Ties go by column, so that the same text gives the same list everywhere.
        order = np.lexsort((np.arange(len(assigned)), -assigned))
        chosen = [c for c in order[:limit].tolist() if assigned[c] >= threshold]
        return [c for c in chosen if self.label_space.assignable[c]]

    def _suggestion(self, probabilities: Probabilities, column: int, rank: int) -> Suggestion:
        concept = self.label_space.hierarchy[self.label_space.concept_ids[column]]
        return Suggestion(
            concept_id=concept.concept_id,
            uri=concept.uri,
            notation=concept.notation,
            pref_label=concept.label(),
            probability=float(probabilities.assigned[column]),
            branch_probability=float(probabilities.branch[column]),
            rank=rank,
            source="linear" if probabilities.linear_leads[column] else "guided",
        )

    def _branches(self, probabilities: Probabilities, columns: Sequence[int]) -> dict[str, float]:
        space = self.label_space
        above = space.hierarchy.augment([space.concept_ids[column] for column in columns])
        return {i: float(probabilities.branch[space.column(i)]) for i in sorted(above)}

    def _own(self, probabilities: Probabilities, columns: Sequence[int]) -> dict[str, float]:
        space = self.label_space
        ancestors = space.hierarchy.ancestors
        broader = {i for column in columns for i in ancestors(space.concept_ids[column])}
        own = {i: space.column(i) for i in sorted(broader) if space.hierarchy[i].assignable}
        return {i: float(probabilities.assigned[column]) for i, column in own.items()}


def _require_head(bundle: Bundle) -> None:
    if bundle.model is None:
        if bundle.linear is None:
            raise BundleError(f"The model bundle in {bundle.directory} has no suggester.")
    elif not bundle.model.shape.n_assigned:
        raise BundleError(
            f"The model bundle in {bundle.directory} has no head for what is assigned, "
            "so it cannot suggest; train one with model.assigned_head = true."
        )


def _fusion(bundle: Bundle) -> Fusion | None:
    """How two suggesters are fused; None where one stands alone."""
    alone = bundle.linear is None or bundle.model is None
    return None if alone else Fusion.from_dict(bundle.calibration["fusion"])
