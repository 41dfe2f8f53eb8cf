"""A coded encounter as exports in forms of other systems have it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from core.clinical.stay import NO_STAY, Stay
from core.documents.document import Part

CONFIRMED, PROVISIONAL, UNCONFIRMED = "confirmed", "provisional", "unconfirmed"


@dataclass(frozen=True, slots=True)
class CodeSystem:
    """Which code system the codes are of; `version` is "" where none is stated."""

    uri: str
    version: str = ""


@dataclass(frozen=True, slots=True)
class EncounterCode:
    """A code of an encounter.

    Attributes:
        verification: "confirmed" on a finished encounter, "provisional" on another, "unconfirmed"
            of what came with it and nobody decided.
        present: on admission: "Y", "N", "U", "W", EXEMPT, or "" where it is unknown.
        performed_on: of a procedure.
        system: of the code; None for that of the encounter's vocabulary.
        recorder, recorded_at: who decided, and when.
    """

    code: str
    display: str
    is_procedure: bool = False
    verification: str = CONFIRMED
    present: str = ""
    performed_on: date | None = None
    recorder: str = ""
    recorded_at: datetime | None = None
    system: CodeSystem | None = None


@dataclass(frozen=True, slots=True)
class CodedEncounter:
    """An encounter with its codes in their order, the principal diagnosis first.

    Attributes:
        notes: its text; None where it is left out.
        origin: what separates it from encounters of other databases with the same id, and is the
            same in every export.
        stay: what is known of it.
        approved_by, approved_at: who has judged it good, and when; "" where nobody has, or is named.
    """

    encounter_id: str
    title: str
    codes: Sequence[EncounterCode]
    notes: Sequence[Part] | None = None
    origin: str = ""
    stay: Stay = NO_STAY
    approved_by: str = ""
    approved_at: datetime | None = None
