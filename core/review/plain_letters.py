"""Letters without case and marks, as the search of lists compares them in either database."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

from sqlalchemy import Text
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement

FUNCTION = "plain_letters"  # of each connection to SQLite
_MARKS = re.compile(r"[\u0300-\u036F]+")  # PostgreSQL reads the same
_END_OF_WORD = ("ς", "σ")  # one letter, written otherwise at the end
# Latin, Greek and Cyrillic letters in which marks are no part of their own; others stay as they are
# in a PostgreSQL whose lower() knows ASCII alone.
_ALPHABETS = (range(0xC0, 0x180), range(0x391, 0x3CF), range(0x400, 0x460))


def plain_letters(text: str) -> str:
    """Return a text in small letters without accents: “Économie” is “economie”."""
    if text.isascii():
        return text.lower()
    return _MARKS.sub("", unicodedata.normalize("NFD", text)).lower().replace(*_END_OF_WORD)


class PlainLetters(FunctionElement[str]):
    """The same of a column, worked out by the database."""

    type = Text()
    inherit_cache = True


@compiles(PlainLetters, "sqlite")
def _in_sqlite(element: PlainLetters, compiler: Any, **options: Any) -> str:
    return f"{FUNCTION}({compiler.process(element.clauses, **options)})"


@compiles(PlainLetters, "postgresql")
def _in_postgresql(element: PlainLetters, compiler: Any, **options: Any) -> str:
    column = compiler.process(element.clauses, **options)
    unmarked = f"regexp_replace(normalize({column}, NFD), '{_MARKS.pattern}', '', 'g')"
    small = f"translate(lower({unmarked}), '{_CAPITALS}', '{_SMALL}')"
    is_ascii = f"octet_length({column}) = char_length({column})"
    return f"CASE WHEN {is_ascii} THEN lower({column}) ELSE {small} END"


def _changed() -> dict[str, str]:
    letters = [chr(code) for alphabet in _ALPHABETS for code in alphabet]
    whole = [letter for letter in letters if unicodedata.normalize("NFD", letter) == letter]
    return {letter: plain for letter in whole if (plain := plain_letters(letter)) != letter}


_CAPITALS, _SMALL = "".join(_changed()), "".join(_changed().values())
