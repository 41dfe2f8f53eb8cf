"""What the guidelines make of conditions that stand in a note together: one code says both.

Which these are is known from the check of codes; here the code that says both becomes a candidate
before its parts. Source: ICD-10-CM Official Guidelines for Coding and Reporting, sections I.A.15
and I.B.9.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from core.clinical.coding.rules.circulatory import DISEASES, STATED, combined
from core.clinical.coding.rules.combination import code_of_both
from core.clinical.coding.rules.diabetes import CATEGORIES, presumed
from core.clinical.coding.titles import stated_words, words
from core.vocabulary.concepts import Hierarchy

COPD, COPD_WITH_INFECTION = "J44", "J44.0"
LOWER_INFECTIONS = ("J12", "J13", "J14", "J15", "J16", "J17", "J18", "J20", "J22")
GERMS, AS_CAUSE = ("B95", "B96", "B97"), " as the cause"
# Infections whose code says no germ, which is coded beside them; of the deep ones in a sepsis, the
# sepsis says it.
LOCAL_INFECTIONS = ("I33", "L03", "M86", "N30", "N39.0", "O23", "O86")
AT_LEAST = 0.6
"""Of a code that says two conditions of the note."""
REPLACED = 0.9
"""Times what a combination is not, of the codes that it replaces."""


class Combination(NamedTuple):
    """A code that says several of a note's conditions.

    Attributes:
        parts: the codes of these.
        replaced: those of them that it takes the place of.
    """

    code: str
    parts: tuple[str, ...]
    replaced: tuple[str, ...]


def combinations_of(
    chances: Mapping[str, float], asserted: Collection[str], hierarchy: Hierarchy
) -> list[Combination]:
    """Return the codes that say several of a note's conditions.

    Args:
        asserted: codes that the note names and that are likely, neither denied nor over.
    """
    # The most probable first, as of several names of a condition it is the one that counts.
    codes = sorted(asserted, key=lambda code: (-chances[code], code))
    return list(_combinations(codes, hierarchy))


def with_combinations(
    chances: Mapping[str, float], combinations: Iterable[Combination]
) -> dict[str, float]:
    """Return probabilities with combination codes before the codes that they replace."""
    combined = dict(chances)
    for code, parts, replaced in combinations:
        both = max(AT_LEAST, min(chances[i] for i in parts), combined.get(code, 0.0))
        combined[code] = both
        for part in replaced:
            combined[part] = min(combined[part], REPLACED * (1.0 - both))
    return combined


def _combinations(codes: list[str], hierarchy: Hierarchy) -> Iterator[Combination]:
    for combination in (
        *_hypertension_with_diseases(codes), *_diabetes_with_complications(codes), *_infected_copd(codes), *_with(codes, hierarchy),
        *_germs(codes, hierarchy),
    ):  # fmt: skip
        if combination.code in hierarchy and hierarchy[combination.code].assignable:
            yield combination


def _hypertension_with_diseases(codes: list[str]) -> Iterator[Combination]:
    stated = [i for i in codes if i.startswith(STATED)]
    diseases = [i for i in codes if i.startswith(DISEASES)]
    code = combined(stated, diseases)
    if diseases and code:
        replaced = tuple(i for i in stated if i != code)
        yield Combination(code, (*stated[:1], *diseases[:1]), replaced)


def _diabetes_with_complications(codes: list[str]) -> Iterator[Combination]:
    for code in (i for i in codes if i.startswith(CATEGORIES)):
        for beside in codes:
            instead, says_all = presumed(code, beside)
            # "Type 2 diabetes with neuropathy" says no more than that.
            if instead.endswith(".42"):
                instead = next((i for i in codes if i in (f"{code[:3]}.40", instead)), instead)
            if instead:
                # Of a nephropathy, the kidney disease is the exact name.
                endings = (".9", ".8", ".21") if instead.endswith(".22") else (".9", ".8")
                unspecific = tuple(
                    f"{code[:3]}{end}" for end in endings if f"{code[:3]}{end}" in codes
                )
                replaced = (*unspecific, beside) if says_all else unspecific
                yield Combination(instead, (code, beside), replaced)


def _infected_copd(codes: list[str]) -> Iterator[Combination]:
    """Yield the code of COPD with an infection of the lower airways, which is coded as well."""
    copd = [i for i in codes if i.startswith(COPD)]
    infections = [i for i in codes if i.startswith(LOWER_INFECTIONS)]
    if copd and infections:
        vague = tuple(i for i in copd if i == f"{COPD}.9")
        yield Combination(COPD_WITH_INFECTION, (copd[0], infections[0]), vague)


def _with(codes: list[str], hierarchy: Hierarchy) -> Iterator[Combination]:
    """Yield codes "with" for pairs of a code "without" and what it is without."""
    for code in codes:
        for other in codes:
            both = code_of_both(code, other, hierarchy)
            if both:
                yield Combination(both, (code, other), (code, other))


def _germs(codes: list[str], hierarchy: Hierarchy) -> Iterator[Combination]:
    """Yield diseases whose code says the germ as well; it stays beside an infection without one."""
    has_local = any(code.startswith(LOCAL_INFECTIONS) for code in codes)
    for germ in (i for i in codes if i.startswith(GERMS)):
        name = stated_words(hierarchy[germ].label().partition(AS_CAUSE)[0]) - {"infection"}
        for other in codes:
            if other != germ and name and name <= words(hierarchy[other].label()):
                yield Combination(other, (other, germ), () if has_local else (germ,))
