"""Whose documents are, on the Documents page: shown, taken, given back, and assigned by leads."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from core.review.people.accounts import list_accounts
from core.review.people.assignments import assign, give_back, list_assignments, take
from core.review.people.comments import mentions_of
from core.review.people.memberships import list_members
from core.review.people.skips import list_skips
from core.review.reports.summaries import named_documents
from core.roles import Right, Role
from pages import opening
from pages.components.documents import Act, Whose
from pages.components.markdown import count
from pages.serving import current_session


def whose_they_are() -> Whose | None:
    """Return whose the documents are; None where nobody signs in."""
    session = current_session()
    if session.signed_in is None:
        return None
    store, project_id = session.store(), session.project_id()
    members = list_members(store, project_id)
    names = {account.person_id: account.shown for account in list_accounts(store)}
    accounts = [account for account in list_accounts(store) if not account.is_closed]
    return Whose(
        me=session.person_id(),
        names=names,
        assignments=list_assignments(store, project_id),
        may_take=session.may(Right.DECIDE),
        may_review=session.may_review(),
        skipped=_skipped(names) if session.may(Right.ASSIGN) else {},
        mentioned=mentions_of(store, project_id, session.person_id()),
        offered=tuple(
            account.person_id
            for account in accounts
            if account.is_administrator
            or members.get(account.person_id, Role.READER).includes(Right.DECIDE.least)
        )
        if session.may(Right.ASSIGN)
        else (),
    )


def _skipped(names: Mapping[int, str]) -> dict[str, str]:
    session = current_session()
    return {
        document_id: f"skipped by {names[skip.person_id]}{skip.reason and f': {skip.reason}'}"
        for document_id, skip in list_skips(session.store(), session.project_id()).items()
    }


def _assign(act: Act) -> None:
    session = current_session()
    store = session.writing(Right.ASSIGN)
    ids = list(named_documents(store, session.project_id(), act.document_ids))
    assign(store, ids, act.people, assigned_by=session.person_id(), due_on=act.due_on)


def _take(act: Act) -> None:
    session = current_session()
    store = session.writing(Right.DECIDE)
    ids = list(named_documents(store, session.project_id(), act.document_ids))
    refused = take(store, ids, session.person_id())
    if refused:
        opening.say(f"{count(len(refused), 'document')} had become somebody else's meanwhile.")


def _give_back(act: Act) -> None:
    session = current_session()
    give_back(session.writing(Right.DECIDE), act.document_ids, session.person_id())


ASSIGNING: dict[str, Callable[[Act], None]] = {
    "assign": _assign,
    "take": _take,
    "give_back": _give_back,
}
"""What the table asks for -> what does it."""
