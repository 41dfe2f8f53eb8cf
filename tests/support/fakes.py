"""A vocabulary of a dozen invented concepts, and a model that counts words instead of learning."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from core.documents.document import Document
from core.errors import VocabularyError
from core.model.number_format import Precision, Reason
from core.serving.registry import Registry
from core.serving.server import Server
from core.serving.session import Session
from core.settings import Settings
from core.suggest.evidence.spans import Evidence, Passage, Span, without_spans
from core.suggest.suggestions import Prediction, Suggestion
from core.vocabulary.concepts import Concept, Hierarchy
from core.vocabulary.labels import LabelSpace
from tests.support.files.generated import Row
from tests.support.stores import begin_empty

LEAST = 0.06  # probable enough for a row of the tree
# id, label, broader ids, alternative labels; domains and micro-thesauri are not assigned.
ROWS = (
    ("d1", "AGRICULTURE AND FOOD", (), ()),
    ("d2", "TRANSPORT", (), ()),
    ("m1", "fisheries", ("d1",), ()),
    ("m2", "foodstuffs", ("d1",), ()),
    ("m3", "land transport", ("d2",), ()),
    ("101", "fishing quota", ("m1",), ("catch limit",)),
    ("102", "herring", ("m1",), ("Clupea",)),
    ("103", "sea fish", ("m1", "m2"), ()),
    ("104", "sole", ("103",), ()),
    ("201", "honey", ("m2",), ("bee product",)),
    ("202", "labelling of food", ("m2",), ("food label",)),
    ("301", "rail transport", ("m3",), ("railway",)),
    ("302", "travel ticket", ("m3",), ("train ticket",)),
    ("303", "high-speed train", ("301",), ()),
)


def hierarchy(labels: dict[str, str] | None = None, rows: tuple[Row, ...] = ROWS) -> Hierarchy:
    """The vocabulary, or another of `rows`; `labels` replaces some."""
    return Hierarchy(
        [
            Concept(
                concept_id=concept_id,
                uri=f"https://example.org/{concept_id}",
                notation=None,
                pref_label={"en": (labels or {}).get(concept_id, label)},
                alt_labels={"en": alt} if alt else {},
                broader=broader,
                assignable=concept_id.isdigit(),
            )
            for concept_id, label, broader, alt in rows
        ],
        vocabulary_id="tiny",
        version="1",
    )


def load_nothing_ahead(registry: Registry | type[Registry]) -> None:
    """Spare servers ICD-10-CM, ten seconds of a core, which the first page has loaded behind it."""
    registry.load_ahead = lambda *_: None  # type: ignore[method-assign, assignment]


class OneByOne:
    """Reads several documents one after the other."""

    def suggest_batch(
        self,
        documents: Iterable[Document],
        *,
        limit: int = 50,
        threshold: float = 0.0,
        batch_size: int = 16,
    ) -> Iterator[Prediction]:
        for document in documents:
            yield self.suggest(document, limit=limit, threshold=threshold)


class FakePredictor(OneByOne):
    """Suggests every concept, the more words of its labels a text has, the more probable."""

    name = "fake"
    max_tokens = 8192
    number_format = Precision("fp32", Reason.NAMED)

    def __init__(
        self,
        vocabulary: Hierarchy,
        *,
        seconds: float = 0.0,
        version: int = 1,
        least: float = LEAST,
    ) -> None:
        self.vocabulary = vocabulary
        self.least = least
        self.seconds = seconds
        self.bundle_hash = f"fake-{version}"
        self.codes = frozenset(i for i in vocabulary if vocabulary[i].assignable)

    def suggest(
        self,
        document: Document,
        *,
        limit: int = 50,
        threshold: float = 0.0,
        on_progress: Callable[[int, int], None] | None = None,
    ) -> Prediction:
        words = re.findall(r"\w+", f"{document.title} {document.text}".lower())
        for step in range(4):
            time.sleep(self.seconds / 4)
            if on_progress:
                on_progress(step + 1, 4)
        read = words[: self.max_tokens]
        found = sorted(((self.probability(i, read), i) for i in self.codes), reverse=True)
        branches: dict[str, float] = {}
        for probability, concept_id in found:
            for above in self.vocabulary.ancestors(concept_id):
                branches[above] = max(probability, branches.get(above, 0.0))
        return Prediction(
            suggestions=tuple(
                self._suggestion(concept_id, probability, branches, rank)
                for rank, (probability, concept_id) in enumerate(found[:limit], start=1)
                if probability >= threshold
            ),
            branch_probability=branches,
            n_tokens=len(words),
            n_tokens_read=len(read),
            n_windows=4,
            bundle_hash=self.bundle_hash,
            vocabulary_version=self.vocabulary.version,
            seconds=self.seconds,
            own_probability={i: p for p, i in found if i in branches},
        )

    def words_of(self, concept_id: str) -> set[str]:
        concept = self.vocabulary[concept_id]
        names = " ".join([concept.label(), *concept.alt_labels.get("en", ())]).lower()
        return set(re.findall(r"\w+", names))

    def probability(self, concept_id: str, words: list[str]) -> float:
        hits = sum(words.count(word) for word in self.words_of(concept_id))
        return round(max((hits + 0.1) / (hits + 3), self.least), 4)

    def _suggestion(
        self, concept_id: str, probability: float, branches: dict[str, float], rank: int
    ) -> Suggestion:
        concept = self.vocabulary[concept_id]
        return Suggestion(
            concept_id=concept_id,
            uri=concept.uri,
            notation=concept.notation,
            pref_label=concept.label(),
            probability=probability,
            branch_probability=max(probability, branches.get(concept_id, 0.0)),
            rank=rank,
            source="fake",
        )

    def explain(self, document: Document) -> FakeExplanation:
        return FakeExplanation(self, document)


class EmptySuggester(OneByOne):
    """Suggests nothing, to have names or others set beside it."""

    name = "empty"
    bundle_hash = "empty"

    def __init__(self, vocabulary: Hierarchy) -> None:
        self.vocabulary = vocabulary
        self.vocabulary_id = vocabulary.vocabulary_id

    def suggest(
        self,
        document: Document,
        *,
        limit: int = 50,
        threshold: float = 0.0,
        on_progress: Callable[[int, int], None] | None = None,
    ) -> Prediction:
        return Prediction((), {}, 1, 1, 1, self.bundle_hash, self.vocabulary.version, 0.0)


class FakeExplanation:
    """Every word of a concept's labels is a passage, wherever it stands."""

    def __init__(self, predictor: FakePredictor, document: Document) -> None:
        self.predictor = predictor
        self.document = document

    def evidence(self, concept_ids: Sequence[str]) -> dict[str, Evidence]:
        known = [i for i in concept_ids if i in self.predictor.codes]
        return {i: self._evidence(i) for i in known}

    def _evidence(self, concept_id: str) -> Evidence:
        places: dict[str, list[Span]] = {}
        for field, text in (("title", self.document.title), ("text", self.document.text)):
            for found in re.finditer(r"\w+", text):
                if found.group().lower() in self.predictor.words_of(concept_id):
                    span = Span(field, found.start(), found.end())
                    places.setdefault(found.group().lower(), []).append(span)
        total = sum(map(len, places.values()))
        ranked = sorted(places.items(), key=lambda item: (-len(item[1]), item[0]))
        passages = tuple(Passage(w, len(spans) / total, tuple(spans)) for w, spans in ranked[:5])
        return Evidence(passages, {"fake": self._probability(concept_id, self.document)})

    def without(self, concept_id: str, spans: Sequence[Span]) -> tuple[float, float]:
        if concept_id not in self.predictor.vocabulary:
            raise VocabularyError(f"There is no {concept_id}.")
        after = self._probability(concept_id, without_spans(self.document, spans))
        return after, self._probability(concept_id, self.document)

    def _probability(self, concept_id: str, document: Document) -> float:
        text = f"{document.title} {document.text}".lower()
        return self.predictor.probability(concept_id, re.findall(r"\w+", text))


def fake_session(
    home: Path,
    *,
    labels: dict[str, str] | None = None,
    seconds: float = 0.0,
    rows: tuple[Row, ...] = ROWS,
    database_url: str | None = None,
    **choices: Any,
) -> Session:
    """A server in a folder of its own, as its person sees it, with the vocabulary in place of a bundle.

    Args:
        database_url: of a database elsewhere.
        choices: further settings, by their names.
    """
    vocabulary = hierarchy(labels, rows)
    bundle = home / "bundle"
    bundle.mkdir(parents=True, exist_ok=True)
    LabelSpace(vocabulary).save(bundle / "label_space.jsonl")
    if database_url is None:
        begin_empty(home / "strata.sqlite")
    settings = Settings(
        home, database_url or f"sqlite:///{home}/strata.sqlite", bundle, "en", **choices
    )
    return Session(Server(settings, lambda _: FakePredictor(vocabulary, seconds=seconds)))
