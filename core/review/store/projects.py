"""Projects: those that there are, new ones, and the model and vocabulary that each was left with.

A vocabulary has one project by itself, the oldest, and may have more. A project's documents, decisions
and rules are its own. As decisions are kept for good, one that has documents can only be archived.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Row, bindparam, delete, func, insert, select, update

from core.errors import StoreError
from core.review.audit.log import AuditKind, record
from core.review.listed import IN_BIN, NOT_BLIND, ON_LIST
from core.review.store.store import Store
from core.review.store.tables import (
    concept_note,
    decision,
    document,
    guidelines,
    job,
    membership,
    model_change,
    person,
    project,
    rule,
    vocabulary,
)
from core.suggest.elsewhere.choice import SuggesterElsewhere

DEFAULT_VOCABULARY, LONGEST_NAME = "eurovoc", 80
# Asked for by every request, so they are put together once.
COLUMNS = (
    project.c.project_id,
    project.c.name,
    project.c.vocabulary_id,
    project.c.bundle,
    project.c.vocabulary_choice,
    project.c.archived_at.is_not(None).label("is_archived"),
    project.c.former_choices,
    project.c.companions,
    project.c.elsewhere,
    project.c.groups_stays,
    project.c.hides_times,
    project.c.needs_approval,
    project.c.names_people,
    project.c.learning,
    project.c.created_at,
)
ALL = select(*COLUMNS).order_by(project.c.project_id)
OF_DOCUMENT = (
    select(*COLUMNS)
    .join(document, document.c.project_id == project.c.project_id)
    .where(document.c.document_id == bindparam("here"))
)


@dataclass(frozen=True, slots=True)
class Learning:
    """Whether what is decided in a project teaches what suggests there.

    Attributes:
        is_on: as it is where nobody has said otherwise.
        since: when it was switched on or off, in ISO 8601; "" where it never was.
        reason: why the program has switched it off, as a sentence; "" where a person did.
    """

    is_on: bool = True
    since: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Project:
    """Documents that are indexed together, with one vocabulary and one model.

    Attributes:
        name: the vocabulary's id where nobody gave one.
        bundle: the model that reads its documents, as it was left; None where none was chosen.
        vocabulary_choice: the version of its vocabulary, likewise; "" is the model bundle's.
        former_choices: the versions that were in use before, the last one last, each with the moment
            at which the next one was taken, in ISO 8601; "" where that was not noted.
        is_archived: whether it was put aside, with all that is in it.
        learning: whether its decisions teach.
        companions: further code systems for the same encounters, by their ids.
        elsewhere: a suggester on another machine that is asked as well; None where none is.
        groups_stays: whether the diagnosis related group of a stay is shown.
        hides_times: whether leads do not see how long people took.
        needs_approval: whether finished documents count, in exports and for learning, once approved.
        names_people: whether exported records name who decided.
        created_at: None of one that is not in a store.
    """

    project_id: int
    name: str
    vocabulary_id: str
    bundle: str | None = None
    vocabulary_choice: str | None = None
    is_archived: bool = False
    former_choices: tuple[tuple[str, str], ...] = ()
    learning: Learning = Learning()
    companions: tuple[str, ...] = ()
    elsewhere: SuggesterElsewhere | None = None
    groups_stays: bool = False
    hides_times: bool = False
    needs_approval: bool = False
    names_people: bool = False
    created_at: datetime | None = field(default=None, compare=False)

    @property
    def identity(self) -> str:
        """A value that identifies the project across databases, also when its id is used again."""
        return f"{self.vocabulary_id} {self.created_at.isoformat()}" if self.created_at else ""


@dataclass(frozen=True, slots=True)
class ModelChange:
    """The change of a project's model to another.

    Attributes:
        person: the name of who has chosen it.
        bundle, former: what was chosen, and what it took the place of, as a project's row has them.
        reason: why, as a phrase; "" where nobody said.
    """

    changed_at: datetime
    person: str
    bundle: str | None
    former: str | None
    reason: str


@dataclass(frozen=True, slots=True)
class Contents:
    """What is in a project.

    Attributes:
        n_documents: on its list.
        n_in_bin: removed from the list.
        n_decisions: on concepts of either, as they stand.
    """

    n_documents: int
    n_in_bin: int
    n_decisions: int

    @property
    def is_empty(self) -> bool:
        """Whether there never was a document in it."""
        return not self.n_documents and not self.n_in_bin


def list_projects(store: Store) -> list[Project]:
    """Return every project, the oldest first."""
    with store.read() as connection:
        return select_projects(connection)


def default_project(store: Store, vocabulary_id: str = DEFAULT_VOCABULARY) -> Project:
    """Return the oldest project of a vocabulary, written at the first call.

    An archived one is returned where the vocabulary has no other.
    """
    oldest = oldest_of(list_projects(store), vocabulary_id)
    if oldest is not None:
        return oldest
    with store.write(alone=True) as connection:  # another program may have been quicker
        oldest = oldest_of(select_projects(connection), vocabulary_id)
        return oldest or _insert_project(connection, vocabulary_id, vocabulary_id)


def document_counts(store: Store) -> dict[int, int]:
    """Count the documents on the list of each project that has some."""
    listed = select(document.c.project_id, func.count()).where(ON_LIST)
    with store.read() as connection:
        rows: Iterable[Any] = connection.execute(listed.group_by(document.c.project_id))
        return dict(tuple(row) for row in rows)


def project_of(store: Store, document_id: str) -> Project | None:
    """Return the project of a document; None where there is no such document."""
    with store.read() as connection:
        row = connection.execute(OF_DOCUMENT, {"here": document_id}).first()
    return None if row is None else project_from(row)


def make_project(store: Store, name: str, vocabulary_id: str) -> Project:
    """Write a new project, also where its vocabulary has one already.

    Raises:
        StoreError: the name is empty, too long, or another project's.
    """
    with store.write() as connection:
        name = _usable(name, select_projects(connection))
        return _insert_project(connection, name, vocabulary_id)


def rename_project(store: Store, project_id: int, name: str) -> None:
    """Give a project another name.

    Raises:
        StoreError: the name is empty, too long, or another project's.
    """
    with store.write() as connection:
        rows = select_projects(connection)
        others = (other for other in rows if other.project_id != project_id)
        values = {"name": _usable(name, others)}
        connection.execute(update(project).where(project.c.project_id == project_id).values(values))


def keep_choices(
    store: Store,
    project_id: int,
    *,
    bundle: str | None,
    vocabulary_choice: str | None,
    former_choices: Sequence[tuple[str, str]] = (),
    person_id: int | None = None,
) -> None:
    """Note which model and which version of its vocabulary a project is worked on with.

    Args:
        person_id: who has chosen it.
    """
    values = {"bundle": bundle, "vocabulary_choice": vocabulary_choice}
    with store.write() as connection:
        this = update(project).where(project.c.project_id == project_id)
        connection.execute(this.values(**values, former_choices=list(former_choices)))
        whose: dict[str, Any] = {"person_id": person_id, "project_id": project_id}
        record(connection, AuditKind.VOCABULARY, **whose, version=vocabulary_choice)


def keep_companions(store: Store, project_id: int, companions: Iterable[str]) -> None:
    """Note which further code systems are used in a project."""
    _keep(store, project_id, companions=list(dict.fromkeys(companions)) or None)


def keep_elsewhere(store: Store, project_id: int, chosen: SuggesterElsewhere | None) -> None:
    """Note which suggester on another machine is asked in a project; None for none."""
    _keep(store, project_id, elsewhere=asdict(chosen) if chosen else None)


def keep_switches(store: Store, project_id: int, **switches: bool | int | None) -> None:
    """Note how switches of a project stand, by their columns, such as `needs_approval`."""
    with store.write() as connection:
        connection.execute(
            update(project).where(project.c.project_id == project_id).values(switches)
        )
        facts: dict[str, Any] = {"project_id": project_id, **switches}
        record(connection, AuditKind.SWITCHED, person_id=store.actor, **facts)


def _keep(store: Store, project_id: int, **values: object) -> None:
    with store.write() as connection:
        connection.execute(update(project).where(project.c.project_id == project_id).values(values))


def keep_model(
    store: Store,
    project_id: int,
    bundle: str | None,
    *,
    former: str | None = None,
    person_id: int | None = None,
    reason: str = "",
) -> None:
    """Note which model a project is worked on with; its vocabulary's versions stay as they are.

    Args:
        former: what it takes the place of, as rows name models.
        person_id: who has chosen it, for the list of changes; None where nobody has.
        reason: why, as a phrase.
    """
    with store.write() as connection:
        this = project.c.project_id == project_id
        connection.execute(update(project).where(this).values(bundle=bundle))
        if person_id is not None and former != bundle:
            facts = {"project_id": project_id, "person_id": person_id, "reason": reason}
            names = {"bundle": bundle, "former": former, "changed_at": datetime.now(UTC)}
            connection.execute(insert(model_change).values(facts | names))
            whose: dict[str, Any] = {"person_id": person_id, "project_id": project_id}
            record(connection, AuditKind.MODEL, **whose, bundle=bundle, former=former)


def model_changes(store: Store, project_id: int) -> list[ModelChange]:
    """Return who has chosen which model for a project, the last change first."""
    columns = model_change.c
    query = (
        select(columns.changed_at, person.c.name, columns.bundle, columns.former, columns.reason)
        .join(person)
        .where(columns.project_id == project_id)
        .order_by(columns.change_id.desc())
    )
    with store.read() as connection:
        return [ModelChange(*row) for row in connection.execute(query)]


def keep_learning(store: Store, project_id: int, learning: Learning) -> None:
    """Note whether what is decided in a project teaches from now on."""
    _keep(store, project_id, learning=asdict(learning))


def learning_of(store: Store, project_id: int) -> Learning:
    """Return whether what is decided in a project teaches."""
    query = select(project.c.learning).where(project.c.project_id == project_id)
    with store.read() as connection:
        return _learning(connection.scalar(query))


def contents(store: Store, project_id: int) -> Contents:
    """Count what is in a project."""
    with store.read() as connection:
        return _contents(connection, project_id)


def delete_project(store: Store, project_id: int) -> None:
    """Delete a project without documents, with its rules; its vocabulary and model stay.

    Raises:
        StoreError: it has documents, if only in the bin.
    """
    with store.write() as connection:
        if not _contents(connection, project_id).is_empty:
            raise StoreError("This project has documents by now; archive it instead.")
        for table in (rule, job, model_change, guidelines, concept_note, membership, project):
            connection.execute(delete(table).where(table.c.project_id == project_id))


def archive_project(store: Store, project_id: int) -> None:
    """Put a project aside, with all that is in it."""
    _keep(store, project_id, archived_at=datetime.now(UTC))


def bring_back_project(store: Store, project_id: int) -> None:
    """Put an archived project back on the list."""
    _keep(store, project_id, archived_at=None)


def select_projects(connection: Connection) -> list[Project]:
    """Return every project, the oldest first."""
    return [project_from(row) for row in connection.execute(ALL)]


def project_from(row: Row[Any]) -> Project:
    """Return the project of which a row has the `COLUMNS`, whatever else it has."""
    facts: dict[str, Any] = {column.name: row._mapping[column.name] for column in COLUMNS}
    former = facts["former_choices"] or ()
    facts["former_choices"] = tuple((v, "") if isinstance(v, str) else tuple(v) for v in former)
    facts["companions"] = tuple(facts["companions"] or ())
    elsewhere = facts["elsewhere"]
    facts["elsewhere"] = SuggesterElsewhere(**elsewhere) if elsewhere else None
    return Project(**facts | {"learning": _learning(facts["learning"])})


def _learning(stored: Mapping[str, Any] | None) -> Learning:
    return Learning(**stored) if stored else Learning()


def oldest_of(listed: Iterable[Project], vocabulary_id: str) -> Project | None:
    """Return the oldest of these projects with a vocabulary; an archived one where need be."""
    of_vocabulary = [row for row in listed if row.vocabulary_id == vocabulary_id]
    return min(of_vocabulary, key=lambda row: (row.is_archived, row.project_id), default=None)


def _insert_project(connection: Connection, name: str, vocabulary_id: str) -> Project:
    now = datetime.now(UTC)
    names = {"vocabulary_id": vocabulary_id, "created_at": now}
    stored = select(vocabulary.c.vocabulary_id).where(vocabulary.c.vocabulary_id == vocabulary_id)
    if connection.scalar(stored) is None:
        connection.execute(insert(vocabulary).values(names))
    written = insert(project).values(names | {"name": name, "former_choices": []})
    project_id = connection.execute(written.returning(project.c.project_id)).scalar_one()
    return Project(project_id, name, vocabulary_id, created_at=now)


def _contents(connection: Connection, project_id: int) -> Contents:
    of_project = document.c.project_id == project_id
    documents = select(func.count()).select_from(document).where(of_project)
    decisions = select(func.count()).select_from(decision.join(document)).where(of_project)
    queries = (documents.where(ON_LIST), documents.where(IN_BIN), decisions.where(NOT_BLIND))
    return Contents(*(connection.execute(query).scalar_one() for query in queries))


def _usable(name: str, others: Iterable[Project]) -> str:
    name = " ".join(name.split())
    if not name:
        raise StoreError("A project needs a name.")
    if len(name) > LONGEST_NAME:
        raise StoreError(f"A project's name has at most {LONGEST_NAME} characters.")
    taken = next((other for other in others if other.name.casefold() == name.casefold()), None)
    if taken is not None:
        kind = "an archived project" if taken.is_archived else "a project"
        raise StoreError(f"There is {kind} of the name {name} already; choose another name.")
    return name
