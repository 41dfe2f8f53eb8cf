"""Codes without their decimal point that may be two: `4019` is 401.9, and as a procedure 40.19.

Which one is meant follows from the other codes of the file, where these show it.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field

from core.clinical.notation import DIAGNOSIS, PROCEDURE, Code, possible_codes
from core.vocabulary.repairs import Repair

CATEGORY_DIGITS = 3  # of a diagnosis


@dataclass(frozen=True, slots=True)
class ResolvedCodes:
    """The codes that texts of one file stand for.

    Attributes:
        codes: by text, with their point; a text that is no code of the system is not among them.
        guessed: of these, codes whose kind nothing shows, and what else they may be.
    """

    codes: dict[str, str] = field(default_factory=dict)
    guessed: dict[str, tuple[str, str]] = field(default_factory=dict)


def resolve_codes(
    texts: Iterable[str], system: str, above: Mapping[str, str] | None = None
) -> ResolvedCodes:
    """Return which code each text of a file means.

    The kind of a code is that of the one above it; else three digits are a category of diagnoses,
    unless the file has procedures alone, and four go with the category that the file has. What is
    left is guessed: a diagnosis, unless the file has procedures alone.

    Args:
        above: text of the code above, by text.
    """
    resolved = {text: possible_codes(text, system) for text in texts}
    sure = {text: codes[0] for text, codes in resolved.items() if len(codes) == 1}
    several = {text: codes for text, codes in resolved.items() if len(codes) > 1}
    procedures = {code.kind for code in sure.values()} == {PROCEDURE}
    # Where procedures have their point, three digits without one are none.
    short = PROCEDURE if procedures and not any("." in text for text in sure) else DIAGNOSIS
    there = {_category(code) for code in sure.values()}
    for text in sorted(several, key=len):  # categories before what goes with them
        parent = sure.get((above or {}).get(text, ""))
        of_length = short if len(text) == CATEGORY_DIGITS else None
        kind = parent.kind if parent else of_length or _nearby(several[text], there)
        for code in several[text]:
            if code.kind == kind:
                sure[text] = code
                there.add(_category(code))
    codes = {text: code.code for text, code in sure.items()}
    guessed = {}
    for text in several.keys() - sure.keys():
        likely, other = sorted(
            several[text], key=lambda code: (code.kind == PROCEDURE) != procedures
        )
        codes[text] = likely.code
        guessed[text] = (likely.code, other.code)
    return ResolvedCodes(codes, {text: guessed[text] for text in several if text in guessed})


def _nearby(codes: Iterable[Code], there: Container[tuple[str, str]]) -> str | None:
    """Return the kind of the one whose category is in the file; None where both are, or neither."""
    near = [code.kind for code in codes if _category(code) in there]
    return near[0] if len(near) == 1 else None


def _category(code: Code) -> tuple[str, str]:
    return code.kind, code.code.partition(".")[0]


def guess_repair(text: str, likely: str, other: str) -> Repair:
    """Return what to say of a code that had to be guessed."""
    problem = f"{text} has no point, and may be {likely} or {other}"
    return Repair(text, problem, f"it was read as {likely}; write the point where it is {other}")
