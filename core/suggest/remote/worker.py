"""What runs in the process of the models: `python -m core.suggest.remote.worker NICENESS`.

It loads bundles and computes what the server asks for, gives the processors to the server where
both want them, and ends when the server has ended.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache, partial
from multiprocessing.connection import Connection
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import scipy.sparse as sp

from core import errors
from core.boundaries import named
from core.clinical.assertions import AssertedPlace, Assertion
from core.clinical.familiar import Familiarity
from core.clinical.suggester import CodesSuggester, codes_of
from core.documents.document import Document
from core.processes import without_garbage_collection
from core.suggest.cold_start.finished import Right, TextReading
from core.suggest.cold_start.suggester import ColdStartSuggester, reader_of
from core.suggest.evidence.explanation_cache import ExplanationCache
from core.suggest.evidence.spans import Evidence, Span
from core.suggest.opening import load_suggester
from core.suggest.protocol import Computing, Explainer, Explanation, Suggester, find_part
from core.suggest.remote.process import (
    ASKED,
    BEGUN,
    CALL,
    ERROR,
    FORGET,
    MODELS_NICENESS,
    PROGRESS,
    RESULT,
    TURN,
)
from core.suggest.remote.suggester import AskedModel, ModelFacts, RemoteExplainer
from core.suggest.similar import DocumentVectors
from core.suggest.suggestions import Prediction
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.versions.vocabulary_versions import VersionKey, VocabularyVersions

# Threads by what they do, few as each keeps memory for torch: one document is explained at a time,
# while the others answer from explanations that are there.
READERS, EXPLAINERS, WEIGHERS = 3, 4, 2
# What is read from files and imported at the first text is no text's fault; the second sentence is
# what the names of past conditions are made for.
WARM_UP = Document.from_text("warm-up", "A title", "Some text. History of pneumonia.")


class StoppedByServerError(Exception):
    """The server does not want the rest of a reading."""


@dataclass(frozen=True, slots=True)
class HeldModel:
    """A loaded model and the calls that it answers.

    Attributes:
        explanations: None where it cannot explain itself.
        vectors: None where it does not weigh the terms of documents.
    """

    suggester: Suggester
    explanations: ExplanationCache | None
    vectors: DocumentVectors | None


class ModelWorker:
    """Answers the server's calls, each in a thread.

    Args:
        load: makes a suggester of a bundle's folder; tests bring their own.
    """

    def __init__(
        self, requests: Connection, answers: Connection, load: Callable[[Path], Suggester]
    ) -> None:
        self._requests, self._answers, self._load_bundle = requests, answers, load
        self._models: dict[int, HeldModel] = {}
        self._readers: dict[int, ColdStartSuggester] = {}
        self._turns: dict[int, SimpleQueue[tuple[bool, Any]]] = {}
        self._own = threading.local()  # the number of the call that a thread answers
        self._ahead: CodesSuggester | None = None  # of a vocabulary that is about to be asked for
        self._sending = threading.Lock()
        self._loading_names = threading.Lock()
        reading, explaining, weighing = map(ThreadPoolExecutor, (READERS, EXPLAINERS, WEIGHERS))
        self._functions: dict[str, tuple[ThreadPoolExecutor, Callable[..., object]]] = {
            "load": (reading, self._load),
            "suggest": (reading, self._suggest),
            "suggest_batch": (reading, self._suggest_batch),
            "evidence": (explaining, self._evidence),
            "without": (explaining, self._without),
            "vector": (weighing, self._vector),
            "read_ahead": (reading, self._read_ahead),
            "load_codes": (reading, self._load_codes),
            "load_names": (reading, self._load_names),
            "load_reader": (reading, self._load_reader),
            "reading": (reading, self._reading),
            "labels": (explaining, self._labels),
            "denied": (reading, self._denied),
            "familiarity": (weighing, self._familiarity),
            "assertions": (weighing, self._assertions),
            "places": (reading, self._places),
        }

    def serve(self) -> None:
        """Take what the server sends until it has ended."""
        with suppress(EOFError, OSError):
            while True:
                kind, number, *rest = self._requests.recv()
                if kind == CALL:
                    name, arguments = rest
                    threads, function = self._functions[name]
                    self._turns[number] = SimpleQueue()
                    if name == "suggest":
                        arguments = (*arguments, self._report)
                    threads.submit(self._answer, number, partial(function, *arguments))
                elif kind == TURN and number in self._turns:
                    self._turns[number].put(rest[0])
                elif kind == FORGET:
                    self._models.pop(number, None)
                    self._readers.pop(number, None)
                    gc.unfreeze()  # what it held in circles is looked for again

    def _answer(self, number: int, function: Callable[[], object]) -> None:
        self._own.number = number
        self._send(number, BEGUN, None)
        try:
            self._send(number, RESULT, function())
        # Whatever it is, the server hears of it.
        except Exception as error:  # noqa: BLE001
            self._send(number, ERROR, sendable(error))
        finally:
            del self._turns[number]

    def _report(self, done: int, total: int) -> None:
        """Report how far a reading is, and wait for the word to go on."""
        self._wait_for(PROGRESS, done, total)

    def _ask(self, function: str, *arguments: object) -> Any:
        """Ask the server in the midst of its call, and return what it answers."""
        return self._wait_for(ASKED, function, *arguments)

    def _wait_for(self, kind: str, *arguments: object) -> Any:
        number: int = self._own.number
        self._send(number, kind, arguments)
        goes_on, result = self._turns[number].get()
        if not goes_on:
            raise StoppedByServerError
        return result

    def _send(self, number: int, kind: str, value: object) -> None:
        with self._sending, suppress(OSError):
            self._answers.send((number, kind, value))

    # ------------------------------------------------------------------ what can be called

    def _load(self, key: int, bundle_dir: str) -> ModelFacts:
        return self._held(key, self._load_bundle(Path(bundle_dir)))

    @without_garbage_collection(freezes=True)
    def _read_ahead(self, vocabulary: VersionKey, home: str) -> None:
        with self._loading_names:
            self._ahead = codes_of(None, read_vocabulary(vocabulary, home), Path(home))
            self._ahead.suggest(WARM_UP)

    @without_garbage_collection(freezes=True)
    def _load_codes(
        self,
        key: int,
        facts: ModelFacts,
        vocabulary: Hierarchy | VersionKey,
        home: str,
        bundle_dir: str,
    ) -> ModelFacts:
        with self._loading_names:
            codes = codes_of(
                RemoteExplainer(AskedModel(facts, self._ask)),
                read_vocabulary(vocabulary, home),
                Path(home),
                bundle_dir=Path(bundle_dir),
            )
            codes.ranked(WARM_UP, None)  # the model may still be loading
            self._ahead = None
            return self._held(key, codes)

    @without_garbage_collection(freezes=True)
    def _load_names(self, key: int, vocabulary: Hierarchy | VersionKey, home: str) -> ModelFacts:
        with self._loading_names:
            codes = codes_of(None, read_vocabulary(vocabulary, home), Path(home))
            codes.suggest(WARM_UP)
            self._ahead = None
            return self._held(key, codes)

    @without_garbage_collection(freezes=True)
    def _load_reader(self, key: int, hierarchy: Hierarchy | None, language: str) -> None:
        self._readers[key] = reader_of(hierarchy, language)
        self._readers[key].read(WARM_UP)

    def _held(self, key: int, suggester: Suggester) -> ModelFacts:
        explanations = ExplanationCache(suggester) if isinstance(suggester, Explainer) else None
        vectors = find_part(suggester, DocumentVectors)  # type: ignore[type-abstract]  # mypy#4717
        computing = find_part(suggester, Computing)  # type: ignore[type-abstract]
        self._models[key] = HeldModel(suggester, explanations, vectors)
        return ModelFacts(
            name=suggester.name,
            bundle_hash=suggester.bundle_hash,
            explains=explanations is not None,
            has_vectors=vectors is not None,
            number_format=computing.number_format if computing else None,
        )

    def _suggest(self, key: int, document: Document, *how: Any) -> Prediction:
        limit, threshold, report = how
        return self._models[key].suggester.suggest(
            document, limit=limit, threshold=threshold, on_progress=report
        )

    def _suggest_batch(self, key: int, documents: list[Document], *how: Any) -> list[Prediction]:
        limit, threshold, batch_size = how
        return list(
            self._models[key].suggester.suggest_batch(
                documents, limit=limit, threshold=threshold, batch_size=batch_size
            )
        )

    def _evidence(
        self, key: int, document: Document, concept_ids: list[str]
    ) -> dict[str, Evidence]:
        return self._explanation(key, document).evidence(concept_ids)

    def _without(
        self, key: int, document: Document, concept_id: str, spans: list[Span]
    ) -> tuple[float, float]:
        return self._explanation(key, document).without(concept_id, spans)

    def _explanation(self, key: int, document: Document) -> Explanation:
        explanations = self._models[key].explanations
        assert explanations is not None
        return explanations.explanation(document)

    def _reading(self, key: int, document: Document) -> TextReading:
        return self._readers[key].candidates.reading(document).without_places()

    def _labels(
        self, key: int, document: Document, concept_ids: list[str], right: Right
    ) -> dict[str, Evidence]:
        return self._readers[key].with_right(right).explain(document).evidence(concept_ids)

    def _denied(self, key: int, document: Document) -> dict[str, str]:
        return dict(self._codes(key).denied(document))

    def _places(self, key: int, document: Document) -> dict[str, tuple[Span, ...]]:
        return self._codes(key).places(document)

    def _familiarity(self, key: int, document: Document) -> Familiarity | None:
        return self._codes(key).familiarity(document)

    def _assertions(
        self, key: int, document: Document, places: list[AssertedPlace]
    ) -> list[Assertion | None]:
        return self._codes(key).assertions(document, places)

    def _codes(self, key: int) -> CodesSuggester:
        codes = self._models[key].suggester
        assert isinstance(codes, CodesSuggester)
        return codes

    def _vector(self, key: int, title: str, text: str) -> sp.csr_matrix:
        vectors = self._models[key].vectors
        assert vectors is not None
        return vectors.vector(title, text)


_versions = lru_cache(VocabularyVersions)  # each of which shares what is in use


def read_vocabulary(vocabulary: Hierarchy | VersionKey, home: str) -> Hierarchy:
    """Return a vocabulary that was sent, or read it from a home where it was only named."""
    if isinstance(vocabulary, Hierarchy):
        return vocabulary
    return _versions(Path(home)).load(vocabulary)


def sendable(error: Exception) -> Exception:
    """Return an error that the server knows, which has not imported what this process has."""
    kind = type(error)
    if kind.__module__ in (errors.__name__, "builtins") and len(error.args) == 1:
        return kind(*error.args)
    return RuntimeError(named(error))


def run(
    load: Callable[[Path], Suggester] = load_suggester, *, niceness: int = MODELS_NICENESS
) -> None:
    """Serve at this process's input and output until the server has ended.

    It ends after the server and never before, which may have a text to finish: signals that a
    terminal or a service manager sends to both are for the server alone.
    """
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, signal.SIG_IGN)
    os.nice(niceness)
    requests = Connection(os.dup(0), writable=False)
    answers = Connection(os.dup(1), readable=False)
    os.dup2(2, 1)  # what a library prints must not answer in our place
    ModelWorker(requests, answers, load).serve()
    os._exit(0)  # what is being computed is for nobody


if __name__ == "__main__":
    run(niceness=int(sys.argv[1]))
