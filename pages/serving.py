"""What all sessions of one server share: settings, store, vocabulary, and the one warm model.

`workplace()` is made at the first call and stays. The store and the vocabulary are opened when
they are first needed, and again after a failure, so a mended disk needs no restart.
"""

from __future__ import annotations

import logging
import tempfile
import threading
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from uuid import uuid4

from streamlit import get_option

from core.documents.intake import MIN_LANGUAGE_CHARACTERS, identify_language
from core.errors import StoreError, VocabularyError
from core.model.bundles import read_card
from core.review.jobs import JobBacklog, start_job
from core.review.reports.summaries import DocumentSummary
from core.review.store.documents import vocabulary_of
from core.review.store.people import default_person, read_preferences
from core.review.store.predictions import save_prediction
from core.review.store.projects import DEFAULT_VOCABULARY
from core.review.store.store import Store
from core.settings import Settings
from core.suggest.opening import load_suggester, with_names
from core.suggest.protocol import Suggester
from core.suggest.service import SuggestionService
from core.suggest.suggestions import Prediction
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.conventions import conventions_of
from core.vocabulary.search.vocabulary_index import VocabularyIndex
from core.vocabulary.versions.importing import Importer
from core.vocabulary.versions.vocabulary_versions import (
    BUNDLED,
    VersionKey,
    VocabularyVersions,
    folder_name,
)
from pages.projects import Projects
from pages.served import ServedModel

_LOG = logging.getLogger(__name__)

SUGGESTION_LIMIT = 300


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The hierarchy in use, and its search index."""

    hierarchy: Hierarchy
    index: VocabularyIndex


class Workplace:
    """The shared objects of one server.

    Args:
        load: makes a model of a bundle's folder; tests bring their own.
    """

    def __init__(self, settings: Settings, load: Callable[[Path], Suggester] | None = None) -> None:
        self.settings = settings
        self._started = uuid4().hex
        self.load_model = load or self._load_predictor
        self.served = ServedModel(
            settings, self.store, self.load_model, self._prepare_vocabulary, self._join
        )
        self.service = SuggestionService(
            self._load_first,
            self._keep,
            limit=SUGGESTION_LIMIT,
            backlog=JobBacklog(self.store, self._run_settings),
            knows=self._is_of,
        )
        self.shelf = VocabularyVersions(settings.home)
        self.importer = Importer(self.shelf)
        self.projects = Projects(self)
        self._store: Store | None = None
        self._vocabulary: Vocabulary | None = None
        self._vocabulary_problem: str | None = None
        self._opening = threading.Lock()
        self._reading = threading.Lock()

    @property
    def server_id(self) -> str:
        """Names this server since its start, and since it serves another model or project.

        Pages that were drawn before have themselves drawn anew when an answer names another.
        """
        return f"{self._started}-{self.served.n_taken + self.projects.n_opened}"

    def start(self) -> None:
        """Load vocabulary and model in the background, then go on with unfinished jobs."""
        self.service.start()

    def store(self) -> Store:
        """The open store.

        Raises:
            StoreError: it cannot be opened now; the next call tries again.
        """
        with self._opening:
            if self._store is None:
                self._store = Store.open(self.settings.database_url)
            return self._store

    def serve(self, directory: Path) -> None:
        """Serve another bundle as soon as it is loaded; the one before serves until then.

        One of another vocabulary opens that vocabulary's project.

        Raises:
            BundleError: it cannot be loaded, or another is being loaded.
        """
        card = read_card(directory)
        if card.problem is None and card.vocabulary_id != self.vocabulary_id():
            self.projects.open_with(card)
        else:
            self.served.serve(directory, self.service)

    def outdated(self, summaries: Iterable[DocumentSummary]) -> list[str]:
        """Ids of those of these documents that another model has read than the one that serves."""
        model = self.service.model
        if model is None:
            return []
        own = model.bundle_hash
        return [one.document_id for one in summaries if one.read_by not in (None, own)]

    def predict(self, document_ids: Iterable[str]) -> int | None:
        """Have documents read in the background, by a job that survives a restart.

        Returns:
            The job's id; None where all of them wait in a job already, or where the model knows
            another vocabulary than the one in use.
        """
        if not self.suggests():
            return None
        job_id = start_job(self.store(), document_ids, project_id=self.project_id())
        self.service.wake()
        return job_id

    def project_id(self) -> int:
        """The project that is open; it has the vocabulary in use."""
        return self.projects.current().project_id

    def person_id(self) -> int:
        """The one person, until there are accounts."""
        return default_person(self.store()).person_id

    def language(self) -> str:
        """The label language that the person has chosen, or that of the settings."""
        chosen = read_preferences(self.store(), self.person_id()).get("label_language")
        return chosen if isinstance(chosen, str) else self.settings.language

    def vocabulary_id(self) -> str:
        """Which vocabulary documents are indexed with; also where none could be loaded."""
        vocabulary = self.vocabulary()
        return vocabulary.hierarchy.vocabulary_id if vocabulary else DEFAULT_VOCABULARY

    def hierarchy(self) -> Hierarchy:
        """The vocabulary's hierarchy; an empty one where none could be loaded."""
        vocabulary = self.vocabulary()
        if vocabulary is not None:
            return vocabulary.hierarchy
        return Hierarchy([], vocabulary_id=self.vocabulary_id(), version="")

    def vocabulary(self) -> Vocabulary | None:
        """The vocabulary in use, or None where there is none that can be read.

        That is the one that was taken last on the Vocabulary page, or else the bundle's.
        """
        with self._reading:
            if self._vocabulary is None and self._vocabulary_problem is None:
                try:
                    self._vocabulary = self._open_vocabulary_in_use()
                except VocabularyError as error:
                    _LOG.exception("the vocabulary could not be loaded")
                    self._vocabulary_problem = str(error)
            return self._vocabulary

    def use(self, choice: VersionKey) -> None:
        """Take a version of a vocabulary into use; nothing changes where it cannot be read.

        Raises:
            VocabularyError: it is not there, is damaged, or the choice cannot be kept.
        """
        self.projects.leave()
        opened = self._open_vocabulary(choice)
        self.shelf.take(choice)
        self.put(opened)
        self.projects.follow()

    def use_former(self) -> None:
        """Use again what was in use before; as `use`."""
        former = self.shelf.before()
        if former is not None:
            self.projects.leave()
            opened = self._open_vocabulary(former)
            self.shelf.take_back()
            self.put(opened)
            self.projects.follow()

    def put(self, opened: Vocabulary) -> None:
        """Have everybody use a vocabulary that was opened."""
        with self._reading:
            self._vocabulary, self._vocabulary_problem = opened, None

    def bundled(self) -> Hierarchy:
        """The vocabulary that the model was trained with.

        Raises:
            VocabularyError: the bundle has none that can be read.
        """
        return self.served.hierarchy()

    def suggests(self) -> bool:
        """Whether the model can suggest concepts of the vocabulary in use."""
        if self.service.model is not None:
            return self.service.model.vocabulary_id == self.vocabulary_id()
        if not self.served.has_model and conventions_of(self.vocabulary_id()).lexical:
            return True
        try:
            return self.bundled().vocabulary_id == self.vocabulary_id()
        except VocabularyError:
            return self.shelf.in_use() == BUNDLED

    def reads(self, document_id: str) -> bool:
        """Whether the model can read a document; False of one of another vocabulary.

        Raises:
            StoreError: the store cannot be read.
        """
        return self.suggests() and self._is_of(document_id, self.vocabulary_id())

    def offered(self, prediction: Prediction) -> Prediction:
        """The prediction without suggestions that the version in use of the vocabulary lacks.

        That is another one than it was made with after an import, or after another model came that
        was trained with another version.
        """
        vocabulary = self.vocabulary()
        if vocabulary is None:
            return prediction
        hierarchy = vocabulary.hierarchy
        kept = tuple(one for one in prediction.suggestions if one.concept_id in hierarchy)
        return replace(prediction, suggestions=kept)

    def health(self) -> dict[str, object]:
        """How the server is, for `/api/health`."""
        model = self.service.model
        return {
            "server": self.server_id,
            "state": self.service.state,
            "problem": self.service.problem,
            "model": model.name if model else None,
            "bundle_hash": model.bundle_hash if model else None,
        }

    def reread(self) -> None:
        """Read database and vocabulary anew at the next call, as after a restore."""
        with self._opening:
            if self._store is not None:
                self._store.close()
        with self._reading:
            self._vocabulary = self._vocabulary_problem = None
        self.projects.reread()
        self.served.remember()

    def close(self) -> None:
        """Give the worker and the database back."""
        self.service.close()
        if self._store is not None:
            self._store.close()

    def _prepare_vocabulary(self, hierarchy: Hierarchy) -> Callable[[], None]:
        """Index another model's vocabulary, to be used with it unless an imported one is in use."""
        opened = self.indexed(hierarchy)

        def put_in_use() -> None:
            if self.shelf.in_use() == BUNDLED:
                self.put(opened)

        return put_in_use

    def indexed(self, hierarchy: Hierarchy) -> Vocabulary:
        """A vocabulary with its search index, which is made where there is none yet."""
        return _with_index(hierarchy, self.settings.home)

    def joined(self, model: Suggester | None, hierarchy: Hierarchy) -> Suggester | None:
        """What suggests in a vocabulary: the model, and names that are found in the text.

        Returns:
            None where there is no model, and the vocabulary does without names.
        """
        return with_names(model, hierarchy, self.settings.home)

    def _join(self, model: Suggester, own: Hierarchy) -> Suggester:
        """A model of the Models page, in the vocabulary that is in use when it serves."""
        used = own if self.shelf.in_use() == BUNDLED else self.hierarchy()
        return self.joined(model, used) or model

    def _open_vocabulary(self, choice: VersionKey) -> Vocabulary:
        return self.indexed(self.bundled() if choice == BUNDLED else self.shelf.load(choice))

    def _open_vocabulary_in_use(self) -> Vocabulary:
        """What was taken last, or the bundle's own where that cannot be read any more."""
        choice = self.shelf.in_use()
        if choice != BUNDLED:
            try:
                return self._open_vocabulary(choice)
            except VocabularyError:
                _LOG.exception("the vocabulary in use cannot be read; the bundle's is used instead")
        return self._open_vocabulary(BUNDLED)

    def _load_first(self) -> Suggester:
        """The model to start with, once what pages wait for is there."""
        vocabulary = self.vocabulary()
        if vocabulary is not None:
            vocabulary.index.warm()
        # Its table takes half a second to unpack, which the first document should not wait for.
        identify_language("the " * MIN_LANGUAGE_CHARACTERS)
        before = self.served.directory
        if not self.served.has_model and (alone := self.joined(None, self.hierarchy())):
            return alone
        model = self.served.load()
        if self.served.directory != before:  # what was chosen cannot be loaded
            with self._reading:
                self._vocabulary = self._vocabulary_problem = None
        return self.joined(model, self.hierarchy()) or model

    def _load_predictor(self, directory: Path) -> Suggester:
        """The model of a bundle; torch is imported then and not before."""
        return load_suggester(directory)

    def _run_settings(self) -> dict[str, object]:
        """How a prediction was asked for, as its run notes it."""
        model = self.service.model
        return {"limit": self.service.limit, "model": model.name if model else None}

    def _is_of(self, document_id: str, vocabulary_id: str) -> bool:
        """Whether a document is indexed with a vocabulary; one that is not there may be any."""
        return vocabulary_of(self.store(), document_id) in (None, vocabulary_id)

    def _keep(self, document_id: str, prediction: Prediction) -> None:
        try:
            save_prediction(self.store(), document_id, prediction, settings=self._run_settings())
        except StoreError as error:
            raise StoreError(f"The suggestions could not be stored. {error}") from error


def _with_index(hierarchy: Hierarchy, home: Path) -> Vocabulary:
    name = f"{folder_name(hierarchy.vocabulary_id)}.{folder_name(hierarchy.version)}.search.sqlite"
    try:
        index = VocabularyIndex.open(hierarchy, home / "search" / name)
    except VocabularyError:
        _LOG.warning("the search index goes to a temporary folder", exc_info=True)
        index = VocabularyIndex.build(hierarchy, Path(tempfile.mkdtemp()) / name)
    return Vocabulary(hierarchy, index)


_workplace: Workplace | None = None
_making = threading.Lock()


def workplace() -> Workplace:
    """The server's shared objects, made from the environment's settings at the first call."""
    global _workplace
    with _making:
        if _workplace is None:
            _workplace = Workplace(Settings.from_env())
        return _workplace


def install(replacement: Workplace | None) -> None:
    """Put another workplace in place, as tests do; None makes a new one at the next call."""
    global _workplace
    with _making:
        _workplace = replacement


def allowed_hosts() -> list[str]:
    """The names under which this server answers: `server.allowedHosts`, or any where it is empty."""
    names = get_option("server.allowedHosts")
    return list(names) if names else ["*"]


@asynccontextmanager
async def lifespan(_app: object) -> AsyncIterator[None]:
    """Start loading when the server starts, and put everything away when it stops."""
    shared = workplace()
    shared.start()
    try:
        yield
    finally:
        shared.close()
