"""The wordings by which the label of a code is looked for in a text.

Labels of code systems say in many words what a note leaves out: "Fever, unspecified", "Pneumonia,
unspecified organism", "Essential (primary) hypertension". What only says that nothing more is known
is left out of a wording, and so is what stands in brackets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple

from core.clinical.names.clinical_words import key_of, keys_of, spelled_out
from core.clinical.names.tables import by_meaning, patterns
from core.vocabulary.concepts import Concept
from core.vocabulary.conventions import INCLUDES

EVERYDAY = by_meaning("words", "everyday name")
"""Label without what says that nothing more is known, in small letters -> other names of it."""


MAX_WORDS = 12  # a longer label stands in no note word by word
_REFERENCE = re.compile(r"(?<!\s)\s*\((?:[A-Z]\d[^()]*|with [^()]*|\d[\d.,\s-]*)\)")
_BRACKETS = re.compile(r"(?<!\s)\s*[(\[][^()\[\]]*[)\]]")
# A stretch between two commas that says that nothing more is known, or how often it was seen.
_EMPTY_STRETCH = re.compile(
    r"(?:(?!stage \d)(?:\b\w+ ){0,2}(?:unspecified|nos)(?: (?!with\b)\w+){0,3}|unspecified (?:as to|whether) .*"
    r"|not (?:otherwise|elsewhere) (?:specified|classified)|(?:\b\w+ )?not (?:specified|stated) as .*"
    r"|not intractable|initial encounter(?: for (?:closed )?fracture)?|except .*"
    r"|uncomplicated|without .*|unqualified|(?:site|organism|cause) not specified)",
    re.IGNORECASE,
)
_EMPTY_WORDS = re.compile(
    r"\b(?:(?:(?:of|in|at|by|due to|from) )?unspecified (?:site|side|parts?|organism|type|cause"
    r"|severity|nature|etiology|location|degree|stage|trimester|agent|origin|duration)"
    r"|(?:organism|cause|site) unspecified|unspecified|nos"
    r"|not (?:otherwise|elsewhere) (?:specified|classified))\b"
    # Of "laceration without foreign body of left hand" the side and the site stay.
    r"|\bwithout (?:foreign body(?= of\b)|.*)",
    re.IGNORECASE,
)
_EMPTY_WORD_PARTS = ("unspecified", "nos", "not", "without")  # one of which each of these has
_RESIDUAL = re.compile(
    r"^(?:other|others|oth)\b|\bother (?:specified|and unspecified)\b|\bnec\b", re.IGNORECASE
)
# A half would leave out which visit it is.
_OTHER_VISIT = re.compile(r", (?:sequela|subsequent encounter\b.*)$", re.IGNORECASE)
_BETWEEN_TWO = re.compile(r"(?<=\w) (?:and|or) (?=\w)")
_HYPHENATED = re.compile(r"[\w-]+")
# Single words that name a code of their own, and are said of much else.
_SAYS_LITTLE = frozenset(map(key_of, patterns("words", "says little alone")))
_MIN_LETTERS = 3


class Kind(IntEnum):
    """Where a wording comes from, the most literal first."""

    PREFERRED = 0  # the whole preferred label
    ALTERNATIVE = 1  # an inclusion term or another alternative label
    SHORTENED = 2  # a label without what says that nothing more is known
    HALF = 3  # one of two things that a label names


class Wording(NamedTuple):
    """One way to say a label, and how it came to be.

    Attributes:
        keys: of its words, sorted, with spaces between.
        n_left_out: words of the label that are not in it.
    """

    keys: str
    kind: Kind
    n_left_out: int


@dataclass(frozen=True, slots=True)
class LexicalMatch:
    """A name of a concept at one place of a text.

    Attributes:
        label: the concept's preferred label.
        start, end: code-point offsets, from the first of its words to behind the last.
        kind: how literal the name is.
        n_words: words of the name that count.
        gap: words that count and stand between them.
        lowered: whether the name is that of a category, and this its code without particulars.
    """

    concept_id: str
    label: str
    start: int
    end: int
    kind: Kind
    n_words: int
    gap: int = 0
    lowered: bool = False


def wordings(concept: Concept, also_called: Sequence[str] = ()) -> Iterator[Wording]:
    """All wordings of a concept, without those of residual classes such as "Other pneumonia".

    Args:
        also_called: by which notes call the concept.
    """
    for name in also_called:
        keys = keys_of(spelled_out(name))
        # "Metastatic cancer" says in full no more than words that are said of much else.
        keys = keys_of(name) if _SAYS_LITTLE.issuperset(keys) else keys
        yield from _wording(keys, Kind.ALTERNATIVE, 0, is_chosen=len(set(keys)) > 1)
    preferred = set(keys_of(concept.label()))
    also = {text for texts in concept.alt_labels.values() for text in texts}
    for kind, label in _labels(concept):
        whole = keys_of(_without_references(label))
        # A table of codes may say "Pneumonia" of V12.61, personal history of pneumonia.
        is_fragment = label in also and set(whole) < preferred
        if is_fragment or _RESIDUAL.search(label):
            continue
        yield from _wording(whole, kind, 0)
        short = shortened(label)
        has_halves = kind is Kind.PREFERRED and not _OTHER_VISIT.search(label)
        parts = halves(short) if has_halves else ()
        for text, how in ((short, Kind.SHORTENED), *((part, Kind.HALF) for part in parts)):
            keys = keys_of(text)
            if keys != whole:
                yield from _wording(keys, how, len(whole) - len(keys))


def halves(label: str) -> tuple[str, ...]:
    """The two things that a label names with "and" or "or" between them, such as "Dizziness"."""
    between = _BETWEEN_TWO.search(label)
    if between is None or "\n" in label:
        return ()
    start = between.start()
    while start and (label[start - 1] in "-_" or label[start - 1].isalnum()):
        start -= 1
    behind = _HYPHENATED.match(label, between.end())
    assert behind is not None
    before, one, other = label[:start], label[start : between.start()], behind.group()
    after = label[behind.end() :]
    if not before and not after:
        return one, other
    # Of "liver and intrahepatic bile duct" the first is the liver, of "abdominal and pelvic pain"
    # a pain.
    first = f"{before}{one}"
    both = (first, f"{first}{after}", f"{before}{other}{after}")
    return tuple(half for half in both if len(set(keys_of(half))) > 1)


@lru_cache(maxsize=64)  # whoever goes through labels asks more than once of each
def shortened(label: str) -> str:
    """Return a label without references, brackets, and what says that nothing more is known."""
    bare = _BRACKETS.sub("", _without_references(label)) if "(" in label or "[" in label else label
    first, *others = bare.split(",")
    stated_parts = [first, *[part for part in others if not _EMPTY_STRETCH.fullmatch(part.strip())]]
    # Most labels have none of these words, and looking for all of them at every letter takes long.
    folded = bare.casefold()
    if any(part in folded for part in _EMPTY_WORD_PARTS):
        stated_parts = [_EMPTY_WORDS.sub(" ", part) for part in stated_parts]
    short = [" ".join(part.split()) for part in stated_parts]
    return ", ".join([part for part in short if part])


def _without_references(label: str) -> str:
    return _REFERENCE.sub("", label) if "(" in label else label


def _labels(concept: Concept) -> Iterator[tuple[Kind, str]]:
    label = concept.label()
    yield Kind.PREFERRED, label
    for name in EVERYDAY.get(shortened(label).casefold(), ()):
        yield Kind.ALTERNATIVE, name
    for by_language in (concept.alt_labels, concept.hidden_labels, concept.notes.get(INCLUDES, {})):
        for label_language in ("en", ""):
            for text in by_language.get(label_language, ()):
                yield Kind.ALTERNATIVE, text


def _wording(
    keys: list[str], kind: Kind, n_left_out: int, *, is_chosen: bool = False
) -> Iterator[Wording]:
    """Yield a wording that says enough; one that was chosen, such as "stress fracture", always does."""
    distinct = frozenset(keys)
    says_something = any(len(key) >= _MIN_LETTERS and key.isalpha() for key in distinct)
    if (
        len(distinct) <= MAX_WORDS
        and says_something
        and (is_chosen or not distinct <= _SAYS_LITTLE)
    ):
        yield Wording(" ".join(sorted(distinct)), kind, n_left_out)
