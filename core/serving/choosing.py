"""What a person chooses: a project, and with which model and version it is worked on."""

from __future__ import annotations

from pathlib import Path

from core.errors import BundleError, StoreError
from core.model.bundle.cards import BundleCard, read_card
from core.review.store.people import set_preference
from core.review.store.projects import (
    Project,
    archive_project,
    bring_back_project,
    contents,
    default_project,
    delete_project,
    keep_model,
    list_projects,
)
from core.roles import Right
from core.serving.caller import LAST_PROJECT, find_project
from core.serving.session import Session
from core.vocabulary.readers import BUILT_IN, comes_by_itself
from core.vocabulary.versions.vocabulary_versions import VersionKey

# ---------------------------------------------------------------------- projects


def listed_projects(session: Session) -> list[Project]:
    """Return all projects that are not archived, the oldest first.

    Raises:
        StoreError: the store cannot be read.
    """
    session.project_id()  # there is one, at the least
    return [project for project in visible_projects(session) if not project.is_archived]


def visible_projects(session: Session) -> list[Project]:
    """Return all projects in which the person has a role, the oldest first."""
    roles, listed = session.roles(), list_projects(session.store())
    return [project for project in listed if roles.role_in(project.project_id) is not None]


def known_vocabularies(session: Session) -> list[str]:
    """Return the ids of the vocabularies that a new project may have."""
    server = session.server
    ids = {project.vocabulary_id for project in visible_projects(session)}
    ids.update(entry.vocabulary_id for entry in server.versions.entries())
    ids.update(card.vocabulary_id for card in server.setups.cards() if card.problem is None)
    return sorted({*ids, *filter(comes_by_itself, BUILT_IN)})


def open_project(session: Session, project_id: int) -> Session:
    """Return the session of another project, which the person has opened last from now on.

    An archived one is brought back.

    Raises:
        UnknownProjectError: there is no such project.
        StoreError: the store cannot be written.
    """
    opened = session.elsewhere(project_id)
    project = find_project(session.store(), project_id)
    if project.is_archived:
        bring_back_project(session.writing(Right.PROJECTS), project.project_id)
    own = opened.writing(Right.OWN)
    set_preference(own, session.person_id(), LAST_PROJECT, project.project_id)
    begin_loading(opened)
    return opened


def begin_loading(session: Session) -> None:
    """Load the vocabulary and the model in the background, unless that was begun."""
    session.server.registry.begin(session.project)


def wait_until_loaded(session: Session, seconds: float) -> str:
    """Load the model, wait for it, and return the state."""
    begin_loading(session)
    return session.project.wait_until_loaded(seconds)


def remove_project(session: Session, project: Project) -> Project:
    """Delete a project without documents, and archive one that has some.

    Returns:
        The project to go on with.
    Raises:
        StoreError: there is no other project.
    """
    others = [row for row in listed_projects(session) if row.project_id != project.project_id]
    if not others:
        raise StoreError("This is the only project; make another one first.")
    is_empty = contents(session.store(), project.project_id).is_empty
    store = session.writing(Right.PROJECTS)
    (delete_project if is_empty else archive_project)(store, project.project_id)
    session.server.registry.forget(project.project_id)
    alike = (row for row in others if row.vocabulary_id == project.vocabulary_id)
    return next(alike, others[0])


def project_for(session: Session, vocabulary_id: str) -> int:
    """Return this project where it has a vocabulary, or else the first one that has it, which
    is made or brought back where there is none.
    """
    if vocabulary_id == session.vocabulary_id():
        return session.project_id()
    project = default_project(session.writing(Right.PROJECTS), vocabulary_id)
    if project.is_archived:
        bring_back_project(session.writing(Right.PROJECTS), project.project_id)
    return project.project_id


# ---------------------------------------------------------------------- versions and models


def use_version(session: Session, choice: VersionKey) -> int:
    """Take a version of a vocabulary into use, one of another vocabulary in its own project.

    Returns:
        The project that works with it now.
    Raises:
        VocabularyError: it is not there, or is damaged; nothing changes then.
        StoreError: the choice cannot be kept; likewise.
    """
    session.require(Right.VOCABULARIES)
    registry = session.server.registry
    vocabulary_id = choice.vocabulary_id or session.project.bundled().vocabulary_id
    project_id = project_for(session, vocabulary_id)
    served = registry.project(project_id)
    if project_id == session.project_id() or choice != served.choice:
        registry.use_version(served, choice, person_id=session.person_id())
    return project_id


def serve_model(session: Session, directory: Path, *, reason: str = "") -> int:
    """Have a bundle suggest in this project, or, of another vocabulary, in its own.

    The one before serves until it is loaded.

    Args:
        reason: why, as a phrase, for the list of changes.
    Returns:
        The project that it is to serve in.
    Raises:
        BundleError: it cannot be served, or another is being loaded.
    """
    session.require(Right.MODELS)
    card = _usable_card(directory)
    project_id = project_for(session, card.vocabulary_id)
    registry = session.server.registry
    served = registry.project(project_id)
    registry.choose_model(served, card, person_id=session.person_id(), reason=reason)
    return project_id


def choose_model(session: Session, project: Project, directory: Path | None) -> None:
    """Have another bundle suggest in any project, or none.

    Raises:
        BundleError: it cannot be served, or another is on its way.
        VocabularyError: the project's vocabulary is not here.
    """
    session.elsewhere(project.project_id).require(Right.MODELS)
    card = None if directory is None else _usable_card(directory)
    registry, setups = session.server.registry, session.server.setups
    if project.project_id in registry:
        served = registry.project(project.project_id)
        registry.choose_model(served, card, person_id=session.person_id())
        return
    keep_model(
        session.elsewhere(project.project_id).writing(Right.MODELS),
        project.project_id,
        setups.row_value(card, project.vocabulary_id),
        former=setups.row_value(setups.card(project), project.vocabulary_id),
        person_id=session.person_id(),
    )


def model_of(session: Session, project: Project) -> BundleCard | None:
    """Return the bundle that any project is worked on with."""
    served = session.server.registry.peek(project.project_id)
    return served.card if served else session.server.setups.card(project)


def _usable_card(directory: Path) -> BundleCard:
    card = read_card(directory)
    if card.problem:
        raise BundleError(card.problem)
    return card
