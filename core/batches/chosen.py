"""What a command line chose to suggest with; opened here, or by the workers of a cluster."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from core.errors import ConfigError, VocabularyError
from core.home import checksum_of
from core.model.bundle.cards import read_card
from core.settings import Settings
from core.suggest.elsewhere.choice import AllowedSuggesters
from core.suggest.opening import (
    decisions_of,
    load_suggester,
    open_elsewhere,
    open_suggester,
    with_names,
)
from core.suggest.protocol import Suggester
from core.vocabulary.bounded import read_bounded
from core.vocabulary.versions.comparison import new_concepts
from core.vocabulary.versions.vocabulary_versions import VocabularyVersions

if TYPE_CHECKING:
    from core.serving.setup import NamedProject
    from core.suggest.elsewhere.member import ElsewhereMember


@dataclass(frozen=True, slots=True)
class ChosenSuggester:
    """A bundle, a vocabulary or a project.

    Attributes:
        bundle: folder; None for the one of the settings, or of the project.
        vocabulary: file whose labels are suggested from, without a model.
        project: name or id, of which all decisions are learned.
        names: whether codes that stand in a text by their names are looked for.
    """

    bundle: Path | None = None
    vocabulary: Path | None = None
    project: str | None = None
    names: bool = True

    def __post_init__(self) -> None:
        if self.project and self.vocabulary:
            raise ConfigError("A project has a vocabulary: leave out --vocabulary or --project.")

    def absolute(self) -> ChosenSuggester:
        """Return the same with paths that are right in any folder."""
        return replace(
            self,
            bundle=self.bundle.resolve() if self.bundle else None,
            vocabulary=self.vocabulary.resolve() if self.vocabulary else None,
        )

    def open(self) -> Suggester:
        """Load it.

        Raises:
            BundleError: the bundle cannot be loaded.
            VocabularyError: the vocabulary cannot be read.
            ConfigError: there is no such project, or nothing suggests in it.
        """
        if self.vocabulary:
            return _labels_of(self.vocabulary)
        if self.project:
            return _of_project(self.project, self.bundle)
        return of_bundle(self.bundle or Settings.from_env().bundle_dir, names=self.names)

    def identity(self) -> dict[str, str]:
        """Return what another run has to have alike to go on with this one; nothing is loaded.

        Decisions do not count: a run in a project goes on while people decide there.

        Raises:
            ConfigError: there is no such project.
        """
        if self.vocabulary:
            is_there = self.vocabulary.is_file()  # opening it says what is wrong
            return {"vocabulary": checksum_of(self.vocabulary) if is_there else ""}
        if self.project:
            return _identity_in_project(self.project, self.bundle)
        return {"bundle": _hash_of(self.bundle or Settings.from_env().bundle_dir)}

    def __str__(self) -> str:
        """What a run record calls it."""
        if self.vocabulary:
            return f"vocabulary {self.vocabulary.name}"
        return f"project {self.project}" if self.project else "bundle"


def _hash_of(bundle_dir: Path | None) -> str:
    return read_card(bundle_dir).bundle_hash if bundle_dir else ""


def _identity_in_project(name: str, bundle_dir: Path | None) -> dict[str, str]:
    from core.review.store.store import Store
    from core.serving.setup import Setups, project_called, usable_directory

    settings = Settings.from_env()
    store = Store.open(settings.database_url)
    try:
        project = project_called(store, name)
    finally:
        store.close()
    setups = Setups(settings, VocabularyVersions(settings.home))
    is_asked = project.elsewhere is not None and AllowedSuggesters.of(settings).hosts
    return {
        "project": str(project.project_id),
        "bundle": _hash_of(bundle_dir or usable_directory(setups.card(project))),
        "vocabulary": project.vocabulary_choice or "",
        "suggester_elsewhere": project.elsewhere.identity if project.elsewhere and is_asked else "",
    }


def of_bundle(bundle_dir: Path, *, names: bool) -> Suggester:
    """Open a bundle's suggesters, with names where its vocabulary is one of codes."""
    suggester = open_suggester(bundle_dir, None, Settings.from_env().home, names=names)
    assert suggester is not None
    return suggester


def _labels_of(vocabulary: Path) -> Suggester:
    settings = Settings.from_env()
    with TemporaryDirectory() as folder:
        entry = read_bounded([vocabulary], home=Path(folder)).entry
        assert entry is not None
        hierarchy = VocabularyVersions(Path(folder)).load(entry.key)
    suggester = with_names(None, hierarchy, settings.home, language=settings.language)
    if suggester is None:
        raise VocabularyError(f"{vocabulary} has no concept that could be suggested.")
    return suggester


def _of_project(name: str, bundle_dir: Path | None) -> Suggester:
    """Make what suggests in a project, with all that was decided there.

    Args:
        name: of the project, or its id.
        bundle_dir: takes the place of the project's model.
    """
    from core.review.store.store import Store
    from core.serving.learning import DecisionTeacher
    from core.serving.setup import named_project

    settings = Settings.from_env()
    store = Store.open(settings.database_url)
    try:
        named = named_project(store, settings, name, bundle_dir=bundle_dir)
        project, directory = named.project, named.directory
        member = _elsewhere(named, settings)
        suggester = with_names(
            load_suggester(directory) if directory else None,
            named.hierarchy,
            settings.home,
            new=new_concepts(named.hierarchy, named.known) if named.known else (),
            learns=True,
            bundled=decisions_of(directory, settings.home),
            bundle_dir=directory,
            language=settings.language,
            member=member,
        )
        if suggester is None:
            raise ConfigError(f"Nothing suggests in the project {project.name}.")
        teacher = DecisionTeacher(lambda: store)
        while teacher.teach(suggester, project.project_id):
            pass
    finally:
        store.close()
    if member is not None:
        member.begin()
    return suggester


def _elsewhere(named: NamedProject, settings: Settings) -> ElsewhereMember | None:
    """Open the suggester elsewhere that a project asks, and say on standard error that it is asked,
    or that it is not.
    """
    chosen, allowed = named.project.elsewhere, AllowedSuggesters.of(settings)
    if chosen is None:
        return None
    if not allowed.hosts:
        sys.stderr.write(f"{chosen.said} is not asked: STRATA_SUGGESTERS lists no host.\n")
        return None
    sys.stderr.write(
        f"{chosen.said} is asked as well, as the project is set: texts of documents are sent "
        "there. Where it does not answer, it is left out.\n"
    )
    return open_elsewhere(chosen, allowed, named.hierarchy, language=settings.language)
