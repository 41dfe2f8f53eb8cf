"""Text as search compares it: without case, diacritics or punctuation, and without endings."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

import Stemmer

# Letters that Unicode does not take apart into a base and a mark.
_LETTERS = {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe"}


class _Folding(dict[int, str]):
    """What each character becomes, worked out when it is first met."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        if unicodedata.combining(character):
            becomes = ""
        elif character.isalnum():
            becomes = _LETTERS.get(character, character)
        else:
            becomes = " "
        self[code] = becomes
        return becomes


_FOLDING = _Folding()


def fold_text(text: str) -> str:
    """Return the words of a text, in small letters without marks, one space between them."""
    apart = unicodedata.normalize("NFKD", text.casefold())
    return " ".join(apart.translate(_FOLDING).split())


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
