"""The messages between a browser and the server: operations, refusals, receipts.

Everything here comes from outside, so it is read with suspicion: an operation that cannot be
stored is refused by name and number, and never holds up the ones behind it.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import date
from typing import TypeGuard

from core.errors import StoreError
from core.review.decisions.ledger import ACTIONS, DOCUMENT_ACTIONS
from core.review.store.documents import storable

MAX_SEQUENCE = 2**53 - 1  # the largest whole number that JavaScript keeps exactly
MAX_NAME_LENGTH = 64  # of a client id and of a group
MAX_SHOWN = 1_000_000
MAX_CONCEPT_ID_LENGTH = 255
MAX_ORDERED = 1000  # codes of one document
# A procedure before or after these was mistyped: a year of two digits, or of five.
FIRST_DAY, LAST_DAY = date(1900, 1, 1), date(2099, 12, 31)
# Present on admission: yes, no, unknown, clinically undetermined, or not said.
# Source: ICD-10-CM Official Guidelines for Coding and Reporting, appendix I.
PRESENT = ("Y", "N", "U", "W", "")

MAX_QUERY_LENGTH = 200  # what was typed in the search box before a concept was taken
HINTS = ("missed", "odd", "opened")
MAX_NOTE_LENGTH = 2000  # to whom a document is sent back
MAX_HINTS = 100  # concepts of each kind that one finish names

PLACE = re.compile(r"(\d{1,9})-(\d{1,9})")
QUERY = "query"
SIMILAR = "similar"  # the source of what is taken from similar documents: never over a decision
FOUND_BY_WORDS = ("accept", "add")  # may have what was typed to find their concept as a value

Value = str | tuple[str, ...] | dict[str, list[str]] | None


@dataclass(frozen=True, slots=True)
class Operation:
    """One thing that a person did on the tree.

    Attributes:
        sequence: counts 1, 2, 3 … under one client id, and is never used twice.
        action: on a concept "accept", "add" (accept what was not suggested), "reject", "back_off"
            (give up for a broader one, which the same group accepts), "exclude" (nothing in this
            branch), "mark" and "unmark" (main topic), "clear" (back to undecided), "hold" (a
            category whose code is still to be found), "present" (on admission) and "performed"
            (on a day), "cite" (words of the text as evidence); on the document "finish", "reopen", "approve", "send_back" (with a note), "order" (of its codes) and "undo" (take
            back one's own last action or group that still stands, in any document of the project).
        concept_id: empty for an action on the document.
        group: operations on one document that are undone as one carry the same group name.
        shown: with "finish", how many suggestions, by rank, were on the page.
        source: where an added concept was found, such as "search" or "similar".
        value: as `core.review.decisions.operations` reads it; None for actions without one. With
            "finish" it is which concepts were pointed out as "missed" and as "odd", and which of
            them a person "opened"; with "accept" and "add" what was typed to find the concept.
    """

    sequence: int
    action: str
    concept_id: str = ""
    group: str | None = None
    shown: int | None = None
    source: str | None = None
    value: Value = None


@dataclass(frozen=True, slots=True)
class Refusal:
    """An operation that was not stored and never will be under this number.

    Attributes:
        sequence: as it was sent; None where it was no whole number.
        code: "malformed", "unknown concept", "unknown document", "number taken", "finished" (the
            document is, so it takes nothing but "reopen" and "undo"), "not finished" (there is
            nothing to reopen), "not accepted" (only what is accepted can be a main topic, or have
            a mark or a day), "ruled out" (the concept is in a branch that is never assigned),
            "category" (only the codes below it are assigned), "a code" (it can be accepted
            itself), "no diagnosis" and "no procedure" (so it has no such mark or day),
            "approved" (reopened or judged by who may review alone),
            "no right" (to decide or review in the document's project) or "not allowed" (the check before finishing found errors).
        reason: the sentence for the person.
    """

    sequence: int | None
    code: str
    reason: str


@dataclass(frozen=True, slots=True)
class Undone:
    """What an undo took back, and where.

    Attributes:
        sequence: of the undo.
        document_id, title: the document of what was taken back, often another than the open one.
        actions: action and concept id ("" for "finish" and "reopen"), in the order of deciding.
    """

    sequence: int
    document_id: str
    title: str
    actions: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Receipt:
    """What became of the operations that were sent.

    Attributes:
        stored: the sent sequences that are in the store now, from this or an earlier call.
        refused: the others; an operation that is in neither list should be sent again.
        undone: one for each stored undo that found something to take back.
    """

    stored: tuple[int, ...]
    refused: tuple[Refusal, ...] = ()
    undone: tuple[Undone, ...] = ()

    @property
    def settled(self) -> tuple[int, ...]:
        """Every sequence that the browser drops from its queue, in order."""
        refused = {refusal.sequence for refusal in self.refused if refusal.sequence is not None}
        return tuple(sorted(refused | set(self.stored)))


TAKEN = "Another decision has this number already, so it was not stored; decide it again."


def read_operations(
    sent: Iterable[object], *, concept_ids: Container[str] | None
) -> tuple[list[Operation], list[Refusal]]:
    """Sort what was sent into operations, by sequence, and refusals.

    Args:
        sent: `Operation`s, or mappings with the same names as the browser sends them.
        concept_ids: concept ids that may be decided; None where every well-formed id may.
    """
    operations: dict[int, Operation] = {}
    refusals = []
    for item in sent:
        read = _read(item, concept_ids)
        if isinstance(read, Refusal):
            refusals.append(read)
        elif operations.setdefault(read.sequence, read) != read:
            refusals.append(Refusal(read.sequence, "number taken", TAKEN))
    return [operations[sequence] for sequence in sorted(operations)], refusals


def _read(item: object, concept_ids: Container[str] | None) -> Operation | Refusal:
    fields = asdict(item) if isinstance(item, Operation) else item
    if not isinstance(fields, Mapping):
        return Refusal(None, "malformed", "Something that is no decision was not stored.")
    sequence, action = fields.get("sequence"), fields.get("action")
    if not _is_sequence(sequence):
        return Refusal(None, "malformed", "A decision without a usable number was not stored.")
    if not isinstance(action, str) or action not in ACTIONS:
        return Refusal(sequence, "malformed", "A decision of an unknown kind was not stored.")
    group, source, shown = fields.get("group"), fields.get("source"), fields.get("shown")
    if group is not None and not is_name(group):
        return Refusal(sequence, "malformed", "A decision with an unusable group was not stored.")
    try:
        value = read_value(action, fields.get("value"))
    except StoreError as error:
        return Refusal(sequence, "malformed", str(error))
    if action in DOCUMENT_ACTIONS:
        n_shown = shown if action == "finish" and _is_count(shown) else None
        return Operation(sequence, action, "", group, n_shown, None, value)
    if source is not None and not is_name(source):
        return Refusal(sequence, "malformed", "A decision of unusable origin was not stored.")
    concept_id = fields.get("concept_id")
    problem = _problem_of(sequence, concept_id, concept_ids)
    return problem or Operation(sequence, action, str(concept_id), group, None, source, value)


def _problem_of(
    sequence: int, concept_id: object, concept_ids: Container[str] | None
) -> Refusal | None:
    if not isinstance(concept_id, str) or not 0 < len(concept_id) <= MAX_CONCEPT_ID_LENGTH:
        return Refusal(sequence, "malformed", "A decision without a concept was not stored.")
    if not concept_id.isprintable() or (concept_ids is not None and concept_id not in concept_ids):
        reason = f"The vocabulary has no concept {concept_id[:60]!r}; it was not stored."
        return Refusal(sequence, "unknown concept", reason)
    return None


def _is_sequence(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= MAX_SEQUENCE


def _is_count(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_SHOWN


def is_name(value: object) -> TypeGuard[str]:
    """Whether a client id or a group can be kept: short, not empty, printable."""
    return isinstance(value, str) and 0 < len(value) <= MAX_NAME_LENGTH and value.isprintable()


def read_value(action: str, value: object) -> Value:
    """Return the value of an action; None for an action without one, whatever was sent with it.

    Raises:
        StoreError: it cannot be stored; the sentence says why.
    """
    if action == "present":
        return _present(value)
    if action == "performed":
        return _day(value)
    if action == "cite":
        return _place(value)
    if action == "finish":
        return _hints(value)
    if action in FOUND_BY_WORDS:
        return _query(value)
    if action == "send_back":
        return _note(value)
    return _order(value) if action == "order" else None


def _present(value: object) -> str:
    if not isinstance(value, str) or value not in PRESENT:
        raise StoreError(
            "Present on admission is Y, N, U (unknown) or W (cannot be determined); "
            "the mark was not stored."
        )
    return value


def _day(value: object) -> str:
    if value == "":
        return ""
    try:
        day = date.fromisoformat(value if isinstance(value, str) else "")
    except ValueError as error:
        raise StoreError(
            "The day of a procedure is written as 2026-05-04; it was not stored."
        ) from error
    if not FIRST_DAY <= day <= LAST_DAY:
        raise StoreError(
            f"The year of a procedure is between {FIRST_DAY.year} and {LAST_DAY.year}, and not "
            f"{day.year}; the day was not stored."
        )
    return day.isoformat()


def _place(value: object) -> str:
    """Read from where to where words of the text stand, as "10-25"; "" takes all evidence away."""
    if value == "":
        return ""
    match = PLACE.fullmatch(value) if isinstance(value, str) else None
    if match is None or not int(match[1]) < int(match[2]):
        raise StoreError("Evidence is a place of the text, such as 10-25; it was not stored.")
    return match[0]


def _note(value: object) -> str | None:
    """Read what is to be changed; what cannot be read never holds up a judgement."""
    note = storable(value.strip()[:MAX_NOTE_LENGTH]) if isinstance(value, str) else ""
    return note or None


def _hints(value: object) -> dict[str, list[str]] | None:
    """Concept ids by what was said of them; what cannot be read never holds up a finish."""
    if not isinstance(value, Mapping):
        return None
    read = {name: _concept_ids(value.get(name))[:MAX_HINTS] for name in HINTS}
    return {name: ids for name, ids in read.items() if ids} or None


def _query(value: object) -> dict[str, list[str]] | None:
    """What was typed; what cannot be kept never holds up a decision."""
    typed = value.get(QUERY) if isinstance(value, Mapping) else None
    text = typed[0] if isinstance(typed, list) and typed else typed
    if not isinstance(text, str) or not text.isprintable():
        return None
    return {QUERY: [text[:MAX_QUERY_LENGTH]]} if text.strip() else None


def _concept_ids(value: object) -> list[str]:
    given = value if isinstance(value, list) else []
    usable = (
        i
        for i in given
        if isinstance(i, str) and 0 < len(i) <= MAX_CONCEPT_ID_LENGTH and i.isprintable()
    )
    return list(dict.fromkeys(usable))


def _order(value: object) -> tuple[str, ...]:
    if not isinstance(value, (list, tuple)) or len(value) > MAX_ORDERED:
        raise StoreError("An order of codes that is no list of them was not stored.")
    for concept_id in value:
        if not isinstance(concept_id, str) or not 0 < len(concept_id) <= MAX_CONCEPT_ID_LENGTH:
            raise StoreError("An order with something that is no code was not stored.")
        if not concept_id.isprintable():
            raise StoreError("An order with an unreadable code was not stored.")
    return tuple(dict.fromkeys(value))
