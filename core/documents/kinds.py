"""What an uploaded file is: its content decides; the ending of its name, whether it is read."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from core.documents.archives import member_names
from core.documents.plain_text import PROMISED, unreadable
from core.documents.rows.files import ROW_FORMATS
from core.errors import DocumentError

TEXT, PDF, WORD, OPEN_DOCUMENT, HTML = "text", "pdf", "docx", "odt", "html"
ROWS, ZIP = "rows", "zip"
BATCHES = frozenset({ROWS, ZIP})
# What the worker reads; plain text needs no parser.
PARSED = frozenset({PDF, WORD, OPEN_DOCUMENT, HTML})
DOCUMENT_SUFFIXES = frozenset({".txt", ".md", ".pdf", ".docx", ".html", ".htm", ".xhtml", ".odt"})
ZIP_SUFFIX = ".zip"

OLE_MAGIC = b"\xd0\xcf\x11\xe0"
ZIP_MAGICS = (b"PK\x03\x04", b"PK\x05\x06")
PDF_SEARCHED_BYTES = 1024  # readers allow as much before the mark
REFUSED_MAGICS = {
    b"{\\rtf": "is an RTF file. Open it in a word processor, save it as .docx, and add that.",
    b"\x1f\x8b": "is compressed with gzip. Unpack it, and add what is in it.",
    b"7z\xbc\xaf": "is a 7-Zip archive. Unpack it, and add its files or a ZIP of them.",
    b"Rar!\x1a": "is a RAR archive. Unpack it, and add its files or a ZIP of them.",
    b"\x89PNG": "is a picture. Run text recognition (OCR) on it, and add the result.",
    b"\xff\xd8\xff": "is a picture. Run text recognition (OCR) on it, and add the result.",
    b"GIF8": "is a picture. Run text recognition (OCR) on it, and add the result.",
    b"II*\0": "is a picture. Run text recognition (OCR) on it, and add the result.",
    b"MM\0*": "is a picture. Run text recognition (OCR) on it, and add the result.",
    b"SQLite format 3\0": "is a database. Export a table of documents as CSV, and add that.",
    b"PAR1\x15": "is a Parquet file. Export it as CSV or JSON lines, and add that.",
}
MAGICS = (*REFUSED_MAGICS, OLE_MAGIC, *ZIP_MAGICS)
LONGEST_MAGIC = max(map(len, MAGICS))
SPREADSHEET = "is a spreadsheet. Save it as CSV (UTF-8), and add that."
PRESENTATION = "is a presentation. Save it as PDF, and add that."
OLD_WORD = "is in the old Word format. Open it, save it as .docx, and add that."
LOCKED = "is protected by a password. Save a copy without it, and add that."
EMAIL = "is an e-mail. Save it as text or HTML, and add that."
UNKNOWN = (
    "is of a kind that is not read. Save it as text, PDF, Word, OpenDocument or HTML, and add that."
)
WITHOUT_ENDING = (
    "has no ending that says what it is. If it is a text, call it {name}.txt, and add that."
)
# Texts that are no documents, of which more can be said than `UNKNOWN`.
REFUSED_SUFFIXES = {".eml": EMAIL, ".mbox": EMAIL}
# Names of streams in the old Office container, in UTF-16 as its directory has them.
OLE_STREAMS = {
    "EncryptedPackage": LOCKED,
    "WordDocument": OLD_WORD,
    "Workbook": SPREADSHEET,
    "PowerPoint Document": PRESENTATION,
    "__substg1.0": "is an Outlook message. Save it as text or HTML, and add that.",
}
# A file in a ZIP that shows what the ZIP is, and the kind or the sentence that follows.
ZIP_MEMBERS = {
    "word/document.xml": WORD,
    "word/document2.xml": WORD,  # as some versions of Word on the web call it
    "xl/workbook.xml": SPREADSHEET,
    "xl/workbook.bin": SPREADSHEET,
    "ppt/presentation.xml": PRESENTATION,
    "META-INF/container.xml": "is an e-book. Save it as HTML or PDF, and add that.",
}
HTML_START = re.compile(
    rb"\A(?:<\?xml[^<>]*>\s*)?(?:<!--(?>.*?-->)\s*)*+<(?:!doctype\s+html|html|head|body)\b",
    re.IGNORECASE | re.DOTALL,
)
HTML_TAGS = re.compile(rb"<(?:p|div|h[1-6]|br|table|span)\b[^<>]*>", re.IGNORECASE)
HTML_NAMES = {".html", ".htm", ".xhtml"}


def kind_of(name: str, content: bytes) -> str:
    """Return which of the kinds above a file is of.

    Much decodes as text and is none: so the ending of its name has to be a known one besides.

    Raises:
        DocumentError: it is none that can be read; the sentence says what to do instead.
    """
    for magic, sentence in REFUSED_MAGICS.items():
        if content.startswith(magic):
            raise DocumentError(f"{name} {sentence}")
    if content.startswith(OLE_MAGIC):
        raise DocumentError(f"{name} {_ole_sentence(content)}")
    if b"%PDF-" in content[:PDF_SEARCHED_BYTES]:
        kind = PDF
    elif content.startswith(ZIP_MAGICS):
        kind = _zip_kind(name, content)
        if kind == ZIP and _suffix(name) in PROMISED and _suffix(name) != ZIP_SUFFIX:
            raise DocumentError(f"{name} {unreadable(name)}")
    else:
        kind = _text_kind(name, content)
    if not (names_document(name) or _suffix(name) == ZIP_SUFFIX or _suffix(name) in ROW_FORMATS):
        raise DocumentError(f"{name} {_ending_sentence(name)}")
    return kind


def names_document(name: str) -> bool:
    """Return whether a file is called as one that holds a document and no batch."""
    return _suffix(name) in DOCUMENT_SUFFIXES


def _suffix(name: str) -> str:
    return PurePosixPath(name).suffix.lower()


def _ending_sentence(name: str) -> str:
    if suffix := _suffix(name):
        return REFUSED_SUFFIXES.get(suffix, UNKNOWN)
    return WITHOUT_ENDING.format(name=name)


def _ole_sentence(content: bytes) -> str:
    for stream, sentence in OLE_STREAMS.items():
        if stream.encode("utf-16-le") in content:
            return sentence
    return OLD_WORD


def _zip_kind(name: str, content: bytes) -> str:
    members = member_names(name, content)
    for member, kind in ZIP_MEMBERS.items():
        if member in members:
            if kind == WORD:
                return WORD
            raise DocumentError(f"{name} {kind}")
    if "mimetype" in members and "content.xml" in members:
        return OPEN_DOCUMENT
    return ZIP


def _text_kind(name: str, content: bytes) -> str:
    """Text, a page, or a batch: of text alone, the name may say how it is meant."""
    suffix = _suffix(name)
    start = _start(content)
    if HTML_START.match(start.lstrip()) or (suffix in HTML_NAMES and HTML_TAGS.search(start)):
        return HTML
    return ROWS if suffix in ROW_FORMATS else TEXT


def _start(content: bytes) -> bytes:
    """Return the beginning, with one byte a letter where it is in UTF-16."""
    start = content[:8192]
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        start = start[2:].replace(b"\0", b"")
    return start.removeprefix(b"\xef\xbb\xbf")
