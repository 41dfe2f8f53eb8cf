"""Records of a file from outside: what they are called, and subjects written into them.

A record that gets no subjects stays as it is: in ISO 2709 byte for byte, in MARCXML field for field.
So does one that pymarc cannot read as it stands, or that would become too large.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from contextlib import redirect_stderr
from dataclasses import dataclass
from xml.sax import SAXException, make_parser
from xml.sax.handler import LexicalHandler, feature_namespaces, property_lexical_handler

from pymarc import Record
from pymarc.constants import DIRECTORY_ENTRY_LEN, END_OF_RECORD, LEADER_LEN
from pymarc.exceptions import PymarcException
from pymarc.marcxml import XmlHandler

from core.boundaries import SENSELESS, Boundary, message
from core.errors import DocumentError
from core.export.marc.fields import (
    XML_END,
    XML_START,
    Subject,
    SubjectSource,
    as_iso2709,
    as_xml,
    composed,
    fit,
    is_from,
    subject_field,
)

MARC_RECORDS = Boundary(
    DocumentError,
    dict.fromkeys((*SENSELESS, PymarcException, SAXException, Warning), message),
)
ORGANISATION = re.compile(r"^\([^()]*\)")  # before a number in 035
LENGTH_DIGITS, RECORD_END = 5, END_OF_RECORD.encode()
MOST_BLANKS = 100
BLANKS = b" \t\r\n\0\x1a"  # that some systems put between records
NO_MARC = (
    "The file is neither MARC 21 (ISO 2709) nor MARCXML. Export the records from your catalogue in "
    "one of these, and add that."
)
BROKEN = (
    "The file is damaged: record {number} is shorter or longer than it says. Export the records from "
    "your catalogue once more."
)
UNKNOWN_ENCODING = (
    "The file says that it is in a character set of which no text is read. Save it in UTF-8."
)
NO_DOCTYPE = "The file declares a document type, which MARCXML has none of; save it without."


@dataclass(frozen=True, slots=True)
class RecordChange:
    """What becomes of the subjects of a record.

    Attributes:
        subjects: that it has afterwards.
        dropped: URIs of subjects that it has no more.
    """

    subjects: tuple[Subject, ...]
    dropped: frozenset[str] = frozenset()


@dataclass(slots=True)
class FileRecord:
    """A record of a file.

    Attributes:
        raw: its bytes in ISO 2709; b"" in MARCXML.
        record: None where pymarc cannot read it as it stands.
    """

    raw: bytes
    record: Record | None

    def names(self) -> list[str]:
        """Return the identifiers of a record: fields 001, then 035, then 856."""
        if self.record is None:
            return []
        numbers = [field.data or "" for field in self.record.get_fields("001")]
        others = self._values("035", "a")
        addresses = self._values("856", "u")
        names = [*numbers, *others, *(ORGANISATION.sub("", number) for number in others)]
        names += [*addresses, *(url.rstrip("/").rpartition("/")[2] for url in addresses)]
        return [name for name in dict.fromkeys(map(fit, names)) if name]

    def uris(self, source: SubjectSource) -> list[str]:
        """Return the URIs of its subjects of this source."""
        fields = [] if self.record is None else self.record.fields
        return [
            uri for field in fields if is_from(field, source) for uri in field.get_subfields("0")
        ]

    def write(self, source: SubjectSource, change: RecordChange) -> bytes | None:
        """Return the record with these subjects; None where it stays as it is."""
        if self.record is None or not put(self.record, source, change):
            return None
        return as_iso2709(self.record) if self.raw else as_xml(self.record)

    def unchanged(self) -> bytes:
        """Return the record as it is."""
        return self.raw if self.record is None or self.raw else as_xml(self.record)

    def _values(self, tag: str, code: str) -> list[str]:
        fields = [] if self.record is None else self.record.get_fields(tag)
        return [value for field in fields for value in field.get_subfields(code)]


def put(record: Record, source: SubjectSource, change: RecordChange) -> bool:
    """Write subjects into a record, and return whether that changed it.

    A subject that is there already stays in its place. One of the same source is replaced where it
    has the label or the URI of a new one, or a URI that is dropped; what people added stays.
    """
    missing = list(change.subjects)
    labels = {_folded(subject.label) for subject in missing}
    uris = {subject.uri for subject in missing} | change.dropped
    fields = []
    for field in record.fields:
        present = [
            subject for subject in missing if is_from(field, source) and subject.is_in(field)
        ]
        if present:
            missing.remove(present[0])
        elif is_from(field, source) and (
            uris.intersection(field.get_subfields("0"))
            or labels.intersection(_folded(fit(label)) for label in field.get_subfields("a"))
        ):
            continue
        fields.append(field)
    if not missing and len(fields) == len(record.fields):
        return False
    record.fields[:] = fields
    record.add_ordered_field(*(subject_field(subject, source) for subject in missing))
    return True


def _folded(label: str) -> str:
    return composed(label).casefold()


def records_of(content: bytes) -> list[FileRecord]:
    """Return the records of a file in ISO 2709 or MARCXML.

    Raises:
        DocumentError: it is neither, or is damaged.
    """
    if is_xml(content):
        records = [FileRecord(b"", record) for record in _xml_records(content)]
    else:
        records = [FileRecord(raw, _read(raw)) for raw in _iso2709_records(content)]
    if not records:
        raise DocumentError(NO_MARC)
    return records


def is_xml(content: bytes) -> bool:
    """Return whether a file is XML, in whatever encoding."""
    start = content[:64].removeprefix(b"\xef\xbb\xbf").lstrip()
    return start.startswith((b"<", b"\xff\xfe", b"\xfe\xff"))


def file_of(records: Iterable[bytes], *, xml: bool) -> bytes:
    """Return a file with these records."""
    body = b"".join(records)
    return XML_START + body + XML_END if xml else body


# ---------------------------------------------------------------------- ISO 2709


def _iso2709_records(content: bytes) -> Iterator[bytes]:
    """Yield the bytes of each record, whose first five say how many they are."""
    position, number = _after_blanks(content, 0), 0
    while position < len(content):
        number += 1
        stated = content[position : position + LENGTH_DIGITS]
        length = int(stated) if stated.isdigit() else 0
        raw = content[position : position + length]
        if length <= LEADER_LEN or len(raw) < length or not raw.endswith(RECORD_END):
            raise DocumentError(NO_MARC if number == 1 else BROKEN.format(number=number))
        yield raw
        position = _after_blanks(content, position + length)


def _after_blanks(content: bytes, position: int) -> int:
    rest = content[position : position + MOST_BLANKS]
    return position + len(rest) - len(rest.lstrip(BLANKS))


def _read(raw: bytes) -> Record | None:
    """Return a record; None where it is damaged, or where pymarc would change what is in it.

    What pymarc mends or cannot map from MARC-8 it says on the error stream alone.
    """
    complaints = io.StringIO()
    try:
        if not _is_sound(raw):
            return None
        with redirect_stderr(complaints):
            record = Record(raw, force_utf8=_is_utf_8(raw))
    except MARC_RECORDS.errors:
        return None
    return None if complaints.getvalue() else record


def _is_sound(raw: bytes) -> bool:
    """Return whether the fields of a record take no more room than it has.

    A directory whose fields lie over one another makes hundreds of megabytes of a small record.
    """
    directory = raw[LEADER_LEN : int(raw[12:17]) - 1]
    starts = range(0, len(directory), DIRECTORY_ENTRY_LEN)
    return sum(int(directory[start + 3 : start + 7]) for start in starts) <= len(raw)


def _is_utf_8(raw: bytes) -> bool:
    """Return whether a record is in UTF-8, as some are that do not say so.

    MARC-8 with letters beyond ASCII is never valid UTF-8: an accent stands before its letter there.
    """
    if raw.isascii():
        return False
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


# ---------------------------------------------------------------------- MARCXML


def _xml_records(content: bytes) -> list[Record]:
    handler, parser = _Records(), make_parser()  # type: ignore[no-untyped-call]
    parser.setContentHandler(handler)
    parser.setFeature(feature_namespaces, 1)
    parser.setProperty(property_lexical_handler, _NoDoctype())
    with MARC_RECORDS.translated("The file is not valid MARCXML ({reason})."):
        try:
            parser.parse(io.BytesIO(content))
        except LookupError as error:
            if isinstance(error, KeyError | IndexError):  # an element without an attribute
                raise
            raise DocumentError(UNKNOWN_ENCODING) from error
    return handler.records


class _Records(XmlHandler):
    """The records of a MARCXML file; a leader of another length is filled up or cut."""

    records: list[Record]

    def endElementNS(self, name: tuple[str | None, str], qname: str | None) -> None:  # noqa: N802
        if name[1] == "leader":
            self._text = ["".join(self._text).ljust(LEADER_LEN)[:LEADER_LEN]]
        super().endElementNS(name, qname)  # type: ignore[no-untyped-call]


class _NoDoctype(LexicalHandler):
    """Refuses a document type, and with it all entities but those of XML itself."""

    def startDTD(self, name: str, public_id: str | None, system_id: str | None) -> None:  # noqa: N802
        raise DocumentError(NO_DOCTYPE)
