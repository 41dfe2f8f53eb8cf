"""The history of documents, and what they are about with one row a document."""

from __future__ import annotations

import csv
import io
import json

from core.documents.document import Document
from core.export.export import Export
from core.export.gathering import DECISIONS, Selection
from core.review.decisions.recording import Operation
from core.review.reports.snapshot import ACCEPTED, GIVEN
from core.review.store.arrivals import add_document
from core.review.store.people import default_person
from core.review.store.projects import default_project
from core.review.store.proposed_terms import propose_term
from core.review.store.store import Store
from tests.support.exports import HIERARCHY
from tests.support.stores import send

SUBJECTS = Selection(decisions=frozenset({ACCEPTED, GIVEN}), proposed_terms=True)


def add(store: Store, document_id: str, *actions: Operation) -> None:
    project_id = default_project(store, "tiny").project_id
    document = Document.from_text(document_id, "=On oil | and fat", "The text.")
    add_document(store, document, project_id=project_id, given=["sum"])
    assert not send(store, *actions, document_id=document_id, client_id=document_id).refused


def table(store: Store, form: str, selection: Selection = SUBJECTS) -> list[dict[str, str]]:
    content = Export(store, selection, HIERARCHY).file(form).decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(content, newline="")))


def test_the_history_has_every_event_also_what_was_undone(store: Store) -> None:
    add(
        store,
        "act",
        Operation(1, "accept", "oil"),
        Operation(2, "undo"),
        Operation(3, "add", "oil"),
        Operation(4, "finish", shown=3),
    )
    propose_term(store, "act", "olive mill", "missed", default_person(store).person_id)
    rows = table(store, "history")
    assert [row["action"] for row in rows] == ["accept", "undo", "add", "finish", "propose"]
    accept, undo, *_ = rows
    assert accept["undone_by"] == undo["event"] and undo["undoes"] == accept["event"]
    assert (accept["uri"], accept["label"]) == ("http://x/oil", "olive, oil")
    assert accept["person"] == "me" and accept["decided_at"].endswith("Z")
    assert rows[3]["shown"] == "3"
    assert (rows[4]["label"], rows[4]["value"]) == ("olive mill", "missed")
    assert rows[0]["title"] == "'=On oil | and fat"
    lines = Export(store, SUBJECTS, HIERARCHY).file("history-jsonl").decode().splitlines()
    events = [json.loads(line) for line in lines]
    assert [event["action"] for event in events] == [row["action"] for row in rows]
    assert events[0]["title"] == "=On oil | and fat" and events[0]["probability"] is None


def test_a_document_is_one_row_with_its_subjects_joined(store: Store) -> None:
    marked = (
        Operation(1, "accept", "oil"),
        Operation(2, "mark", "oil"),
        Operation(3, "reject", "food"),
    )
    add(store, "act", *marked)
    add(store, "bare")
    first, second = table(store, "documents", Selection(decisions=frozenset(DECISIONS)))
    assert first["labels"] == "olive, oil | '=SUM(A1)".replace("'", "")
    assert first["concepts"] == "http://x/oil | http://x/sum"
    assert (first["main_topics"], first["n_concepts"]) == ("olive, oil", "2")
    assert (second["document_id"], second["labels"]) == ("bare", "'=SUM(A1)")
    assert [row["labels"] for row in table(store, "documents", Selection())] == ["olive, oil", ""]
