"""Text out of what a person pastes or uploads, with a sentence where that does not work."""

from __future__ import annotations

import codecs
import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from core.errors import DocumentError

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

MAX_FILE_BYTES = 20_000_000
MAX_TITLE_CHARACTERS = 2_000
FIRST_LINE_CHARACTERS = 300  # a longer first line is a paragraph rather than a title
# Below this, names and numbers mislead the identifier more than words help it.
MIN_LANGUAGE_CHARACTERS = 200
LANGUAGE_SAMPLE_CHARACTERS = 20_000
MAX_CONTROL_SHARE = 0.02
MAGIC_NUMBERS = {
    b"%PDF": "a PDF",
    b"PK\x03\x04": "a Word, OpenDocument or ZIP file",
    b"\xd0\xcf\x11\xe0": "an old Word file",
    b"\x1f\x8b": "a compressed file",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"{\\rtf": "an RTF file",
}
BYTE_ORDER_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
EU_LANGUAGES = {
    "bg": "Bulgarian", "cs": "Czech", "da": "Danish", "de": "German", "el": "Greek",
    "en": "English", "es": "Spanish", "et": "Estonian", "fi": "Finnish", "fr": "French",
    "ga": "Irish", "hr": "Croatian", "hu": "Hungarian", "it": "Italian", "lt": "Lithuanian",
    "lv": "Latvian", "mt": "Maltese", "nl": "Dutch", "pl": "Polish", "pt": "Portuguese",
    "ro": "Romanian", "sk": "Slovak", "sl": "Slovenian", "sv": "Swedish",
}  # fmt: skip
# Letters, digits, punctuation and spaces are text; of the control characters, only these.
CONTROL_CHARACTERS = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\ufffd\ufffe\uffff]")


@dataclass(frozen=True, slots=True)
class Intake:
    """A text that can be indexed, with its title."""

    title: str
    text: str


def read_pasted(title: str, text: str) -> Intake:
    """Tidy what was typed; without a title, a short first line becomes the title.

    Raises:
        DocumentError: there is nothing to read, or it is not text.
    """
    title, text = " ".join(_tidied("The title", title).split()), _tidied("The text", text)
    if not title and not text:
        raise DocumentError("There is nothing to read yet: paste a text, or give a title.")
    if not title:
        title, text = title_from(text)
    return Intake(title[:MAX_TITLE_CHARACTERS], text)


def read_file(name: str, content: bytes) -> Intake:
    """Read an uploaded text file in UTF-8, UTF-16 or Windows-1252; its first line is the title.

    Raises:
        DocumentError: it is too large, empty, or not plain text.
    """
    if len(content) > MAX_FILE_BYTES:
        size, most = len(content) / 1e6, MAX_FILE_BYTES / 1e6
        raise DocumentError(f"{name} has {size:.0f} MB; {most:.0f} MB is the most that is read.")
    text = _tidied(name, _decoded(name, content))
    if not text:
        raise DocumentError(f"{name} is empty.")
    return Intake(*title_from(text))


def language_warning(text: str, learned: str = "en") -> str | None:
    """A sentence where a text seems to be in another language than the model learned.

    Args:
        learned: code of that language.
    """
    seen = identify_language(text)
    if seen is None or seen == learned:
        return None
    return (
        f"This looks like {EU_LANGUAGES[seen]}; the model learned "
        f"{EU_LANGUAGES.get(learned, learned)}, so its suggestions may be poor."
    )


def identify_language(text: str) -> str | None:
    """The code of the official EU language that a text is in; None where it is too short to say."""
    letters = sum(map(str.isalpha, text[:LANGUAGE_SAMPLE_CHARACTERS]))
    if letters < MIN_LANGUAGE_CHARACTERS:
        return None
    language, _ = _identifier().classify(text[:LANGUAGE_SAMPLE_CHARACTERS])
    return str(language)


@cache
def _identifier() -> LanguageIdentifier:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE)
    identifier.set_languages(list(EU_LANGUAGES))
    return identifier


def _decoded(name: str, content: bytes) -> str:
    """Text in the encoding that its bytes show."""
    for magic, kind in MAGIC_NUMBERS.items():
        if content.startswith(magic):
            raise DocumentError(f"{name} is {kind}, not plain text. Save it as .txt, or paste it.")
    try:
        for mark, encoding in BYTE_ORDER_MARKS.items():
            if content.startswith(mark):
                return content.decode(encoding)
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace")


def _tidied(name: str, text: str) -> str:
    """One kind of line end, composed letters, no control characters.

    Raises:
        DocumentError: it holds more control characters than a text from any program does.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    text = unicodedata.normalize("NFC", text.replace("\f", "\n\n"))
    readable, n_control = CONTROL_CHARACTERS.subn(" ", text)
    if n_control > MAX_CONTROL_SHARE * len(text):
        raise DocumentError(f"{name} is not plain text: it is full of unreadable characters.")
    return readable.strip()


def title_from(text: str) -> tuple[str, str]:
    """The first line as the title, where it is short enough for one, and the rest.

    A longer one is a paragraph: its beginning stands for the title, and all of it stays text.
    """
    first, _, rest = text.strip().partition("\n")
    if len(first) <= FIRST_LINE_CHARACTERS:
        return first.strip(), rest.strip()
    return f"{first[:FIRST_LINE_CHARACTERS].rsplit(' ', 1)[0]} …", text
