"""Subjects as fields of MARC 21, and records as bytes.

A subject is a field 650 with second indicator 7, and first indicator 1 where it is a main topic:
`$a` its label, `$2` the source code of its vocabulary, `$0` its URI. A term of a vocabulary of
genres and forms is a field 655 of the same form.

Source: Library of Congress, MARC 21 Format for Bibliographic Data; Subject Heading and Term Source
Codes; Genre/Form Code and Term Source Codes.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from xml.etree import ElementTree

from pymarc import Field, Indicators, Record, Subfield
from pymarc.marcxml import MARC_XML_NS, record_to_xml_node

TOPIC, GENRE = "650", "655"
FROM_SOURCE = "7"  # the second indicator of a subject whose vocabulary $2 names
PRIMARY = "1"  # the first indicator of a main topic
LOCAL = "local"
MOST_FIELD_BYTES, MOST_RECORD_BYTES = 9_999, 99_999  # that four and five digits can count
MOST_CHARACTERS = 2_000  # of a title or label: in UTF-8 less than a field holds
XML_START = f'<?xml version="1.0" encoding="UTF-8"?>\n<collection xmlns="{MARC_XML_NS}">\n'.encode()
XML_END = b"</collection>\n"
# The control characters divide a record; those at the end are none of XML.
UNFIT = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]+")


@dataclass(frozen=True, slots=True)
class SubjectSource:
    """Where subjects come from: the code in `$2`, and the tag of their fields."""

    code: str
    tag: str = TOPIC


SOURCES = {
    name: SubjectSource(name) for name in ("agrovoc", "eurovoc", "stw")
} | dict.fromkeys(("genreforms", "lcgft"), SubjectSource("lcgft", GENRE))  # fmt: skip
"""Vocabularies that have a code of their own, by id."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What a field says of a concept; `uri` is "" where the concept has none."""

    label: str
    uri: str
    is_main: bool = False

    def is_in(self, field: Field) -> bool:
        """Return whether a field says just this."""
        uris = [self.uri] if self.uri else []
        is_marked = field.indicators == subject_indicators(self, field.tag)
        labels = [composed(label) for label in field.get_subfields("a")]
        is_same = labels == [composed(self.label)] and field.get_subfields("0") == uris
        return is_same and (is_marked or not self.is_main)  # others may have marked it


def source_of(vocabulary_id: str) -> SubjectSource:
    """Return the source of a vocabulary's subjects; "local" for one without a code."""
    return SOURCES.get(vocabulary_id.lower(), SubjectSource(LOCAL))


def subject_field(subject: Subject, source: SubjectSource) -> Field:
    """Return the field of a subject."""
    values = [("a", subject.label), ("2", source.code), ("0", subject.uri)]
    subfields = [Subfield(code, value) for code, value in values if value]
    return Field(source.tag, subject_indicators(subject, source.tag), subfields)


def subject_indicators(subject: Subject, tag: str) -> Indicators:
    """Return the indicators of a subject: the first says of a topic that it is a main one."""
    return Indicators(PRIMARY if subject.is_main and tag == TOPIC else " ", FROM_SOURCE)


def is_from(field: Field, source: SubjectSource) -> bool:
    """Return whether a field is a subject of this source."""
    if field.tag not in (TOPIC, GENRE) or field.indicators is None:
        return False
    return field.indicators.second == FROM_SOURCE and field.get_subfields("2") == [source.code]


def fit(text: str) -> str:
    """Return text on one line, without what divides a record or breaks XML."""
    return " ".join(UNFIT.sub(" ", text).split())[:MOST_CHARACTERS]


def composed(text: str) -> str:
    """Return text with each accent in its letter, as it is compared: many catalogues have them apart."""
    return unicodedata.normalize("NFC", text)


def as_iso2709(record: Record) -> bytes | None:
    """Return a record in UTF-8 as MARC 21 exchanges it; None where it is too large for that."""
    sizes = (len(field.as_marc("utf-8")) for field in record.fields)
    if any(size > MOST_FIELD_BYTES for size in sizes):
        return None
    written: bytes = record.as_marc()
    return written if len(written) <= MOST_RECORD_BYTES else None


def as_xml(record: Record) -> bytes:
    """Return a record as an element of a MARCXML collection."""
    node = record_to_xml_node(record, quiet=True)
    return ElementTree.tostring(node, encoding="unicode").encode() + b"\n"
