"""Marks of presence on admission, and days of procedures.

Source: ICD-10-CM Official Guidelines for Coding and Reporting, appendix I, and the published list
of codes that are exempt. ICD-9-CM has no list here: its E and V codes, most of which are exempt,
are not asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, timedelta

from core.clinical.coding.findings import (
    NOTE,
    WARNING,
    CheckedCodes,
    Finding,
    Remedy,
    is_external_cause,
    is_status_code,
)
from core.clinical.coding.published import code_edits
from core.clinical.notation import ICD10CM, is_procedure_of
from core.clinical.stay import Stay

SOURCE = "Guidelines appendix I"
# What the hospital did in the three days before is billed with the stay (42 CFR 412.2(c)(5)).
PAYMENT_WINDOW = timedelta(days=3)


def admission(checked: CheckedCodes) -> Iterator[Finding]:
    """Yield diagnoses of an inpatient without a mark, and exempt ones with one."""
    if not checked.conventions.present_on_admission or checked.is_outpatient:
        return
    in_vocabulary = [code for code in checked.diagnoses if code in checked.hierarchy]
    exempt = {code: _is_exempt(code, checked) for code in in_vocabulary}
    unmarked = [c for c in in_vocabulary if exempt[c] is False and not checked.present(c)]
    yield from _unmarked(unmarked, checked)
    if checked.system != ICD10CM:
        return
    needless = tuple(c for c in in_vocabulary if exempt[c] and checked.present(c))
    if needless:
        sentence = (
            f"{_named(needless)} marked, though exempt from the mark of presence on admission."
        )
        source = code_edits().source(checked.hierarchy, day=checked.day, exempt=True)
        clear = Remedy("Remove the mark", present=dict.fromkeys(needless, ""))
        yield Finding("exempt", NOTE, sentence, needless, source=source, remedy=clear)


def _unmarked(codes: Sequence[str], checked: CheckedCodes) -> Iterator[Finding]:
    """Yield those that the notes prove together, then each that is proposed, then the others."""
    proposed = {c: checked.presence[c] for c in codes if c in checked.presence}
    proven = {c: one.mark for c, one in proposed.items() if one.is_proven}
    if len(proven) > 1:
        sentence = f"{_named([*proven])} without a mark of presence on admission, and listed there."
        remedy = Remedy(f"Mark {len(proven)} as the notes say", present=proven)
        yield Finding("unmarked", WARNING, sentence, tuple(proven), source=SOURCE, remedy=remedy)
    for code, one in proposed.items():
        if one.mark:
            sentence = f"{code} has no mark of presence on admission: {one.mark}? {one.reason}."
            remedy = Remedy(f"Mark {code} {one.mark}", present={code: one.mark})
            yield Finding("unmarked", WARNING, sentence, (code,), source=SOURCE, remedy=remedy)
    others = tuple(c for c in codes if c not in proposed or not proposed[c].mark)
    if others:
        reasons = dict.fromkeys(proposed[c].reason for c in others if c in proposed)
        why = f" ({'; '.join(reasons)})" if reasons else ""
        sentence = f"{_named(others)} without a mark of presence on admission{why}."
        yield Finding("unmarked", WARNING, sentence, others, source=SOURCE)


def _is_exempt(code: str, checked: CheckedCodes) -> bool | None:
    if checked.system == ICD10CM:
        return code_edits().is_exempt(code, checked.hierarchy)
    status = is_status_code(code, checked.system)
    return None if status or is_external_cause(code, checked.system) else False


def days(checked: CheckedCodes) -> Iterator[Finding]:
    """Yield procedures without the day on which they were done, or with one outside of the stay."""
    procedures = [c for c in checked.codes if is_procedure_of(c.concept_id, checked.system)]
    undated = tuple(code.concept_id for code in procedures if not code.performed_on)
    if checked.conventions.dated_procedures and undated:
        sentence = f"{_named(undated)} without the day on which it was done."
        yield Finding("undated", WARNING, sentence, undated)
    for code in procedures:
        where = _outside(code.performed_on, checked.stay)
        if where:
            sentence = f"{code.concept_id} is dated {code.performed_on}, {where}."
            yield Finding("outside", WARNING, sentence, (code.concept_id,))


def _outside(performed_on: str, stay: Stay | None) -> str:
    """Return on which side of the stay a day is; "" of one that is billed with it."""
    if stay is None or not performed_on:
        return ""
    day = date.fromisoformat(performed_on)
    if stay.admitted is not None and day < stay.admitted - PAYMENT_WINDOW:
        return f"more than {PAYMENT_WINDOW.days} days before admission on {stay.admitted}"
    if stay.discharged is not None and day > stay.discharged:
        return f"after discharge on {stay.discharged}"
    return ""


def _named(codes: Sequence[str], limit: int = 3) -> str:
    """Return some codes, and how many more there are."""
    more = f" and {len(codes) - limit} more" if len(codes) > limit else ""
    verb = "are" if len(codes) > 1 else "is"
    return f"{', '.join(codes[:limit])}{more} {verb}"
