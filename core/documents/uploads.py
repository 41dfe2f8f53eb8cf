"""An uploaded file of any format as a document, or a sentence with a remedy."""

from __future__ import annotations

from core.documents.intake import Intake, read_text
from core.documents.kinds import BATCHES, PARSED, kind_of
from core.documents.parsing import PARSER, ParserProcess
from core.errors import DocumentError

MAX_FILE_BYTES = 20_000_000
A_BATCH = "holds several documents. Add it by itself, and say which columns are which."


def read_upload(name: str, content: bytes, *, parser: ParserProcess = PARSER) -> Intake:
    """Read a .txt, .pdf, .docx, .odt or .html file; its content decides what it is.

    Args:
        parser: the process that parses what is not plain text.
    Raises:
        DocumentError: it is too large, empty, locked, damaged, or of another kind.
    """
    kind = checked_kind(name, content)
    if kind in BATCHES:
        raise DocumentError(f"{name} {A_BATCH}")
    return parser.read(kind, name, content) if kind in PARSED else read_text(name, content)


def checked_kind(name: str, content: bytes) -> str:
    """Return the kind of a file of bearable size.

    Raises:
        DocumentError: it is too large or empty, or of a kind that cannot be read.
    """
    if len(content) > MAX_FILE_BYTES:
        size, most = len(content) / 1e6, MAX_FILE_BYTES / 1e6
        raise DocumentError(
            f"{name} has {size:.0f} MB; {most:.0f} MB is the most that is read. Split it, or save "
            "it without pictures."
        )
    if not content:
        raise DocumentError(f"{name} is empty: there is no text in it to index.")
    return kind_of(name, content)
