"""Text as search compares it: without case, accents or punctuation, and without endings."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

import Stemmer

# Letters that Unicode does not take apart into a base and a mark.
_LETTERS = {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe"}
# Accents, and the points of Hebrew and Arabic, which people leave out. Other marks make another
# word: vowel signs of Indic scripts, tone marks of Thai, voicing marks of Japanese.
_ACCENTS = (
    *((0x0300, 0x036F), (0x0483, 0x0489), (0x0591, 0x05C7), (0x0610, 0x061A), (0x064B, 0x065F)),
    *((0x0670, 0x0670), (0x06D6, 0x06ED), (0x1AB0, 0x1AFF), (0x1DC0, 0x1DFF), (0x20D0, 0x20FF)),
    *((0xFE00, 0xFE2F),),
)
_LAST_MARK = 0xABFF  # of the scripts in use
# Scripts without spaces between words: of Thai, Lao, Burmese and Khmer, kana, and Chinese characters.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\U00020000-\U0003ffff"
UNSPACED = re.compile(f"[{_UNSPACED}]")
_WORD_OR_LETTER = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+")
_WHOLE_WORD = re.compile(r"\w+")
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")


def _is_accent(code: int) -> bool:
    return any(first <= code <= last for first, last in _ACCENTS)


_MARKS = "".join(
    chr(code)
    for code in range(0x0300, _LAST_MARK)
    if unicodedata.category(chr(code)).startswith("M") and not _is_accent(code)
)
ENGLISH_SMALL_WORDS = frozenset(
    [
        "a",
        "an",
        "and",
        "are",
        "as",
        "at",
        "be",
        "been",
        "by",
        "during",
        "for",
        "from",
        "had",
        "has",
        "have",
        "he",
        "her",
        "his",
        "in",
        "into",
        "is",
        "it",
        "its",
        "of",
        "on",
        "or",
        "our",
        "patient",
        "she",
        "that",
        "the",
        "their",
        "this",
        "to",
        "was",
        "were",
        "which",
        "who",
        "whose",
        "with",
        "due",
        "s",
        "w",
    ]
)
"""Words that say nothing of what a label is about."""
# Signs are of a word that ends in them, such as C++, C# and Na+.
SIGNS = re.compile("[+#]+")
WORD = re.compile(rf"[^\W_](?:[^\W_]|[{_MARKS}])*+(?:[+#]++(?![^\W_]))?")
# The hyphen of B-12, found first and then looked at from both sides: few texts have one.
_HYPHEN = "[-‐‑‒–]"
_LETTER_AND_NUMBER = re.compile(
    rf"{_HYPHEN}(?<=[^\W\d_]{_HYPHEN})(?<![^\W_][^\W\d_]{_HYPHEN})(?=\d)"
)


class _Folding(dict[int, str]):
    """What each character becomes, worked out when it is first met."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        becomes = "" if _is_accent(code) else _LETTERS.get(character, character)
        self[code] = becomes
        return becomes


_FOLDING = _Folding()


def fold_text(text: str) -> str:
    """Return the words of a text, in small letters without accents, one space between them.

    Signs at the end of a word stay, and a letter that a hyphen joins with a number is one word
    with it: “C++”, “B-12” is “b12”.
    """
    plain = text.casefold()
    if not plain.isascii():
        plain = unicodedata.normalize("NFKD", plain).translate(_FOLDING)
        plain = unicodedata.normalize("NFC", plain)
    return " ".join(WORD.findall(_LETTER_AND_NUMBER.sub("", plain)))


def composed(text: str) -> str:
    """Return a text with a letter and its accent as one character, which they are in documents."""
    return unicodedata.normalize("NFC", text)


def label_line(text: str) -> str:
    """Return a label as it is kept: on one line, composed, without control characters.

    PostgreSQL keeps no NUL, and tables break at the others.
    """
    return composed(" ".join(_CONTROL.sub(" ", text).split()))


def places_of_words(text: str) -> list[tuple[int, int]]:
    """Return where each word of a text begins and ends; of a script without spaces, each letter."""
    words = _WORD_OR_LETTER if UNSPACED.search(text) else _WHOLE_WORD
    return [match.span() for match in words.finditer(text)]


def stemming(language: str) -> Callable[[str], str]:
    """Return what takes the ending from a word in small letters; of languages for which Snowball
    has no rules, words stay as they are.

    Args:
        language: a tag, such as “en” or “pt-BR”.
    """
    try:
        stem: Callable[[str], str] = Stemmer.Stemmer(language.partition("-")[0]).stemWord
    except KeyError:
        return str
    return stem
