"""States and priorities of documents, as the table of documents changes them for a selection."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from uuid import uuid4

from core.errors import NotAllowedError
from core.review.annotations.access import annotations_to_make
from core.review.decisions.recording import Operation, record
from core.review.people.assignments import set_urgent
from core.review.reports.summaries import APPROVED, FINISHED, named_documents
from core.roles import Right
from core.serving.caller import UnknownDocumentError
from pages import messages
from pages.components.documents import Act
from pages.serving import current_session


def turn(action: str, document_ids: Sequence[str], note: str = "") -> None:
    """Reopen, approve or send back the finished ones of these documents; say what was refused."""
    session = current_session()
    right = Right.DECIDE if action == "reopen" else Right.REVIEW
    store, project_id = session.store(), session.project_id()
    named = named_documents(store, project_id, document_ids)
    done = [row.document_id for row in named.values() if row.status == FINISHED]
    if action == "approve":
        done = [i for i in done if named[i].judged != APPROVED]
    if action == "reopen":
        own = annotations_to_make(store, project_id, session.person_id())
        done += [i for i in own.values() if i in document_ids]
    refused: set[str] = set()
    for document_id in done:
        try:
            writing = session.writing(right, document_id)
        except (NotAllowedError, UnknownDocumentError) as error:  # the others are turned still
            refused.add(str(error))
            continue
        receipt = record(
            writing,
            document_id=document_id,
            person_id=session.person_id(),
            client_id=str(uuid4()),
            operations=[Operation(1, action, value=note or None)],
            may_review=session.may_review(),
            approves_own=session.may(Right.ASSIGN),
        )
        refused.update(refusal.reason for refusal in receipt.refused)
    for reason in sorted(refused):
        messages.say(reason)


def _judge(act: Act) -> None:
    turn(act.action, act.document_ids, act.note)


def _prioritise(act: Act, *, is_urgent: bool) -> None:
    session = current_session()
    store = session.writing(Right.ASSIGN)
    set_urgent(store, session.project_id(), act.document_ids, is_urgent=is_urgent)


STATES: dict[str, Callable[[Act], None]] = {
    "approve": _judge,
    "send_back": _judge,
    "urgent": partial(_prioritise, is_urgent=True),
    "normal": partial(_prioritise, is_urgent=False),
}
"""What the table asks for -> what does it."""
