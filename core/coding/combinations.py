"""Two diseases for which ICD-10-CM has one code, and both sides of the body.

Source: ICD-10-CM Official Guidelines for Coding and Reporting, FY 2020: hypertension I.C.9.a, "with"
in the index I.A.15, diabetes I.C.4.a, laterality I.B.13.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from core.coding.findings import WARNING, Finding
from core.vocabulary.concepts import Hierarchy

HYPERTENSION, DIABETES, SIDES = "I.C.9.a", "I.A.15", "I.B.13"
FAILURE, KIDNEYS, LAST_STAGES = "I50", "N18", ("N18.5", "N18.6")
# A code of hypertension with one disease, beside the other one.
HEART_ALONE, KIDNEYS_ALONE = ("I11.0", "I11.9"), ("I12.0", "I12.9")
UNCOMPLICATED = ("E08.9", "E09.9", "E10.9", "E11.9", "E13.9")
# What diabetes is presumed to have caused, and the ending of its code then.
PRESUMED = {"N18": "22", "G62.9": "42", "R73.9": "65"}


def combinations_of(codes: Sequence[str], hierarchy: Hierarchy) -> Iterator[Finding]:
    """Yield what one code says instead of two; each pair once."""
    yield from _hypertension(codes, hierarchy)
    yield from _diabetes(codes, hierarchy)
    for one, other in combinations(codes, 2):
        both = _both_sides(one, other, hierarchy)
        if both:
            words = f"{both} says both sides, so it stands instead of {one} and {other}."
            yield Finding(
                "bilateral", WARNING, words, (one, other), "", SIDES, (one, other), (both,)
            )


def _hypertension(codes: Sequence[str], hierarchy: Hierarchy) -> Iterator[Finding]:
    kidneys = [code for code in codes if code.startswith(KIDNEYS)]
    failure = [code for code in codes if code.startswith(FAILURE)]
    for code in codes:
        beside = kidneys if code in HEART_ALONE else failure if code in KIDNEYS_ALONE else []
        if not beside:
            continue
        last = code == "I12.0" or any(one.startswith(LAST_STAGES) for one in kidneys)
        if code == "I11.9":
            instead = "I13.11" if last else "I13.10"
        else:
            instead = "I13.2" if last else "I13.0"
        if instead in hierarchy:
            words = f"With {', '.join(beside)}, {instead} stands instead of {code}."
            about = (code, *beside)
            yield Finding("combined", WARNING, words, about, "", HYPERTENSION, (code,), (instead,))


def _diabetes(codes: Sequence[str], hierarchy: Hierarchy) -> Iterator[Finding]:
    for code in codes:
        if code not in UNCOMPLICATED:
            continue
        category = code[:3]
        other = next((one for one in codes if one != code and one[:3] == category), "")
        if other:
            words = f"{code} says that there is no complication, and {other} that there is one."
            yield Finding("combined", WARNING, words, (code, other), "", "I.C.4.a", (code,))
            continue
        for beside in codes:
            ending = next((end for begin, end in PRESUMED.items() if beside.startswith(begin)), "")
            instead = f"{category}.{ending}"
            if ending and instead in hierarchy:
                words = (
                    f"With {beside}, {instead} stands instead of {code}, unless the record says "
                    "that they have nothing to do with each other."
                )
                about = (code, beside)
                yield Finding("combined", WARNING, words, about, "", DIABETES, (code,), (instead,))


def _both_sides(one: str, other: str, hierarchy: Hierarchy) -> str:
    """Return the code of both sides of what two codes say of right and left; "" without one."""
    if one not in hierarchy or other not in hierarchy or one[:3] != other[:3]:
        return ""
    labels = {hierarchy[code].label().lower() for code in (one, other)}
    pairs = {label.replace("left", "right") for label in labels}
    if len(labels) != len((one, other)) or len(pairs) != 1 or "right" not in (label := pairs.pop()):
        return ""
    wanted = {
        label.replace("right", "bilateral"),
        f"bilateral {label.replace(', right ', ' of ').replace('right ', '')}",
        f"bilateral primary {label.replace('unilateral primary ', '').split(', ')[0]} of "
        f"{label.rpartition('right ')[2]}",
    }
    wanted |= {words.replace("artery", "arteries") for words in wanted}
    wanted |= {words.replace("extremity", "extremities") for words in wanted}
    near = {
        code
        for above in hierarchy.broader(one)
        for place in (above, *hierarchy.broader(above))
        for code in hierarchy.narrower(place)
        if code[:3] == one[:3] and code not in (one, other)
    }
    wanted |= {f"{label.partition(', right')[0]}, bilateral"}
    wanted |= {f"{label.replace('right ', '')}, bilateral"}
    return min((code for code in near if hierarchy[code].label().lower() in wanted), default="")
