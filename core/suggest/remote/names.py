"""Names, rules and labels that are looked for in a process of their own, which needs no torch."""

from __future__ import annotations

import threading
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from weakref import WeakValueDictionary

from core.clinical.assertions import AssertedPlace, Assertion
from core.clinical.familiar import Familiarity
from core.documents.document import Document
from core.model.number_format import Precision
from core.suggest.codes import codes_of
from core.suggest.cold_start.finished import Right, TextReading
from core.suggest.evidence.spans import Evidence, Span
from core.suggest.protocol import Suggester, SuggestsCodes
from core.suggest.remote.process import ModelProcess
from core.suggest.remote.suggester import ModelFacts, RemoteExplainer, RemoteModel, RemoteSuggester
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.versions.vocabulary_versions import VersionKey, VocabularyVersions


class RemoteCodes(RemoteExplainer):
    """Suggests codes by their names, by rules and by a model, in the process of the models."""

    def __init__(
        self, model: RemoteModel[ModelFacts], beside: RemoteSuggester | None = None
    ) -> None:
        super().__init__(model)
        self._beside = beside
        self.members = (beside,) if beside is not None else ()
        self.familiarity = lru_cache(maxsize=64)(self._familiarity)  # a page asks at each drawing

    @property
    def number_format(self) -> Precision | None:
        """The format in which the model computes that is asked, once it is loaded."""
        return self._beside.number_format if self._beside is not None else None

    def denied(self, document: Document) -> Collection[str]:
        """Return the codes that a document names only to deny them."""
        denied: Mapping[str, str] = self.model.read("denied", [document], document)
        return denied

    def places(self, document: Document) -> Mapping[str, Sequence[Span]]:
        """Return by code where a document says it without denying it."""
        places: Mapping[str, Sequence[Span]] = self.model.read("places", [document], document)
        return places

    def _familiarity(self, document: Document) -> Familiarity | None:
        familiarity: Familiarity | None = self.model.read("familiarity", [document], document)
        return familiarity

    def assertions(
        self, document: Document, places: Sequence[AssertedPlace]
    ) -> list[Assertion | None]:
        """Return what is asserted of each of these places; None where it is affirmed."""
        assertions: list[Assertion | None] = self.model.read(
            "assertions", [document], document, [*places]
        )
        return assertions


class RemoteReader:
    """Looks through texts for the labels of a vocabulary, in the model process."""

    def __init__(self, model: RemoteModel[None]) -> None:
        self._model = model

    def reading(self, document: Document) -> TextReading:
        """Return what is in a document."""
        reading: TextReading = self._model.read("reading", [document], document)
        return reading

    def labels(
        self, document: Document, concept_ids: Sequence[str], right: Right
    ) -> Mapping[str, Evidence]:
        """Return where labels of concepts that may be assigned stand."""
        evidence: Mapping[str, Evidence] = self._model.read(
            "labels", [document], document, [*concept_ids], right
        )
        return evidence


class RemoteTexts:
    """What the process looks for in texts; projects with the same vocabulary share it.

    A vocabulary is named or sent once, and again to a process that was started again.
    """

    def __init__(self, process: ModelProcess) -> None:
        self._process = process
        self._loading = threading.Lock()
        self._codes: WeakValueDictionary[tuple[int, int], RemoteCodes] = WeakValueDictionary()
        self._readers: WeakValueDictionary[tuple[int, str], RemoteReader] = WeakValueDictionary()

    def read_ahead(self, vocabulary: VersionKey, home: Path) -> None:
        """Have the names of codes be read of a version that is about to be asked for."""
        self._process.running().begin("read_ahead", vocabulary, str(home))

    def codes_of(
        self,
        model: Suggester | None,
        hierarchy: Hierarchy,
        home: Path,
        *,
        bundle_dir: Path | None = None,
    ) -> SuggestsCodes:
        """Return what ranks the codes that a text names; beside a model where that computes."""
        if model is not None and not isinstance(model, RemoteSuggester):
            return codes_of(model, hierarchy, home, bundle_dir=bundle_dir)
        key = id(hierarchy), id(model.model if model is not None else None)
        with self._loading:
            codes = self._codes.get(key)
            if codes is None:
                loaded = self._loaded(model, hierarchy, home, bundle_dir)
                codes = self._codes[key] = RemoteCodes(loaded, model)
            return codes

    def reader(self, hierarchy: Hierarchy | None, language: str) -> RemoteReader:
        """Return what looks for labels; of no vocabulary, what a text is about alone."""
        key = id(hierarchy), language
        with self._loading:
            reader = self._readers.get(key)
            if reader is None:
                load = ("load_reader", hierarchy, language)
                model: RemoteModel[None] = RemoteModel(self._process, load)
                reader = self._readers[key] = RemoteReader(model)
            return reader

    def _loaded(
        self,
        model: RemoteSuggester | None,
        hierarchy: Hierarchy,
        home: Path,
        bundle_dir: Path | None,
    ) -> RemoteModel[ModelFacts]:
        vocabulary = partial(kept_or_whole, hierarchy, VocabularyVersions(home))
        if model is None:
            return RemoteModel(self._process, ("load_names", vocabulary, str(home)))
        facts = replace(model.model.facts, has_vectors=False)  # which are asked for there
        load = ("load_codes", facts, vocabulary, str(home), str(bundle_dir))
        return RemoteModel(self._process, load, beside=model.model)


def kept_or_whole(hierarchy: Hierarchy, versions: VocabularyVersions) -> VersionKey | Hierarchy:
    """Return what another process gets of a vocabulary: where it reads it, or else all of it."""
    key = VersionKey(hierarchy.vocabulary_id, hierarchy.version)
    return key if versions.is_kept(key, hierarchy) else hierarchy
