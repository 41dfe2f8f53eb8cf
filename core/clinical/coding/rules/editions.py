"""Codes that were none on the day of discharge.

Source: ICD-10-CM Official Guidelines for Coding and Reporting: the edition in force at discharge is
used; the code sets by fiscal year (`code_sets`).
"""

from __future__ import annotations

from collections.abc import Iterator

from core.clinical.coding.code_sets import code_sets, valid_above
from core.clinical.coding.findings import ERROR, CheckedCodes, Finding
from core.clinical.coding.published import fiscal_year_on
from core.clinical.encounters import name_of_date
from core.clinical.instructions import with_ancestors


def editions(checked: CheckedCodes) -> Iterator[Finding]:
    """Yield each code of today that was not valid on the day, and each that was not any more."""
    day = checked.day
    if day is None:
        return
    for code in checked.diagnoses:
        if code not in checked.hierarchy or code_sets().valid_on(code, day) is not False:
            continue
        validity = code_sets().by_code[code]
        is_newer = day < validity.since
        when = (
            f"valid from {name_of_date(validity.since)}"
            if is_newer
            else f"valid until {name_of_date(validity.until)}"
        )
        sentence = f"{code} is {when}, and the stay ended on {name_of_date(day)}."
        former = valid_above(with_ancestors(code, checked.hierarchy), day) if is_newer else ""
        if former:
            sentence += f" The code of that day is {former}."
        source = f"ICD-10-CM code set of fiscal year {fiscal_year_on(day)}"
        yield Finding("edition", ERROR, sentence, (code,), source=source)
