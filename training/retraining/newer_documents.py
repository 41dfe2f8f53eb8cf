"""Documents with descriptors that a library has, as what is fitted on takes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

from core.documents.batches.assigned_concepts import ConceptNames
from core.documents.batches.document_batch import ColumnMapping, guess_columns
from core.documents.inputs import document_in, records_in
from core.documents.rows.files import unpacked
from core.documents.rows.records import BadLine, Record
from core.errors import ConfigError
from core.vocabulary.concepts import Hierarchy
from training.corpora.corpus import LabelledDocument

SAMPLED = 50
"""Rows from which the columns are guessed, as the app does."""


def read_newer_documents(files: Sequence[Path], hierarchy: Hierarchy) -> list[LabelledDocument]:
    """Read CSV or JSON Lines with a column of concepts, by id, URI, notation or label, the oldest
    first; rows that are no document or have no known concept are left out.

    Where rows have a `date`, in ISO 8601, they are sorted by it; else the last row is the newest.

    Raises:
        ConfigError: a file is not there, has no column of concepts, or no row of any can be used.
    """
    names = ConceptNames(hierarchy)
    documents: dict[str, LabelledDocument] = {}
    problems: list[str] = []
    for file in files:
        records = list(_records(file))
        columns = _columns(file, records)
        for record in records:
            row = document_in(record)
            if isinstance(row, BadLine):
                problems.append(f"{file.name}, {row.where}: {row.reason}.")
                continue
            assert isinstance(record, Record)
            assigned = names.read(record.fields.get(columns.concepts or ""))
            if not assigned.concept_ids:
                problems.append(f"{file.name}, {record.where}: no concept of the vocabulary.")
                continue
            date = str(record.fields.get("date") or "")
            named = str(record.fields.get(columns.document_id or "") or "").strip()
            document = replace(row.document, document_id=named or row.document.document_id)
            documents[document.document_id] = LabelledDocument(document, assigned.concept_ids, date)
    if not documents:
        raise ConfigError(f"No row has a text or title and a known concept. {problems[0]}")
    return sorted(documents.values(), key=lambda row: row.date)


def _records(file: Path) -> list[Record | BadLine]:
    if not file.is_file():
        raise ConfigError(f"There is no file {file}.")
    with unpacked(file) as content:
        return list(records_in(str(file), content))


def _columns(file: Path, records: Sequence[Record | BadLine]) -> ColumnMapping:
    sample = list(islice((r.fields for r in records if isinstance(r, Record)), SAMPLED))
    filled = (name for fields in sample for name, value in fields.items() if value is not None)
    columns = tuple(dict.fromkeys(filled))
    guessed = guess_columns(columns, sample)
    if guessed.concepts is None:
        raise ConfigError(
            f"{file.name} has no column of concepts: call it concepts, descriptors or codes."
        )
    return guessed


def kept_apart(
    documents: Sequence[LabelledDocument], judged_share: float
) -> tuple[Sequence[LabelledDocument], Sequence[LabelledDocument]]:
    """Return the earlier documents, and the share of the newest, on which nothing is learned."""
    n_learned = len(documents) - round(judged_share * len(documents))
    return documents[:n_learned], documents[n_learned:]
