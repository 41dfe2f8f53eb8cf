"""What every reader of records does: check a record, and collect what is wrong with the others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from core.documents.rows.json_rows import NO_OBJECT
from core.errors import DocumentError
from training.corpora.corpus import LabelledDocument

Record = Mapping[str, Any]

SMALLEST_JUDGED_SPLIT = 20
"""Below this many records, a file is never refused for the share of bad ones alone."""


class RecordError(Exception):
    """A record cannot be used; the text gives the reason, not the place."""


@dataclass(slots=True)
class CollectedDocuments:
    """The usable documents of one split, and a sentence for each record that was not."""

    documents: list[LabelledDocument] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def require_mostly_good(self, where: str) -> None:
        """Refuse a split that has no usable record, or mostly unusable ones.

        Raises:
            DocumentError: names the place, the counts and the first problem.
        """
        good, bad = len(self.documents), len(self.problems)
        if good and (bad <= good or good + bad < SMALLEST_JUDGED_SPLIT):
            return
        first = f" The first problem: {self.problems[0]}" if self.problems else ""
        raise DocumentError(
            f"{where} has {good:,} usable records and {bad:,} unusable ones.{first}"
        )


def collect(
    records: Iterable[tuple[str, Callable[[], Record]]],
    parse: Callable[[Record], LabelledDocument],
) -> CollectedDocuments:
    """Parse every record, given as its place ("file, line 3") and a way to load it."""
    collected = CollectedDocuments()
    for where, load in records:
        try:
            collected.documents.append(parse(load()))
        except RecordError as problem:
            collected.problems.append(f"{where}: {problem}, so it is skipped.")
    return collected


def as_record(value: object) -> Record:
    """Return the JSON object, or a complaint where the JSON is something else."""
    if not isinstance(value, dict):
        raise RecordError(NO_OBJECT)
    return value


def text_field(record: Record, *names: str) -> str:
    """Return the first named field that is there, stripped; "" for none or null."""
    for name in names:
        value = record.get(name)
        if value is None:
            continue
        if not isinstance(value, str):
            raise RecordError(f"{name} must be text, not {type(value).__name__}")
        return value.strip()
    return ""


def id_field(record: Record, *names: str) -> str:
    """Return the document's id, which may be a number; a document without one cannot be used."""
    for name in names:
        value = record.get(name)
        if isinstance(value, int | str) and str(value).strip():
            return str(value).strip()
    raise RecordError(f"no id under {' or '.join(names)}")


def concepts_field(record: Record, *names: str) -> tuple[str, ...]:
    """Return the assigned concept ids, each once, in their order; an empty list is no problem."""
    for name in names:
        if name not in record:
            continue
        value = record[name]
        if not isinstance(value, list):
            raise RecordError(f"{name} must be a list, not {type(value).__name__}")
        if not all(isinstance(item, int | str) for item in value):
            raise RecordError(f"{name} must hold concept ids only")
        return tuple(dict.fromkeys(str(item).strip() for item in value if str(item).strip()))
    raise RecordError(f"no concepts under {' or '.join(names)}")


def label_names(rows: Iterable[LabelledDocument]) -> dict[str, str]:
    """Return every label of these documents, sorted, called by its id."""
    return {label: label for label in sorted({label for row in rows for label in row.assigned})}
