"""What is known of a stay besides its notes and codes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from core.clinical.names.tables import meanings
from core.errors import DocumentError

FEMALE, MALE = "female", "male"
OLDEST_YEARS = 130
MAX_IDENTIFIER_CHARACTERS = 200
_SEXES = {"f": FEMALE, "female": FEMALE, "m": MALE, "male": MALE}
_NO_SEX = frozenset({"", "u", "o", "x", "other", "unknown"})
# UB-04 patient discharge status (form locator 17), as CMS lists them; in words of our own.
DISPOSITIONS: Mapping[str, str] = meanings("stay", "disposition")
# The same with a readmission that is planned has a number of its own.
_PLANNED = {str(number) for number in range(81, 96)}
STAY_FIELDS = (
    "admitted", "discharged", "age", "sex", "disposition", "patient", "encounter", "class",
)  # fmt: skip
INPATIENT, OBSERVATION, EMERGENCY = "inpatient", "observation", "emergency"
CLINIC, AMBULATORY_SURGERY = "clinic", "day surgery"
CLASSES = (INPATIENT, OBSERVATION, EMERGENCY, CLINIC, AMBULATORY_SURGERY)
OUTPATIENT = frozenset(CLASSES) - {INPATIENT}
"""Of whom presence on admission is not asked, and uncertain diagnoses are not coded."""


@dataclass(frozen=True, slots=True)
class Identifier:
    """What a hospital calls a patient or an encounter.

    Attributes:
        system: URI of what the value is unique in; "" where nobody said.
    """

    value: str
    system: str = ""


@dataclass(frozen=True, slots=True)
class Stay:
    """The facts of one encounter that rules of coding ask for; whatever is unknown is None or "".

    Attributes:
        age_years: whole years at admission; 0 for a newborn.
        sex: FEMALE, MALE or "".
        disposition: where the patient went, as a two-digit patient discharge status (UB-04), or "".
        patient, encounter: how the hospital identifies them.
        encounter_class: one of `CLASSES`, or "" where nobody has said it.
    """

    admitted: date | None = None
    discharged: date | None = None
    age_years: int | None = None
    sex: str = ""
    disposition: str = ""
    patient: Identifier | None = None
    encounter: Identifier | None = None
    encounter_class: str = ""

    @property
    def is_outpatient(self) -> bool:
        """Whether it is known to be no stay of an inpatient."""
        return self.encounter_class in OUTPATIENT

    @property
    def ended(self) -> date | None:
        """The day of which the codes have to be: of discharge, or of an outpatient's visit."""
        return self.discharged or (self.admitted if self.is_outpatient else None)

    def checked(self) -> Stay:
        """Return this stay.

        Raises:
            DocumentError: its discharge is before its admission.
        """
        if self.admitted and self.discharged and self.discharged < self.admitted:
            raise DocumentError(
                f"The discharge ({self.discharged}) is before the admission ({self.admitted}); "
                "mend one of them."
            )
        return self


NO_STAY = Stay()


def stay_of(fields: Mapping[str, object]) -> Stay | None:
    """Return the stay that the fields `STAY_FIELDS` of a record describe; None without any.

    Raises:
        DocumentError: says which field is wrong, and how it is written.
    """
    stay = Stay(
        _day(fields, "admitted"),
        _day(fields, "discharged"),
        _age(fields.get("age")),
        _sex(fields.get("sex")),
        _disposition(fields.get("disposition")),
        _identifier(fields, "patient"),
        _identifier(fields, "encounter"),
        _class(fields.get("class")),
    ).checked()
    return None if stay == NO_STAY else stay


def is_future(day: date) -> bool:
    """Return whether a day is still to come, wherever on earth a person is."""
    return day > (datetime.now(UTC) + timedelta(hours=14)).date()


def disposition_name(code: str) -> str:
    """Return a discharge status with its words: "01 home"."""
    return f"{code} {DISPOSITIONS.get(code, '')}".strip()


def read_day(written: str, name: str) -> date | None:
    """Return the day with which a date or timestamp begins; None of an empty one.

    Raises:
        DocumentError: it is none; the sentence begins with its name.
    """
    if not written.strip():
        return None
    try:
        # A moment, as records have it, begins with its day.
        return date.fromisoformat(written.strip()[:10])
    except ValueError:
        raise DocumentError(f"{name} is “{written[:40]}”: write it as 2026-03-31") from None


def _day(fields: Mapping[str, object], name: str) -> date | None:
    given = fields.get(name)
    if given is not None and not isinstance(given, str):
        raise DocumentError(f"{name} must be a date in quotes, such as “2026-03-31”")
    return read_day(given or "", f"the date {name}")


def _age(given: object) -> int | None:
    if given is None or given == "":
        return None
    text = str(given).strip().removesuffix(".0")
    is_number = text.isascii() and text.isdigit() and not isinstance(given, bool)
    if not is_number or len(text) > 3 or int(text) > OLDEST_YEARS:
        raise DocumentError(
            f"the age is “{str(given)[:40]}”: write whole years from 0 to {OLDEST_YEARS}"
        )
    return int(text)


def _sex(given: object) -> str:
    plain = str(given or "").strip().casefold()
    if plain not in _SEXES and plain not in _NO_SEX:
        raise DocumentError(f"the sex is “{plain[:40]}”: write female, male or nothing")
    return _SEXES.get(plain, "")


def _class(given: object) -> str:
    named = str(given or "").strip().casefold()
    if named and named not in CLASSES:
        raise DocumentError(f"the class is “{named[:40]}”: write {', '.join(CLASSES)} or nothing")
    return named


def _disposition(given: object) -> str:
    text = "" if given is None else str(given).strip().removesuffix(".0")
    code = text.zfill(2) if text else ""
    if code and code not in DISPOSITIONS and code not in _PLANNED:
        raise DocumentError(
            f"the disposition is “{text[:40]}”: write a patient discharge status of UB-04, "
            "such as 01 (home) or 20 (died)"
        )
    return code


def _identifier(fields: Mapping[str, object], name: str) -> Identifier | None:
    given = fields.get(name)
    pair = given if isinstance(given, Mapping) else {"value": given}
    value, system = pair.get("value"), pair.get("system") or ""
    if value is None or value == "":
        return None
    if isinstance(value, bool) or not isinstance(value, str | int) or not isinstance(system, str):
        raise DocumentError(f"the {name} must be an identifier, or an object with value and system")
    number = Identifier(printable(str(value)), printable(system))
    if max(len(number.value), len(number.system)) > MAX_IDENTIFIER_CHARACTERS:
        raise DocumentError(
            f"the identifier of the {name} is longer than {MAX_IDENTIFIER_CHARACTERS} characters"
        )
    return number if number.value else None


def printable(text: str) -> str:
    """Return a number or name without what cannot be printed."""
    clean = "".join(sign for sign in text if sign.isprintable())
    return clean.encode("utf-8", "replace").decode("utf-8").strip()
