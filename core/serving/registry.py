"""The open projects of a server: as many as its memory holds, the least recently used go first."""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Collection, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial

from core.errors import BundleError, StoreError
from core.model.bundle.cards import BundleCard
from core.review.store.projects import Project, keep_choices, keep_model, model_changes
from core.review.store.store import Store
from core.serving.caller import UnknownProjectError, find_project
from core.serving.models import LOADING, Change, Revision, Sources, settle_memory
from core.serving.project import ServedProject
from core.serving.setup import Setup
from core.vocabulary.versions.keeping import kept_or_prepared
from core.vocabulary.versions.vocabulary_versions import BUNDLED, VersionKey

_LOG = logging.getLogger(__name__)

LOADERS = 4  # threads that open vocabularies and load models
NO_PROJECT = 0  # the id of what is loaded for a project that is still to be made
AHEAD_SECONDS, KEPT_SECONDS = 1.0, 600.0  # until something is loaded ahead, and how long it is kept
WENT_BACK = "went back"
LONGEST_HISTORY = 50  # versions of a vocabulary that can be gone back to


class Registry:
    """Opens projects when somebody asks for them, shares them, and closes them to save memory.

    Args:
        store: the open store, asked for each time.
        max_bytes: of what the open projects hold together; one is open whatever it holds.
        loaded: called when something was loaded.
        busy: the projects that are being read for, which stay open.

    Attributes:
        ahead: what was loaded for a project that is still to be made; None where nothing was.
    """

    def __init__(
        self,
        store: Callable[[], Store],
        sources: Sources,
        *,
        max_bytes: int,
        loaded: Callable[[], None] = lambda: None,
        busy: Callable[[], Collection[int]] = lambda: (),
    ) -> None:
        self.sources = sources
        self.max_bytes = max_bytes
        self._store = store
        self._loaded = loaded
        self._busy = busy
        self._open: OrderedDict[int, ServedProject] = OrderedDict()
        self.ahead: ServedProject | None = None
        self._was_ahead = False
        self._revisions: defaultdict[int, Revision] = defaultdict(Revision)
        self._lock = threading.RLock()
        self._loaders = ThreadPoolExecutor(LOADERS, thread_name_prefix="open-project")

    def __contains__(self, project_id: object) -> bool:
        return project_id in self._open

    # ------------------------------------------------------------------ what is open

    def project(self, project_id: int) -> ServedProject:
        """Return an open project, used just now; one that is not open is opened.

        Raises:
            UnknownProjectError: there is none of this id.
        """
        with self._lock:
            served = self._open.get(project_id)
            if served is None:
                row = find_project(self._store(), project_id)
                served = ServedProject(row, self.sources, self._revisions[project_id])
                self._open[project_id] = served
            self._open.move_to_end(project_id)
            return served

    def peek(self, project_id: int) -> ServedProject | None:
        """Return a project where it is open, which does not count as using it."""
        return self._open.get(project_id)

    def revision(self, project_id: int) -> int:
        """Return how often something was chosen for a project since the server started."""
        return self._revisions[project_id].number

    def begin(self, served: ServedProject) -> None:
        """Load a project's vocabulary and model in the background, once."""
        with self._lock:
            if served.is_begun:
                return
            served.is_begun = True
        self._submit(served.load, served.finish)

    def load_ahead(self, vocabulary_id: str, *, after: float = AHEAD_SECONDS) -> None:
        """Load once, soon and in the background, what a first project of a vocabulary will need.

        A newcomer reads the first page meanwhile, and ICD-10-CM takes seconds. A project that is
        opened within some minutes shares it; what would have to be made first is not loaded.
        """
        with self._lock:
            if self._was_ahead:
                return
            self._was_ahead = True
        later(after, partial(self._load_ahead, vocabulary_id))

    def _load_ahead(self, vocabulary_id: str) -> None:
        is_made = kept_or_prepared(self.sources.vocabularies.versions, vocabulary_id)
        if is_made and not self._open_with(vocabulary_id):
            row = Project(NO_PROJECT, vocabulary_id, vocabulary_id)
            self.ahead = ServedProject(row, self.sources, Revision())
            self.begin(self.ahead)
            later(KEPT_SECONDS, self._let_go)

    def _let_go(self) -> None:
        """Let go what was loaded ahead; a project that was opened since keeps its share."""
        self.ahead = None
        settle_memory()

    def _open_with(self, vocabulary_id: str) -> bool:
        return any(served.vocabulary_id == vocabulary_id for served in self._open.values())

    def forget(self, project_id: int) -> None:
        """Close a project; who works in it just now goes on to the end of what he does."""
        with self._lock:
            self._open.pop(project_id, None)

    def reopen(self, project_id: int) -> None:
        """Close a project whose row was changed; it is another one when it is opened again."""
        with self._lock:
            self.forget(project_id)
            self._revisions[project_id].number += 1

    def _reopen_if_opened_anew(self, served: ServedProject) -> None:
        """Have a choice for a project hold that was closed and opened again before it was stored."""
        with self._lock:
            if self._open.get(served.project_id) not in (None, served):
                self.reopen(served.project_id)

    def forget_changed(self) -> None:
        """Close projects that another process has deleted, or chosen another model or version for.

        Raises:
            StoreError: the store cannot be read.
        """
        with self._lock:
            for project_id, served in list(self._open.items()):
                if served.is_changing:
                    continue
                try:
                    row = find_project(self._store(), project_id)
                except UnknownProjectError:
                    self.forget(project_id)
                    continue
                if choices_of(row) != choices_of(served.row):
                    self.reopen(project_id)

    def forget_all(self) -> None:
        """Close every project, as after a restore; each is another one when it is opened again."""
        with self._lock:
            for project_id in list(self._open):
                self.reopen(project_id)

    def close(self) -> None:
        """Load no more."""
        self._loaders.shutdown(wait=False, cancel_futures=True)

    # ------------------------------------------------------------------ another model or version

    def choose_model(
        self, served: ServedProject, card: BundleCard | None, *, person_id: int, reason: str = ""
    ) -> None:
        """Have another bundle suggest in a project, or none; it serves when it is loaded.

        Args:
            person_id: who has chosen it.
            reason: why, as a phrase.
        Raises:
            BundleError: another is on its way.
            VocabularyError: the project's vocabulary is not here.
        """
        choice = served.setup.choice
        if card is None and choice == BUNDLED:
            row = find_project(self._store(), served.project_id)
            choice = self.sources.setups.choice(row, None)
        self._begin_exchange(served, Setup(choice, card), person_id=person_id, reason=reason)

    def use_former_model(self, served: ServedProject, *, person_id: int) -> None:
        """Have the bundle suggest that did before the last change, or none; as `choose_model`.

        Raises:
            BundleError: it is not there any more, likewise.
        """
        changes = model_changes(self._store(), served.project_id)
        if changes:
            row = find_project(self._store(), served.project_id)
            former = self.sources.setups.setup(replace(row, bundle=changes[0].former))
            if former.fallback:
                raise BundleError(former.fallback)
            # Where none was chosen, and none is there, the damaged one of the settings is named.
            card = None if former.card is None or former.card.problem else former.card
            self.choose_model(served, card, person_id=person_id, reason=WENT_BACK)

    def use_version(self, served: ServedProject, choice: VersionKey, *, person_id: int) -> None:
        """Work with another version of a project's vocabulary.

        Args:
            person_id: who has chosen it.
        Raises:
            VocabularyError: it cannot be read; then nothing changes.
            StoreError: the choice cannot be kept; likewise.
        """
        now = datetime.now(UTC).isoformat()
        former = [*self._former(served), (served.choice.version, now)]
        self._use_version(served, choice, former, person_id)

    def use_former(self, served: ServedProject, *, person_id: int) -> None:
        """Work again with the version that was in use before; as `use_version`."""
        versions = self._former(served)
        if versions:
            choice = choice_of(served.vocabulary_id, versions.pop()[0])
            self._use_version(served, choice, versions, person_id)

    def former(self, served: ServedProject) -> VersionKey | None:
        """Return the version that was in use before; None where there was none."""
        versions = self._former(served)
        return choice_of(served.vocabulary_id, versions[-1][0]) if versions else None

    def taken_at(self, served: ServedProject) -> datetime | None:
        """Return when the version in use took the place of `former`; None if not noted."""
        versions = self._former(served)
        moment = versions[-1][1] if versions else ""
        return datetime.fromisoformat(moment) if moment else None

    def _former(self, served: ServedProject) -> list[tuple[str, str]]:
        """Return the versions that were in use before, the last one last; "" is the bundle's."""
        return list(find_project(self._store(), served.project_id).former_choices)

    def _use_version(
        self,
        served: ServedProject,
        choice: VersionKey,
        former: list[tuple[str, str]],
        person_id: int,
    ) -> None:
        setup = served.use_version(
            choice, lambda new_setup: self._keep(served, new_setup, former, person_id)
        )
        self._reopen_if_opened_anew(served)
        self.shrink(spared=served)
        if served.needs_other_model:
            try:
                self._begin_exchange(served, setup)
            except BundleError:
                _LOG.warning("the model stays, because another is on its way")

    def _begin_exchange(
        self,
        served: ServedProject,
        setup: Setup,
        *,
        person_id: int | None = None,
        reason: str = "",
    ) -> None:
        def keep(new_setup: Setup) -> Project:
            named = self.sources.setups.row_value
            keep_model(
                self._store(),
                served.project_id,
                self._chosen(served, new_setup),
                former=named(served.card, served.vocabulary_id),
                person_id=person_id,
                reason=reason,
            )
            return find_project(self._store(), served.project_id)

        change = Change(setup.card, LOADING)
        served.begin(change)
        with self._lock:
            was_begun, served.is_begun = served.is_begun, True

        def work() -> None:
            served.exchange(change, setup, keep)
            self._reopen_if_opened_anew(served)
            if not was_begun:
                served.load()  # what it had, where the change has failed

        self._submit(work)

    def _keep(
        self, served: ServedProject, setup: Setup, former: list[tuple[str, str]], person_id: int
    ) -> Project:
        keep_choices(
            self._store(),
            served.project_id,
            bundle=self._chosen(served, setup),
            vocabulary_choice=None if setup.choice is None else setup.choice.version,
            former_choices=former[-LONGEST_HISTORY:],
            person_id=person_id,
        )
        return find_project(self._store(), served.project_id)

    def _chosen(self, served: ServedProject, setup: Setup) -> str | None:
        """Return the model that was chosen, as a row names it, also where another one serves."""
        if setup.fallback:
            return served.row.bundle
        return self.sources.setups.row_value(setup.card, served.vocabulary_id)

    # ------------------------------------------------------------------ memory

    def shrink(self, *, spared: ServedProject | None = None) -> None:
        """Close the least recently used projects until the others fit into the memory."""
        with self._lock:
            closed = 0
            for project_id, served in list(self._open.items()):
                if held_bytes(self._open.values()) <= self.max_bytes:
                    break
                if served is not spared and not self._is_needed(served):
                    _LOG.info("project %d is closed to save memory", project_id)
                    self.forget(project_id)
                    closed += 1
        if closed:
            settle_memory()

    def _is_needed(self, served: ServedProject) -> bool:
        is_last = next(reversed(self._open)) == served.project_id
        is_loading = served.is_begun and served.state == LOADING
        is_busy = served.project_id in self._busy()
        return is_last or served.is_changing or is_loading or is_busy

    def _submit(self, work: Callable[[], None], *afterwards: Callable[[], None]) -> None:
        def run() -> None:
            try:
                work()
                self.shrink()
            except StoreError:
                _LOG.exception("what was loaded could not be settled")
            finally:
                self._loaded()
                if afterwards:
                    self._submit(*afterwards)

        try:
            self._loaders.submit(run)
        except RuntimeError:
            _LOG.info("nothing is loaded any more, as the server is stopping")


def later(seconds: float, work: Callable[[], None]) -> None:
    """Do something later, unless the program has ended by then."""
    timer = threading.Timer(seconds, work)
    timer.daemon = True
    timer.start()


def choices_of(row: Project) -> tuple[object, ...]:
    """Return what was chosen for a project."""
    return row.bundle, row.vocabulary_choice, row.companions, row.elsewhere


def held_bytes(projects: Iterable[ServedProject]) -> int:
    """Return the bytes that projects hold together, shared parts counted once."""
    parts = {id(part): part.n_bytes for served in projects for part in served.parts()}
    return sum(parts.values())


def choice_of(vocabulary_id: str, version: str) -> VersionKey:
    """Return a version as a project's row names it; "" is the version in the model bundle."""
    return VersionKey(vocabulary_id, version) if version else BUNDLED
