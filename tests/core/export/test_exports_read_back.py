"""What Strata has exported with its texts is read as it was, on the page and on the command line."""

from __future__ import annotations

import csv
import io
import json
from datetime import date
from pathlib import Path

import pytest

from core.clinical.stay import Identifier, Stay
from core.documents.batches.assigned_concepts import ConceptNames
from core.documents.batches.batch import documents_of, open_batch
from core.documents.batches.document_batch import BatchDocument
from core.documents.document import Document, Part
from core.documents.inputs import InputDocument, read_inputs
from core.documents.rows.exported import CHANGED_TEXT, SUBJECT_COLUMNS
from core.export.export import Export
from core.export.gathering import DECISIONS, Selection
from core.review.decisions.recording import Operation
from core.review.store.arrivals import HERE, Arrival, add_document, add_documents
from core.review.store.documents import set_comment
from core.review.store.projects import default_project
from core.review.store.store import Store
from core.vocabulary.concepts import Hierarchy
from tests.support.exports import FORMULAS, HIERARCHY, NOTES, codes, table
from tests.support.files.office_files import zip_file
from tests.support.stores import send

EVERYTHING = Selection(decisions=frozenset(DECISIONS), proposed_terms=True)
FORMS = ("csv", "jsonl")
ANNEX = Part('ANNEX\n\nJars, with "quotes", tabs\tand | pipes.', "annex", None, "ANNEX")
STAY = Stay(
    date(2026, 2, 1), date(2026, 2, 4), 0, "female", "01",
    Identifier("0012", "urn:oid:1.2"), Identifier("7/1"),
)  # fmt: skip


def decide(store: Store, document_id: str, *actions: tuple[str, str]) -> None:
    operations = [Operation(n, *action) for n, action in enumerate(actions, start=1)]
    assert not send(store, *operations, document_id=document_id, client_id=document_id).refused


def acts(store: Store) -> list[Document]:
    project_id = default_project(store, "tiny").project_id
    documents = [
        Document("0012", "=HYPERLINK(1) honey", (Part("Article 1\n\nHoney."), ANNEX)),
        Document.from_text("32029R6120", "-5 °C storage", "Sea fishing, and honey.\n\n'Late'."),
        *(
            Document.from_text(f"odd {n}", f"Odd {n}", text.strip())
            for n, text in enumerate(FORMULAS)
        ),
    ]
    for document in documents:
        add_document(store, document, project_id=project_id)
        decide(store, document.document_id, ("add", "oil"), ("add", "food"), ("reject", "trade"))
    set_comment(store, "0012", "look\nagain")
    return documents


def encounters(store: Store) -> list[Document]:
    project_id = default_project(store, "icd9cm").project_id
    documents = [
        Document("e-1", "Stay 7", NOTES, STAY),
        Document("0013", "Stay 8", (Part("Lungs clear.", "Radiology report"),), None),
    ]
    for document in documents:
        add_document(store, document, project_id=project_id)
        decide(store, document.document_id, ("accept", "991.5"), ("accept", "786.2"))
    return documents


def exported(store: Store, form: str, hierarchy: Hierarchy = HIERARCHY) -> bytes:
    return Export(store, EVERYTHING, hierarchy, with_text=True).file(form)


def read_back(form: str, content: bytes, hierarchy: Hierarchy = HIERARCHY) -> list[BatchDocument]:
    batch = open_batch(f"back.{form}", content, encounters=hierarchy is not HIERARCHY)
    assert batch.is_export
    found = list(documents_of(batch, batch.guessed, ConceptNames(hierarchy)))
    documents = [item for item in found if isinstance(item, BatchDocument)]
    assert (len(documents), documents) == (batch.n_rows, found)
    return documents


def contents(document: Document) -> tuple[object, ...]:
    parts = [(part.text, part.kind, part.date, part.title) for part in document.parts]
    return document.document_id, document.title, parts, document.stay


def as_csv(rows: list[dict[str, str]]) -> bytes:
    file = io.StringIO(newline="")
    writer = csv.DictWriter(file, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return file.getvalue().encode()


@pytest.mark.parametrize("form", FORMS)
def test_acts_come_back_with_their_texts_and_accepted_concepts(form: str, store: Store) -> None:
    documents = acts(store)
    found = read_back(form, exported(store, form))
    assert [contents(item.document) for item in found] == [contents(d) for d in documents]
    assert {item.given for item in found} == {("oil", "food")}
    assert (found[0].comment, found[1].comment, found[0].unknown) == ("look\nagain", "", ())


@pytest.mark.parametrize("form", FORMS)
def test_encounters_come_back_with_notes_stay_and_patient(form: str, store: Store) -> None:
    documents = encounters(store)
    found = read_back(form, exported(store, form, codes()), codes())
    assert [contents(item.document) for item in found] == [contents(d) for d in documents]
    assert {item.given for item in found} == {("991.5", "786.2")}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("make", [acts, encounters])
def test_the_command_line_reads_them_alike(make, form: str, store: Store, tmp_path: Path) -> None:
    documents = make(store)
    file = tmp_path / f"back.{form}"
    file.write_bytes(exported(store, form, HIERARCHY if make is acts else codes()))
    found = [item for item in read_inputs(file) if isinstance(item, InputDocument)]
    assert [item.document.text for item in found] == [document.text for document in documents]
    assert [item.given_id for item in found] == [document.document_id for document in documents]


@pytest.mark.parametrize("packed", [False, True])
def test_a_table_by_document_is_of_documents_that_are_here(packed: bool, store: Store) -> None:
    documents = acts(store)
    name, content = "documents.csv", exported(store, "documents")
    assert table(content)[0].keys() >= SUBJECT_COLUMNS
    batch = open_batch(*(("a.zip", zip_file({name: content})) if packed else (name, content)))
    found = list(documents_of(batch, batch.guessed, ConceptNames(HIERARCHY)))
    for item, document in zip(found, documents, strict=True):
        assert isinstance(item, BatchDocument) and set(item.given) == {"oil", "food"}
        assert contents(item.document)[:2] == contents(document)[:2]
        assert item.document.text.split() == document.text.split()
    arrivals = [Arrival(item.document) for item in found if isinstance(item, BatchDocument)]
    outcomes = add_documents(store, arrivals, project_id=1, batch="back")
    assert {outcome.kind for outcome in outcomes} == {HERE}


def test_the_command_line_reads_a_table_by_document(store: Store, tmp_path: Path) -> None:
    documents = acts(store)
    file = tmp_path / "documents.csv"
    file.write_bytes(exported(store, "documents"))
    found = [item for item in read_inputs(file) if isinstance(item, InputDocument)]
    assert [item.document.title for item in found] == [document.title for document in documents]


def test_a_table_that_somebody_sorted_is_of_the_same_documents(store: Store) -> None:
    documents = acts(store)
    rows = sorted(table(exported(store, "csv")), key=lambda row: row["label"])
    found = {item.document.document_id: item for item in read_back("csv", as_csv(rows))}
    assert found.keys() == {document.document_id for document in documents}
    assert {item.document.text for item in found.values()} == {d.text for d in documents}


def test_notes_of_a_text_that_was_changed_come_as_one_and_that_is_said(store: Store) -> None:
    encounters(store)
    rows = table(exported(store, "csv", codes()))
    rows[0]["text"] += " More."
    (changed, _) = read_back("csv", as_csv(rows), codes())
    assert changed.document.text.endswith("Lungs clear. More.")
    assert (len(changed.document.parts), changed.said) == (1, (CHANGED_TEXT,))
    assert changed.document.stay == STAY


@pytest.mark.parametrize("outline", ["[1]", "{}", '[{"characters": "x"}]', "[" * 9_999, "nothing"])
def test_a_broken_outline_loses_no_text(outline: str, store: Store) -> None:
    encounters(store)
    rows = table(exported(store, "csv", codes()))
    rows[0]["parts"] = outline
    (first, _) = read_back("csv", as_csv(rows), codes())
    assert first.document.text == "Cough for three days.\n\nLungs clear."


def test_concepts_of_another_vocabulary_are_named_by_their_uri_alone(store: Store) -> None:
    acts(store)
    lines = [json.loads(line) for line in exported(store, "jsonl").splitlines()]
    lines[0]["concepts"][0] |= {"uri": "http://y/oil", "label": "petrol"}
    content = "\n".join(map(json.dumps, lines)).encode()
    first = read_back("jsonl", content)[0]
    assert (first.given, first.unknown) == (("food",), ("oil",))


@pytest.mark.parametrize(
    ("parts", "reason"),
    [([1], "part 1 has no text"), ([{"text": "x", "kind": ["x"]}], "the kind of note 1 must be text"),
     ([{"text": "x", "kind": "body", "date": "soon"}], "the date of part 1 is “soon”: write it as 2026-03-31")],
)  # fmt: skip
def test_a_part_that_cannot_be_read_is_named(parts: list[object], reason: str) -> None:
    line = {"id": "a", "title": "A", "status": "new", "vocabulary": "tiny", "concepts": []}
    batch = open_batch("a.jsonl", json.dumps(line | {"parts": parts}).encode())
    (bad,) = documents_of(batch, batch.guessed)
    assert bad.reason == reason
