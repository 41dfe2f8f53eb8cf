"""What an action says besides its name: a mark, a day, an order; read with suspicion."""

from __future__ import annotations

from datetime import date

from core.errors import StoreError

MAX_CONCEPT_ID_LENGTH = 255
MAX_ORDERED = 1000  # codes of one document
# A procedure before or after these was mistyped: a year of two digits, or of five.
FIRST_DAY, LAST_DAY = date(1900, 1, 1), date(2099, 12, 31)
# Present on admission: yes, no, unknown, clinically undetermined, or not said.
# Source: ICD-10-CM Official Guidelines for Coding and Reporting, appendix I.
PRESENT = ("Y", "N", "U", "W", "")

Value = str | tuple[str, ...] | None


def read_value(action: str, value: object) -> Value:
    """The value of an action; None for one that has none, whatever was sent with it.

    Raises:
        StoreError: it cannot be stored; the sentence says why.
    """
    if action == "present":
        return _present(value)
    if action == "performed":
        return _day(value)
    return _order(value) if action == "order" else None


def _present(value: object) -> str:
    """One of `PRESENT`."""
    if not isinstance(value, str) or value not in PRESENT:
        raise StoreError(
            "Present on admission is Y, N, U (unknown) or W (cannot be determined); "
            "the mark was not stored."
        )
    return value


def _day(value: object) -> str:
    """A day as ISO 8601 writes it, or nothing."""
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


def _order(value: object) -> tuple[str, ...]:
    """Concept ids, each once."""
    if not isinstance(value, (list, tuple)) or len(value) > MAX_ORDERED:
        raise StoreError("An order of codes that is no list of them was not stored.")
    for concept_id in value:
        if not isinstance(concept_id, str) or not 0 < len(concept_id) <= MAX_CONCEPT_ID_LENGTH:
            raise StoreError("An order with something that is no code was not stored.")
        if not concept_id.isprintable():
            raise StoreError("An order with an unreadable code was not stored.")
    return tuple(dict.fromkeys(value))
