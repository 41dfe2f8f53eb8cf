"""With which model bundle and which version of its vocabulary a project is worked on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path

from core.errors import ConfigError, VocabularyError
from core.model.bundle.cards import BundleCard, find_bundles, read_card
from core.review.store.projects import Project, list_projects
from core.review.store.store import Store
from core.settings import Settings
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.conventions import conventions_of
from core.vocabulary.labels import LabelSpace
from core.vocabulary.readers import comes_by_itself
from core.vocabulary.versions.keeping import whole_vocabulary
from core.vocabulary.versions.vocabulary_versions import BUNDLED, VersionKey, VocabularyVersions

WITHOUT = "none"  # in a project's row: it was decided to do without a model


@dataclass(frozen=True, slots=True)
class Setup:
    """With what a project is worked on.

    Attributes:
        choice: the version of its vocabulary; None where the built-in one has yet to be kept.
        card: its model bundle; None where there is none.
        fallback: why this is not what was chosen, as a sentence; "" where it is.
    """

    choice: VersionKey | None
    card: BundleCard | None
    fallback: str = ""

    @property
    def directory(self) -> Path | None:
        """The folder of the model bundle."""
        return self.card.directory if self.card else None


class Setups:
    """Finds what projects are worked on with, from their rows and from what is on the disk."""

    def __init__(self, settings: Settings, versions: VocabularyVersions) -> None:
        self.settings = settings
        self.versions = versions

    def cards(self) -> list[BundleCard]:
        """Return a card for each bundle that is there now."""
        return find_bundles(self.settings)

    @cached_property
    def standard_vocabulary_id(self) -> str | None:
        """The vocabulary of the settings' bundle; None where nothing says which it is."""
        card = read_card(self.settings.bundle_dir)
        if card.problem is None:
            return card.vocabulary_id
        try:
            return own_vocabulary(self.settings.bundle_dir).vocabulary_id
        except VocabularyError:
            return None

    def standard(self, vocabulary_id: str) -> BundleCard | None:
        """Return the settings' bundle where it may be of this vocabulary, damaged or not."""
        if self.standard_vocabulary_id not in (None, vocabulary_id):
            return None
        return read_card(self.settings.bundle_dir)

    def models(self, vocabulary_id: str) -> list[BundleCard]:
        """Return the bundles of a vocabulary, the default one first."""
        standard = self.settings.bundle_dir
        cards = [card for card in self.cards() if card.vocabulary_id == vocabulary_id]
        usable = [card for card in cards if card.problem is None]
        return sorted(usable, key=lambda card: (card.directory != standard, card.name))

    def setup(self, project: Project) -> Setup:
        """Return what a project is worked on with: what was chosen, as far as that is there.

        Raises:
            VocabularyError: its vocabulary is not here.
        """
        card, fallback = self._found(project)
        return Setup(self.choice(project, card), card, fallback)

    def companions(self, project: Project) -> tuple[VersionKey, ...]:
        """Return the further code systems of a project in the newest versions that are here."""
        newest = {entry.vocabulary_id: entry.key for entry in self.versions.entries()}
        return tuple(newest[name] for name in project.companions if name in newest)

    def card(self, project: Project) -> BundleCard | None:
        """Return the bundle that a project is worked on with; None where there is none."""
        return self._found(project)[0]

    def row_value(self, card: BundleCard | None, vocabulary_id: str) -> str | None:
        """Return a model as a project's row names it; None is the bundle of the settings."""
        if card is None:
            return WITHOUT
        is_standard = self._is_standard(card) and self.standard(vocabulary_id)
        return None if is_standard else row_name(card)

    def _is_standard(self, card: BundleCard | None) -> bool:
        return card is not None and card.directory == self.settings.bundle_dir

    def _found(self, project: Project) -> tuple[BundleCard | None, str]:
        if project.bundle == WITHOUT:
            return None, ""
        standard = self.standard(project.vocabulary_id)
        cards = self.models(project.vocabulary_id)
        first = standard or next(iter(cards), None)
        if project.bundle is None:
            return first, ""
        folder, _, identity = str(project.bundle).rpartition("@")
        same = (card for card in cards if row_name(card) == project.bundle)
        moved = (card for card in cards if card.bundle_hash == identity)
        renewed = (card for card in cards if card.directory.name == folder)
        setup = next(chain(same, moved, renewed), None)
        if setup is not None:
            return setup, ""
        return first, f"The model {folder} was chosen. {self._problem_of(folder)}"

    def _problem_of(self, folder: str) -> str:
        there = (card.directory for card in self.cards() if card.directory.name == folder)
        directory = next(there, self.settings.own_models / folder)
        return read_card(directory).problem or "It is of another vocabulary."

    def choice(self, project: Project, card: BundleCard | None) -> VersionKey | None:
        """Return the version of a project's vocabulary that goes with a model.

        Returns:
            None where a built-in vocabulary has yet to be kept.
        Raises:
            VocabularyError: the vocabulary is not here.
        """
        entries = [entry.key for entry in self.versions.entries()]
        versions = [choice for choice in entries if choice.vocabulary_id == project.vocabulary_id]
        chosen = VersionKey(project.vocabulary_id, project.vocabulary_choice or "")
        if chosen in versions:
            return chosen
        # A bundle of codes knows a few of them only; of a thesaurus, it has all.
        is_whole = not conventions_of(project.vocabulary_id).code_first
        is_chosen = project.vocabulary_choice == "" or self._is_standard(card)
        if card is not None and (is_whole or is_chosen):
            return BUNDLED
        if versions:
            return versions[-1]
        if comes_by_itself(project.vocabulary_id):
            return None
        if card is not None:
            return BUNDLED
        raise VocabularyError(
            f"The vocabulary {project.vocabulary_id} is not here; import its file on the "
            "Vocabulary page."
        )


@dataclass(frozen=True, slots=True)
class NamedProject:
    """A project with its model and vocabulary, for a command that serves nobody.

    Attributes:
        directory: of its model bundle; None where there is none.
        known: the concepts that this bundle knows; None likewise.
    """

    project: Project
    hierarchy: Hierarchy
    directory: Path | None
    known: Hierarchy | None


def named_project(
    store: Store, settings: Settings, name: str, *, bundle_dir: Path | None = None
) -> NamedProject:
    """Find a project by its name or id.

    Args:
        bundle_dir: takes the place of its model.
    Raises:
        ConfigError: there is no such project.
        VocabularyError: its vocabulary is not here.
    """
    project = project_called(store, name)
    versions = VocabularyVersions(settings.home)
    setup = Setups(settings, versions).setup(project)
    directory = bundle_dir or usable_directory(setup.card)
    vocabulary_id = own_vocabulary(directory) if directory else None
    if setup.choice is not None and setup.choice != BUNDLED:
        hierarchy = versions.load(setup.choice)
    else:
        hierarchy = vocabulary_id or whole_vocabulary(project.vocabulary_id, settings.home)
    return NamedProject(project, hierarchy, directory, vocabulary_id)


def project_called(store: Store, name: str) -> Project:
    """Return a project by its name or id.

    Raises:
        ConfigError: there is no such project.
    """
    listed = list_projects(store)
    project = next((row for row in listed if name in (row.name, str(row.project_id))), None)
    if project is None:
        names = ", ".join(row.name for row in listed) or "none"
        raise ConfigError(f"There is no project {name}; there are: {names}.")
    return project


def usable_directory(card: BundleCard | None) -> Path | None:
    """Return the folder of a bundle; None where there is none that can be served."""
    return card.directory if card is not None and card.problem is None else None


def row_name(card: BundleCard) -> str:
    """Return a bundle as a project's row names it: by folder and identity."""
    return f"{card.directory.name[:200]}@{card.bundle_hash}"


def own_vocabulary(directory: Path) -> Hierarchy:
    """Return the concepts that the model of a bundle knows.

    Raises:
        VocabularyError: there are none that can be read.
    """
    return LabelSpace.load(directory / "label_space.jsonl").hierarchy
