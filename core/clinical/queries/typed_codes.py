"""Codes as people type them, and which codes of ICD-10-CM they can mean.

"E 11.9", "icd10 E11.65" and "i5033" are codes; "W21.89A" lacks its placeholder; a seventh letter that
a code does not have leaves those that it has; a code of ICD-9-CM went to others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.clinical.codes.former import former_codes
from core.clinical.coding.packed_codes import with_point
from core.clinical.coding.published import FULL_LENGTH
from core.vocabulary.concepts import Hierarchy, is_code

PLAIN_LENGTH = FULL_LENGTH - 1  # without the point
STEM_LENGTH = PLAIN_LENGTH - 1
LEAST = 3
MOST_BELOW = 10
_BEFORE = re.compile(
    r"(?:(?:icd|code|dx|diagnosis)[- ]?(?:9|10)?(?:[- ]?cm)?\b)?[\s:#]*", re.IGNORECASE
)
_NEW = re.compile(r"[A-Z][0-9][0-9A-Z][0-9A-Z]{0,4}")
_OLD = re.compile(r"(?:\d{3}(?:\.?\d{1,2})?|V\d{2}(?:\.?\d{1,2})?|E\d{3}(?:\.?\d)?)")
_OTHER_SIGNS = re.compile(r"[^A-Z0-9]")
_ONLY_CODE = re.compile(r"[A-Za-z0-9.,\s-]{3,12}")


def written(query: str) -> str:
    """Return what stands behind "icd10" and the like, in capitals; "" where it cannot be a code."""
    rest = _BEFORE.sub("", query.lstrip(), count=1).strip()  # it fits at the beginning, if only ""
    return rest.upper() if _ONLY_CODE.fullmatch(rest) else ""


def codes_meant(query: str, hierarchy: Hierarchy) -> list[str]:
    """Return the codes that a query can mean by its letters and figures; none of words."""
    plain = _OTHER_SIGNS.sub("", written(query))
    if not _NEW.fullmatch(plain):
        return []
    if with_point(plain) in hierarchy:
        return [with_point(plain)]
    padded = with_point(plain[:-1].ljust(STEM_LENGTH, "X") + plain[-1])
    if plain[-1].isalpha() and len(plain) > LEAST and padded in hierarchy:
        return [padded]
    return list(_below_beginning(plain, hierarchy))


def _below_beginning(plain: str, hierarchy: Hierarchy) -> Iterator[str]:
    """Yield the codes of the longest beginning that there is; with a wrong seventh letter, all others."""
    for length in range(len(plain), LEAST - 1, -1):
        for stem in dict.fromkeys((plain[:length], plain[:length].ljust(STEM_LENGTH, "X"))):
            concept = with_point(stem)
            if concept in hierarchy:
                below = sorted(i for i in hierarchy.descendants(concept) if is_code(i, hierarchy))
                yield from below[:MOST_BELOW] or [concept]
                return


def former_meant(query: str, hierarchy: Hierarchy) -> tuple[str, list[str]]:
    """Return the code of ICD-9-CM that a query is, and where it went; "" where it is none."""
    typed = written(query)
    plain = typed.replace(".", "")
    if not _OLD.fullmatch(typed) or plain not in former_codes() or with_point(typed) in hierarchy:
        return "", []
    went = (with_point(code) for code in former_codes()[plain])
    at = 4 if typed[0] == "E" else 3
    shown = f"{plain[:at]}.{plain[at:]}" if plain[at:] else plain
    return shown, [code for code in went if code in hierarchy]
