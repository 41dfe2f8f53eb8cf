"""The words by which notes say that something is not so, was so, may be so, or is so in the family.

Written for this project after the idea of ConText; a cue applies to what stands before or after it,
as far as the sentence goes or a word that ends it.
Source: Harkema et al. (2009), ConText, J Biomed Inform 42: cues with a direction, a scope and words
that end it; Chapman et al. (2001), NegEx: pseudo-negations.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from core.clinical.asserting.check_boxes import marks
from core.clinical.names.tables import alternatives, expression, rows

NEGATED, FAMILY, HYPOTHETICAL, HISTORICAL = "negated", "family", "hypothetical", "historical"
STATUSES = (NEGATED, FAMILY, HYPOTHETICAL, HISTORICAL)
"""The strongest first: "no family history of diabetes" is negated."""

# Words that patterns name: `RELATIVE` is any of these, `AUXILIARY not` "was not", "wasn't" and the like.
_NAMED = {
    "RELATIVE": alternatives("cues", "relative"),
    "AUXILIARY not": r"(?:did|does|do|was|were|is|are|has|have|had|could|can) ?n[o']t",
}


def _cues(kind: str, meaning: str = "") -> str:
    """Return the patterns of a kind; "possible side effects of" is tried before "possible"."""
    patterns = [row.pattern for row in rows("cues", kind) if row.meaning == meaning]
    return _named_words("|".join(sorted(patterns, key=len, reverse=True)))


def _named_words(text: str) -> str:
    for name, words in _NAMED.items():
        text = text.replace(name, words)
    return text


# The answers of a review of systems: "Fever: none", "Cough - yes", "Gout: none known"; several on a
# line stand apart.
_ANSWER = (
    r"(?:[ \t]?(?:[:=?]|[-=]>)\s?|\t|\s[-–—]\s)(?:ANSWERS)"
    r"(?=\s?(?:[,;.)|]|\n|$)|[ \t]{2}|\t|[ \t][-–—][ \t])"
)
# What denies behind a name is an answer as well, and each answer may say where, when and by whom.
_DENYING_ANSWERS = (
    (
        rf"(?:{_cues('answer', NEGATED)}|{_cues('behind', NEGATED)})"
        rf"(?: (?:{alternatives('cues', 'behind an answer')}))?"
    )
    .replace(" ?n[o']t", "(?: not|n[o'’]t)")
    .replace(" ", r"[ \t]+")
)

# What is said to be likely is coded at discharge as if it were so; what is only looked for is not.
# Source: ICD-10-CM guidelines, section II.H, uncertain diagnosis.
_UNCERTAIN = expression("cues", "likely")


def is_uncertain(cue: str) -> bool:
    """Return whether words of doubt say that a condition is likely, and not that it is looked for."""
    return _UNCERTAIN.match(" ".join(cue.split())) is not None


def says_over(cue: str) -> bool:
    """Return whether words say of a condition that it is over, whatever it is: "(resolved)"."""
    return _OVER.fullmatch(cue) is not None


def pattern_of(kind: str, meaning: str = "") -> re.Pattern[str]:
    """Return what finds the cues of a kind."""
    return _pattern(_cues(kind, meaning))


@dataclass(frozen=True, slots=True)
class Cue:
    """Words that say something of what stands around them.

    Attributes:
        status: one of `STATUSES`.
        is_before: whether it applies to what follows it, else to what precedes it.
        start, end: code-point offsets into the text.
        in_clause: whether it applies no further than to a comma.
    """

    status: str
    is_before: bool
    start: int
    end: int
    in_clause: bool = False


def _pattern(expression: str) -> re.Pattern[str]:
    # White space in a text may be the end of a line.
    spaced = expression.replace(" ", r"\s+").replace(r"\s+?n[o']t", r"(?:\s+not|n[o'’]t)")
    return re.compile(rf"(?<![\w-])(?:{spaced})(?![\w-])", re.IGNORECASE)


# "Pneumonia less likely", "gout (resolved)" and "leaflet on COPD" speak of what is in their clause.
_KINDS = (
    (True, False, "before"), (False, False, "behind"), (True, True, "before, to the comma"),
    (False, True, "behind, from the comma"), (False, True, "behind, and over"),
    (True, True, "named after, before"), (True, True, "before, and over"),
)  # fmt: skip
_OVER = re.compile(
    rf"{_pattern(_cues('behind, and over', HISTORICAL)).pattern}|{_cues('heading of what is over')}"
    rf"|{_pattern(_cues('before, and over', HISTORICAL)).pattern}",
    re.IGNORECASE,
)
_CUES = [
    (status, is_before, in_clause, _pattern(_cues(kind, status)))
    for is_before, in_clause, kind in _KINDS
    for status in STATUSES
    if any(row.meaning == status for row in rows("cues", kind))
]
_CUES.append(
    (NEGATED, False, False, re.compile(_ANSWER.replace("ANSWERS", _DENYING_ANSWERS), re.IGNORECASE))
)
# Not what they seem: "was not well controlled" says that the patient has it.
_SHAMS = _pattern(_cues("no cue"))
_ENDS = _pattern(_cues("ends a scope")).pattern
# What stands behind a comma or "and", and begins something of its own.
_BEGINS = _pattern(_cues("begins something else")).pattern
ENDS = re.compile(
    rf"{_ENDS}|(?:,|\s[-–—]|\band)\s+{_BEGINS}"
    rf"|{_ANSWER.replace('ANSWERS', f'y(?:es)?|positive|present|{_DENYING_ANSWERS}')}",
    re.IGNORECASE,
)


def cues(text: str) -> list[Cue]:
    """Return all cues of a text, in its order; of those in one place the longest alone."""
    # The "no" of "[x] no" answers what stands before it.
    shams = [
        *(match.span() for match in _SHAMS.finditer(text)),
        *(mark[:2] for mark in marks(text)),
    ]
    taken = bytearray(len(text))
    for start, end in shams:
        taken[start:end] = b"\1" * (end - start)
    return list(_longest(sorted(_candidates(text), key=_length_first), taken))


def _candidates(text: str) -> Iterator[Cue]:
    for status, is_before, in_clause, pattern in _CUES:
        for match in pattern.finditer(text):
            yield Cue(status, is_before, *match.span(), in_clause)


def _length_first(cue: Cue) -> tuple[int, int]:
    return cue.start - cue.end, cue.start


def _longest(by_length: list[Cue], taken: bytearray) -> Iterator[Cue]:
    """Yield the cues of which no character is taken, by a sham or by a longer one.

    Args:
        taken: for each character 1 where it is; modified.
    """
    longest: list[Cue] = []
    first_at: dict[tuple[int, int], Cue] = {}
    for cue in by_length:
        same = first_at.get((cue.start, cue.end))
        if same is not None:
            if same.is_before != cue.is_before:
                longest.append(cue)
        elif taken.find(1, cue.start, cue.end) < 0:
            longest.append(cue)
            first_at[cue.start, cue.end] = cue
            taken[cue.start : cue.end] = b"\1" * (cue.end - cue.start)
    yield from sorted(longest, key=lambda cue: cue.start)
