"""A server as one caller sees it: session → project → vocabulary, suggester, rules, language."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from core.documents.document import Document
from core.errors import BundleError, StoreError
from core.model.bundle.cards import BundleCard, read_card
from core.review.jobs import start_job
from core.review.reports.summaries import DocumentSummary
from core.review.store.people import read_preferences, set_preference
from core.review.store.projects import (
    Project,
    archive_project,
    bring_back_project,
    contents,
    default_project,
    delete_project,
    keep_model,
    list_projects,
    make_project,
    project_of,
)
from core.review.store.rules import Rules, read_rules
from core.review.store.store import Store
from core.serving.caller import LAST_PROJECT, Caller, find_project
from core.serving.in_use import LOADING
from core.serving.project import ServedProject
from core.serving.queue import PredictionTask
from core.serving.server import Server
from core.serving.vocabularies import Vocabulary
from core.settings import Settings
from core.suggest.protocol import Suggester
from core.suggest.suggestions import Prediction
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.readers import BUILT_IN
from core.vocabulary.versions.vocabulary_versions import BUNDLED, VersionKey


class Session:
    """One request, or one run of a page: the server, and who asks in which project.

    Args:
        project: the id that the request names; None where it names none.
        caller: who asks, where that is known already.
    """

    def __init__(
        self,
        server: Server,
        project: str | int | None = None,
        *,
        caller: Caller | None = None,
    ) -> None:
        self.server = server
        self.named = None if project is None else str(project)
        self._known = caller
        self._projects: dict[str, Project | None] = {}
        self._rules: Rules | None = None

    # ------------------------------------------------------------------ who, and where

    @property
    def caller(self) -> Caller:
        """The person and the project.

        No `cached_property`: in Python 3.11 all sessions would wait for each other's look-up.

        Raises:
            UnknownProjectError: there is no such project.
            StoreError: the store cannot be read.
        """
        if self._known is None:
            self._known = self.server.caller(self.named)
        return self._known

    def person_id(self) -> int:
        """Return who asks."""
        return self.caller.person_id

    def project_id(self) -> int:
        """Return in which project."""
        return self.caller.project_id

    @property
    def project(self) -> ServedProject:
        """The project as it is worked on, opened where it is not."""
        return self.server.registry.project(self.project_id())

    def current(self) -> Project:
        """Return the project's row."""
        return find_project(self.store(), self.project_id())

    def elsewhere(self, project_id: int) -> Session:
        """Return the session of the same server in another project."""
        return Session(self.server, project_id)

    @property
    def settings(self) -> Settings:
        """Paths and choices of the server."""
        return self.server.settings

    @property
    def server_id(self) -> str:
        """Names the server since its start or the last change in this project."""
        return self.server.server_id(self.project_id())

    def store(self) -> Store:
        """Return the open store, or raise a StoreError."""
        return self.server.store()

    # ------------------------------------------------------------------ its vocabulary

    def vocabulary_id(self) -> str:
        """Return which vocabulary documents are indexed with, also where it cannot be loaded."""
        return self.project.vocabulary_id

    def vocabulary(self) -> Vocabulary | None:
        """Return the vocabulary in use, or None where there is none that can be read."""
        return self.project.vocabulary()

    def hierarchy(self) -> Hierarchy:
        """Return the vocabulary's hierarchy; an empty one where it could not be loaded."""
        return self.project.hierarchy()

    def rules(self) -> Rules:
        """Return what the project leaves out of its vocabulary, looked up once."""
        self._rules = self._rules or read_rules(self.store(), self.project_id())
        return self._rules

    def language(self) -> str:
        """Return the label language that the person has chosen, or that of the settings."""
        chosen = read_preferences(self.store(), self.person_id()).get("label_language")
        return chosen if isinstance(chosen, str) else self.settings.language

    def bundled(self) -> Hierarchy:
        """Return the vocabulary of the project's model, or of the settings' where it has none.

        Raises:
            VocabularyError: the bundle has none that can be read.
        """
        card = self.project.card
        directory = card.directory if card else self.settings.bundle_dir
        return self.server.vocabularies.bundled(directory)

    def use(self, choice: VersionKey) -> int:
        """Take a version of a vocabulary into use, one of another vocabulary in its own project.

        Returns:
            The project that works with it now.
        Raises:
            VocabularyError: it is not there, or is damaged; nothing changes then.
            StoreError: the choice cannot be kept; likewise.
        """
        registry = self.server.registry
        project_id = self.project_for(choice.vocabulary_id or self.bundled().vocabulary_id)
        served = registry.project(project_id)
        if project_id == self.project_id() or choice != served.choice:
            registry.use_version(served, choice)
        return project_id

    def use_former(self) -> None:
        """Use again the version that was in use before; as `use`."""
        self.server.registry.use_former(self.project)

    def former(self) -> VersionKey | None:
        """Return the version that was in use before; None where there was none."""
        former = self.server.registry.former(self.project_id())
        if not former:
            return None
        return VersionKey(self.vocabulary_id(), former[-1]) if former[-1] else BUNDLED

    # ------------------------------------------------------------------ its model

    @property
    def model(self) -> Suggester | None:
        """What suggests, once it is loaded."""
        return self.project.suggester

    @property
    def state(self) -> str:
        """Whether the model is "loading", "ready", or has "failed" to load."""
        return self.project.state

    @property
    def problem(self) -> str | None:
        """Why there is no model, as a sentence."""
        return self.project.problem

    def begin(self) -> None:
        """Load the vocabulary and the model in the background, unless that was begun."""
        self.server.registry.begin(self.project)

    def wait_until_loaded(self, seconds: float) -> str:
        """Load the model, wait for it, and return the state."""
        self.begin()
        return self.project.wait_until_loaded(seconds)

    def suggests(self) -> bool:
        """Return whether anything suggests in this project."""
        return self.project.suggests

    def offered(self, prediction: Prediction) -> Prediction:
        """Return the prediction without suggestions that the version in use lacks."""
        return self.project.offered(prediction)

    def cards(self) -> list[BundleCard]:
        """Return all bundles that are there now."""
        return self.server.setups.cards()

    def serve(self, directory: Path, *, reason: str = "") -> int:
        """Have a bundle suggest in this project, or, of another vocabulary, in its own.

        The one before serves until it is loaded.

        Args:
            reason: why, as a phrase, for the list of changes.
        Returns:
            The project that it is to serve in.
        Raises:
            BundleError: it cannot be served, or another is being loaded.
        """
        card = read_card(directory)
        if card.problem:
            raise BundleError(card.problem)
        project_id = self.project_for(card.vocabulary_id)
        served = self.server.registry.project(project_id)
        self.server.registry.choose_model(served, card, person_id=self.person_id(), reason=reason)
        return project_id

    def use_former_model(self) -> None:
        """Have the model of before the last change suggest again; as `serve`."""
        self.server.registry.use_former_model(self.project, person_id=self.person_id())

    def choose_model(self, project: Project, directory: Path | None) -> None:
        """Have another bundle suggest in any project, or none.

        Raises:
            BundleError: it cannot be served, or another is on its way.
            VocabularyError: the project's vocabulary is not here.
        """
        card = None if directory is None else read_card(directory)
        if card is not None and card.problem:
            raise BundleError(card.problem)
        registry, person_id = self.server.registry, self.person_id()
        if project.project_id in registry:
            served = registry.project(project.project_id)
            registry.choose_model(served, card, person_id=person_id)
            return
        named, former = self.server.setups.row_value, self.server.setups.card(project)
        keep_model(
            self.store(),
            project.project_id,
            named(card, project.vocabulary_id),
            former=named(former, project.vocabulary_id),
            person_id=person_id,
        )

    def model_of(self, project: Project) -> BundleCard | None:
        """Return the bundle that any project is worked on with."""
        served = self.server.registry.peek(project.project_id)
        return served.card if served else self.server.setups.card(project)

    # ------------------------------------------------------------------ its documents

    def submit(self, document: Document) -> PredictionTask:
        """Have an opened document read, before anything else that waits."""
        return self.server.queue.submit(document, self.project_id())

    def task(self, document_id: str) -> PredictionTask | None:
        """Return the newest task of a document since the start, if any."""
        return self.server.queue.task(document_id)

    def unfinished(self) -> frozenset[str]:
        """Return the ids of the opened documents that wait or are being read."""
        return self.server.queue.unfinished(self.project_id())

    def predict(self, document_ids: Iterable[str]) -> int | None:
        """Have documents read in the background, by a job that survives a restart.

        Returns:
            The job's id; None where all of them wait in a job already, or nothing suggests here.
        """
        if not self.suggests():
            return None
        job_id = start_job(self.store(), document_ids, project_id=self.project_id())
        self.server.queue.wake()
        return job_id

    def reads(self, document_id: str) -> bool:
        """Return whether a document can be read: it is of this project, and something suggests."""
        return self.suggests() and self.has(document_id)

    def has(self, document_id: str) -> bool:
        """Return whether a document is of this project; one that is not there may be."""
        project = self.project_of(document_id)
        return project is None or project.project_id == self.project_id()

    def project_of(self, document_id: str) -> Project | None:
        """Return the project of a document, looked up once; None where there is no such document."""
        if self._projects.get(document_id) is None:  # one that is missing may come
            self._projects[document_id] = project_of(self.store(), document_id)
        return self._projects[document_id]

    def outdated(self, summaries: Iterable[DocumentSummary]) -> list[str]:
        """Return those of these documents that another model has read than the one that serves."""
        if (model := self.model) is None:
            return []
        own = (None, model.bundle_hash)
        return [summary.document_id for summary in summaries if summary.read_by not in own]

    # ------------------------------------------------------------------ other projects

    def listed(self) -> list[Project]:
        """Return all projects that are not archived, the oldest first.

        Raises:
            StoreError: the store cannot be read.
        """
        self.project_id()  # there is one, at the least
        return [project for project in list_projects(self.store()) if not project.is_archived]

    def archived(self) -> list[Project]:
        """Return those that were put aside, the oldest first."""
        return [project for project in list_projects(self.store()) if project.is_archived]

    def vocabularies(self) -> list[str]:
        """Return the ids of the vocabularies that a new project may have."""
        known = {project.vocabulary_id for project in list_projects(self.store())}
        known.update(entry.vocabulary_id for entry in self.server.versions.entries())
        known.update(card.vocabulary_id for card in self.cards() if card.problem is None)
        return sorted({*known, *BUILT_IN})

    def open(self, project_id: int) -> Session:
        """Return the session of another project, which the person has opened last from now on.

        An archived one is brought back.

        Raises:
            UnknownProjectError: there is no such project.
            StoreError: the store cannot be written.
        """
        wanted = find_project(self.store(), project_id)
        if wanted.is_archived:
            bring_back_project(self.store(), wanted.project_id)
        set_preference(self.store(), self.person_id(), LAST_PROJECT, wanted.project_id)
        opened = self.elsewhere(wanted.project_id)
        opened.begin()
        return opened

    def make(self, name: str, vocabulary_id: str) -> Project:
        """Make a new project.

        Raises:
            StoreError: the name is empty, too long or taken.
        """
        return make_project(self.store(), name, vocabulary_id)

    def remove(self, project: Project) -> Project:
        """Delete a project without documents, and archive one that has some.

        Returns:
            The project to go on with.
        Raises:
            StoreError: there is no other project.
        """
        others = [row for row in self.listed() if row.project_id != project.project_id]
        if not others:
            raise StoreError("This is the only project; make another one first.")
        is_empty = contents(self.store(), project.project_id).is_empty
        (delete_project if is_empty else archive_project)(self.store(), project.project_id)
        self.server.registry.forget(project.project_id)
        alike = (row for row in others if row.vocabulary_id == project.vocabulary_id)
        return next(alike, others[0])

    def project_for(self, vocabulary_id: str) -> int:
        """Return this project where it has a vocabulary, or else the first one that has it, which
        is made or brought back where there is none.
        """
        if vocabulary_id == self.vocabulary_id():
            return self.project_id()
        project = default_project(self.store(), vocabulary_id)
        if project.is_archived:
            bring_back_project(self.store(), project.project_id)
        return project.project_id

    # ------------------------------------------------------------------ health

    def health(self) -> dict[str, object]:
        """Return how the server is for this project; looking does not open it."""
        served = self.server.registry.peek(self.project_id())
        model = served.suggester if served else None
        return {
            "server": self.server_id,
            "state": served.state if served else LOADING,
            "problem": served.problem if served else None,
            "model": model.name if model else None,
            "bundle_hash": model.bundle_hash if model else None,
        }
