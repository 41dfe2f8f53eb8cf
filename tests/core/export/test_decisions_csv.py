from __future__ import annotations

import csv
import io

import pandas as pd
import pytest

from core.documents.document import Document
from core.export.decision_table import COLUMNS
from core.export.export import Export
from core.export.gathering import Selection
from core.review.decisions.recording import Operation, record
from core.review.reports.snapshot import EXPLICIT
from core.review.store.arrivals import add_document
from core.review.store.documents import remove_document
from core.review.store.people import default_person
from core.review.store.predictions import save_prediction
from core.review.store.projects import default_project
from core.review.store.store import Store
from core.suggest.suggestions import Prediction, Suggestion
from tests.support.exports import FORMULAS, HIERARCHY, ODD_TITLES


def add(store: Store, document_id: str, title: str = "Title", *, vocabulary: str = "tiny") -> str:
    project = default_project(store, vocabulary)
    document = Document.from_text(document_id, "", "Text.")
    document = Document(document_id, title, document.parts)
    stored_id = add_document(store, document, project_id=project.project_id)
    suggestions = (
        Suggestion("oil", "http://x/oil", "-7", "olive, oil", 0.9312345678, 0.95, 1),
        Suggestion("food", "http://x/food", "10", "food", 0.00001234, 0.96, 2, "lexical"),
        Suggestion("gone", "http://x/gone", "G", "gone by now", 0.5, 0.5, 3),
    )
    prediction = Prediction(suggestions, {}, 5, 5, 1, "hash123", "1.9", 0.1)
    save_prediction(store, stored_id, prediction, settings={})
    return stored_id


def decide(store: Store, document_id: str, *decisions: tuple[str, str]) -> None:
    record(
        store,
        document_id=document_id,
        person_id=default_person(store).person_id,
        client_id=f"tab {document_id!r}",
        operations=[Operation(n, *decision) for n, decision in enumerate(decisions, start=1)],
    )


def export(store: Store, document_id: str | None = None) -> bytes:
    ids = None if document_id is None else (document_id,)
    selection = Selection(document_ids=ids, decisions=frozenset(EXPLICIT))
    return Export(store, selection, HIERARCHY).file("csv")


def table(content: bytes) -> pd.DataFrame:
    return pd.read_csv(
        io.BytesIO(content), encoding="utf-8-sig", keep_default_na=False, dtype={"title": str}
    )


def test_a_row_says_everything_about_a_decision(store: Store) -> None:
    add(store, "act", "On olives")
    decide(store, "act", ("accept", "oil"))
    (row,) = table(export(store, "act")).to_dict("records")
    decided_at = row.pop("decided_at")
    assert row == {
        "document_id": "act",
        "title": "On olives",
        "uri": "http://x/oil",
        "notation": "'-7",
        "label": "olive, oil",
        "path": "food > olive, oil | trade > olive, oil",
        "decision": "accepted",
        "probability": 0.931235,
        "rank": 1,
        "source": "guided",
        "model": "hash123",
        "vocabulary": "tiny 1.9",
        "person": "me",
        "main_topic": "",
        "status": "in progress",
        "comment": "",
        "batch": "",
        "note": "",
    }
    assert pd.Timestamp(decided_at).utcoffset() == pd.Timedelta(0)


def test_the_columns_stand_in_their_order_even_without_a_decision(store: Store) -> None:
    add(store, "act")
    content = export(store, "act")
    assert content == b"\xef\xbb\xbf" + ",".join(COLUMNS).encode() + b"\r\n"
    assert tuple(COLUMNS)[:7] == (
        "document_id", "title", "uri", "notation", "label", "path", "decision"
    )  # fmt: skip


def test_an_undone_or_cleared_decision_is_no_row(store: Store) -> None:
    add(store, "act")
    decide(store, "act", ("accept", "oil"), ("undo", ""), ("accept", "food"), ("clear", "food"))
    assert table(export(store)).empty


def test_one_document_or_all_of_the_vocabulary_that_were_not_removed(store: Store) -> None:
    for name in ("one", "two", "removed"):
        add(store, name)
        decide(store, name, ("accept", "oil"))
    add(store, "elsewhere", vocabulary="another")
    decide(store, "elsewhere", ("accept", "oil"))
    remove_document(store, "removed")
    assert list(table(export(store))["document_id"]) == ["one", "two"]
    assert list(table(export(store, "two"))["document_id"]) == ["two"]


@pytest.mark.parametrize("title", ODD_TITLES)
def test_a_title_is_read_back_by_pandas_as_it_was(store: Store, title: str) -> None:
    add(store, "act", title)
    decide(store, "act", ("accept", "oil"), ("reject", "food"))
    rows = table(export(store))
    assert list(rows["title"]) == [title, title]
    assert list(rows["rank"]) == [1, 2]


@pytest.mark.parametrize("title", FORMULAS)
def test_a_title_that_looks_like_a_formula_is_made_text(store: Store, title: str) -> None:
    document_id = add(store, title, title)
    decide(store, document_id, ("accept", "sum"))
    rows = list(csv.reader(io.StringIO(export(store).decode("utf-8-sig"), newline="")))
    cells = dict(zip(rows[0], rows[1], strict=True))
    assert cells["title"] == cells["document_id"] == f"'{title}"
    assert cells["label"] == "'=SUM(A1)"
    assert cells["path"] == "food > =SUM(A1)"


def test_numbers_are_plain_numbers(store: Store) -> None:
    add(store, "act")
    decide(store, "act", ("accept", "food"))
    row = table(export(store)).iloc[0]
    assert (row["probability"], row["rank"], row["notation"]) == (0.000012, 2, 10)


def test_every_line_ends_with_crlf(store: Store) -> None:
    add(store, "act")
    decide(store, "act", ("accept", "oil"), ("accept", "food"))
    content = export(store)
    assert content.count(b"\r\n") == content.count(b"\n") == 3


def test_what_a_person_added_has_no_probability_and_says_so(store: Store) -> None:
    add(store, "act")
    decide(store, "act", ("add", "trade"))
    row = table(export(store)).iloc[0]
    assert (row["probability"], row["rank"], row["source"]) == ("", "", "person")
    assert row["label"] == "trade"


def test_a_document_without_a_prediction_can_be_exported(store: Store) -> None:
    project = default_project(store, "tiny")
    add_document(store, Document.from_text("act", "T", "x"), project_id=project.project_id)
    decide(store, "act", ("add", "oil"))
    row = table(export(store)).iloc[0]
    assert (row["model"], row["vocabulary"]) == ("", "tiny")


def test_concepts_that_the_vocabulary_lost_are_written_as_they_were_shown(store: Store) -> None:
    add(store, "act")
    decide(store, "act", ("accept", "gone"), ("add", "old"), ("add", "never known"))
    rows = table(export(store))
    assert list(rows["label"]) == ["gone by now", "old term", "never known"]
    assert list(rows["uri"]) == ["http://x/gone", "http://x/old", "never known"]
    assert list(rows["path"]) == ["", "", ""]


def test_labels_and_paths_are_in_the_language_that_was_asked_for(store: Store) -> None:
    add(store, "act")
    decide(store, "act", ("accept", "oil"))
    content = Export(store, Selection(), HIERARCHY, language="de").file("csv")
    path = table(content).iloc[0]["path"]
    assert path == "Lebensmittel > olive, oil | trade > olive, oil"
