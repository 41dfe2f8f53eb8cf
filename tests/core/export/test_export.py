from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from typing import Any

import pandas as pd
import pytest

from core.documents.document import Document, Part
from core.export.content import (
    PEOPLE_COLUMNS,
    ConceptNaming,
    ExportContent,
    ExportFormat,
    WithdrawnSubject,
)
from core.export.decision_table import COLUMNS
from core.export.export import Export, Preview
from core.export.formats import FORMATS, forms_of
from core.export.gathering import DECISIONS, Selection, gather
from core.paths import PROJECT_ROOT
from core.review.decisions.recording import Operation
from core.review.reports.snapshot import ExportedDecision, decided
from core.review.store.arrivals import add_document
from core.review.store.documents import remove_document, set_comment
from core.review.store.people import default_person
from core.review.store.predictions import save_prediction
from core.review.store.projects import default_project
from core.review.store.proposed_terms import propose_term
from core.review.store.rules import NEVER_ASSIGNED, set_rule
from core.review.store.store import Store
from core.suggest.suggestions import Prediction, Suggestion
from core.vocabulary.concepts import Concept, Hierarchy
from tests.support.exports import FORMULAS, HIERARCHY, ODD_TITLES, lines, table
from tests.support.stores import send

EVERYTHING = Selection(decisions=frozenset(DECISIONS), proposed_terms=True)
SUGGESTIONS = (
    Suggestion("oil", "http://x/oil", "-7", "olive, oil", 0.9312345678, 0.95, 1),
    Suggestion("food", "http://x/food", "10", "food", 0.4, 0.96, 2, "lexical"),
    Suggestion("trade", "http://x/trade", None, "trade", 0.3, 0.4, 3),
    Suggestion("gone", "http://x/gone", "G", "gone by now", 0.2, 0.2, 4),
)
PREDICTION = Prediction(SUGGESTIONS, {}, 5, 5, 1, "hash123", "1.9", 0.1)


def add(store: Store, document_id: str, title: str = "On olives", **more: Any) -> None:
    project_id = default_project(store, "tiny").project_id
    parts = (Part("Body of it."), Part("A list.", "annex", date(2017, 3, 1), "Annex I"))
    document = Document(document_id, title, parts)
    assert add_document(store, document, project_id=project_id, **more) == document_id
    save_prediction(store, document_id, PREDICTION, settings={})


def decide(store: Store, document_id: str, *actions: tuple[str, str]) -> None:
    operations = [
        Operation(n, action, concept_id, shown=4 if action == "finish" else None)
        for n, (action, concept_id) in enumerate(actions, start=1)
    ]
    receipt = send(store, *operations, document_id=document_id, client_id=f"tab {document_id!r}")
    assert receipt.refused == ()


def make(store: Store, selection: Selection, form: str = "csv", **more: Any) -> bytes:
    limit = more.pop("limit", None)
    return Export(store, selection, HIERARCHY, **more).file(form, limit=limit)


def shown(content: bytes) -> list[tuple[str, str]]:
    return [(row["label"], row["decision"]) for row in table(content)]


# Which decisions


def test_each_kind_of_decision_comes_where_it_is_asked_for(store: Store) -> None:
    add(store, "act", given=["sum", "oil"])
    propose_term(store, "act", "oleiculture", "see title", default_person(store).person_id)
    decide(store, "act", ("accept", "oil"), ("reject", "food"), ("finish", ""))
    assert shown(make(store, EVERYTHING)) == [
        ("olive, oil", "accepted"),
        ("food", "rejected"),
        ("trade", "not taken"),
        ("gone by now", "not taken"),
        ("'=SUM(A1)", "given"),
        ("oleiculture", "proposed"),
    ]
    for kind, labels in {
        "accepted": ["olive, oil"],
        "rejected": ["food"],
        "excluded": [],
        "not taken": ["trade", "gone by now"],
        "given": ["'=SUM(A1)"],
    }.items():
        content = make(store, Selection(decisions=frozenset({kind})))
        assert shown(content) == [(label, kind) for label in labels]


def test_a_row_of_what_was_not_taken_says_who_finished_and_what_was_shown(store: Store) -> None:
    add(store, "act")
    decide(store, "act", ("finish", ""))
    (row, *_) = table(make(store, Selection(decisions=frozenset({"not taken"}))))
    assert (row["person"], row["probability"], row["rank"]) == ("me", "0.931235", "1")
    assert (row["model"], row["source"], row["status"]) == ("hash123", "guided", "finished")
    assert row["decided_at"].endswith("Z")


def test_what_is_below_an_excluded_concept_is_neither_given_nor_not_taken(store: Store) -> None:
    add(store, "act", given=["sum", "trade"])
    decide(store, "act", ("exclude", "food"), ("finish", ""))
    assert shown(make(store, EVERYTHING)) == [
        ("food", "excluded"),
        ("trade", "not taken"),
        ("gone by now", "not taken"),
    ]


def test_what_a_rule_hides_is_not_not_taken(store: Store) -> None:
    project_id = default_project(store, "tiny").project_id
    set_rule(store, project_id, "food", NEVER_ASSIGNED, default_person(store).person_id)
    add(store, "act")  # oil is below food
    decide(store, "act", ("finish", ""))
    assert shown(make(store, EVERYTHING)) == [("trade", "not taken"), ("gone by now", "not taken")]


def test_main_topics_comments_and_batches_stand_in_columns_of_their_own(store: Store) -> None:
    add(store, "act", batch="=march.csv")
    set_comment(store, "act", "ask\nMaria")
    decide(store, "act", ("accept", "oil"), ("mark", "oil"), ("add", "trade"))
    first, second = table(make(store, Selection()))
    assert (first["main_topic"], second["main_topic"]) == ("yes", "")
    assert (first["comment"], first["batch"]) == ("ask\nMaria", "'=march.csv")


# Which documents


def test_documents_are_chosen_by_id_batch_and_status(store: Store) -> None:
    add(store, "new", given=["sum"])
    add(store, "begun", batch="b")
    add(store, "done", batch="b")
    add(store, "removed", batch="b")
    for name in ("begun", "done", "removed"):
        decide(store, name, ("accept", "oil"))
    send(store, Operation(1, "finish"), document_id="done")
    remove_document(store, "removed")

    def chosen(**more: Any) -> list[str]:
        return [line["id"] for line in lines(make(store, replace(EVERYTHING, **more), "jsonl"))]

    assert chosen() == ["new", "begun", "done"]
    assert chosen(document_ids=("done", "new", "nowhere")) == ["new", "done"]
    assert chosen(batch="b") == ["begun", "done"]
    assert chosen(statuses=frozenset({"finished"})) == ["done"]
    assert chosen(batch="b", statuses=frozenset({"new", "in progress"})) == ["begun"]
    assert chosen(document_ids=()) == []


# The forms


def test_a_line_of_jsonl_says_everything_about_a_document(store: Store) -> None:
    add(store, "act", given=["trade"], batch="b")
    set_comment(store, "act", "a comment")
    propose_term(store, "act", "oleiculture", "note", default_person(store).person_id)
    decide(store, "act", ("accept", "oil"), ("mark", "oil"))
    (one,) = lines(make(store, EVERYTHING, "jsonl"))
    decided_at = one["concepts"][0].pop("decided_at")
    assert pd.Timestamp(decided_at).utcoffset() == pd.Timedelta(0)
    assert one["proposed_terms"][0].pop("created_at").endswith("Z")
    assert one == {
        "id": "act",
        "title": "On olives",
        "status": "in progress",
        "comment": "a comment",
        "batch": "b",
        "vocabulary": "tiny",
        "concepts": [
            {
                "id": "oil",
                "uri": "http://x/oil",
                "notation": "-7",
                "label": "olive, oil",
                "path": "food > olive, oil | trade > olive, oil",
                "decision": "accepted",
                "main": True,
                "probability": 0.931235,
                "rank": 1,
                "source": "guided",
                "model": "hash123",
                "vocabulary_version": "1.9",
                "person": "me",
            },
            {
                "id": "trade",
                "uri": "http://x/trade",
                "notation": None,
                "label": "trade",
                "path": "trade",
                "decision": "given",
                "main": False,
                "probability": None,
                "rank": None,
                "source": "given",
                "model": None,
                "vocabulary_version": None,
                "person": None,
                "decided_at": None,
            },
        ],
        "proposed_terms": [{"text": "oleiculture", "note": "note", "person": "me"}],
    }


def test_text_comes_only_where_it_is_asked_for(store: Store) -> None:
    add(store, "act")
    decide(store, "act", ("accept", "oil"), ("accept", "food"))
    for form in forms_of(HIERARCHY.vocabulary_id):
        assert b"Body of it" not in make(store, EVERYTHING, form)
    (one,) = lines(make(store, EVERYTHING, "jsonl", with_text=True))
    assert one["parts"] == [
        {"kind": "body", "title": "", "date": None, "text": "Body of it."},
        {"kind": "annex", "title": "Annex I", "date": "2017-03-01", "text": "A list."},
    ]
    first, second = table(make(store, Selection(), with_text=True))
    assert (first["text"], second["text"]) == ("Body of it.\n\nA list.", "")
    (first, _) = table(make(store, Selection(), "tsv", with_text=True), "\t")
    assert first["text"] == "Body of it. A list."


def test_a_tsv_has_one_line_a_row_whatever_the_title(store: Store) -> None:
    titles = [*ODD_TITLES, *FORMULAS]
    for number, title in enumerate(titles):
        add(store, f"d{number:02}", title)
        decide(store, f"d{number:02}", ("accept", "oil"))
    content = make(store, Selection(), "tsv")
    assert content.startswith(b"\xef\xbb\xbfdocument_id\ttitle\t")
    assert content.count(b"\r\n") == content.count(b"\n") == len(titles) + 1
    assert all(line.count(b"\t") == len(COLUMNS) - 1 for line in content.split(b"\r\n")[:-1])
    read = pd.read_csv(io.BytesIO(content), sep="\t", encoding="utf-8-sig", keep_default_na=False)
    cells = list(read["title"].astype(str))
    assert not any(cell.lstrip().startswith(("=", "+", "-", "@")) for cell in cells)
    assert cells[0] == 'Olives, "extra virgin"; with breaks and tabs'


HOSTILE = [
    "a\x00b\x1bc\x0bd",
    "</script><img src=x onerror=alert(1)>",
    "\u202egnp.exe\u2028next\u2029and\x85so",
    "x" * 50_000,
    '"""',
    "{\n}\r\n[",
]


def test_no_title_breaks_a_line_of_jsonl(store: Store) -> None:
    titles = {f"act {n:02}": title for n, title in enumerate([*ODD_TITLES, *FORMULAS, *HOSTILE])}
    for act, title in titles.items():
        add(store, act, title, batch=title)
        decide(store, act, ("accept", "oil"))
    content = make(store, EVERYTHING, "jsonl", with_text=True)
    assert content.count(b"\n") == len(titles)
    kept = {act: title.replace("\0", "\N{REPLACEMENT CHARACTER}") for act, title in titles.items()}
    assert {line["id"]: line["title"] for line in lines(content)} == kept
    assert {line["id"]: line["batch"] for line in lines(content)} == kept
    assert b"\0" not in content


def test_what_a_person_typed_is_safe_in_a_spreadsheet(store: Store) -> None:
    for number, text in enumerate([*FORMULAS, *HOSTILE]):
        act = f"act {number}"
        add(store, act, text, batch=text)
        set_comment(store, act, text)
        if len(text) < 500:
            propose_term(store, act, text, text, default_person(store).person_id)
        decide(store, act, ("accept", "oil"))
    rows = table(make(store, EVERYTHING))
    assert len(rows) > len([*FORMULAS, *HOSTILE])
    for row in rows:
        for cell in row.values():
            assert not cell.lstrip().startswith(("=", "+", "-", "@", "＝"))
            assert not {"\x00", "\x1b", "\x0b"} & set(cell)


def test_few_documents_are_read_at_a_time_however_many_are_exported(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.review.columns.IDS_AT_ONCE", 2)
    for number in range(7):
        add(store, f"d{number}")
        decide(store, f"d{number}", ("accept", "oil"))
    asked: list[int] = []
    monkeypatch.setattr(
        "core.export.gathering.decided",
        lambda connection, ids: asked.append(len(ids)) or decided(connection, ids),
    )
    gathered = gather(store, Selection(), HIERARCHY)
    assert next(gathered).summary.document_id == "d0"
    assert asked == [2]
    assert [exported.summary.document_id for exported in gathered] == [f"d{n}" for n in range(1, 7)]
    assert asked == [2, 2, 2, 1]
    made = Export(store, Selection(), HIERARCHY).pieces("jsonl")
    assert next(made).count(b"\n") == 1
    assert asked == [2, 2, 2, 1, 2]


# The preview


def look(store: Store, selection: Selection, **more: Any) -> Preview:
    limit = more.pop("limit", 20)
    return Export(store, selection, HIERARCHY, **more).preview(limit=limit)


def test_the_preview_shows_the_first_rows_as_they_will_be_and_counts_all(store: Store) -> None:
    for number in range(5):
        add(store, f"d{number}", f"=Title {number}")
        decide(store, f"d{number}", ("accept", "oil"), ("add", "trade"))
    add(store, "untouched")
    seen = look(store, Selection(), limit=3)
    assert (seen.n_rows, seen.n_documents, seen.columns) == (10, 6, tuple(COLUMNS))
    written = list(
        csv.reader(io.StringIO(make(store, Selection()).decode("utf-8-sig"), newline=""))
    )
    assert [list(row) for row in seen.rows] == written[1:4]
    assert seen.lines == make(store, Selection(), "jsonl").decode().splitlines()[:3]


def test_the_preview_of_nothing_is_empty(store: Store) -> None:
    assert make(store, Selection(), "jsonl") == b""
    assert look(store, EVERYTHING) == Preview(tuple(COLUMNS))
    add(store, "act")
    assert (look(store, EVERYTHING).n_rows, look(store, EVERYTHING).n_documents) == (0, 1)
    assert look(store, EVERYTHING, with_text=True).columns[-1] == "text"


def test_labels_are_in_the_language_that_was_asked_for(store: Store) -> None:
    add(store, "act")
    decide(store, "act", ("accept", "food"))
    assert table(make(store, Selection(), language="de"))[0]["label"] == "Lebensmittel"


def test_the_guide_names_every_column_and_every_field(store: Store) -> None:
    guide = (PROJECT_ROOT / "docs" / "export.md").read_text(encoding="utf-8")
    add(store, "act")
    propose_term(store, "act", "oleiculture", "", default_person(store).person_id)
    decide(store, "act", ("accept", "oil"))
    (one,) = lines(make(store, EVERYTHING, "jsonl", with_text=True))
    lists = [one[name][0] for name in ("parts", "concepts", "proposed_terms")]
    fields = {name for known in (one, *lists) for name in known}
    named = {f"`{name}`" for name in (*COLUMNS, *PEOPLE_COLUMNS, *DECISIONS, "text", *fields)}
    assert {name for name in named if name not in guide} == set()


def test_another_format_is_a_module_and_a_line(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(content: ExportContent) -> Iterator[bytes]:
        names = [
            content.naming.name(item).label
            for document in content.documents
            for item in document.items
        ]
        yield "; ".join(names).encode()

    monkeypatch.setitem(FORMATS, "words", ExportFormat("words", "txt", "text/plain", write))
    add(store, "act")
    add(store, "second")
    decide(store, "act", ("accept", "oil"), ("add", "trade"))
    decide(store, "second", ("accept", "food"))
    assert forms_of(HIERARCHY.vocabulary_id)[-1] == "words"
    assert make(store, Selection(), "words").decode().count(";") == 2
    assert make(store, Selection(), "words", limit=1).decode().count(";") == 1


def test_the_preview_names_what_the_version_does_not_offer_any_more(store: Store) -> None:
    add(store, "a")
    add(store, "b")
    decide(store, "a", ("accept", "gone"), ("accept", "old"), ("accept", "food"))
    decide(store, "b", ("accept", "gone"), ("reject", "old"))
    assert [lost.label for lost in look(store, Selection()).withdrawn.values()] == [
        "gone by now",
        "old term",
    ]
    nothing = Hierarchy([], vocabulary_id="tiny", version="")
    assert Export(store, Selection(), nothing).preview().withdrawn == {}


def test_a_withdrawn_subject_comes_with_what_replaces_it() -> None:
    old = Concept("old", "u:old", None, {"en": "nitrate"}, deprecated=True, replaced_by=("new",))
    new = Concept("new", "u:new", None, {"en": "eutrophication"})
    naming = ConceptNaming(Hierarchy([old, new], vocabulary_id="x", version="2"), "en")
    found = naming.withdrawn(ExportedDecision("old", "accepted"))
    assert found == WithdrawnSubject("nitrate", ("eutrophication",))
    assert naming.withdrawn(ExportedDecision("new", "accepted")) is None
    assert naming.withdrawn(ExportedDecision("never", "given")) is None
