"""A code "without" what another code says, where one code says both.

Source: ICD-10-CM Official Guidelines for Coding and Reporting, I.B.9: a combination code is used
instead of several codes where there is one. Which there are is read from the titles.
"""

from __future__ import annotations

from collections.abc import Iterator

from core.clinical.coding.findings import WARNING, CheckedCodes, Finding
from core.clinical.coding.titles import stated_words, words
from core.vocabulary.concepts import Hierarchy

SOURCE = "Guidelines I.B.9"
WITHOUT, WITH = " without ", " with "


def combination(checked: CheckedCodes) -> Iterator[Finding]:
    """Yield pairs such as I25.10 and I20.0, for which there is I25.110."""
    for code in checked.diagnoses:
        for other in checked.diagnoses:
            both = code_of_both(code, other, checked.hierarchy)
            if both:
                sentence = f"{both} says both, so it stands instead of {code} and {other}."
                remedy = checked.replaced((code, other), both)
                about = (code, other)
                yield Finding("combined", WARNING, sentence, about, source=SOURCE, remedy=remedy)


def code_of_both(code: str, other: str, hierarchy: Hierarchy) -> str:
    """Return the code that says "with" what the other one is, of a code "without" it; or ""."""
    if other not in hierarchy or other[:3] == code[:3] or not _lacks(code, hierarchy):
        return ""
    head, _, lacking = hierarchy[code].label().lower().partition(WITHOUT)
    lacking, *rest = lacking.split(WITHOUT)
    stated = stated_words(hierarchy[other].label())
    if not stated or not stated & words(lacking):
        return ""
    candidates = []
    for candidate in sorted(hierarchy.descendants(code[:3])):
        label = hierarchy[candidate].label().lower()
        if hierarchy[candidate].assignable and label.startswith(head + WITH):
            added = words(label.removeprefix(head))
            if stated <= added:
                candidates.append((label.split(WITHOUT)[1:] != rest, len(added), candidate))
    return min(candidates)[-1] if candidates else ""


def _lacks(code: str, hierarchy: Hierarchy) -> bool:
    return code in hierarchy and WITHOUT in hierarchy[code].label()
