"""A table that was exported, changed in a spreadsheet, and comes back: what would change, and doing it.

A row is a concept on a document, found by its URI, label or notation. Of `decision` the words of the
export count; a row without one is accepted. A document that the file accepts something on is taken
as complete: what is accepted in Strata and in no row of it is removed, which means undecided. Where
rows contradict each other about a concept, nothing happens to it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from uuid import uuid4

from core.documents.batches.assigned_concepts import ConceptNames
from core.documents.rows.records import BadLine
from core.export.changed_rows import (
    DECISION_COLUMN,
    NAME_COLUMNS,
    Cells,
    DocumentRows,
    RowsByDocument,
    rows_by_document,
)
from core.export.content import ConceptNaming
from core.export.gathering import ExportedDocument, Selection, gather
from core.review.decisions.recording import (
    MAX_OPERATIONS,
    Operation,
    record,
    version,
    versions,
)
from core.review.reports.snapshot import ACCEPTED, EXCLUDED, REJECTED
from core.review.reports.summaries import FINISHED
from core.review.store.documents import titles_of
from core.review.store.rules import Rules
from core.review.store.store import Store
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.conventions import conventions_of
from core.vocabulary.folding import fold_text

SOURCE = "file"  # of the decisions that come of a table
REMOVED = "removed"
ACTIONS = {ACCEPTED: "add", REJECTED: "reject", EXCLUDED: "exclude", REMOVED: "clear"}
"""What may happen to a concept, and the operation that does it."""

CODE_COLUMNS = ("uri", "notation", "label")  # codes are called by their notation


@dataclass(frozen=True, slots=True)
class DocumentChanges:
    """What a table changes on a document.

    Attributes:
        concepts: by what happens to them, a key of `ACTIONS`.
        version: of the document with which the table was compared.
    """

    document_id: str
    title: str
    concepts: Mapping[str, tuple[str, ...]]
    is_finished: bool = False
    version: int = 0

    @property
    def n_concepts(self) -> int:
        """How many decisions they are."""
        return sum(map(len, self.concepts.values()))


@dataclass(slots=True)
class TableChanges:
    """What a table would change, and what in it is not understood.

    Attributes:
        documents: those that would change, in the order of the table.
        finished: those that would, but are finished, and stay as they are.
        n_same: how many documents stay as they are because the table says the same.
        unknown_documents: ids that the project does not have.
        unknown_concepts: row and name of what the vocabulary does not have.
        contradictory: rows, and what they contradict each other in; of a concept with such rows
            nothing changes.
        mistaken: rows whose title is that of another document than the one that they name, or that
            may be of another one whose id a spreadsheet has changed; nothing is taken of them, and
            nothing is removed from their documents.
        restored: ids that had lost their zeros in the table; the title says whose the rows are.
        bad: rows that cannot be read.
        removes: whether anything is removed; never where a row cannot be read.
    """

    documents: list[DocumentChanges] = field(default_factory=list)
    finished: list[DocumentChanges] = field(default_factory=list)
    n_same: int = 0
    unknown_documents: list[str] = field(default_factory=list)
    unknown_concepts: list[tuple[str, str]] = field(default_factory=list)
    contradictory: list[BadLine] = field(default_factory=list)
    mistaken: list[BadLine] = field(default_factory=list)
    restored: list[str] = field(default_factory=list)
    bad: list[BadLine] = field(default_factory=list)
    removes: bool = True

    def counts(self) -> Counter[str]:
        """Return how many concepts each thing happens to."""
        counted: Counter[str] = Counter()
        for document in self.documents:
            counted.update(
                {what: len(concept_ids) for what, concept_ids in document.concepts.items()}
            )
        return counted


@dataclass(slots=True)
class AppliedChanges:
    """What became of the changes: decisions that are stored, and why others are not.

    Attributes:
        overtaken: documents on which somebody has decided since, and which stay as they are.
    """

    n_documents: int = 0
    n_stored: int = 0
    overtaken: list[str] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)


def read_changes(
    name: str,
    content: bytes,
    store: Store,
    *,
    hierarchy: Hierarchy,
    language: str,
    project_id: int,
    removes: bool = True,
    hides_titles: bool = False,
) -> TableChanges:
    """Return what a table would change; nothing is stored.

    Args:
        name: of the file; its ending says what it is.
        language: that labels were exported in.
        removes: whether concepts that are missing in the table are removed.
        hides_titles: whether it is said without titles which rows are of another document.
    Raises:
        DocumentError: it is no table with these columns, or too large.
        StoreError: the store cannot be read.
    """
    changes = TableChanges(removes=removes)
    rows = rows_by_document(name, content, changes.bad)
    changes.removes = removes and not changes.bad
    whose = DocumentRows(titles_of(store, project_id), rows, hides_titles=hides_titles)
    rows = _with_zeros(rows, whose, changes.restored)
    naming, names = ConceptNaming(hierarchy, language), ConceptNames(hierarchy, language)
    chosen = Selection(
        document_ids=tuple(rows),
        decisions=frozenset((ACCEPTED, REJECTED, EXCLUDED)),
        project_id=project_id,
    )
    stored_versions = versions(store, list(rows))  # before the documents themselves are read
    here = {exported.summary.document_id: exported for exported in gather(store, chosen, hierarchy)}
    for document_id, written in rows.items():
        if document_id not in here:
            lost = whose.lost(document_id, written)
            if lost is not None:
                changes.mistaken.append(lost)
            else:
                changes.unknown_documents.append(document_id)
            continue
        mistaken = whose.mistaken(document_id, written)
        changes.mistaken += mistaken
        places = {row.where for row in mistaken}
        right = [row for row in written if row[0] not in places]
        if right:
            _compare(
                here[document_id], right, changes,
                naming=naming, names=names, is_whole=not mistaken,
            )  # fmt: skip
    changes.documents = [
        replace(document, version=stored_versions[document.document_id])
        for document in changes.documents
    ]
    return changes


def _with_zeros(rows: RowsByDocument, whose: DocumentRows, restored: list[str]) -> RowsByDocument:
    """Return the rows by the ids that their documents have; those that a table changed are added."""
    by_document: RowsByDocument = {}
    for written, its_rows in rows.items():
        document_id = whose.named_by_title(written, its_rows)
        if document_id != written:
            restored.append(document_id)
        by_document.setdefault(document_id, []).extend(its_rows)
    return by_document


def apply_changes(
    changes: TableChanges,
    store: Store,
    *,
    person_id: int,
    hierarchy: Hierarchy,
    rules: Rules | None = None,
) -> AppliedChanges:
    """Store the changes as decisions of a person; what a table does to a document is undone as one.

    Raises:
        StoreError: the store cannot be written; the documents before are stored.
    """
    applied = AppliedChanges()
    for document in changes.documents:
        if version(store, document.document_id) != document.version:
            applied.overtaken.append(document.document_id)
            continue
        client_id = f"{SOURCE}-{uuid4().hex}"
        operations = list(_operations(document))
        # Rules hold for what the vocabulary has; what it has lost can still be removed.
        for assignable in (hierarchy, None):
            writes = iter(
                [o for o in operations if (o.concept_id in hierarchy) == (assignable is not None)]
            )
            while some := list(islice(writes, MAX_OPERATIONS)):
                receipt = record(
                    store,
                    document_id=document.document_id,
                    person_id=person_id,
                    client_id=client_id,
                    operations=some,
                    concept_ids=assignable,
                    vocabulary=hierarchy,
                    rules=rules,
                )
                applied.n_stored += len(receipt.stored)
                applied.refused.update(refusal.reason for refusal in receipt.refused)
        applied.n_documents += 1
    return applied


def _operations(document: DocumentChanges) -> Iterator[Operation]:
    listed = (
        (action, concept_id)
        for what, action in ACTIONS.items()
        for concept_id in document.concepts.get(what, ())
    )
    for sequence, (action, concept_id) in enumerate(listed, start=1):
        source = SOURCE if action == "add" else None
        yield Operation(sequence, action, concept_id, group=SOURCE, source=source)


# ---------------------------------------------------------------------- what differs


def _compare(
    exported: ExportedDocument,
    rows: Iterable[tuple[str, Cells]],
    changes: TableChanges,
    *,
    naming: ConceptNaming,
    names: ConceptNames,
    is_whole: bool,
) -> None:
    """Note what the rows of a document change on it; some are missing where it is not whole."""
    present = {item.concept_id: item.decision for item in exported.items}
    # By what the export calls them, also those that the vocabulary has lost.
    by_uri = {naming.name(item).uri: item.concept_id for item in exported.items}
    codes = conventions_of(naming.hierarchy.vocabulary_id).code_first
    columns = CODE_COLUMNS if codes else NAME_COLUMNS
    wanted: dict[str, dict[str, str]] = {}  # by concept, words and the first row with each
    doubtful: set[str] = set()  # concepts of rows that name two
    n_unknown = len(changes.unknown_concepts)
    for where, cells in rows:
        word = cells.get(DECISION_COLUMN, "").lower() or ACCEPTED
        if word not in ACTIONS:
            continue
        called = [cells[column] for column in columns if cells.get(column)]
        concept_id = next(filter(None, map(by_uri.get, called)), None)
        concept_id = concept_id or next(filter(None, map(names.find, called)), None)
        if concept_id is None:
            changes.unknown_concepts.append((where, called[0] if called else ""))
            continue
        others = _others(concept_id, called, naming.hierarchy, names)
        if others:
            doubtful |= {concept_id, *others}
            changes.contradictory.append(BadLine(where, f"names two concepts: {_both(called)}"))
        else:
            wanted.setdefault(concept_id, {}).setdefault(word, where)
    for concept_id, words in wanted.items():
        if len(words) > 1:
            doubtful.add(concept_id)
            (first, where), (second, other) = list(words.items())[:2]
            reason = f"{other} says {second} of the same concept, and this one {first}"
            changes.contradictory.append(BadLine(where, reason))
    is_understood = is_whole and len(changes.unknown_concepts) == n_unknown
    is_accepting = any(ACCEPTED in words for words in wanted.values())
    is_complete = changes.removes and is_understood and is_accepting
    clear = {i: next(iter(words)) for i, words in wanted.items() if i not in doubtful}
    settled = {i: word for i, word in present.items() if i not in doubtful}
    _note(exported, _differences(settled, clear, is_complete=is_complete), changes)


def _others(
    concept_id: str, called: Iterable[str], hierarchy: Hierarchy, names: ConceptNames
) -> set[str]:
    """Return what a row names beside its concept; a label that is one of the concept's is its own."""
    if concept_id not in hierarchy:
        return set()
    concept = hierarchy[concept_id]
    labels = [*concept.pref_label.values(), *chain(*concept.alt_labels.values())]
    its_names = {fold_text(name) for name in (*labels, concept.notation or "")}
    named = {names.find(name) for name in called if fold_text(name) not in its_names}
    return {other for other in named if other is not None and other != concept_id}


def _both(called: Sequence[str]) -> str:
    return " and ".join(name[:60] for name in called)


def _differences(
    present: Mapping[str, str], wanted: Mapping[str, str], *, is_complete: bool
) -> dict[str, tuple[str, ...]]:
    by_change: dict[str, list[str]] = {}
    for concept_id, word in wanted.items():
        if present.get(concept_id) != word:
            by_change.setdefault(word, []).append(concept_id)
    if is_complete:
        missing = [i for i, word in present.items() if word == ACCEPTED and i not in wanted]
        by_change |= {REMOVED: missing} if missing else {}
    return {what: tuple(concept_ids) for what, concept_ids in by_change.items()}


def _note(
    exported: ExportedDocument, concepts: Mapping[str, tuple[str, ...]], changes: TableChanges
) -> None:
    summary = exported.summary
    is_finished = summary.status == FINISHED
    if not concepts:
        changes.n_same += 1
        return
    document = DocumentChanges(summary.document_id, summary.title, concepts, is_finished)
    (changes.finished if is_finished else changes.documents).append(document)
