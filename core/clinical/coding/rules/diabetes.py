"""Diabetes "without complications" beside a complication, and complications that are presumed.

Source: ICD-10-CM Official Guidelines for Coding and Reporting, I.C.4.a and I.A.15: what the
Alphabetic Index names under "Diabetes, with" is linked to it, unless the record says otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator

from core.clinical.coding.findings import WARNING, CheckedCodes, Finding

COMPLICATIONS, LINKED = "Guidelines I.C.4.a", "Guidelines I.A.15"
CATEGORIES = ("E08", "E09", "E10", "E11", "E13")
UNCOMPLICATED = ".9"
# The beginning of a complication's code, the ending of the code of diabetes with it, and whether
# that says all of it, so that the other code goes.
PRESUMED = {
    "N18": ("22", False),
    "K31.84": ("43", False),
    "L97.4": ("621", False),
    "L97.5": ("621", False),
    "L97": ("622", False),
    "L98.4": ("622", False),
    "G62.9": ("42", True),
    "M86": ("69", False),
    "I73.9": ("51", True),
    "I96": ("52", True),
    "R73.9": ("65", True),
    "E16.2": ("649", True),
}


def diabetes(checked: CheckedCodes) -> Iterator[Finding]:
    """Yield what contradicts a complication, and the code of a presumed one."""
    for code in checked.beginning(*CATEGORIES):
        category = code[:3]
        if code != category + UNCOMPLICATED:
            continue
        other = next((one for one in checked.beginning(category) if one != code), "")
        if other:
            words = f"{code} says that there is no complication, and {other} that there is one."
            yield Finding(
                "combined", WARNING, words, (code, other), source=COMPLICATIONS,
                remedy=checked.without(code, keeping=other),
            )  # fmt: skip
        else:
            yield from _presumed(code, checked)


def _presumed(code: str, checked: CheckedCodes) -> Iterator[Finding]:
    """Yield the first complication that takes the place of an uncomplicated diabetes."""
    for beside in checked.diagnoses:
        instead, says_all = presumed(code, beside)
        if instead in checked.hierarchy:
            words = (
                f"With {beside}, {instead} stands instead of {code}, unless the record says that "
                "they have nothing to do with each other."
            )
            gone = (code, beside) if says_all else (code,)
            remedy = checked.replaced(gone, instead, before=(beside,))
            about = (code, beside)
            yield Finding("combined", WARNING, words, about, source=LINKED, remedy=remedy)
            return


def presumed(code: str, beside: str) -> tuple[str, bool]:
    """Return the code of diabetes with a complication that is presumed, and whether it says all.

    Returns:
        "" where the other code is none, and False where that is coded as well.
    """
    begin = next((begin for begin in PRESUMED if beside.startswith(begin)), "")
    ending, says_all = PRESUMED.get(begin, ("", False))
    return (f"{code[:3]}.{ending}" if ending else ""), says_all
