from __future__ import annotations

import csv
import io
from collections.abc import Callable

import pytest

from core.documents.document import Document
from core.documents.rows.spreadsheet_cells import text_cell, text_of_cell
from core.errors import DocumentError
from core.export.changed_tables import AppliedChanges, TableChanges, apply_changes, read_changes
from core.export.export import Export
from core.export.gathering import DECISIONS, Selection
from core.review.decisions.recording import Operation, current
from core.review.store.arrivals import add_document
from core.review.store.people import default_person
from core.review.store.projects import default_project
from core.review.store.rules import Rules
from core.review.store.store import Store
from tests.support.exports import FORMULAS, HIERARCHY, ODD_TITLES, table
from tests.support.stores import send

EVERYTHING = Selection(decisions=frozenset(DECISIONS), proposed_terms=True)
Row = dict[str, str]


def add(store: Store, document_id: str, *actions: tuple[str, str]) -> None:
    project_id = default_project(store, "tiny").project_id
    document = Document.from_text(document_id, f"Title of {document_id}", "Text.")
    add_document(store, document, project_id=project_id)
    operations = [
        Operation(n, *action, shown=0 if action[0] == "finish" else None)
        for n, action in enumerate(actions, start=1)
    ]
    receipt = send(store, *operations, document_id=document_id, client_id=f"tab {document_id!r}")
    assert not receipt.refused


def exported(store: Store, selection: Selection = EVERYTHING) -> list[Row]:
    return table(Export(store, selection, HIERARCHY).file("csv"))


def as_file(rows: list[Row], *, delimiter: str = ",", encoding: str = "utf-8-sig") -> bytes:
    file = io.StringIO(newline="")
    columns = list(dict.fromkeys(name for row in rows for name in row))
    writer = csv.DictWriter(file, columns, delimiter=delimiter)
    writer.writeheader()
    writer.writerows(rows)
    return file.getvalue().encode(encoding)


def look(
    store: Store, content: bytes, name: str = "back.csv", *, removes: bool = True
) -> TableChanges:
    return read_changes(
        name,
        content,
        store,
        hierarchy=HIERARCHY,
        language="en",
        project_id=default_project(store, "tiny").project_id,
        removes=removes,
    )


def apply(store: Store, changes: TableChanges, rules: Rules | None = None) -> AppliedChanges:
    person_id = default_person(store).person_id
    return apply_changes(changes, store, person_id=person_id, hierarchy=HIERARCHY, rules=rules)


def states(store: Store, document_id: str) -> dict[str, str]:
    return {i: decision.state for i, decision in current(store, document_id).items()}


def only(changes: TableChanges) -> dict[str, tuple[str, ...]]:
    (document,) = changes.documents
    return dict(document.concepts)


def added(document_id: str, **cells: str) -> Row:
    return {"document_id": document_id, **cells}


def test_what_comes_back_unchanged_changes_nothing(store: Store) -> None:
    add(store, "act", ("accept", "oil"), ("reject", "food"), ("add", "old"), ("add", "never known"))
    add(store, "other", ("exclude", "food"))
    changes = look(store, as_file(exported(store)))
    assert (changes.documents, changes.n_same, changes.unknown_concepts) == ([], 2, [])


def test_rows_added_and_removed_are_accepted_and_removed_as_one_group(store: Store) -> None:
    add(store, "act", ("accept", "oil"), ("accept", "food"))
    rows = [row for row in exported(store) if row["label"] != "food"]
    changes = look(store, as_file([*rows, added("act", label="trade")]))
    assert only(changes) == {"accepted": ("trade",), "removed": ("food",)}
    assert states(store, "act") == {"oil": "accepted", "food": "accepted"}, "nothing is stored yet"
    applied = apply(store, changes)
    assert (applied.n_documents, applied.n_stored, applied.refused.total()) == (1, 2, 0)
    assert states(store, "act") == {"oil": "accepted", "trade": "accepted"}
    assert current(store, "act")["trade"].source == "file"
    send(store, Operation(9, "undo"), document_id="act", client_id="tab 'act'")
    assert states(store, "act") == {"oil": "accepted", "food": "accepted"}


def test_a_changed_word_changes_the_decision(store: Store) -> None:
    add(store, "act", ("accept", "oil"), ("reject", "trade"))
    rows = exported(store)
    rows[0]["decision"], rows[1]["decision"] = "Rejected", "accepted"
    changes = look(store, as_file(rows))
    assert only(changes) == {"rejected": ("oil",), "accepted": ("trade",)}
    apply(store, changes)
    assert states(store, "act") == {"oil": "rejected", "trade": "accepted"}


@pytest.mark.parametrize(
    "cells",
    [{"uri": "http://x/trade"}, {"label": "TRADE"}, {"notation": "10", "label": "unknown"}],
)
def test_a_concept_is_found_by_uri_label_or_notation(store: Store, cells: Row) -> None:
    add(store, "act")
    (concept_ids,) = only(look(store, as_file([added("act", **cells)]))).values()
    assert concept_ids == (("food",) if "notation" in cells else ("trade",))


@pytest.mark.parametrize(
    ("name", "delimiter", "encoding"),
    [
        ("back.csv", ";", "utf-8-sig"),
        ("back.csv", ";", "cp1252"),
        ("back.csv", ",", "utf-8"),
        ("back.CSV", "\t", "utf-16"),
        ("back.txt", "\t", "utf-16"),
        ("back.tsv", "\t", "cp1252"),
    ],
)
def test_a_table_is_read_as_spreadsheets_write_it(
    store: Store, name: str, delimiter: str, encoding: str
) -> None:
    add(store, "Öl=1", ("accept", "oil"))
    rows = [*exported(store), added("Öl=1", uri="http://x/food")]
    changes = look(store, as_file(rows, delimiter=delimiter, encoding=encoding), name)
    assert only(changes) == {"accepted": ("food",)}


@pytest.mark.parametrize("text", [*ODD_TITLES, *FORMULAS, "'=x", "'"])
def test_a_cell_that_was_made_safe_is_read_as_it_was(text: str) -> None:
    assert text_of_cell(text_cell(text)) == text


def test_an_id_and_a_label_that_look_like_formulas_come_back(store: Store) -> None:
    add(store, "=1+1", ("accept", "sum"))
    rows = exported(store)
    assert rows[0]["document_id"] == "'=1+1"
    for row in rows:
        row["uri"] = ""
    assert look(store, as_file([*rows, added("'=1+1", label="food")])).n_same == 0
    assert look(store, as_file(rows)).n_same == 1


def test_finished_documents_stay_as_they_are(store: Store) -> None:
    add(store, "act", ("accept", "oil"), ("finish", ""))
    changes = look(store, as_file([*exported(store), added("act", label="trade")]))
    assert changes.documents == []
    assert [found.document_id for found in changes.finished] == ["act"]
    assert apply(store, changes).n_stored == 0


def test_what_is_not_understood_is_named_and_removes_nothing(store: Store) -> None:
    add(store, "act", ("accept", "oil"), ("accept", "food"))
    rows = [row for row in exported(store) if row["label"] != "food"]
    changes = look(store, as_file([*rows, added("act", label="foood"), added("gone", label="oil")]))
    assert changes.documents == [] and changes.unknown_documents == ["gone"]
    assert changes.unknown_concepts == [("line 3", "foood")]
    changes = look(store, as_file([*rows, added("act", label="trade", decision="perhaps")]))
    assert (changes.removes, changes.documents) == (False, [])
    assert [(row.where, row.reason) for row in changes.bad] == [
        ("line 3", "there is no decision 'perhaps'")
    ]
    assert look(store, as_file([*rows, added("", label="trade")])).bad[0].reason == (
        "it names no document"
    )


def test_nothing_is_removed_where_nobody_wants_it_or_nothing_is_accepted(store: Store) -> None:
    add(store, "act", ("accept", "oil"), ("accept", "food"), ("reject", "trade"))
    rows = exported(store)
    kept = [row for row in rows if row["label"] != "food"]
    assert look(store, as_file(kept), removes=False).documents == []
    rejected = [row for row in rows if row["decision"] == "rejected"]
    assert look(store, as_file(rejected)).documents == []


def test_a_concept_that_is_never_assigned_is_refused_with_its_reason(store: Store) -> None:
    add(store, "act", ("add", "trade"), ("add", "old"))
    rows = [row for row in exported(store) if row["label"] == "trade"]
    changes = look(store, as_file([*rows, added("act", label="olive, oil")]))
    applied = apply(store, changes, Rules(never_assigned=frozenset({"food"})))
    assert applied.n_stored == 1 and states(store, "act") == {"trade": "accepted"}
    assert any("never assigned" in reason for reason in applied.refused)


def test_documents_of_another_project_are_unknown(store: Store) -> None:
    elsewhere = default_project(store, "another").project_id
    add_document(store, Document.from_text("act", "T", "x"), project_id=elsewhere)
    assert look(store, as_file([added("act", label="trade")])).unknown_documents == ["act"]


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("a.xlsx", b"PK", "Add a table"),
        ("a.csv", b"", "first row must name"),
        ("a.csv", b"id,label\r\n1,oil\r\n", "first row must name"),
        ("a.csv", b"document_id,title\r\n1,oil\r\n", "first row must name"),
        ("a.csv", b"\0" * 20_000_001, "larger than 20 MB"),
    ],
)
def test_a_file_that_is_no_table_gets_a_sentence(
    store: Store, name: str, content: bytes, sentence: str
) -> None:
    with pytest.raises(DocumentError, match=sentence):
        look(store, content, name)


@pytest.mark.parametrize("damage", [lambda c: c[:-9], lambda c: c.replace(b"act", b'"act', 1)])
def test_a_damaged_table_never_removes_what_it_does_not_show(
    store: Store, damage: Callable[[bytes], bytes]
) -> None:
    add(store, "act", ("accept", "oil"), ("accept", "food"))
    changes = look(store, damage(as_file(exported(store))))
    assert all("removed" not in document.concepts for document in changes.documents)


def test_rows_that_contradict_each_other_are_named_and_change_nothing(store: Store) -> None:
    add(store, "act", ("accept", "oil"))
    rows = [
        {"document_id": "act", "label": "olive, oil", "decision": "accepted"},
        {"document_id": "act", "uri": "http://x/oil", "decision": "rejected"},
        {"document_id": "act", "uri": "http://x/food", "decision": "rejected"},
        {"document_id": "act", "label": "food", "decision": "accepted"},
        {"document_id": "act", "label": "trade", "decision": "accepted"},
    ]
    changes = look(store, as_file(rows))
    assert [dict(one.concepts) for one in changes.documents] == [{"accepted": ("trade",)}]
    assert [(bad.where, bad.reason) for bad in changes.contradictory] == [
        ("line 2", "line 3 says rejected of the same concept, and this one accepted"),
        ("line 4", "line 5 says accepted of the same concept, and this one rejected"),
    ]


def test_a_row_whose_label_was_changed_but_not_its_uri_is_no_decision(store: Store) -> None:
    add(store, "act", ("accept", "oil"), ("accept", "trade"))
    rows = exported(store)
    rows[0]["label"] = "food"
    changes = look(store, as_file(rows))
    assert changes.documents == []
    assert [bad.reason.split(":")[0] for bad in changes.contradictory] == ["names two concepts"]


def test_a_document_on_which_somebody_decided_since_stays_and_is_named(store: Store) -> None:
    add(store, "act", ("accept", "oil"), ("accept", "trade"))
    add(store, "other", ("accept", "oil"))
    rows = [row for row in exported(store) if row["label"] != "trade"]
    rows.append(added("other", label="trade"))
    changes = look(store, as_file(rows))
    assert [document.document_id for document in changes.documents] == ["act", "other"]
    send(store, Operation(1, "reject", "trade"), document_id="act", client_id="elsewhere")
    applied = apply(store, changes)
    assert (applied.overtaken, applied.n_documents) == (["act"], 1)
    assert states(store, "act") == {"oil": "accepted", "trade": "rejected"}
    assert states(store, "other") == {"oil": "accepted", "trade": "accepted"}


def add_titled(store: Store, titles: dict[str, str]) -> None:
    for document_id, title in titles.items():
        project_id = default_project(store, "tiny").project_id
        add_document(store, Document.from_text(document_id, title, "Text."), project_id=project_id)


@pytest.mark.parametrize(
    ("titles", "rows", "taken", "where"),
    [
        # As a spreadsheet writes ids back: without zeros, a long one rounded.
        ({"0012": "Bees", "12": "Fish"}, [("12", "Bees")], (), "line 2"),
        ({"0012": "Bees", "12": "Fish"}, [("12", "Fish")], ("12",), ""),
        ({"0012": "Note", "12": "Note"}, [("12", "Note")], (), "line 2"),
        ({"0012": "Note", "12": "Note"}, [("12", "Note"), ("0012", "Note")], ("12", "0012"), ""),
        ({"0012": "Bees", "12": "Fish"}, [("12", "")], (), "line 2"),
        ({"0012": "Bees", "12": "Fish"}, [("12", "Fish"), ("12", "Bees")], ("12",), "line 3"),
        ({"0012": "Bees"}, [("12", "Bees"), ("12", "")], ("0012",), ""),  # the title says whose
        ({"0012": "Bees"}, [("12", "")], (), "line 2"),
        ({"0012": "Bees"}, [("12", "Bees"), ("12", "Fish")], (), "line 2"),
        ({"0012": "Bees", "012": "Bees"}, [("12", "Bees")], (), "line 2"),
        ({"32000000001": "Bees"}, [("3.2E+10", "Bees")], (), "line 2"),
        ({"1E5": "Bees", "100000": "Fish"}, [("100000", "Bees")], (), "line 2"),
        ({"1.10": "Bees", "1.1": "Fish"}, [("1.1", "Bees")], (), "line 2"),
        ({"act": "Bees", "other": "Fish"}, [("other", "Bees")], (), "line 2"),
        # What it does to titles makes none another.
        ({"act": "Bees  and\nhives"}, [("act ", "Bees and hives ")], ("act",), ""),
        ({"act": "-5 °C łódź"}, [("act", "-5 °C ?ód?")], ("act",), ""),
        ({"act": "0012"}, [("act", "12")], ("act",), ""),
        ({"act": "=SUM(1)"}, [("act", "'=SUM(1)")], ("act",), ""),
    ],
)
def test_a_row_of_another_document_is_named_and_not_taken(store, titles, rows, taken, where):
    add_titled(store, titles)
    changes = look(store, as_file([added(i, title=title, label="oil") for i, title in rows]))
    assert tuple(document.document_id for document in changes.documents) == taken
    assert " ".join(row.where for row in changes.mistaken) == where


def test_nothing_is_removed_from_a_document_with_a_row_of_another(store: Store) -> None:
    add(store, "12", ("accept", "oil"), ("accept", "food"))
    add(store, "0012", ("accept", "trade"))
    rows = [row | {"document_id": "12"} for row in exported(store) if row["label"] != "food"]
    changes = look(store, as_file(rows))
    assert (changes.documents, [row.where for row in changes.mistaken]) == ([], ["line 3"])


@pytest.mark.parametrize("name", ["Agenda oil", "http://elsewhere.example/oil", "food/oil"])
def test_a_name_that_ends_in_an_id_is_no_concept(name: str, store: Store) -> None:
    add(store, "act", ("accept", "food"))
    changes = look(store, as_file([*exported(store), added("act", label=name)]))
    assert (changes.documents, changes.unknown_concepts) == ([], [("line 3", name)])
