"""Codes that exclude each other, and those that another one asks for, before it or beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from core.coding.findings import NOTE, WARNING, Finding
from core.coding.instructions import (
    CODE_ALSO,
    CODE_FIRST,
    EXCLUDES_1,
    EXCLUDES_2,
    USE_ADDITIONAL,
    Instruction,
    instructions,
)
from core.vocabulary.concepts import Hierarchy

EXCLUDED = {
    EXCLUDES_1: (
        WARNING,
        "{code} and {other} are coded together only where they have nothing to do with each other: "
        "{at} excludes {other}.",
    ),
    EXCLUDES_2: (
        NOTE,
        "{other} is no part of {code}; both are coded where the patient has both.",
    ),
}


def excluded_pairs(codes: Sequence[str], hierarchy: Hierarchy) -> Iterator[Finding]:
    """Yield pairs of which one excludes the other; each pair once, by its stronger instruction.

    What blocks and chapters say under Excludes2 is left out: it is about the book, not the case.
    """
    kinds = (EXCLUDES_1, EXCLUDES_2)
    stated = {
        code: [
            instruction
            for instruction in instructions(code, hierarchy, kinds)
            if _counts(instruction)
        ]
        for code in codes
    }
    for first, second in combinations(codes, 2):
        found = [*_naming(first, second, stated), *_naming(second, first, stated)]
        if found:
            yield _excluded(*min(found, key=lambda named: kinds.index(named[2].kind)))


def _counts(instruction: Instruction) -> bool:
    return instruction.kind == EXCLUDES_1 or not is_division(instruction.stated_at)


def is_division(concept_id: str) -> bool:
    """Return whether a concept is a chapter or a block of several categories."""
    return "-" in concept_id or concept_id.isdigit()


def _naming(
    code: str, other: str, stated: dict[str, list[Instruction]]
) -> list[tuple[str, str, Instruction]]:
    """Return the instructions of one code that name the other."""
    return [
        (code, other, instruction)
        for instruction in stated[code]
        if instruction.codes.matches(other)
    ]


def _excluded(code: str, other: str, instruction: Instruction) -> Finding:
    severity, sentence = EXCLUDED[instruction.kind]
    words = sentence.format(code=code, other=other, at=instruction.stated_at)
    return Finding(instruction.kind, severity, words, (code, other), instruction.sentence)


def sequence(
    diagnoses: Sequence[str], codes: Sequence[str], hierarchy: Hierarchy
) -> Iterator[Finding]:
    """Yield codes before which another one has to stand, and does not.

    Args:
        diagnoses: in their order.
        codes: all that are coded, procedures among them.
    """
    for place, code in enumerate(diagnoses):
        for instruction in instructions(code, hierarchy, [CODE_FIRST]):
            if not instruction.holds_for(code):
                continue
            found = _not_first(code, diagnoses[:place], diagnoses[place + 1 :], instruction)
            if found is not None:
                yield found
                break  # the nearest instruction is the most specific
        yield from _beside(code, codes, hierarchy)


def _not_first(
    code: str, before: Sequence[str], behind: Sequence[str], instruction: Instruction
) -> Finding | None:
    """Return why what has to stand before a code does not."""
    if any(instruction.codes.matches(other) for other in before) or (
        before and not instruction.codes
    ):
        return None
    late = next((other for other in behind if instruction.codes.matches(other)), None)
    if late is not None:
        words = f"{late} has to stand before {code}."
        return Finding("order", WARNING, words, (code, late), instruction.sentence)
    unsure = instruction.is_loose or (instruction.has_open_list and before)
    severity, verb = (NOTE, "may need") if unsure else (WARNING, "needs")
    words = f"{code} {verb} another code before it."
    return Finding("codeFirst", severity, words, (code,), instruction.sentence)


def _beside(code: str, codes: Sequence[str], hierarchy: Hierarchy) -> Iterator[Finding]:
    """Further codes that a code asks for; the nearest instruction of each kind, none of blocks."""
    stated: set[str] = set()
    for instruction in instructions(code, hierarchy, [USE_ADDITIONAL, CODE_ALSO]):
        if instruction.kind in stated or is_division(instruction.stated_at):
            continue
        stated.add(instruction.kind)
        if not any(instruction.codes.matches(other) for other in codes if other != code):
            words = f"{code} may ask for a further code."
            yield Finding(instruction.kind, NOTE, words, (code,), instruction.sentence)
