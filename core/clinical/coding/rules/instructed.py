"""What the tabular list instructs: codes that exclude each other, or ask for another one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations

from core.clinical.codes.icd10cm import INCLUSION_TERM
from core.clinical.coding.findings import NOTE, WARNING, CheckedCodes, Finding, is_external_cause
from core.clinical.coding.published import is_manifestation
from core.clinical.coding.rules.injuries import asks_for_effect, is_effect
from core.clinical.instructions import (
    CODE_FIRST,
    EXCLUDES_1,
    LOOSE,
    USE_ADDITIONAL,
    Instruction,
    References,
    instructions,
    references,
    with_ancestors,
)

# A further code is asked for where it completes the code itself ("to identify stage of chronic
# kidney disease"). What may or may not be there (tobacco, drugs, an organism) stays on the card.
_COMPLETES = re.compile(
    r"\b(?:identify|specify)\s+(?:the\s+)?(?:specific\s+)?(?:stage|site|type|severity|condition)\b"
)
OF_THE_TITLE, CONDITIONS = "specific condition", "Conditions in "
COMPLICATING = " complicating "
_PURPOSE = re.compile(r"^code(?:\(s\))?\s+(?:to\s+)?(?:identify|specify)\s+(?:the\s+)?")
_LINE = re.compile(r"\n(?=code)")
SYMPTOM, TOXIC = "R", "toxic"
# A note in the book leaves chapters of obstetrics out; `births` says what goes with these codes.
WEEKS = "Z3A"


def excluded_pairs(checked: CheckedCodes) -> Iterator[Finding]:
    """Yield pairs of which one excludes the other (Excludes1); each pair once.

    Excludes2 says that both may be coded, which is no finding.
    """
    stated = {code: instructions(code, checked.hierarchy, [EXCLUDES_1]) for code in checked.ids}
    for first, second in combinations(checked.ids, 2):
        for code, other in ((first, second), (second, first)):
            named = next(
                (instruction for instruction in stated[code] if instruction.codes.matches(other)),
                None,
            )
            if named:
                yield _excluded(code, other, named, checked)
                break


def _excluded(code: str, other: str, instruction: Instruction, checked: CheckedCodes) -> Finding:
    """Return the warning; of a disease and its symptom, the symptom goes."""
    words = (
        f"{code} and {other} are coded together only where they have nothing to do with each "
        f"other: {instruction.stated_at} excludes {other}."
    )
    gone = [member for member in (code, other) if member.startswith(SYMPTOM)]
    remaining = other if gone == [code] else code
    remedy = checked.without(gone[0], keeping=remaining) if len(gone) == 1 else None
    about = (code, other)
    return Finding(EXCLUDES_1, WARNING, words, about, instruction.sentence, remedy=remedy)


def sequence(checked: CheckedCodes) -> Iterator[Finding]:
    """Yield codes before which another one has to stand, and does not."""
    for place, code in enumerate(checked.diagnoses):
        if code.startswith(WEEKS):
            continue
        for instruction in instructions(code, checked.hierarchy, [CODE_FIRST]):
            if not instruction.holds_for(code):
                continue
            finding = _not_first(code, place, instruction, checked)
            if finding is not None:
                yield finding
                break  # the nearest instruction is the most specific


def _not_first(
    code: str, place: int, instruction: Instruction, checked: CheckedCodes
) -> Finding | None:
    """Return why what has to stand before a code does not."""
    before, behind = checked.diagnoses[:place], checked.diagnoses[place + 1 :]
    if any(instruction.codes.matches(other) for other in before):
        return None
    if before and not instruction.codes:
        return None
    late = next((other for other in behind if instruction.codes.matches(other)), None)
    if late is not None and instruction.is_perhaps:
        return None  # "if applicable …, such as": what is there need not be the cause
    if late is not None and not is_external_cause(late, checked.system):
        words = f"{late} has to stand before {code}."
        remedy, about = checked.put_first(late, code), (code, late)
        return Finding("order", WARNING, words, about, instruction.sentence, remedy=remedy)
    if instruction.is_loose or _is_of_a_drug(code, instruction, checked):
        return None
    if before and instruction.has_open_list:
        return _perhaps_unexplained(code, instruction, checked)
    words = f"{code} needs another code before it."
    return Finding("codeFirst", WARNING, words, (code,), instruction.sentence)


def _is_of_a_drug(code: str, instruction: Instruction, checked: CheckedCodes) -> bool:
    """Return whether a toxic agent is asked for, and a drug has done it, whose code stands behind."""
    return TOXIC in instruction.text.lower() and any(
        is_effect(other) and asks_for_effect(other, code, checked.hierarchy)
        for other in checked.diagnoses
    )


def _perhaps_unexplained(
    code: str, instruction: Instruction, checked: CheckedCodes
) -> Finding | None:
    """Return a note on a manifestation before which there is none of the examples of a cause."""
    if not is_manifestation(code, checked.label(code)):
        return None
    words = f"{code} may need another code before it."
    return Finding("codeFirst", NOTE, words, (code,), instruction.sentence)


def beside(checked: CheckedCodes) -> Iterator[Finding]:
    """Yield codes that another one completes, which is not there."""
    for code in checked.diagnoses:
        for instruction in instructions(code, checked.hierarchy, [USE_ADDITIONAL]):
            lacking = (
                [] if is_division(instruction.stated_at) else _lacking(code, instruction, checked)
            )
            if lacking:
                words = f"{code} asks for a further code: {'; '.join(lacking)}."
                note = instruction.sentence
                yield Finding(USE_ADDITIONAL, WARNING, words, (code,), note)
                break


def _lacking(code: str, instruction: Instruction, checked: CheckedCodes) -> list[str]:
    """Return what the lines of an instruction ask for that is needed and not there."""
    lacking = []
    others = [other for other in checked.ids if other != code]
    for line in _LINE.split(instruction.text):
        asked = references(line)
        if OF_THE_TITLE in line:  # of O99.0: "Conditions in D50-D64"
            asked = _meant(code, checked)
        is_needed = _COMPLETES.search(line) and not any(words in line for words in LOOSE)
        if asked and is_needed and not any(asked.matches(other) for other in others):
            lacking.append(_PURPOSE.sub("", " ".join(line.split())))
    return lacking


def _meant(code: str, checked: CheckedCodes) -> References:
    """Return the codes of the conditions that the title of a code sums up.

    A title of its own ("Streptococcus B carrier state complicating childbirth") says which.
    """
    subject = checked.label(code).partition(COMPLICATING)[0]
    for above in with_ancestors(code, checked.hierarchy):
        if checked.label(above).partition(COMPLICATING)[0] != subject:
            break
        for text in checked.hierarchy[above].notes.get(INCLUSION_TERM, {}).get("en", ()):
            if text.startswith(CONDITIONS):
                return references(text)
    return References()


def is_division(concept_id: str) -> bool:
    """Return whether a concept is a chapter or a block of several categories."""
    return "-" in concept_id or concept_id.isdigit()
