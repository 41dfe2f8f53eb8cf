"""Documents as new records of a catalogue, in MARC 21 (ISO 2709) and MARCXML.

A record is minimal: leader, 001 with the document's id, 008, 245 with its title, and its subjects;
where the project names people, 583 with who has indexed and approved.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pymarc import Field, Indicators, MARCReader, Record, Subfield

from core.documents.language import identify_language
from core.errors import DocumentError
from core.export.content import ConceptNaming, ExportContent, ExportFormat, subjects
from core.export.gathering import ExportedDocument
from core.export.marc.fields import (
    XML_END,
    XML_START,
    Subject,
    as_iso2709,
    as_xml,
    fit,
    source_of,
    subject_field,
)
from core.review.reports.summaries import APPROVED
from core.review.store.documents import fetch_beginning
from core.vocabulary.concepts import IRI

# A new text in UTF-8 that stands by itself, described more briefly than catalogues do ("3").
LEADER = "00000nam a22000003  4500"
# 008 between the date of entry and the language: no date or place is known, and "|" stands for what
# nobody looked at.
FIXED_FIELDS = "nuuuuuuuuxx " + "|" * 17
UNDETERMINED = "und"
ACTION, PRIVATE = "583", "0"  # a note on what was done, and its first indicator
INDEXED, REVIEWED = "indexed", "indexing approved"
LANGUAGES = {
    "bg": "bul", "cs": "cze", "da": "dan", "de": "ger", "el": "gre", "en": "eng", "es": "spa",
    "et": "est", "fi": "fin", "fr": "fre", "ga": "gle", "hr": "hrv", "hu": "hun", "it": "ita",
    "lt": "lit", "lv": "lav", "mt": "mlt", "nl": "dut", "pl": "pol", "pt": "por", "ro": "rum",
    "sk": "slo", "sl": "slv", "sv": "swe",
}  # fmt: skip
"""The code of MARC by that of ISO 639-1. Source: Library of Congress, MARC Code List for Languages."""
BETWEEN_TAGS = re.compile("(?<=>)(?=<)")  # no text has a bare "<"
TOO_LARGE = (
    "A document has more subjects than a record of MARC 21 holds; choose MARCXML, or fewer "
    "decisions."
)
MEANING = (
    "a record for each document, with its accepted concepts as subjects (650, or 655 for genres "
    "and forms); given ones too if you choose them. `$2` is the code of EuroVoc, STW, AGROVOC or "
    "LCGFT, and *local* for any other vocabulary. Other decisions and proposed terms stay out."
)


def write_iso2709(content: ExportContent) -> Iterator[bytes]:
    """Yield the records of all documents.

    Raises:
        DocumentError: the subjects of a document do not fit into a record.
    """
    for exported in content.documents:
        written = as_iso2709(new_record(exported, content))
        if written is None:
            raise DocumentError(TOO_LARGE)
        yield written


def write_xml(content: ExportContent) -> Iterator[bytes]:
    """Yield a collection with the records of all documents."""
    yield XML_START
    yield from (as_xml(new_record(exported, content)) for exported in content.documents)
    yield XML_END


def new_record(exported: ExportedDocument, content: ExportContent) -> Record:
    """Return a document as a record; one without a title is called by its id."""
    naming = content.naming
    beginning = fetch_beginning(content.store, exported.summary.document_id)
    language = LANGUAGES.get(identify_language(beginning) or "", UNDETERMINED)
    summary, source = exported.summary, source_of(naming.hierarchy.vocabulary_id)
    document_id, title = fit(summary.document_id), fit(summary.title)
    record = Record(leader=LEADER)
    record.add_field(
        Field("001", data=document_id),
        Field("008", data=f"{summary.created_at:%y%m%d}{FIXED_FIELDS}{language}||"),
        Field("245", Indicators("0", "0"), [Subfield("a", title or document_id)]),
        *(_actions(exported) if content.names_people else ()),
        *(subject_field(subject, source) for subject in subjects_of(exported, naming)),
    )
    return record


def _actions(exported: ExportedDocument) -> Iterator[Field]:
    """Yield who has finished and approved a document, as private action notes."""
    signed = exported.sign_off
    approver = signed.reviewed_by if exported.summary.judged == APPROVED else ""
    for action, name in ((INDEXED, signed.finished_by), (REVIEWED, approver)):
        if name:
            parts = [Subfield("a", action), Subfield("k", fit(name))]
            yield Field(ACTION, Indicators(PRIVATE, " "), parts)


def subjects_of(exported: ExportedDocument, naming: ConceptNaming) -> list[Subject]:
    """Return what a document is about, as fields say it."""
    return [
        Subject(fit(name.label), name.uri if IRI.fullmatch(name.uri) else "", item.main)
        for item in subjects(exported)
        for name in [naming.name(item)]
    ]


def mnemonic(content: bytes) -> str:
    """Return records a line a field, as catalogues show them."""
    return "\n".join(str(record) for record in MARCReader(content))


def spread_out(content: bytes) -> str:
    """Return a collection that Strata has written, an element a line."""
    return BETWEEN_TAGS.sub("\n", content.decode())


MARC = ExportFormat(
    "marc",
    "mrc",
    "application/marc",
    write_iso2709,
    vocabularies="thesauri",
    meaning=f"MARC 21 in ISO 2709 and UTF-8: {MEANING}",
    preview_note="The first record, a line for each field.",
    title="MARC 21",
    has_subjects=True,
    is_of_records=True,
    has_text=False,
    as_text=mnemonic,
    syntax=None,
)
MARC_XML = ExportFormat(
    "marcxml",
    "marc.xml",
    "application/marcxml+xml",
    write_xml,
    vocabularies="thesauri",
    meaning=f"MARCXML: {MEANING}",
    preview_note="The first record, spread out to be read; the file is one collection of all.",
    title="MARCXML",
    has_subjects=True,
    is_of_records=True,
    has_text=False,
    as_text=spread_out,
    syntax="xml",
)
