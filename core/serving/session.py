"""A server as one caller sees it: who asks, in which project, and the store."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from core.errors import NotAllowedError
from core.review.annotations.access import DocumentAccess, document_access, with_own
from core.review.audit.log import AuditKind, record_alone
from core.review.jobs import start_job
from core.review.listed import to_adjudicate
from core.review.people.accounts import Account, list_accounts
from core.review.people.assignments import next_for
from core.review.people.memberships import Roles, read_roles
from core.review.reports.following import next_unfinished
from core.review.reports.summaries import (
    ALL,
    DocumentSummary,
    list_documents,
    named_documents,
)
from core.review.store.people import HIDE_TITLES, read_preferences
from core.review.store.projects import Project
from core.review.store.rules import Rules, read_rules
from core.review.store.store import Store
from core.roles import Right, Role, require
from core.serving.caller import (
    Caller,
    UnknownDocumentError,
    find_project,
    role_now,
)
from core.serving.project import ServedProject
from core.serving.vocabularies import Vocabulary
from core.settings import Settings
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.conventions import conventions_of

if TYPE_CHECKING:
    from core.serving.server import Server

NO_DOCUMENT = "There is no document {0!r} in the store."


class Session:
    """One request, or one run of a page: the server, and who asks in which project.

    Args:
        project: the id that the request names; None where it names none.
        person_id: who has signed in; None where one person has all.
        caller: who asks, and where, where both are known already.
    """

    def __init__(
        self,
        server: Server,
        project: str | int | None = None,
        *,
        person_id: int | None = None,
        caller: Caller | None = None,
    ) -> None:
        self.server = server
        self.signed_in = person_id
        self.named = None if project is None else str(project)
        self._caller = caller
        self._documents: dict[str, DocumentAccess] = {}
        self._rules: Rules | None = None

    # ------------------------------------------------------------------ who, and where

    @property
    def caller(self) -> Caller:
        """The person and the project.

        No `cached_property`: in Python 3.11 all sessions would wait for each other's look-up.

        Raises:
            UnknownProjectError: there is no such project, or the person has no role in it.
            NotAllowedError: people sign in here, and this one has not, or has no role.
            StoreError: the store cannot be read.
        """
        if self._caller is None:
            self._caller = self.server.caller(self.named, self.signed_in)
        return self._caller

    def person_id(self) -> int:
        """Return who asks."""
        return self.caller.person_id

    def project_id(self) -> int:
        """Return in which project."""
        return self.caller.project_id

    def role_in(self, project_id: int) -> Role | None:
        """Return which role the person has in a project; None where they have none."""
        return self.roles().role_in(project_id)

    def roles(self) -> Roles:
        """Return what the person is in which project."""
        if self.caller.role is Role.ADMINISTRATOR:
            return Roles(administers=True)
        return read_roles(self.server.store(), self.person_id())

    def own_account(self) -> Account | None:
        """Return the account of who has signed in; None where nobody signs in."""
        accounts = [] if self.signed_in is None else list_accounts(self.store())
        return next((row for row in accounts if row.person_id == self.signed_in), None)

    def others(self) -> dict[str, str]:
        """Return the people who are named beside what they did, name -> what is shown of them.

        All but who asks; none where nobody signs in.
        """
        if self.signed_in is None:
            return {}
        accounts = list_accounts(self.store())
        return {row.name: row.shown for row in accounts if row.person_id != self.signed_in}

    def may(self, right: Right) -> bool:
        """Return whether the person has a right in the project."""
        return self.caller.role.includes(right.least)

    def may_review(self) -> bool:
        """Return whether the person judges the work of others; alone, nobody does."""
        return self.signed_in is not None and self.may(Right.REVIEW)

    def judges_unless_by(self) -> int | None:
        """Return who has annotated no document that the person judges: themselves; None for leads."""
        return None if self.may(Right.ASSIGN) else self.person_id()

    def require(self, right: Right) -> None:
        """Do nothing where the person has a right in the project, as things are now.

        Raises:
            NotAllowedError: they have not, or are signed out.
        """
        require(role_now(self.server.store(), self.project_id(), self.signed_in), right)

    @property
    def project(self) -> ServedProject:
        """The project as it is worked on, opened where it is not."""
        return self.server.registry.project(self.project_id())

    def current(self) -> Project:
        """Return the project's row."""
        return find_project(self.store(), self.project_id())

    def elsewhere(self, project_id: int) -> Session:
        """Return the session of the same server in another project.

        Raises:
            UnknownProjectError: the person has no role there.
        """
        there = Session(self.server, project_id, person_id=self.signed_in)
        if self.signed_in is not None:
            require(there.caller.role, Right.READ)
        return there

    def project_of(self, document_id: str) -> Project | None:
        """Return the project of a document, looked up once; None where there is no such document.

        Raises:
            UnknownDocumentError: it is annotated twice, and the person is not to see it now.
        """
        access = self.access(document_id)
        return None if access is None else access.project

    def access(self, document_id: str) -> DocumentAccess | None:
        """Return who may see a document and decide on it, looked up once; raises as `project_of`."""
        access = self._documents.get(document_id)
        if access is None:  # one that is missing may come
            access = document_access(self.store(), document_id)
            if access is None:
                return None
            self._documents[document_id] = access
        if access.is_annotated:
            role = self.role_in(access.project.project_id)
            if role is not None and access.is_hidden_from(self.person_id(), role):
                raise UnknownDocumentError(NO_DOCUMENT.format(document_id[:60]))
        return access

    def require_decidable(self, document_id: str) -> None:
        """Do nothing unless a document was erased, or is annotated twice and not for this person now.

        Raises:
            NotAllowedError: it is not; says why.
            UnknownDocumentError: they are not to see it.
        """
        access = self.access(document_id)
        if access is None or not (access.is_annotated or access.is_erased):
            return
        role = self.role_in(access.project.project_id)
        if role is not None and (sentence := access.why_not(self.person_id(), role)):
            raise NotAllowedError(sentence)

    # ------------------------------------------------------------------ the server

    @property
    def settings(self) -> Settings:
        """Paths and choices of the server."""
        return self.server.settings

    @property
    def server_id(self) -> str:
        """Names the server since its start or the last change in this project."""
        return self.server.server_id(self.project_id())

    def store(self) -> Store:
        """Return the open store for reading, or raise a StoreError."""
        return self.server.store().for_reading

    def writing(self, right: Right, document_id: str | None = None) -> Store:
        """Return the open store for what a right allows to write.

        Args:
            document_id: of the document that is written to, in whose project the right is needed;
                None for what is written to this session's project.
        Raises:
            NotAllowedError: the person does not have it, or does not decide on this document, of which
                there are annotations.
            UnknownProjectError: the person has no role in that project.
            StoreError: the store cannot be opened.
        """
        project = None if document_id is None else self.project_of(document_id)
        there = self if project is None else self.elsewhere(project.project_id)
        there.require(right)
        if right in (Right.DECIDE, Right.REVIEW) and document_id is not None:
            self.require_decidable(document_id)
        return self.server.store().acting(self.person_id())

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

    def hides_titles(self) -> bool:
        """Return whether lists name documents by their ids, because the person has asked for it."""
        return read_preferences(self.store(), self.person_id()).get(HIDE_TITLES) is True

    def language(self) -> str:
        """Return the person's label language, or that of the settings."""
        chosen = read_preferences(self.store(), self.person_id()).get("label_language")
        return chosen if isinstance(chosen, str) else self.settings.language


# ---------------------------------------------------------------------- its documents


def is_of_project(session: Session, document_id: str) -> bool:
    """Return whether a document is of this project; one that is not there may be."""
    project = session.project_of(document_id)
    return project is None or project.project_id == session.project_id()


def require_seen(session: Session, document_id: str) -> None:
    """Do nothing where the person sees a document in this project.

    Raises:
        UnknownDocumentError: it is not there, of another project, or hidden from them for now.
    """
    project = session.project_of(document_id)
    if project is None or project.project_id != session.project_id():
        raise UnknownDocumentError(NO_DOCUMENT.format(document_id[:60]))


def is_readable(session: Session, document_id: str) -> bool:
    """Return whether a document can be read: it is of this project, and something suggests."""
    return session.project.suggests and is_of_project(session, document_id)


def listed_documents(
    session: Session, *, limit: int = ALL, title: str = "", among: Sequence[str] | None = None
) -> list[DocumentSummary]:
    """Return the document list as the person sees it: their annotations stand in place of documents.

    Args:
        limit, title: as of `list_documents`.
        among: only these, in their order, whatever their titles; None for all.
    """
    store, project_id = session.store(), session.project_id()
    if among is None:
        lines = list_documents(store, project_id, limit=limit, title=title)
    else:
        found = named_documents(store, project_id, among[:limit])
        lines = [found[document_id] for document_id in among if document_id in found]
    if session.signed_in is None:
        return lines
    return with_own(store, project_id, session.signed_in, lines)


def next_document(session: Session, document_id: str | None) -> str | None:
    """Return the unfinished document to go on with after this one; None where none is left.

    Where people sign in, their own come first, and none that is somebody else's.
    """
    if session.signed_in is None or not session.may(Right.DECIDE):
        return next_unfinished(session.store(), session.project_id(), document_id)
    store, person_id = session.writing(Right.DECIDE), session.person_id()
    adjudicates = None
    if session.may(Right.REVIEW):
        adjudicates = to_adjudicate(session.judges_unless_by())
    return next_for(store, session.project_id(), document_id, person_id, adjudicates=adjudicates)


def note_seen(session: Session, document_id: str) -> None:
    """Note in the audit log that who has signed in sees a document of patients.

    Raises:
        StoreError: it cannot be noted, so it must not be shown.
    """
    if session.signed_in is not None and conventions_of(session.vocabulary_id()).system:
        session.server.seen.note(session.signed_in, session.project_id(), document_id)


def note_present(session: Session, document_id: str) -> list[str]:
    """Note that who has signed in has a document open, and return what is shown of others who have."""
    if session.signed_in is None:
        return []
    here = session.server.presence.note(document_id, session.signed_in)
    if not here:
        return []
    return [row.shown for row in list_accounts(session.store()) if row.person_id in here]


def note_export(session: Session, form: str, n_documents: int) -> None:
    """Note in the audit log what is being exported; raises as `note_seen`."""
    if session.signed_in is not None:
        store = session.server.store().acting(session.signed_in)
        about = {"form": form, "n_documents": n_documents}
        record_alone(store, AuditKind.EXPORTED, project_id=session.project_id(), **about)


def read_in_background(
    session: Session, document_ids: Iterable[str], *, joins: int | None = None
) -> int | None:
    """Have documents read by a job that survives a restart.

    Args:
        joins: the job that they are added to, as of `start_job`.
    Returns:
        The job's id; None where all of them wait in a job already, or nothing suggests here.
    """
    if not session.project.suggests:
        return None
    store = session.writing(Right.ADD)
    job_id = start_job(store, document_ids, project_id=session.project_id(), joins=joins)
    session.server.queue.wake()
    return job_id


def read_by_another(session: Session, summaries: Iterable[DocumentSummary]) -> list[str]:
    """Return the documents that were read by another model than the serving one."""
    suggester = session.project.suggester
    if suggester is None:
        return []
    not_another = (None, suggester.bundle_hash)
    return [row.document_id for row in summaries if row.read_by not in not_another]
