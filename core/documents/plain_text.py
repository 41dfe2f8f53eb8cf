"""Bytes and strings as plain text: one encoding, one kind of line end, nothing unreadable."""

from __future__ import annotations

import codecs
import re
import unicodedata
from io import BytesIO
from pathlib import PurePosixPath

from core.encoding import BAD_BYTES, NO_CHARACTER_SETS, UTF_8, WINDOWS, encoding_of
from core.errors import DocumentError

MAX_CONTROL_SHARE, STRAY_CONTROLS = 0.02, 2  # of a short text, one is a large share
FIRST_LINE_CHARACTERS = 300  # a longer first line is a paragraph rather than a title,
TITLE_CHARACTERS = 1_000  # unless it stands alone and is one sentence: acts have such titles
TYPED_TITLE_CHARACTERS = 500  # what is longer in the place of a title, without a text, is a text
NEXT_SENTENCE = re.compile(r"[.!?]\s+[A-Z]")
PROMISED = {
    ".pdf": "a PDF", ".docx": "a Word document", ".odt": "an OpenDocument text", ".zip": "a ZIP",
}  # fmt: skip
# Letters, digits, punctuation and spaces are text; of the control characters, only these.
CONTROL_CHARACTERS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\ufffd\ufffe\uffff]")
# Letters of type or of formulas that stand for plain ones: ligatures and Arabic forms as they are copied
# from a PDF, full and half width, mathematical letters and digits. Superscripts and the like say more.
STYLED = re.compile(
    "[\ufb00-\ufb06\ufb13-\ufb17\ufb1d-\ufb4f\ufb50-\ufdf1\ufe70-\ufefc\uff01-\uffee\U0001d400-\U0001d7ff]+"
)
# Pages that state the former are written in the latter, and browsers read them so.
# Source: WHATWG, Encoding Standard, "Names and labels".
READ_AS = {"ascii": "cp1252", "iso8859-1": "cp1252", "iso8859-9": "cp1254", "gb2312": "gb18030"}
# Other hyphens, and signs of no width, which pages and word processors put into words where a line
# may end.
UNSEEN = str.maketrans("\u2010\u2011", "--", "\u200b\u2060\ufeff")
# No text needs more in a row; what looks through texts takes the longer, the longer the runs are.
MOST_BLANKS, MOST_LINES = 100, 20
LONG_BLANKS = re.compile(rf"(?<=[^\S\n]{{{MOST_BLANKS}}})[^\S\n]++")
LONG_GAP = re.compile(rf"(?<=\n)(?:[^\S\n]{{0,{MOST_BLANKS}}}+\n){{{MOST_LINES},}}+")
SOFT_HYPHEN = re.compile("\u00ad(?:[ \\t]*\r?\n[ \\t]*)?")
GUESSED_ENCODING = "What in it is not in UTF-8 was read as Windows-1252. If letters look wrong, save as UTF-8 and add again."


def decode_text(content: bytes) -> tuple[str, bool]:
    """Return text in the encoding that its bytes show, and whether that had to be guessed.

    Bytes that are wrong in a text in UTF-8, as where it was cut or joined of others, are read as
    Windows-1252, and the others stay.
    """
    encoding = encoding_of(BytesIO(content))
    if encoding != UTF_8:
        return content.decode(encoding, "replace"), encoding == WINDOWS
    text = content.decode(UTF_8, "surrogateescape")
    whole = BAD_BYTES.sub(_of_windows, text)
    return whole, whole != text


def _of_windows(match: re.Match[str]) -> str:
    return match[0].encode("utf-8", "surrogateescape").decode(WINDOWS, "replace")


def plain_letters(text: str) -> str:
    """Return a text with plain letters in place of those that only look otherwise: “ﬁ” is “fi”.

    What nobody can see in it is left out. A text is stored so, and offsets are of what is stored.
    """
    if text.isascii():
        return text
    plain = STYLED.sub(lambda match: unicodedata.normalize("NFKC", match[0]), text)
    plain = SOFT_HYPHEN.sub("", plain)
    return plain.translate(UNSEEN)


def stated_codec(name: str, charset: str) -> str | None:
    """Return the codec of a character set that a file or its host states; None for an unknown one.

    Raises:
        DocumentError: Python has a codec of this name, of which no text is written.
    """
    try:
        codec = codecs.lookup(charset)
    except (LookupError, ValueError):
        return None
    if codec._is_text_encoding and codec.name not in NO_CHARACTER_SETS:
        return READ_AS.get(codec.name, codec.name)
    raise DocumentError(
        f"{name} says that it is written in {charset[:40]!r}, in which no text is read. Save it in UTF-8, "
        "and add it again."
    )


def tidy_text(name: str, text: str) -> str:
    """One kind of line end, composed letters, no soft hyphens, no control characters.

    Raises:
        DocumentError: it holds more control characters than a text from any program does.
    """
    refuse_unreadable(name, text)
    return tidy_piece(text)


def refuse_unreadable(name: str, text: str) -> None:
    """Refuse what is no text.

    Raises:
        DocumentError: it holds more control characters than a text from any program does.
    """
    n_control = sum(1 for _ in CONTROL_CHARACTERS.finditer(text))
    if n_control > max(MAX_CONTROL_SHARE * len(text), STRAY_CONTROLS):
        raise DocumentError(f"{name} {unreadable(name)}")


def tidy_piece(text: str) -> str:
    """Do the same as `tidy_text` with a piece of a text that is readable as a whole."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    text = text.replace("\v", "\n").replace("\f", "\n\n")
    text = unicodedata.normalize("NFC", plain_letters(text))
    readable = CONTROL_CHARACTERS.sub(" ", text)
    without_blanks = LONG_BLANKS.sub("", readable.strip())
    return LONG_GAP.sub("\n" * MOST_LINES, without_blanks)


def unreadable(name: str) -> str:
    """Return what to say of bytes that are no text, by what their name promises."""
    suffix = PurePosixPath(name).suffix.lower()
    if suffix not in PROMISED:
        return (
            "is not plain text: it is full of unreadable characters. Save it as text, PDF or Word, "
            "and add that."
        )
    return (
        f"is called {PROMISED[suffix]}, but cannot be read as one: it is damaged, incomplete or "
        "something else. Open it in the program that made it and save it again, or copy its text and "
        "paste that."
    )


def split_title(text: str) -> tuple[str, str]:
    """Return the first line as the title, where it can be one, and the rest.

    One that cannot is a paragraph: its beginning stands for the title, and all of it stays text.
    """
    first, _, rest = text.strip().partition("\n")
    if may_be_title(first, alone=rest.startswith("\n")):
        return first.strip(), rest.strip()
    return f"{first[:FIRST_LINE_CHARACTERS].rsplit(' ', 1)[0]} …", text


def is_text(typed: str) -> bool:
    """Return whether what stands in the place of a title is a text: long, or of several lines."""
    typed = typed.strip()
    return len(typed) > TYPED_TITLE_CHARACTERS or "\n" in typed or "\r" in typed


def may_be_title(line: str, *, alone: bool) -> bool:
    """Return whether a first line is a title: short, or a sentence alone in its paragraph."""
    if len(line) <= FIRST_LINE_CHARACTERS:
        return True
    return alone and len(line) <= TITLE_CHARACTERS and not NEXT_SENTENCE.search(line)
