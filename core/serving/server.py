"""What one server process holds, without its pages: store, vocabularies, projects and the queue."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from core.documents.language import MIN_LANGUAGE_CHARACTERS, identify_language
from core.errors import StoreError, StrataError
from core.home import HomeLock, clear_leftovers, make_private
from core.model.bundle.travelling import clear_travelled
from core.review.audit.seen import SeenDocuments
from core.review.erasure import erase_expired, scrub
from core.review.jobs import JobBacklog
from core.review.people.presence import Presence
from core.review.store.backup_file import File
from core.review.store.database import sqlite_file
from core.review.store.people import default_person
from core.review.store.predictions import save_prediction
from core.review.store.restore import (
    Restored,
    finish_restores,
    pause,
    read_backup,
    resume,
    watch_for_restores,
)
from core.review.store.store import Store
from core.serving.caller import Caller, caller_of
from core.serving.learning import DecisionTeacher
from core.serving.models import Models, Sources
from core.serving.queue import SuggestionQueue
from core.serving.reading import READING_FILE, ReadingAttempts
from core.serving.reading import Settings as RunSettings
from core.serving.registry import Registry
from core.serving.setup import Setups, own_vocabulary
from core.serving.vocabularies import Vocabularies
from core.serving.workers import Workers
from core.settings import Settings
from core.suggest.elsewhere.choice import AllowedSuggesters
from core.suggest.opening import load_suggester
from core.suggest.protocol import Suggester
from core.suggest.suggestions import Prediction
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.versions.importing import Importer
from core.vocabulary.versions.vocabulary_versions import VocabularyVersions

if TYPE_CHECKING:
    from core.suggest.remote.names import RemoteTexts

_LOG = logging.getLogger(__name__)

MEGABYTE = 1_000_000
DAY_SECONDS = 24 * 3600.0  # between erasures of what is kept no longer
LOOK_SECONDS = 30.0  # between looks for jobs of another process, which may have ended


class Server:
    """The shared objects of one server; none holds what a caller chose.

    The store is opened when it is first needed, and again after a failure, so that a mended disk
    needs no restart.

    Args:
        load: makes a suggester of a bundle's folder; tests bring their own.
        bundled: reads the vocabulary in a bundle's folder; likewise.
        texts: looks through texts in another process; None where that is done here.
    """

    def __init__(
        self,
        settings: Settings,
        load: Callable[[Path], Suggester] = load_suggester,
        bundled: Callable[[Path], Hierarchy] = own_vocabulary,
        texts: RemoteTexts | None = None,
    ) -> None:
        self.settings = settings
        self.versions = VocabularyVersions(settings.home)
        self.importer = Importer(self.versions)
        self.setups = Setups(settings, self.versions)
        self.vocabularies = Vocabularies(self.versions, bundled, texts)
        models = Models(
            settings.home,
            load,
            language=settings.language,
            allowed=AllowedSuggesters.of(settings),
            texts=texts,
        )
        sources = Sources(self.setups, self.vocabularies, models, DecisionTeacher(self.store))
        self.registry = Registry(
            self.store,
            sources,
            max_bytes=settings.memory_mb * MEGABYTE,
            loaded=lambda: self.queue.loaded(),
            busy=lambda: self.queue.needed(),
        )
        self.queue = SuggestionQueue(
            self.registry,
            self._keep,
            backlog=JobBacklog(self.store),
            attempts=ReadingAttempts(settings.home / READING_FILE),
        )
        self.workers = Workers()
        self.seen = SeenDocuments(self.store)
        self.presence = Presence()
        self._started = uuid4().hex
        self._store: Store | None = None
        self._opening = threading.Lock()
        self._restoring = threading.Lock()
        self._lock: HomeLock | None = None
        self._closing = threading.Event()
        self._has_traces = False  # of what was erased

    def start(self) -> None:
        """Open the project that was opened last, in the background, and go on with unfinished jobs.

        What a killed program left in the home is cleared before, and nobody else may read there.
        """
        self._take_home()
        threading.Thread(target=self._start, name="start", daemon=True).start()

    def store(self) -> Store:
        """Return the open store.

        Raises:
            StoreError: it cannot be opened now; the next call tries again.
        """
        with self._opening:
            was_replaced = self._store is not None and self._store.gate.is_replaced
            if was_replaced:  # by another program, as `core restore` on the command line
                self._drop_store()
            if self._store is None:
                self._store = self._opened()
            store = self._store
        if was_replaced:
            self._forget_projects()
        return store

    def _opened(self) -> Store:
        finish_restores(self.settings.database_url, self.settings.home)
        store = Store.open(self.settings.database_url)
        try:
            watch_for_restores(store)
        except StrataError:
            store.close()
            raise
        return store

    def _drop_store(self) -> None:
        if self._store is not None:
            self._store.close()
            self._store = None

    def _forget_projects(self) -> None:
        self.registry.forget_all()
        self.queue.wake()  # it may hold jobs that were not over

    def caller(self, project: str | None = None, person_id: int | None = None) -> Caller:
        """Return the caller: the person, and the named or last opened project.

        Args:
            person_id: who has signed in; None where one person has all.
        Raises:
            UnknownProjectError: there is no such project, or the person has no role in it.
            NotAllowedError: people sign in here, and this one has not, or has no role.
            StoreError: the store cannot be read.
        """
        vocabulary_id = self.setups.standard_vocabulary_id
        return caller_of(self.store(), project, vocabulary_id=vocabulary_id, person_id=person_id)

    def server_id(self, project_id: int) -> str:
        """Name this server since its start, and since another model or version came to a project.

        Pages that were drawn before have themselves drawn anew when an answer names another.
        """
        return f"{self._started}-{project_id}-{self.registry.revision(project_id)}"

    def restore(self, source: File, *, person_id: int | None = None) -> Restored:
        """Put a backup in the place of what is here.

        Once it is unpacked and checked, nobody writes until it is what is served.

        Args:
            person_id: who restores it.
        Raises:
            StoreError: it is no whole backup, or the database cannot be written; nothing was
                changed then.
        """
        with self._restoring:
            before = self._store  # none where it cannot be opened, as it is damaged
            try:
                restored = read_backup(
                    source,
                    database_url=self.settings.database_url,
                    home=self.settings.home,
                    before_exchange=lambda: pause(before) if before is not None else None,
                    person_id=person_id,
                )
                self.reread()
            except StrataError:
                if before is not None:
                    resume(before)
                raise
            return restored

    def reread(self) -> None:
        """Read database and vocabularies anew at the next call, as after a restore."""
        with self._opening:
            self._drop_store()
        self._forget_projects()

    def close(self) -> None:
        """Give the workers and the database back."""
        self._closing.set()
        self.workers.close()
        self.queue.close()
        self.registry.close()
        self._drop_store()
        if self._lock is not None:
            self._lock.close()

    def _take_home(self) -> None:
        """Make the home, clear what nobody works on any more, and say that somebody works here."""
        home = self.settings.home
        try:
            make_private(home)
            finish_restores(self.settings.database_url, home)
            for path in (*clear_leftovers(home), *clear_travelled(self.settings.own_models)):
                _LOG.warning("%s was left by a program that was killed; it is removed", path.name)
            self._lock = HomeLock.shared(home)
        except (OSError, StoreError):
            _LOG.exception("the home folder could not be put in order")

    def _start(self) -> None:
        # Its table takes half a second to unpack, which the first document should not wait for.
        identify_language("the " * MIN_LANGUAGE_CHARACTERS)
        try:
            self.registry.begin(self.registry.project(self._first_project_id()))
        except StrataError:
            _LOG.exception("the project that was opened last could not be opened")
        self.queue.wake()
        may_have_others = sqlite_file(self.settings.database_url) is None  # processes beside this
        erases_next = 0.0
        while not self._closing.wait(LOOK_SECONDS):
            if may_have_others:
                self._look_at_others()
            if time.monotonic() >= erases_next or self._has_traces:
                erases_next = time.monotonic() + DAY_SECONDS
                self._erase_expired()

    def _first_project_id(self) -> int:
        """The project that the first person opened last, who administers where others work, too."""
        return self.caller(person_id=default_person(self.store()).person_id).project_id

    def _look_at_others(self) -> None:
        """Go on with jobs of a process that has ended, and with what others have chosen."""
        try:
            self.registry.forget_changed()
        except StrataError:
            _LOG.exception("what other processes have chosen could not be read")
        self.queue.wake()

    def _erase_expired(self) -> None:
        try:
            if n_erased := erase_expired(self.store()):
                _LOG.warning("%d documents were erased, as their projects say", n_erased)
                self._has_traces = True
            if self._has_traces:
                scrub(self.store())
                self._has_traces = False
        except StrataError:
            _LOG.exception("what is kept no longer could not be erased")

    def _keep(self, document_id: str, prediction: Prediction, settings: RunSettings) -> None:
        try:
            save_prediction(self.store(), document_id, prediction, settings=settings)
        except StoreError as error:
            raise StoreError(f"The suggestions could not be stored. {error}") from error
