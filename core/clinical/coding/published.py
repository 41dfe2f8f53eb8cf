"""The published lists of Medicare that the rules use, as they ship with their year.

Source: Medicare Code Editor, version 37, and the list of codes exempt from reporting presence on
admission, both of fiscal year 2020 (Centers for Medicare & Medicaid Services, public domain).
`python -m training.shipping.code_edits` makes the file from the published ones.
"""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from core.clinical.coding.code_sets import code_sets
from core.clinical.coding.packed_codes import CATEGORY_LENGTH, unpacked
from core.clinical.coding.titles import IN_ANOTHER
from core.paths import PROJECT_ROOT
from core.vocabulary.concepts import Hierarchy

PATH = PROJECT_ROOT / "assets" / "code_edits" / "medicare.json.gz"
EXEMPT = "Exempt"
NEWBORN, PEDIATRIC, MATERNITY, ADULT = (
    "Newborn_Only", "Pediatric_Only", "Maternity_Only", "Adult_Only",
)  # fmt: skip
FEMALE_ONLY, MALE_ONLY = "Female_Only", "Male_Only"
MANIFESTATION, UNACCEPTABLE, QUESTIONABLE = (
    "Principal_Manifestation", "Principal_Unacceptable", "Principal_Questionable_Admit",
)  # fmt: skip
KINDS = (
    NEWBORN, PEDIATRIC, MATERNITY, ADULT, FEMALE_ONLY, MALE_ONLY, MANIFESTATION, UNACCEPTABLE,
    QUESTIONABLE, EXEMPT,
)  # fmt: skip
FULL_LENGTH = len("S00.00XA")
FISCAL_YEAR_BEGINS = 10  # in October of the year before


@dataclass(frozen=True, slots=True)
class CodeEdits:
    """Codes of diagnoses by kind of edit, written with their point.

    Attributes:
        fiscal_year: for which the lists were published.
        editor: "Medicare Code Editor 37".
        exempt_list: the name of the list of exempt codes.
        codes: of each of `KINDS`.
    """

    fiscal_year: int
    editor: str
    exempt_list: str
    codes: dict[str, frozenset[str]]

    def source(self, hierarchy: Hierarchy, *, day: date | None = None, exempt: bool = False) -> str:
        """Return the name of a list with its year, and that of the stay or the codes if it is another.

        Args:
            day: of discharge; None where it is not known.
        """
        name = f"{self.exempt_list if exempt else self.editor}, fiscal year {self.fiscal_year}"
        if day is not None:
            year = fiscal_year_on(day)
            return name if year == self.fiscal_year else f"{name}; the stay is of {year}"
        of_codes = fiscal_year_of(hierarchy.version)
        if of_codes == self.fiscal_year:
            return name
        return f"{name}; the codes are of {of_codes or hierarchy.version or 'an unknown year'}"

    def are_of(self, day: date | None) -> bool:
        """Return whether the lists are of the year of a day; True where that is not known."""
        return day is None or fiscal_year_on(day) == self.fiscal_year

    def is_exempt(self, code: str, hierarchy: Hierarchy) -> bool | None:
        """Return whether a code is exempt from the mark of presence on admission.

        None where the list does not know: a code below an exempt one has come since, and so, most
        likely, has one of which all siblings are exempt, or all that its category had then.
        """
        exempt = self.codes[EXEMPT]
        if code in exempt:
            return True
        if code not in hierarchy:
            return None
        if exempt & hierarchy.ancestors(code):
            return None
        alike = _alike(code, hierarchy)
        if alike and alike <= exempt:
            return None
        then = date(self.fiscal_year, FISCAL_YEAR_BEGINS - 1, 30)
        if code_sets().valid_on(code, then) is not False:
            return False
        category = code[:CATEGORY_LENGTH]
        of_then = hierarchy.descendants(category) if category in hierarchy else ()
        earlier = {other for other in of_then if code_sets().valid_on(other, then)}
        return None if earlier and earlier <= exempt else False


def _alike(code: str, hierarchy: Hierarchy) -> set[str]:
    """Return the siblings of a code; of one with a seventh character, all that share it."""
    is_full = len(code) == FULL_LENGTH
    near = (
        hierarchy.descendants(code[:CATEGORY_LENGTH])
        if is_full and code[:CATEGORY_LENGTH] in hierarchy
        else {sibling for above in hierarchy.broader(code) for sibling in hierarchy.narrower(above)}
    )
    return {
        sibling
        for sibling in near - {code}
        if hierarchy[sibling].assignable and (not is_full or sibling[FULL_LENGTH - 1 :] == code[-1])
    }


def fiscal_year_on(day: date) -> int:
    """Return the fiscal year of a day: that of October 2025 is 2026."""
    return day.year + (day.month >= FISCAL_YEAR_BEGINS)


def fiscal_year_of(version: str) -> int | None:
    """Return the fiscal year of a release such as "2026-04-01"; None where it is no date."""
    year, _, rest = version.partition("-")
    if not (year.isdigit() and len(year) == len("2026")):
        return None
    month = rest.partition("-")[0]
    return int(year) + (month.isdigit() and int(month) >= FISCAL_YEAR_BEGINS)


def is_manifestation(code: str, label: str) -> bool:
    """Return whether another disease is behind a code of ICD-10-CM, by its title or the list."""
    return bool(IN_ANOTHER.search(label)) or code in code_edits().codes[MANIFESTATION]


@lru_cache(maxsize=1)
def code_edits() -> CodeEdits:
    """Return the lists that ship."""
    with gzip.open(PATH, "rt", encoding="utf-8") as file:
        stored = json.load(file)
    codes = {kind: frozenset(unpacked(stored["codes"][kind])) for kind in KINDS}
    return CodeEdits(stored["fiscal_year"], stored["editor"], stored["exempt_list"], codes)
