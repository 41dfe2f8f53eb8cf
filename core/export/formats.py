"""The registry of export formats; another one is a module of its own and a line here."""

from __future__ import annotations

from core.clinical.formats import FORMATS as OF_ENCOUNTERS
from core.export.content import ExportFormat
from core.export.decision_table import CSV, TSV
from core.export.history import HISTORY, HISTORY_LINES
from core.export.jsonl import JSON_LINES
from core.export.jsonld import JSON_LD
from core.export.marc.new_records import MARC, MARC_XML
from core.export.subject_table import SUBJECT_TABLE
from core.vocabulary.conventions import conventions_of

FORMATS: dict[str, ExportFormat] = {
    form.name: form
    for form in (
        CSV,
        TSV,
        SUBJECT_TABLE,
        JSON_LINES,
        JSON_LD,
        MARC,
        MARC_XML,
        *OF_ENCOUNTERS,
        HISTORY,
        HISTORY_LINES,
    )
}
"""In the order in which they are offered."""


def forms_of(vocabulary_id: str) -> tuple[str, ...]:
    """Return the names of the formats that decisions of a vocabulary can have."""
    kind = "codes" if conventions_of(vocabulary_id).system else "thesauri"
    return tuple(name for name, form in FORMATS.items() if form.vocabularies in ("all", kind))
