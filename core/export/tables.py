"""Decisions as a table that opens in a spreadsheet: one row a decision, CSV or TSV.

Text cells that a spreadsheet would take for a formula get a leading apostrophe; probabilities and
ranks are plain numbers.
"""

from __future__ import annotations

import codecs
import csv
import io
import json
import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from functools import partial

from core.clinical.joined import part_of, system_of
from core.clinical.stay import NO_STAY, Stay
from core.documents.document import Document
from core.documents.rows.spreadsheet_cells import cell_text, text_cell
from core.export.content import ConceptNaming, ExportContent, ExportFormat
from core.export.gathering import PROPOSED, ExportedDecision, ExportedDocument
from core.review.store.proposed_terms import ProposedTerm
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.conventions import conventions_of

COLUMNS = (
    "document_id",
    "title",
    "uri",
    "notation",
    "label",
    "path",
    "decision",
    "probability",
    "rank",
    "source",
    "model",
    "vocabulary",
    "person",
    "decided_at",
    "main_topic",
    "status",
    "comment",
    "batch",
    "note",
)
CODED_COLUMNS = ("code_system", "place", "present_on_admission", "performed_on")  # of codes alone
# With the texts of encounters: what is known of the stay, and how long each note is.
ENCOUNTER_COLUMNS = (
    "admitted", "discharged", "age", "sex", "disposition", "patient", "patient_system", "encounter",
    "encounter_system", "parts",
)  # fmt: skip
TEXT = "text"  # the last column, where it is asked for
PERSON = "person"  # the source of a concept that no suggester named
YES = "yes"
BREAKS = re.compile("[\t\r\n]+")

TAB = "\t"
PIECE_CHARACTERS = 64_000  # of a file that is being written
Cells = tuple[str, ...]


def rows(content: ExportContent) -> Iterator[Cells]:
    """Yield the cells of each row in the order of `columns`, safe for a spreadsheet.

    Where text is asked for, that of a document stands in the last column of its first row, and
    before it what is known of an encounter.
    """
    naming = content.naming
    for exported in content.documents:
        lines = [_cells(exported, item, naming) for item in exported.items]
        lines += [_term_cells(exported, term, naming) for term in exported.proposed_terms]
        if content.document is None:
            yield from lines
            continue
        document = content.text_of(exported) if lines else None
        for number, cells in enumerate(lines):
            yield (*cells, *_text_cells(document if number == 0 else None, naming.hierarchy))


def write(content: ExportContent, *, delimiter: str = ",") -> Iterator[bytes]:
    """Yield the bytes of the table of decisions."""
    vocabulary_id = content.naming.hierarchy.vocabulary_id
    names = columns(vocabulary_id, with_text=content.document is not None)
    return table(names, rows(content), delimiter=delimiter)


def table(names: Cells, lines: Iterable[Cells], *, delimiter: str = ",") -> Iterator[bytes]:
    """Yield the bytes of a table: UTF-8 with a byte order mark, CRLF, names first.

    In a TSV, tabs and line breaks inside a cell become a space.
    """
    piece = io.StringIO(newline="")
    writer = csv.writer(piece, delimiter=delimiter, lineterminator="\r\n")
    writer.writerow(names)
    yield codecs.BOM_UTF8
    for cells in lines:
        writer.writerow([BREAKS.sub(" ", cell) for cell in cells] if delimiter == TAB else cells)
        if piece.tell() > PIECE_CHARACTERS:
            yield _taken(piece)
    yield _taken(piece)


def _taken(piece: io.StringIO) -> bytes:
    """What was written since the last time."""
    written = piece.getvalue().encode()
    piece.seek(0)
    piece.truncate()
    return written


def columns(vocabulary_id: str, *, with_text: bool) -> Cells:
    """Return the names of the columns; a code system has more of them."""
    is_coded = conventions_of(vocabulary_id).system
    coded = (*CODED_COLUMNS, *(ENCOUNTER_COLUMNS if with_text else ())) if is_coded else ()
    return (*COLUMNS, *coded, *((TEXT,) if with_text else ()))


def format_moment(decided_at: datetime | None) -> str:
    """Return a moment in UTC, as ISO 8601 writes it; nothing for none."""
    return "" if decided_at is None else decided_at.strftime("%Y-%m-%dT%H:%M:%SZ")


def _cells(exported: ExportedDocument, item: ExportedDecision, naming: ConceptNaming) -> Cells:
    """Return the row of a decision."""
    name = naming.name(item)
    texts = (
        exported.summary.document_id,
        exported.summary.title,
        name.uri,
        name.notation or "",
        name.label,
        name.path,
        item.decision,
    )
    numbers = (
        "" if item.probability is None else f"{item.probability:.6f}",
        "" if item.rank is None else str(item.rank),
    )
    version = naming.version(item) or ""
    origin = (
        item.source or PERSON,
        item.bundle_hash or "",
        f"{part_of(item.concept_id, naming.hierarchy).vocabulary_id} {version}".strip(),
        item.person or "",
        format_moment(item.decided_at),
        YES if item.main else "",
        *_about(exported),
        "",
    )
    coded = _coded_cells(item, naming.hierarchy)
    return (*map(text_cell, texts), *numbers, *map(text_cell, origin), *coded)


def _text_cells(document: Document | None, hierarchy: Hierarchy) -> Cells:
    """Return the cells of a document's text, which are empty in the rows behind its first."""
    text = "" if document is None else text_cell(document.text)
    if not conventions_of(hierarchy.vocabulary_id).system:
        return (text,)
    if document is None:
        return (*("" for _ in ENCOUNTER_COLUMNS), text)
    known = stay_fields(document.stay or NO_STAY)
    stay = [known.get(name, "") for name in ENCOUNTER_COLUMNS[:-1]]
    parts = [
        {"kind": part.kind, "title": part.title, "date": str(part.date or "") or None,
         "characters": len(cell_text(part.text))}
        for part in document.parts
    ]  # fmt: skip
    return (*(text_cell(str(cell)) for cell in stay), json.dumps(parts, ensure_ascii=False), text)


def stay_fields(stay: Stay) -> dict[str, str | int]:
    """Return what is known of a stay by the names of `STAY_FIELDS`, identifiers with their systems."""
    fields: dict[str, str | int | None] = {
        "admitted": str(stay.admitted or ""),
        "discharged": str(stay.discharged or ""),
        "age": stay.age_years,
        "sex": stay.sex,
        "disposition": stay.disposition,
    }
    for name, identifier in (("patient", stay.patient), ("encounter", stay.encounter)):
        if identifier is not None:
            fields |= {name: identifier.value, f"{name}_system": identifier.system}
    return {name: value for name, value in fields.items() if value is not None and value != ""}


def _coded_cells(item: ExportedDecision, hierarchy: Hierarchy) -> Cells:
    """Return the cells that only codes have; a concept of a thesaurus has none."""
    if not conventions_of(hierarchy.vocabulary_id).system:
        return ()
    system = system_of(item.concept_id, hierarchy)
    place = "" if item.place is None else str(item.place)
    day = item.performed_on.isoformat() if item.performed_on else ""
    return (system, place, item.present or "", day)


def _term_cells(exported: ExportedDocument, term: ProposedTerm, naming: ConceptNaming) -> Cells:
    """Return the row of a proposed term."""
    texts = {
        "document_id": exported.summary.document_id,
        "title": exported.summary.title,
        "label": term.text,
        "decision": PROPOSED,
        "source": PERSON,
        "vocabulary": naming.hierarchy.vocabulary_id,
        "person": term.person,
        "decided_at": format_moment(term.created_at),
        "note": term.note,
    } | dict(zip(("status", "comment", "batch"), _about(exported), strict=True))
    names = columns(naming.hierarchy.vocabulary_id, with_text=False)
    return tuple(text_cell(texts.get(name, "")) for name in names)


def _about(exported: ExportedDocument) -> Cells:
    """Status, comment and batch of a document."""
    summary = exported.summary
    return summary.status, summary.comment, summary.batch or ""


CSV = ExportFormat("csv", "csv", "text/csv", write, layout="rows")
TSV = ExportFormat(
    "tsv", "tsv", "text/tab-separated-values", partial(write, delimiter=TAB), layout="rows"
)
