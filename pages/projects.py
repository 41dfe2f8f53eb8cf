"""Projects: which one is open, and the way to another one with its vocabulary and its model.

What is in use now (`VocabularyVersions.in_use`, `ServedModel`) is the open project's; what the others were left
with stands in their rows.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from core.errors import BundleError, StoreError, VocabularyError
from core.model.bundles import BundleCard, read_card
from core.review.store.people import read_preferences, set_preference
from core.review.store.projects import (
    Project,
    archive_project,
    bring_back_project,
    contents,
    default_project,
    delete_project,
    keep_choices,
    list_projects,
    make_project,
)
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.conventions import conventions_of
from core.vocabulary.readers import BUILT_IN
from core.vocabulary.versions.keeping import keep_built_in
from core.vocabulary.versions.vocabulary_versions import BUNDLED, VersionKey
from pages.served import LOADING, Change, Made, busy, own_vocabulary

if TYPE_CHECKING:
    from pages.serving import Workplace

_LOG = logging.getLogger(__name__)

OPENED = "project"  # among the preferences of the one person: the id of the project that is open
WITHOUT = "none"  # in a project's row: it was decided to do without a model


@dataclass(frozen=True, slots=True)
class Setup:
    """With what a project is worked on.

    Attributes:
        choice: the version of its vocabulary; None where the built-in one has yet to be kept.
        card: its model; None where there is none.
    """

    choice: VersionKey | None
    card: BundleCard | None


class Projects:
    """The projects of one server, of which one is open for all its pages."""

    def __init__(self, shared: Workplace) -> None:
        self._shared = shared
        self._opened: int | None = None
        self._has_read = False
        self.n_opened = 0  # how often another was opened without another model

    # ------------------------------------------------------------------ what is there

    def listed(self) -> list[Project]:
        """All projects that are not archived, the oldest first; the open one is among them.

        Raises:
            StoreError: the store cannot be read.
        """
        self.current()
        return [one for one in list_projects(self._shared.store()) if not one.is_archived]

    def archived(self) -> list[Project]:
        """Those that were put aside, the oldest first."""
        return [one for one in list_projects(self._shared.store()) if one.is_archived]

    def current(self) -> Project:
        """The one that was opened last with the vocabulary in use, or else its vocabulary's own.

        Raises:
            StoreError: the store cannot be read.
        """
        store, vocabulary_id = self._shared.store(), self._shared.vocabulary_id()
        own = [one for one in list_projects(store) if one.vocabulary_id == vocabulary_id]
        opened = self._opened_id()
        found = next((one for one in own if one.project_id == opened), None)
        found = found or default_project(store, vocabulary_id)
        if found.is_archived:  # whoever takes its vocabulary into use works in it again
            bring_back_project(store, found.project_id)
        return replace(found, is_archived=False)

    def vocabularies(self) -> list[str]:
        """Ids of the vocabularies that a new project may have."""
        shared = self._shared
        known = {one.vocabulary_id for one in list_projects(shared.store())}
        known.update(one.vocabulary_id for one in shared.shelf.entries())
        known.update(one.vocabulary_id for one in self._cards())
        return sorted({*known, *BUILT_IN})

    def models(self, vocabulary_id: str) -> list[BundleCard]:
        """The bundles that know a vocabulary; first the one that serves where none was chosen."""
        standard = self._shared.settings.bundle_dir
        own = [one for one in self._cards() if one.vocabulary_id == vocabulary_id]
        return sorted(own, key=lambda card: (card.directory != standard, card.name))

    def model_of(self, project: Project) -> BundleCard | None:
        """The model of a project: of the open one, what serves; of another, what it was left with."""
        if project.project_id != self.current().project_id:
            return self._card(project)
        served = self._now().card
        return served if served and served.vocabulary_id == project.vocabulary_id else None

    def setup(self, project: Project) -> Setup:
        """What a project is opened with: what it was left with, as far as that is still there.

        One of the vocabulary in use that was left with nothing else begins with what is in use.


        Raises:
            VocabularyError: its vocabulary is not here.
        """
        if project.vocabulary_id == self._shared.vocabulary_id() and self._goes_on(project):
            return self._now()
        card = self._card(project)
        return Setup(self._choice(project, card), card)

    # ------------------------------------------------------------------ another one

    def open(self, project_id: int, *, then: Callable[[], None] | None = None) -> None:
        """Open another project in the background; the one before stays until it is ready.

        An archived one is brought back.

        Args:
            then: called when it is open.
        Raises:
            StoreError: there is no such project, or the store cannot be written.
            VocabularyError: its vocabulary is not here.
            BundleError: another project or model is on its way.
        """
        known = list_projects(self._shared.store())
        wanted = next((one for one in known if one.project_id == project_id), None)
        if wanted is None:
            raise StoreError("There is no such project; look at the list again.")
        if wanted.project_id == self.current().project_id:
            return
        setup = self.setup(wanted)
        self.leave()
        if setup == self._now():
            self._note(wanted)
            self.n_opened += 1
            if then is not None:
                then()
        else:
            self._begin(wanted, setup, then)

    def open_with(self, card: BundleCard) -> None:
        """Open the project of a model's vocabulary, which has it read from then on.

        Raises:
            BundleError: another project or model is on its way.
        """
        self.leave()
        project = default_project(self._shared.store(), card.vocabulary_id)
        self._begin(project, Setup(self._choice(project, card), card))

    def make(self, name: str, vocabulary_id: str) -> Project:
        """A new project, which is opened.

        Raises:
            StoreError: the name is empty, too long or taken.
            BundleError: another project or model is on its way; then none is made.
            StrataError: it cannot be opened; then it is there all the same.
        """
        if self.is_opening:
            raise BundleError(busy(self._shared.served.change))
        made = make_project(self._shared.store(), name, vocabulary_id)
        self.open(made.project_id)
        return made

    def remove(self, project: Project) -> None:
        """Delete a project without documents, and archive one that has some.

        Another one is opened first where it is the open one, which stays until that is ready.

        Raises:
            StoreError: there is no other project.
            BundleError: another project or model is on its way.
        """
        if project.project_id != self.current().project_id:
            self._take_away(project)
            return
        others = [one for one in self.listed() if one.project_id != project.project_id]
        if not others:
            raise StoreError("This is the only project; make another one first.")
        alike = (one for one in others if one.vocabulary_id == project.vocabulary_id)
        self.open(next(alike, others[0]).project_id, then=lambda: self._leave_behind(project))

    def choose_model(self, project: Project, directory: Path | None) -> None:
        """Have another bundle read a project's documents, or none.

        Raises:
            BundleError: it cannot be served, or another is on its way.
        """
        card = None if directory is None else read_card(directory)
        if project.project_id == self.current().project_id:
            self._begin(project, Setup(self._shared.shelf.in_use(), card))
        keep_choices(
            self._shared.store(),
            project.project_id,
            bundle=WITHOUT if card is None else _named(card),
            vocabulary_choice=project.vocabulary_choice,
        )

    def leave(self) -> None:
        """Note what the open project is worked on with."""
        project, now = self.current(), self._now()
        fits = now.card is not None and now.card.vocabulary_id == project.vocabulary_id
        keep_choices(
            self._shared.store(),
            project.project_id,
            bundle=_named(now.card) if now.card and fits else project.bundle,
            vocabulary_choice=now.choice.version if now.choice else "",
        )

    def follow(self) -> None:
        """After another vocabulary came into use: the model that goes with it, or names alone."""
        shared, project = self._shared, self.current()
        if self.is_opening:
            _LOG.warning("the model stays, because another is on its way")
            return
        is_lexical = conventions_of(project.vocabulary_id).lexical
        card = self._card(project)
        served = self._now().card
        fits = served is not None and served.vocabulary_id == project.vocabulary_id
        if is_lexical or (card is not None and not fits):
            self._begin(project, Setup(shared.shelf.in_use(), served if fits else card))

    def wait(self, seconds: float) -> None:
        """Wait until no project is on its way, or so long."""
        end = time.monotonic() + seconds
        while self.is_opening and time.monotonic() < end:
            time.sleep(0.02)

    @property
    def is_opening(self) -> bool:
        """Whether another project or model is on its way."""
        change = self._shared.served.change
        return change is not None and change.state == LOADING

    def reread(self) -> None:
        """Ask the store anew which one is open."""
        self._has_read = False

    # ------------------------------------------------------------------ how

    def _now(self) -> Setup:
        served = self._shared.served
        return Setup(self._shared.shelf.in_use(), served.card() if served.has_model else None)

    def _begin(
        self, project: Project, setup: Setup, then: Callable[[], None] | None = None
    ) -> None:
        """Open what a project is worked on with, in the background where a model comes along."""
        shared = self._shared
        if setup.card is not None and setup.card.problem:
            raise BundleError(setup.card.problem)
        if self.is_opening:
            raise BundleError(busy(shared.served.change))
        if setup.card is None and not conventions_of(project.vocabulary_id).lexical:
            self._prepare(project, setup, then)[1]()  # the model goes on, and suggests nothing
            self.n_opened += 1
            return

        def make() -> Made:
            model = shared.load_model(setup.card.directory) if setup.card else None
            opened, put_in_use = self._prepare(project, setup, then)
            joined = shared.joined(model, opened)
            if joined is None:
                raise VocabularyError(f"Nothing suggests in {project.vocabulary_id}.")
            return Made(joined, put_in_use)

        card = setup.card or read_card(shared.settings.bundle_dir)
        change = Change(
            card,
            LOADING,
            project=project.name,
            has_model=setup.card is not None,
            is_first=setup.choice is None,
        )
        shared.served.begin(change, make, shared.service)

    def _prepare(
        self, project: Project, setup: Setup, then: Callable[[], None] | None
    ) -> tuple[Hierarchy, Callable[[], None]]:
        """The vocabulary, opened, and what puts it in use with the project."""
        shared = self._shared
        choice = setup.choice or keep_built_in(shared.shelf, project.vocabulary_id).key
        if choice == BUNDLED and setup.card is not None:
            hierarchy = own_vocabulary(setup.card.directory)
        else:
            hierarchy = shared.bundled() if choice == BUNDLED else shared.shelf.load(choice)
        opened = shared.indexed(hierarchy)
        opened.index.warm()

        def put_in_use() -> None:
            self._note(project)
            if choice != shared.shelf.in_use():
                shared.shelf.take(choice)
            shared.put(opened)
            if then is not None:
                then()

        return hierarchy, put_in_use

    def _take_away(self, project: Project) -> None:
        store, number = self._shared.store(), project.project_id
        take = delete_project if contents(store, number).is_empty else archive_project
        take(store, number)

    def _leave_behind(self, project: Project) -> None:
        """Take away the project that was open; the other one is open all the same."""
        try:
            self._take_away(project)
        except StoreError:
            _LOG.exception("the project could not be taken away, and stays on the list")

    def _choice(self, project: Project, card: BundleCard | None) -> VersionKey | None:
        own = [one.key for one in self._shared.shelf.entries()]
        own = [one for one in own if one.vocabulary_id == project.vocabulary_id]
        left = VersionKey(project.vocabulary_id, project.vocabulary_choice or "")
        if left in own:
            return left
        # A bundle of codes knows a few of them only; of a thesaurus, it has all.
        is_code_system = conventions_of(project.vocabulary_id).code_first
        if card is not None and (project.vocabulary_choice == "" or not is_code_system):
            return BUNDLED
        if own:
            return own[-1]
        if project.vocabulary_id in BUILT_IN:
            return None
        if card is not None:
            return BUNDLED
        raise VocabularyError(
            f"The vocabulary {project.vocabulary_id} is not here; import its file on the "
            "Vocabulary page."
        )

    def _goes_on(self, project: Project) -> bool:
        """Whether what is in use now will do for another project of the same vocabulary."""
        now = self._now()
        version = now.choice.version if now.choice else ""
        names = {None, _named(now.card) if now.card else WITHOUT}
        return project.vocabulary_choice in (None, version) and project.bundle in names

    def _card(self, project: Project) -> BundleCard | None:
        """The model that a project was left with, or the first that knows its vocabulary."""
        own = self.models(project.vocabulary_id)
        if project.bundle == WITHOUT:
            return None
        folder, _, identity = (project.bundle or "").rpartition("@")
        kept = (one for one in own if _named(one) == project.bundle)
        moved = (one for one in own if one.bundle_hash == identity)
        renewed = (one for one in own if one.directory.name == folder)
        return next(chain(kept, moved, renewed, own), None)

    def _cards(self) -> list[BundleCard]:
        return [one for one in self._shared.served.cards() if one.problem is None]

    def _opened_id(self) -> int | None:
        if not self._has_read:
            shared = self._shared
            chosen = read_preferences(shared.store(), shared.person_id()).get(OPENED)
            self._opened = chosen if isinstance(chosen, int) else None
            self._has_read = True
        return self._opened

    def _note(self, project: Project) -> None:
        shared = self._shared
        set_preference(shared.store(), shared.person_id(), OPENED, project.project_id)
        self._opened, self._has_read = project.project_id, True


def _named(card: BundleCard) -> str:
    """A bundle as a project's row names it: by folder and identity."""
    return f"{card.directory.name[:200]}@{card.bundle_hash}"
