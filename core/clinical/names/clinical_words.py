"""Words of clinical texts and of code labels, brought to one form in which both may meet."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import Stemmer

from core.clinical.asserting.check_boxes import BOX
from core.clinical.names.metastases import ends_of_cancers, of_cancers_that_spread, sites_of_spread
from core.clinical.names.shorthand import SHORT, SLASHED, SLASHED_WORDS, not_read, read_by_context
from core.clinical.names.tables import meanings, patterns
from core.vocabulary.folding import ENGLISH_SMALL_WORDS

# A number keeps its decimals together, and the letter of a stage ("3a"); hyphens part words, in
# labels and texts alike, but for "a-fib", of which "fib" alone would be left. The A of "hepatitis A"
# is no small word.
_WORD = re.compile(
    rf"{SLASHED}"
    r"|(?<!\w)(?i:hepatitis|vitamin)(?:-[Aa]| A| a(?= ?(?:[.,;)]|$)))(?!\w)"
    r"|(?<!\w)[Nn](?:on|ON)[- ][^\W\d_]{2,}"
    r"|(?<!\w)[Aa][- ]?(?:[Ff]ib|FIB)(?!\w)|\d{1,2}(?:[a-z]|(?:st|nd|rd|th)s?)(?!\w)|\d+(?:[.,]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)?|\w+"
)
# "Non-diabetic" is one word, and so are "non ST", whose second half is not named by it, and
# "hepatitis A".
_ONE_WORD = re.compile(r"\b(non(?= [^\W\d_]{2})|(?:hepatitis|vitamin)(?= a\b)) ", re.IGNORECASE)
# What de-identification left in place of a name or a date says nothing.
_REMOVED = re.compile(r"\[\*\*.{0,200}?\*\*\]", re.DOTALL)
# "#2 CKD" is the second of a list, and no stage.
_NUMBERED = re.compile(r"^[ \t]*(?:#[ \t]?\d{1,2}[.):]?|\d{1,2}[.)])(?=[ \t])", re.MULTILINE)
# Which ribs are broken says no more than how many: "left ribs 3-6", "4th to 7th rib".
_RIB = r"\d{1,2}(?:st|nd|rd|th)?"
_RIBS = re.compile(
    rf"\b{_RIB}(?:(?:[ ]?[-–,&][ ]?|[ ](?:to|through|thru|and)[ ]){_RIB}){{1,7}}(?=[ ](?:lateral |anterior |posterior )?ribs?\b)"
    rf"|(?<=\bribs[ ])#?{_RIB}(?:(?:[ ]?[-–,&][ ]?|[ ](?:to|through|thru|and)[ ]){_RIB}){{0,7}}\b",
    re.IGNORECASE,
)
# The point of "C. diff" and "E. coli" ends none.
_SENTENCE_END = re.compile(r"\n|[;:!?](?=\s|$)|(?<!\b[A-Z])\.(?=\s|$)|\.(?=\s+[^a-z\s]|\s*$)")
# Between two of these a name may be another than both beside it; not the comma of a number, nor the
# stroke of "w/" and "b/l".
_CLAUSE_END = re.compile(
    r",(?!\d)|[&+]|(?<!\b[a-z2])/|(?<!left )(?<!right )\b(?:and|or)\b", re.IGNORECASE
)

SMALL_WORDS = ENGLISH_SMALL_WORDS | frozenset(SLASHED_WORDS.split())
"""Words that may stand between those of a label, or be missing, without changing what is meant."""

# The parts of the body and what goes wrong there, in their Latin and their everyday names.
_SAME = meanings("words", "same")
# What one word says in the many words of a label.
MEANS = meanings("words", "means")
# Read as these words where they stand in capitals.
ABBREVIATIONS = meanings("words", "abbreviation")
# In small letters these are words of their own.
_NO_ABBREVIATIONS = frozenset(patterns("words", "word in small letters"))
_MIN_SMALL = len("uti")
_BRITISH_ISE = re.compile(r"(?<=.{3}[dlmnrt])is(?=(?:e[ds]?|ing|ations?)$)")
_BRITISH_RE = re.compile(r"(?<=[bt])re(?=s?$)")
_LATIN = (("ases", "asis"), ("oses", "osis"), ("ises", "isis"), ("yses", "ysis"))
# Burning feet are not burnt.
_WHOLE = ("itis", "asis", "osis", "iasis", "burning")
_SNOWBALL = Stemmer.Stemmer("english")


class Word(NamedTuple):
    """A word of a text that counts.

    Attributes:
        keys: what it is compared by; several where it abbreviates several words, itself first.
        place: its number among the words that count; sentences are far apart.
        start, end: code-point offsets, `end` of the first character behind it.
        clause: the number of its stretch between commas, "and" and "or".
        closes: whether no other word that counts follows at once.
    """

    keys: tuple[str, ...]
    place: int
    start: int
    end: int
    clause: int
    closes: bool


NO_KEYS = ("",)
"""Of letters that mean something else here: no label has this word."""
SENTENCE_GAP = 20
"""By how much places jump between two sentences: more than any label is long."""


@lru_cache(maxsize=200_000)
def key_of(word: str) -> str:
    """Return the key of a word: small letters, American spelling, its stem, one of its synonyms."""
    apart = unicodedata.normalize("NFKD", word.casefold())
    plain = "".join(c for c in apart if not unicodedata.combining(c))
    plain = plain.replace("’s", "").replace("'s", "").replace("’", "").replace("'", "")
    plain = plain.replace("-", "").replace(" ", "")
    spelled = _american(plain)
    return _STEM_OF.get(_stem(spelled), _stem(_SAME.get(spelled, spelled)))


def keys_of(text: str) -> list[str]:
    """Return the keys of the words of a label that count, in their order, with repetitions."""
    return [key for stretch in _ONE_WORD.sub(r"\1-", text).split() for key in _keys_in(stretch)]


@lru_cache(maxsize=200_000)
def _keys_in(stretch: str) -> tuple[str, ...]:
    """Return the keys of what stands between two spaces: no word reaches over one."""
    words = _WORD.findall(stretch)
    return tuple(key_of(word) for word in words if word.casefold() not in SMALL_WORDS)


def spelled_out(text: str) -> str:
    """Return a text with its abbreviations in full, as they count in a note.

    So are words that say several: "breast cancer" is found as a malignant neoplasm of the breast.
    """

    def in_full(match: re.Match[str]) -> str:
        word = match.group()
        several = _MEANT.get(key_of(word), "")
        return _meaning(word) or (several if " " in several else word)

    return _WORD.sub(in_full, text)


def words_of(text: str) -> Iterator[Word]:
    """Yield the words of a text that count, with their places."""
    explained = _explained(text)
    # Two items of a form are no one name: "[x] Hypertension [ ] Heart disease".
    marks = [match.start() for end in (_SENTENCE_END, BOX) for match in end.finditer(text)]
    sentences = sorted([*marks, *ends_of_cancers(text)])
    clauses = sorted([*sentences, *(match.start() for match in _CLAUSE_END.finditer(text))])
    place, passed = 0, 0
    word_before: Word | None = None
    for start, end in _stretches(text):
        word = text[start:end]
        keys = explained.get(start) or _keys(word)
        if not keys:
            continue
        sentence = bisect_left(sentences, start)
        place, passed = place + SENTENCE_GAP * (sentence > passed), sentence
        if word_before:
            yield word_before._replace(closes=bool(text[word_before.end : start].strip(" \t-")))
        word_before = Word(keys, place, start, end, bisect_left(clauses, start), closes=True)
        place += 1
    if word_before:
        yield word_before


def _stretches(text: str) -> Iterator[tuple[int, int]]:
    """Yield where words stand, but for those that de-identification put there and numbers of lists."""
    skipped = (
        match for pattern in (_REMOVED, _NUMBERED, _RIBS) for match in pattern.finditer(text)
    )
    removed = sorted(match.span() for match in skipped)
    n = 0
    for match in _WORD.finditer(text):
        start, end = match.span()
        while n < len(removed) and removed[n][1] <= start:
            n += 1
        if n == len(removed) or start < removed[n][0]:
            yield start, end


def _explained(text: str) -> dict[int, tuple[str, ...]]:
    """Return the keys of words that their surroundings explain, by where these begin."""
    keys_at: dict[int, tuple[str, ...]] = {}
    for start, meaning in (*read_by_context(text), *of_cancers_that_spread(text)):
        word = _WORD.match(text, start)
        if word:
            keys_at[start] = tuple(key for w in meaning.split() for key in _keys(w))
            keys_at[start] = keys_at[start] or (key_of(word.group()),)
    keys_at |= dict.fromkeys(not_read(text), NO_KEYS)
    for start in sites_of_spread(text):
        word = _WORD.match(text, start)
        if word:
            keys_at[start] = (key_of(word.group()), *keys_of(MEANS["metastasis"]))
    return keys_at


def _keys(word: str) -> tuple[str, ...]:
    if word.casefold() in SMALL_WORDS:
        return ()
    meant = _meaning(word) or _MEANT.get(key_of(word))
    return (key_of(word), *keys_of(meant)) if meant else (key_of(word),)


def _meaning(word: str) -> str | None:
    """Return what an abbreviation stands for: one in capitals, with an s behind it, or in small."""
    capitals = word.removesuffix("s")
    meaning = ABBREVIATIONS.get(word) or ABBREVIATIONS.get(capitals) or SHORT.get(word.casefold())
    is_small = word.islower() and len(word) >= _MIN_SMALL and word not in _NO_ABBREVIATIONS
    return ABBREVIATIONS.get(word.upper()) if meaning is None and is_small else meaning


def _american(word: str) -> str:
    """Return the American spelling of a British word, and the singular of a Greek plural."""
    word = word.replace("ae", "e").replace("oe", "e").replace("æ", "e").replace("œ", "e")
    if word.endswith(("our", "ours")) and len(word) > len("tours"):
        word = word.replace("our", "or")
    word = _BRITISH_RE.sub("er", _BRITISH_ISE.sub("iz", word))
    for plural, singular in _LATIN:
        if word.endswith(plural) and len(word) > len("bases"):
            return word.removesuffix(plural) + singular
    return word


def _stem(word: str) -> str:
    # Else "hepatitis" would be "hepatic", and "sinusitis" a sinus.
    if len(word) <= len("gas") or word.endswith(_WHOLE):
        return word
    stem: str = _SNOWBALL.stemWord(word)
    return stem


_STEM_OF = {_stem(word): _stem(same) for word, same in _SAME.items()}
_MEANT = {key_of(word): meant for word, meant in MEANS.items()}
