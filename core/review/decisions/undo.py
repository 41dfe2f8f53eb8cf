"""Taking back one's own last action or group, inside the store's transaction.

One's own is what the same person decided in the same browser and in the same project: as long as
everybody is the same person, another browser is somebody else's. What names no browser is one's
own too: what the server stored for a page, such as the changes of a file, and what is older than
such names.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import (
    BindParameter,
    Connection,
    Integer,
    Tuple,
    and_,
    bindparam,
    func,
    insert,
    or_,
    select,
    tuple_,
)
from sqlalchemy.sql import FromClause

from core.review.decisions import ledger
from core.review.decisions.derivation import events, standing
from core.review.decisions.operations import Undone
from core.review.store.people import HIDE_TITLES, select_preferences
from core.review.store.tables import decision_event, document, person, undone_event

SHOWN_TITLE_CHARACTERS = 80
END_OF_BROWSER = ":"  # in a client id, between the name of the browser and that of the page
COPY = f"copy{END_OF_BROWSER}"  # in place of a browser, of decisions that were copied
FINISHED_SINCE = (
    "Your last action was in {0}, which was finished since; reopen it to take the action back."
)
DECIDED_SINCE = (
    "Your last action opened {0} again, and more was decided there since; finish it instead."
)


def _order(event: FromClause) -> Tuple:
    return tuple_(event.c.position, event.c.client_id, event.c.sequence)


BEFORE = _order(decision_event) < tuple_(
    bindparam("position"), bindparam("client"), bindparam("sequence")
)
IN_BROWSER = or_(
    func.substr(decision_event.c.client_id, 1, bindparam("n_characters", type_=Integer))
    == bindparam("browser"),
    decision_event.c.client_id.not_like(f"%{END_OF_BROWSER}%"),
)
HERE = document.alias()
PROJECT = select(HERE.c.project_id).where(HERE.c.document_id == bindparam("within"))
IN_PROJECT = (
    select(document.c.document_id)
    .where(
        document.c.document_id == decision_event.c.document_id,
        document.c.project_id == PROJECT.scalar_subquery(),
        # What was decided on an annotation that was given up stays, and is in nobody's way.
        or_(document.c.annotation_of.is_(None), document.c.removed_at.is_(None)),
    )
    .correlate(decision_event)
    .exists()
)
LAST_OWN = (
    standing(
        decision_event.c.person_id == bindparam("person"),
        decision_event.c.action != "undo",
        BEFORE,
        IN_BROWSER,
        IN_PROJECT,
    )
    .order_by(
        decision_event.c.position.desc(),
        decision_event.c.client_id.desc(),
        decision_event.c.sequence.desc(),
    )
    .limit(1)
)
GROUP = standing(
    decision_event.c.group_id == bindparam("group"),
    decision_event.c.client_id == bindparam("member_of"),
    decision_event.c.document_id == bindparam("here"),
    decision_event.c.action != "undo",
    BEFORE,
)
ON_DOCUMENT = decision_event.c.document_id == bindparam("here")
IS_LATER = decision_event.c.position > bindparam("position")
LATER = standing(ON_DOCUMENT, decision_event.c.action != "undo", IS_LATER).limit(1)
UNDO = decision_event.alias()
TAKEN_BACK_LATER = (
    select(undone_event.c.event_id)
    .join(decision_event, decision_event.c.event_id == undone_event.c.event_id)
    .join(UNDO, UNDO.c.event_id == undone_event.c.undo_event_id)
    .where(ON_DOCUMENT, ~IS_LATER, UNDO.c.position > bindparam("position"))
    .limit(1)
)
THESE: BindParameter[int] = bindparam("these", expanding=True)
UNDONE = (
    select(UNDO.c.sequence, document.c.document_id, document.c.title)
    .add_columns(decision_event.c.action, decision_event.c.concept_id)
    .join(undone_event, undone_event.c.undo_event_id == UNDO.c.event_id)
    .join(decision_event, decision_event.c.event_id == undone_event.c.event_id)
    .join(document, document.c.document_id == decision_event.c.document_id)
    .where(UNDO.c.client_id == bindparam("client"), UNDO.c.sequence.in_(THESE))
    .order_by(UNDO.c.sequence, decision_event.c.position, decision_event.c.sequence)
)


def lock_person(connection: Connection, person_id: int) -> None:
    """Let two undos of one person wait for each other, on a database with row locks.

    To be called before a document is locked, so that the two do not wait in a circle.
    """
    query = select(person.c.person_id).where(person.c.person_id == person_id)
    connection.execute(query.with_for_update(key_share=True))


def last_own(
    connection: Connection, person_id: int, document_id: str, order: ledger.Order
) -> ledger.Event | None:
    """Return what an undo takes back: the last action of one's own before it that stands.

    Args:
        document_id: of the page that asks; the action may be in another one of its project.
        order: of the undo, with the client that asks; what was decided later is not its business.
    """
    _, client_id, _ = order
    browser = client_id.partition(END_OF_BROWSER)[0] + END_OF_BROWSER
    browser_values = {"person": person_id, "browser": browser, "n_characters": len(browser)}
    values = _values(order) | browser_values | {"within": document_id}
    return next(iter(events(connection, LAST_OWN, values)), None)


def take_back(
    connection: Connection, target: ledger.Event, order: ledger.Order, undo_id: int
) -> list[ledger.Event]:
    """Note that an undo took its target back, with its group; returns these events."""
    back = [target]
    if target.group:
        values = _values(order) | {"group": target.group, "here": target.document_id}
        back = events(connection, GROUP, values | {"member_of": target.client_id})
    rows = [{"event_id": event.event_id, "undo_event_id": undo_id} for event in back]
    connection.execute(insert(undone_event), rows)
    return back


def take_back_late(connection: Connection, event_id: int) -> None:
    """Take a late operation back where its group was undone after it was decided."""
    late, target, undo = decision_event.alias(), decision_event.alias(), decision_event.alias()
    same_group = and_(
        target.c.group_id == late.c.group_id,
        target.c.client_id == late.c.client_id,
        target.c.document_id == late.c.document_id,
    )
    query = (
        select(func.min(undo.c.event_id))
        .select_from(late)
        .join(target, same_group)
        .join(undo, undo.c.undone_event_id == target.c.event_id)
        .where(late.c.event_id == event_id, _order(late) < _order(undo))
    )
    undo_id = connection.scalar(query)
    if undo_id is not None:
        row = {"event_id": event_id, "undo_event_id": undo_id}
        connection.execute(insert(undone_event).values(row))


def undone_by(
    connection: Connection, client_id: str, sequences: Sequence[int]
) -> tuple[Undone, ...]:
    """Return what each of a client's undos took back; an undo that is sent again gets the same."""
    if not sequences:
        return ()
    values = {"client": client_id, "these": list(sequences)}
    actions: dict[tuple[int, str, str], list[tuple[str, str]]] = {}
    for *place, action, concept_id in connection.execute(UNDONE, values):
        sequence, document_id, title = place
        actions.setdefault((sequence, document_id, title), []).append((action, concept_id or ""))
    return tuple(Undone(*place, tuple(theirs)) for place, theirs in actions.items())


def is_decided_since(connection: Connection, target: ledger.Event) -> bool:
    """Whether what stands on the document of an event is another than when it was decided."""
    values = {"here": target.document_id, "position": target.position}
    queries = (LATER, TAKEN_BACK_LATER)
    return any(connection.execute(query, values).first() is not None for query in queries)


def refusal(connection: Connection, sentence: str, document_id: str, person_id: int) -> str:
    """Return why a person's action is not taken back, with the document's name as they may see it.

    Args:
        sentence: such as `FINISHED_SINCE`.
    """
    title = connection.scalar(select(document.c.title).where(document.c.document_id == document_id))
    is_hidden = select_preferences(connection, person_id).get(HIDE_TITLES) is True
    shown = (title or document_id)[:SHOWN_TITLE_CHARACTERS]
    name = f"document {document_id}" if is_hidden else f"“{shown}”"
    return sentence.format(name)


def _values(order: ledger.Order) -> dict[str, object]:
    return dict(zip(("position", "client", "sequence"), order, strict=True))
