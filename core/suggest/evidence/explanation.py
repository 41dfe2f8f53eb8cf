"""Why the model suggests a concept: the passages of a document that speak most for it.

A word's score is its part in the guided logit, weighed by the attention that the last layer pays to
it, and its part in the linear margin, each as much as it moves the fused probability; a bundle may
have one of the two alone. That costs one reading of the document for all concepts. It is an
approximation, though one that finds what the probability hangs on about as well as integrated
gradients do: see docs/results/evidence.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from core.documents.document import Document
from core.errors import BundleError
from core.suggest.calibration import Temperature
from core.suggest.evidence.guided_words import GuidedWords
from core.suggest.evidence.linear_words import LinearWords
from core.suggest.evidence.passages import passages
from core.suggest.evidence.sequence_words import words_of
from core.suggest.evidence.spans import Evidence, Span, without_spans
from core.suggest.evidence.words import DocumentWords
from core.suggest.scoring import SilentScorer

if TYPE_CHECKING:
    from core.suggest.predictor import Predictor

Array = npt.NDArray[np.float32]
Columns = npt.NDArray[np.int64]
Probability = Callable[[Array], Array]


class DocumentExplanation:
    """One document as a predictor reads it, with its words' parts in every concept.

    Reads the document once, when it is made, and may be asked from several threads.
    """

    def __init__(self, predictor: Predictor, document: Document) -> None:
        self.predictor = predictor
        self.document = document
        pieces = predictor.reader.read(document)
        self.has_text = len(pieces.windows) > 1
        self.words = DocumentWords(document, pieces.n_characters_read, predictor.reader.skipped)
        scorer, linear = predictor.scorer, predictor.linear
        self.guided = (
            None if isinstance(scorer, SilentScorer) else words_of(scorer, pieces, self.words)
        )
        self.linear = LinearWords(linear, self.words) if linear is not None else None
        self._found: dict[str, Evidence] = {}
        self._before: Array | None = None
        self._lock = threading.Lock()

    @property
    def encoder_words(self) -> GuidedWords:
        """The guided suggester's reading, for what looks into an encoder.

        Raises:
            BundleError: the bundle has a linear suggester alone, or generates labels.
        """
        if not isinstance(self.guided, GuidedWords):
            what = "a linear suggester alone" if self.guided is None else "a label decoder"
            raise BundleError(
                f"The bundle {self.predictor.name} has {what}, and no encoder with a head to look "
                "into: name another bundle."
            )
        return self.guided

    def evidence(self, concept_ids: Sequence[str]) -> dict[str, Evidence]:
        """What speaks for each of these concepts; remembered.

        Those that the model cannot assign are left out.
        """
        known = [i for i in dict.fromkeys(concept_ids) if self.predictor.can_assign(i)]
        with self._lock:
            missing = [i for i in known if i not in self._found]
            if missing:
                self._find(missing)
            return {i: self._found[i] for i in known}

    def without(self, concept_id: str, spans: Sequence[Span]) -> tuple[float, float]:
        """The concept's probability with these characters deleted, and with all of them.

        Raises:
            VocabularyError: the model cannot assign this concept.
        """
        column = self.predictor.label_space.column(concept_id)
        with self._lock:
            if self._before is None:
                self._before = self._assigned(self.document)
        after = self._assigned(without_spans(self.document, spans))
        return float(after[column]), float(self._before[column])

    def scores(self, concept_ids: Sequence[str]) -> Array:
        """How much each word speaks for each concept, shape (n_words, concepts)."""
        columns = self._columns(concept_ids)
        combined = np.zeros((len(self.words), len(columns)), dtype=np.float32)
        for part, weights in zip(self.parts(columns), self.weights(columns), strict=True):
            combined += weights * part
        return combined

    def parts(self, columns: Columns) -> list[Array]:
        """Each suggester's score of each word, (n_words, concepts): guided, then linear."""
        found = []
        if self.guided is not None:
            found.append(self.guided.terms(columns, self.predictor.join))
        if self.linear is not None:
            found.append(self.linear.terms(columns))
        return [terms[: len(self.words)] for terms in found]

    def weights(self, columns: Columns) -> list[Array]:
        """By how much the fused probability rises with each suggester's logit, on the way there.

        A slope at the end would be flat where a probability is near one, though taking its words
        away changes it much; so it is the mean slope from what the bias alone gives.
        """
        found = []
        for share, platt, logits, bias in self._suggesters(columns):
            rise = platt(logits) - platt(bias)
            slope = rise / np.where(np.abs(logits - bias) < 1e-6, 1e-6, logits - bias)
            found.append(np.asarray(share * np.maximum(slope, 1e-9), dtype=np.float32))
        return found

    def sources(self, columns: Columns) -> list[dict[str, float]]:
        """For each concept, the probability that each suggester alone gives it."""
        names = ("guided", "linear") if self.guided is not None else ("linear",)
        probs = [platt(logits) for _, platt, logits, _ in self._suggesters(columns)]
        return [
            {name: float(p[i]) for name, p in zip(names, probs, strict=False)}
            for i in range(len(columns))
        ]

    def _suggesters(self, columns: Columns) -> list[tuple[float, Probability, Array, Array]]:
        """Weight in the mean, calibration, logits and bias of each suggester."""
        if self.guided is None or self.linear is None or self.predictor.fusion is None:
            return [self._alone(columns)]
        fusion = self.predictor.fusion
        share = fusion.text_weight if self.has_text else fusion.title_weight
        linear_platt = fusion.linear_text if self.has_text else fusion.linear
        _, platt, joined, bias = self._alone(columns)
        margins, margin_bias = self.linear.margins(columns), self.linear.linear.bias[columns]
        return [
            (share, platt, joined, bias),
            (1 - share, linear_platt, margins, margin_bias),
        ]

    def _alone(self, columns: Columns) -> tuple[float, Probability, Array, Array]:
        """The guided suggester, or the linear one where there is no other, at the whole weight."""
        calibration = self.predictor.calibration
        scaling = calibration.assigned_text if self.has_text else calibration.assigned
        logits, bias = self._logits(columns), self._bias(columns)
        if isinstance(scaling, Temperature):
            # Of a softmax a part is asked for: how it moves with each label's own logit.
            everything = np.arange(len(self.predictor.assigned_columns))
            return 1.0, scaling.beside(self._logits(everything), columns), logits, bias
        return 1.0, scaling, logits, bias

    def _bias(self, columns: Columns) -> Array:
        """What a document that says nothing would get."""
        if self.guided is not None:
            return self.guided.bias(columns)
        assert self.linear is not None
        bias: Array = self.linear.linear.bias[columns]
        return bias

    def _logits(self, columns: Columns) -> Array:
        """The guided logits of some concepts, windows joined, or the linear margins."""
        if self.guided is None:
            assert self.linear is not None
            return self.linear.margins(columns)
        return self.predictor.join(self.guided.logits(columns))

    def _find(self, concept_ids: Sequence[str]) -> None:
        columns = self._columns(concept_ids)
        scores, sources = self.scores(concept_ids), self.sources(columns)
        for i, concept_id in enumerate(concept_ids):
            found = tuple(passages(self.words, scores[:, i]))
            self._found[concept_id] = Evidence(found, sources[i])

    def _columns(self, concept_ids: Sequence[str]) -> Columns:
        """Columns of the assigned head, which are those of the linear classifier as well."""
        return np.array([self.predictor.assigned_column(i) for i in concept_ids], dtype=np.int64)

    def _assigned(self, document: Document) -> Array:
        return next(self.predictor.probabilities_of([document])).assigned
