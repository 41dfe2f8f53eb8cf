"""Coded encounters as messages of HL7 version 2: diagnoses (DG1) and procedures (PR1).

One message BAR^P12 (update diagnosis or procedure) for each encounter: MSH, EVN, PID, PV1, then its
codes. Version 2.6, the first that has a place for presence on admission (DG1-26).

Source: HL7 Version 2.6, chapters 2.A, 3 and 6; code systems by table 0396.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from uuid import uuid4

import hl7

from core.clinical.coding.exported import EXEMPT
from core.clinical.export.coded import CONFIRMED, UNCONFIRMED, CodedEncounter, EncounterCode
from core.clinical.export.encounters import coded_encounter
from core.clinical.joined import CPT, SYSTEMS
from core.clinical.notation import ICD9CM, ICD10CM, ICD10PCS
from core.clinical.stay import (
    AMBULATORY_SURGERY,
    CLINIC,
    EMERGENCY,
    FEMALE,
    INPATIENT,
    MALE,
    OBSERVATION,
    Identifier,
)
from core.documents.rows.spreadsheet_cells import CONTROL_CHARACTERS
from core.export.content import ExportContent, ExportFormat
from core.vocabulary.concepts import IRI
from core.vocabulary.conventions import conventions_of

VERSION = "2.6"
HERE = "Strata"  # the application, and the authority of its ids
ENCODING = "UNICODE UTF-8"
SEXES: Mapping[str, str] = {FEMALE: "F", MALE: "M"}
UNKNOWN = "U"  # as sex and as patient class
CLASSES: Mapping[str, str] = {INPATIENT: "I", EMERGENCY: "E"} | dict.fromkeys(
    (OBSERVATION, CLINIC, AMBULATORY_SURGERY), "O"
)
"""Table 0004."""
FINAL, WORKING = "F", "W"
EXEMPT_INDICATOR = "E"  # table 0895
ADD = "A"
NO_NAME = ("", "", "", "", "", "", "S")  # PID-5 is required: a name that stands for none
LOCAL = "L"
ICD9_DIAGNOSIS, ICD9_PROCEDURE = "I9CDX", "I9CP"
NAMES_BY_SYSTEM: Mapping[str, str] = {
    conventions_of(ICD10CM).system: "I10C",
    conventions_of(ICD10PCS).system: "I10P",
    SYSTEMS[CPT]: "C4",
}
Component = str | tuple[str, ...]
Value = str | tuple[Component, ...]
"""A field: its text, or its components, each a text or the texts of its parts."""


def write(content: ExportContent) -> Iterator[bytes]:
    """Yield a message for each encounter with an accepted code; each segment ends with CR."""
    for exported in content.documents:
        encounter = coded_encounter(exported, content)
        codes = [code for code in encounter.codes if code.verification != UNCONFIRMED]
        if codes:
            operator = exported.sign_off.finished_by if content.names_people else ""
            sent = message(encounter, codes, made_at=datetime.now(UTC), operator=operator)
            yield f"{sent}".encode()


def message(
    encounter: CodedEncounter,
    codes: Sequence[EncounterCode],
    *,
    made_at: datetime,
    operator: str = "",
) -> hl7.Message:
    """Return the message of an encounter.

    Args:
        codes: in their order; what nobody decided is not among them.
        made_at: with its time zone.
        operator: the account of who has finished it; "" to name nobody.
    """
    diagnoses = [code for code in codes if not code.is_procedure]
    procedures = [code for code in codes if code.is_procedure]
    return hl7.Message(
        "\r",
        [
            _header(made_at),
            _segment("EVN", {1: "P12", 2: _moment(made_at), 5: _operator(operator)}),
            _segment("PID", _patient(encounter)),
            _segment("PV1", _visit(encounter)),
            *(_segment("DG1", _diagnosis(n, code)) for n, code in enumerate(diagnoses, start=1)),
            *(_segment("PR1", _procedure(n, code)) for n, code in enumerate(procedures, start=1)),
        ],
    )


def _header(made_at: datetime) -> hl7.Segment:
    """Return MSH, whose first two fields are the separators themselves."""
    fields: dict[int, Value] = {
        3: HERE,
        7: _moment(made_at),
        9: ("BAR", "P12", "BAR_P12"),
        10: uuid4().hex[:20],
        11: "P",
        12: VERSION,
        18: ENCODING,
    }
    rest = _segment("MSH", fields)
    return hl7.Segment("|", [rest[0], hl7.Field("", ["|"]), hl7.Field("", ["^~\\&"]), *rest[3:]])


def _operator(name: str) -> Value:
    """Return EVN-5: an account here; DG1-16 and PR1-8 are of clinicians."""
    return (name, *[""] * 7, HERE) if name else ""


def _patient(encounter: CodedEncounter) -> dict[int, Value]:
    """Return the fields of PID, without a name; who has no number has that of the document here."""
    stay = encounter.stay
    number = _identifier(stay.patient) if stay.patient else _own(encounter)
    return {1: "1", 3: number, 5: NO_NAME, 8: SEXES.get(stay.sex, UNKNOWN)}


def _visit(encounter: CodedEncounter) -> dict[int, Value]:
    """Return the fields of PV1: the number that the hospital gave, or the document's id here."""
    stay = encounter.stay
    return {
        1: "1",
        2: CLASSES.get(stay.encounter_class, UNKNOWN),
        19: _identifier(stay.encounter) if stay.encounter else _own(encounter),
        36: stay.disposition,
        44: _day(stay.admitted),
        45: _day(stay.discharged),
    }


def _diagnosis(number: int, code: EncounterCode) -> dict[int, Value]:
    return {
        1: str(number),
        3: _code_with_system(code),
        6: FINAL if code.verification == CONFIRMED else WORKING,
        15: str(number),
        20: code.code,
        21: ADD,
        26: EXEMPT_INDICATOR if code.present == EXEMPT else code.present,
    }


def _procedure(number: int, code: EncounterCode) -> dict[int, Value]:
    return {
        1: str(number),
        3: _code_with_system(code),
        5: _day(code.performed_on),
        14: str(number),
        19: code.code,
        20: ADD,
    }


def _code_with_system(code: EncounterCode) -> Value:
    system = code.system.uri if code.system else ""
    version = code.system.version if code.system else ""
    name = NAMES_BY_SYSTEM.get(system, LOCAL)
    if system == conventions_of(ICD9CM).system:
        name = ICD9_PROCEDURE if code.is_procedure else ICD9_DIAGNOSIS
    return code.code, code.display, name, "", "", "", version


def _own(encounter: CodedEncounter) -> Value:
    """Return the id of a document, which is unique in the project alone."""
    return encounter.encounter_id, "", "", HERE


def _identifier(number: Identifier) -> Value:
    """Return a number, with what it is unique in as the universal id of the authority, or its name."""
    if not IRI.fullmatch(number.system):
        return number.value, "", "", number.system
    kind = "ISO" if number.system.startswith("urn:oid:") else "URI"
    return number.value, "", "", ("", number.system.removeprefix("urn:oid:"), kind)


def _moment(moment: datetime) -> str:
    return f"{moment:%Y%m%d%H%M%S%z}"


def _day(day: date | None) -> str:
    return f"{day:%Y%m%d}" if day else ""


# ---------------------------------------------------------------------- segments

_ESCAPING = hl7.Message("\r")


def _segment(name: str, fields: Mapping[int, Value]) -> hl7.Segment:
    """Return a segment up to its last field with a value."""
    last = max((number for number, value in fields.items() if value), default=0)
    listed = (_field(fields.get(number, "")) for number in range(1, last + 1))
    return hl7.Segment("|", [hl7.Field("", [name]), *listed])


def _field(value: Value) -> hl7.Field:
    if isinstance(value, str):
        return hl7.Field("~", [_escaped(value)])
    return hl7.Field("~", [hl7.Repetition("^", [*_components(value)])])


def _components(value: tuple[Component, ...]) -> Iterator[str]:
    """Yield the components of a field without empty ones at its end, their texts escaped."""
    last = max((at for at, component in enumerate(value) if component), default=-1)
    for component in value[: last + 1]:
        parts = (component,) if isinstance(component, str) else component
        yield "&".join(_escaped(part) for part in parts)


def _escaped(text: str) -> str:
    """Return a text on one line, with separators escaped; other letters stay, in UTF-8."""
    plain = " ".join(CONTROL_CHARACTERS.sub("", text).split())
    return "".join(_ESCAPING.escape(sign) if sign.isascii() else sign for sign in plain)


HL7V2 = ExportFormat(
    "hl7v2",
    "hl7",
    "x-application/hl7-v2+er7",
    write,
    vocabularies="codes",
    meaning=(
        "HL7 version 2.6: a message BAR^P12 for each encounter with an accepted code, with DG1 for "
        "each diagnosis and PR1 for each procedure. Names of patients, titles and text stay out; given codes "
        "and other decisions, too. PR1-5 is required: give each procedure its day first, or it is empty."
    ),
    preview_note="The message of the first encounter.",
    title="HL7 v2",
    has_text=False,
    as_text=lambda content: content.decode().replace("\r", "\n"),
    syntax=None,
)
