"""What was asked last about why a model suggests something, so that each document is read once.

An explanation answers everything about its document and is large; evidence answers for one concept
and is small, so that of many more documents is kept.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field

from core.documents.document import Document, fingerprint
from core.suggest.evidence.spans import Evidence
from core.suggest.protocol import Explainer, Explanation, Learner, find_part

MAX_EXPLANATIONS, MAX_BYTES = 64, 30_000_000
# Measured on the shipped bundles: an explanation holds the states of the word pieces that are read,
# which are those of so many characters at most.
BYTES_OF_EXPLANATION, BYTES_OF_CHARACTER, MAX_CHARACTERS = 300_000, 500, 40_000
MAX_EVIDENCE_BYTES = 10_000_000
BYTES_OF_EVIDENCE, BYTES_OF_PASSAGE, BYTES_OF_SPAN = 600, 300, 130


@dataclass(slots=True)
class _Place:
    """Where one explanation will stand; its lock is held while it is made."""

    n_bytes: int
    explanation: Explanation | None = None
    making: threading.Lock = field(default_factory=threading.Lock)


class ExplanationCache:
    """Keeps explanations of one model, by the text that they explain, as far as memory is for them.

    May be used from many threads: who asks for what another is making waits for it, and no more
    than one is made at a time, so that reading new documents goes on beside it.
    """

    def __init__(
        self,
        explainer: Explainer,
        max_explanations: int = MAX_EXPLANATIONS,
        *,
        max_bytes: int = MAX_BYTES,
        max_evidence_bytes: int = MAX_EVIDENCE_BYTES,
    ) -> None:
        self.explainer = explainer
        self._learner = find_part(explainer, Learner)  # type: ignore[type-abstract]  # mypy#4717
        self.max_explanations = max_explanations
        self.max_bytes = max_bytes
        self.max_evidence_bytes = max_evidence_bytes
        self._evidence: OrderedDict[tuple[str, str], Evidence] = OrderedDict()
        self._evidence_bytes = 0
        self._places: OrderedDict[str, _Place] = OrderedDict()
        self._lock = threading.Lock()
        self._one_at_a_time = threading.Lock()

    def __len__(self) -> int:
        return len(self._places)

    def explanation(self, document: Document) -> Explanation:
        """Return the explanation of a document, made where it is not there yet."""
        place = self._place(self._key(document), about_bytes(document))
        with place.making:
            if place.explanation is None:
                with self._one_at_a_time:
                    place.explanation = self.explainer.explain(document)
            return place.explanation

    def evidence(self, document: Document, concept_ids: Sequence[str]) -> dict[str, Evidence]:
        """Return what supports each of these concepts, without those that cannot be assigned."""
        key = self._key(document)
        with self._lock:
            remembered = {
                i: self._evidence[key, i] for i in concept_ids if (key, i) in self._evidence
            }
            for concept_id in remembered:
                self._evidence.move_to_end((key, concept_id))
        if len(remembered) == len(set(concept_ids)):
            return remembered
        new_evidence = self.explanation(document).evidence(concept_ids)
        with self._lock:
            for concept_id, evidence in new_evidence.items():
                self._keep((key, concept_id), evidence)
        return new_evidence

    def _key(self, document: Document) -> str:
        """What changes where the text does, or what was learned from others."""
        n_updates = self._learner.n_updates if self._learner else 0
        return f"{fingerprint(document)} {n_updates}"

    def _keep(self, key: tuple[str, str], evidence: Evidence) -> None:
        if key not in self._evidence:
            self._evidence[key] = evidence
            self._evidence_bytes += evidence_bytes(evidence)
        while self._evidence_bytes > self.max_evidence_bytes:
            self._evidence_bytes -= evidence_bytes(self._evidence.popitem(last=False)[1])

    def _place(self, key: str, n_bytes: int) -> _Place:
        with self._lock:
            place = self._places.setdefault(key, _Place(n_bytes))
            self._places.move_to_end(key)
            while len(self._places) > 1 and not self._fits():
                self._places.popitem(last=False)
            return place

    def _fits(self) -> bool:
        n_bytes = sum(place.n_bytes for place in self._places.values())
        return len(self._places) <= self.max_explanations and n_bytes <= self.max_bytes


def about_bytes(document: Document) -> int:
    """Return about how much memory the explanation of a document takes."""
    n_characters = min(len(document.title) + len(document.text), MAX_CHARACTERS)
    return BYTES_OF_EXPLANATION + BYTES_OF_CHARACTER * n_characters


def evidence_bytes(evidence: Evidence) -> int:
    """Return about how much memory the evidence for one concept takes."""
    passages = evidence.passages
    n_spans = sum(len(passage.spans) for passage in passages)
    n_characters = sum(len(passage.text) for passage in passages)
    parts = BYTES_OF_PASSAGE * len(passages) + BYTES_OF_SPAN * n_spans
    return BYTES_OF_EVIDENCE + parts + n_characters
