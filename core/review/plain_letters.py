"""Letters without case and marks, as the search of lists compares them in either database."""

from __future__ import annotations

import unicodedata
from typing import Any

from sqlalchemy import Text
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement

FUNCTION = "plain_letters"  # of each connection to SQLite
# Latin, Greek and Cyrillic; PostgreSQL changes letter by letter, and knows no others.
_ALPHABETS = (range(0xC0, 0x530), range(0x1E00, 0x2000))


class _WithoutMarks(dict[int, str]):
    """What `str.translate` puts in the place of each character, worked out once."""

    def __missing__(self, code: int) -> str:
        is_mark = unicodedata.category(chr(code)).startswith("M")
        self[code] = "" if is_mark else chr(code)
        return self[code]


_WITHOUT_MARKS = _WithoutMarks()


def plain_letters(text: str) -> str:
    """Return a text in small letters without accents: “Économie” is “economie”."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFD", text).translate(_WITHOUT_MARKS).lower()


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
    return f"translate(lower({column}), '{_MARKED}', '{_PLAIN}')"


def _changed() -> dict[str, str]:
    letters = (chr(code) for alphabet in _ALPHABETS for code in alphabet)
    plain = {letter: plain_letters(letter) for letter in letters}
    return {letter: found for letter, found in plain.items() if found != letter and len(found) == 1}


_MARKED, _PLAIN = "".join(_changed()), "".join(_changed().values())
