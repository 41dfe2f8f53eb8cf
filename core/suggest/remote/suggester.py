"""A model in another process, as a suggester in this one.

A model that looks for codes loads when it is first asked: names in texts do without it for long.
"""

from __future__ import annotations

import itertools
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

import scipy.sparse as sp

from core.documents.document import Document
from core.errors import BundleError, ModelStoppedError, TooSlowError
from core.model.bundle.cards import read_card
from core.model.number_format import Precision
from core.suggest.backends.protocol import Progress
from core.suggest.evidence.spans import Evidence, Span
from core.suggest.remote.process import ModelProcess, ModelRun, seconds_for
from core.suggest.suggestions import Prediction
from core.vocabulary.conventions import conventions_of

GROUPS = 4  # of as many documents as a batch has windows, as `LabelSuggester` reads them

_keys = itertools.count()

Facts = TypeVar("Facts")


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What is known here of a model that computes elsewhere.

    Attributes:
        explains: whether it can explain itself.
        has_vectors: whether it weighs the terms of documents.
        number_format: in which its encoder computes; None where it has none. It is measured once a
            machine and may be so again after a start: another one makes no other model.
    """

    name: str
    bundle_hash: str
    explains: bool
    has_vectors: bool
    number_format: Precision | None = field(compare=False)


class RemoteModel(Generic[Facts]):
    """What the process has loaded, and loads again when it was started again.

    Args:
        load: the function of the worker that loads it, with its arguments; of one that is a
            function here, what that returns when it is loaded.
        facts: what is known before it is loaded, which is then done at the first call; None for
            what is loaded now.
        beside: a model that it asks; None for none.

    Attributes:
        facts: what is known of it.
    """

    def __init__(
        self,
        process: ModelProcess,
        load: tuple[object, ...],
        *,
        facts: Facts | None = None,
        beside: Reads | None = None,
    ) -> None:
        self.process, self._load_call, self._beside = process, load, beside
        self._key = next(_keys)
        self._loading = threading.Lock()
        self._run: ModelRun | None = None
        if facts is not None:
            self.facts = facts
            return
        run = process.running()
        self.facts, self._run = self._load(run), run

    def call(
        self,
        function: str,
        *arguments: object,
        on_progress: Progress | None = None,
        seconds: float | None = None,
    ) -> Any:
        """Return what a function of the worker returns for this model.

        Raises:
            ModelStoppedError: the process has ended meanwhile.
            TooSlowError: it took longer than so many seconds.
            BundleError: it was started again, and the bundle is another one now.
        """
        run = self.process.running()
        self._load_into(run)
        answer = partial(self._beside.read, on_progress=on_progress) if self._beside else None
        return run.call(
            function,
            self._key,
            *arguments,
            on_progress=on_progress,
            answer=answer,
            seconds=seconds,
        )

    def read(
        self,
        function: str,
        documents: Sequence[Document],
        *arguments: object,
        on_progress: Progress | None = None,
    ) -> Any:
        """Call a function that looks through texts, which have as much time as their length asks for.

        A text during which the process has ended is read once more: it may have ended for another.

        Raises:
            TooSlowError: the time was over, now or some minutes ago.
        """
        self.process.refuse_slow(documents)
        ask = partial(
            self.call,
            function,
            *arguments,
            on_progress=on_progress,
            seconds=seconds_for(documents),
        )
        try:
            try:
                return ask()
            except ModelStoppedError:
                return ask()
        except TooSlowError:
            if len(documents) == 1:
                self.process.note_slow(documents[0])
            raise

    def _load_into(self, run: ModelRun) -> None:
        with self._loading:
            if self._run is not run:
                facts = self._load(run)
                if facts != self.facts:
                    raise BundleError("The model bundle was changed; restart Strata.")
                self.facts, self._run = facts, run

    def _load(self, run: ModelRun) -> Facts:
        name, *arguments = (each() if callable(each) else each for each in self._load_call)
        facts: Facts = run.call(str(name), self._key, *arguments)
        weakref.finalize(self, run.forget, self._key).atexit = False
        return facts


def load_remote(process: ModelProcess, bundle_dir: Path) -> RemoteSuggester:
    """Load what suggests in a bundle, in the process of the models; of codes, at the first call.

    Raises:
        BundleError: the bundle is missing, damaged, or cannot suggest.
        ModelStoppedError: the process has ended meanwhile.
    """
    facts = facts_of_codes(bundle_dir)
    model: RemoteModel[ModelFacts] = RemoteModel(process, ("load", str(bundle_dir)), facts=facts)
    return (RemoteExplainer if model.facts.explains else RemoteSuggester)(model)


def facts_of_codes(bundle_dir: Path) -> ModelFacts | None:
    """Return what the manifest of a model of codes says; None of another, and where it is damaged."""
    card = read_card(bundle_dir)
    if card.problem or not conventions_of(card.vocabulary_id).lexical:
        return None
    return ModelFacts(
        name=card.name,
        bundle_hash=card.bundle_hash,
        explains=True,
        has_vectors="linear" in card.suggesters,
        number_format=None,
    )


class Reads(Protocol):
    """What has texts read by a model that computes elsewhere."""

    facts: ModelFacts

    def call(self, function: str, *arguments: object) -> Any:
        """Return what a function of the worker returns for the model."""

    def read(
        self,
        function: str,
        documents: Sequence[Document],
        *arguments: object,
        on_progress: Progress | None = None,
    ) -> Any:
        """Call a function that looks through these documents."""


class AskedModel:
    """A model, in a process that looks through texts; the server is asked, and asks the model.

    Args:
        ask: asks the server for a call of `RemoteModel.read`, and returns the answer. The server
            itself reports how far a text is.
    """

    def __init__(self, facts: ModelFacts, ask: Callable[..., Any]) -> None:
        self.facts, self.call = facts, ask

    def read(
        self,
        function: str,
        documents: Sequence[Document],
        *arguments: object,
        on_progress: Progress | None = None,
    ) -> Any:
        """Call a function that looks through these documents."""
        return self.call(function, documents, *arguments)


class RemoteSuggester:
    """Suggests as the model of a bundle does, in the process of the models."""

    def __init__(self, model: Reads) -> None:
        self.model, facts = model, model.facts
        self.name, self.bundle_hash = facts.name, facts.bundle_hash
        self.members: tuple[object, ...] = (RemoteVectors(self.model),) if facts.has_vectors else ()

    @property
    def number_format(self) -> Precision | None:
        """The format that serves, once it is loaded."""
        return self.model.facts.number_format

    def suggest(
        self,
        document: Document,
        *,
        limit: int = 50,
        threshold: float = 0.0,
        on_progress: Progress | None = None,
    ) -> Prediction:
        """Return the most probable concepts of one document, best first."""
        prediction: Prediction = self.model.read(
            "suggest", [document], document, limit, threshold, on_progress=on_progress
        )
        return prediction

    def suggest_batch(
        self,
        documents: Iterable[Document],
        *,
        limit: int = 50,
        threshold: float = 0.0,
        batch_size: int = 16,
    ) -> Iterator[Prediction]:
        """Yield predictions in the order of the documents, which are sent in groups."""
        remaining = iter(documents)
        while group := list(islice(remaining, GROUPS * batch_size)):
            yield from self.model.read("suggest_batch", group, group, limit, threshold, batch_size)


class RemoteExplainer(RemoteSuggester):
    """A model in the other process that can explain itself."""

    def explain(self, document: Document) -> RemoteExplanation:
        """Return what asks the process about a document; it is read there at the first question."""
        return RemoteExplanation(self.model, document)


class RemoteVectors:
    """The terms of documents, as a suggester of the bundle weighs them."""

    def __init__(self, model: Reads) -> None:
        self._model = model

    def vector(self, title: str, text: str) -> sp.csr_matrix:
        """Return a row of length 1, (1, n_terms)."""
        row: sp.csr_matrix = self._model.call("vector", title, text)
        return row


class RemoteExplanation:
    """Why a model in the other process suggests concepts for one document."""

    def __init__(self, model: Reads, document: Document) -> None:
        self._model, self._document = model, document

    def evidence(self, concept_ids: Sequence[str]) -> dict[str, Evidence]:
        """Return what supports each of these concepts, without those that cannot be assigned."""
        evidence: dict[str, Evidence] = self._model.read(
            "evidence", [self._document], self._document, [*concept_ids]
        )
        return evidence

    def without(self, concept_id: str, spans: Sequence[Span]) -> tuple[float, float]:
        """Return the concept's probability with these characters deleted, and with all of them.

        Raises:
            VocabularyError: the suggester cannot assign this concept.
        """
        chances: tuple[float, float] = self._model.read(
            "without", [self._document], self._document, concept_id, [*spans]
        )
        return chances
