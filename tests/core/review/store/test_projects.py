"""Projects of a store."""

from __future__ import annotations

import pytest
from sqlalchemy import update

from core.documents.document import Document
from core.errors import StoreError
from core.review.decisions.recording import Operation, record
from core.review.reports.summaries import list_documents
from core.review.store.arrivals import add_document, find_same
from core.review.store.documents import remove_document
from core.review.store.people import default_person
from core.review.store.projects import (
    Contents,
    archive_project,
    bring_back_project,
    contents,
    default_project,
    delete_project,
    document_counts,
    keep_choices,
    keep_switches,
    list_projects,
    make_project,
    project_of,
    rename_project,
)
from core.review.store.rules import NEVER_SUGGESTED, read_rules, set_rule
from core.review.store.store import Store
from core.review.store.tables import project

pytestmark = pytest.mark.usefixtures("on_both")


def test_a_vocabulary_may_have_several_projects_and_the_oldest_is_its_own(store: Store) -> None:
    first = default_project(store, "icd10cm")
    second = make_project(store, "  Ward\n7 ", "icd10cm")
    assert [(one.name, one.vocabulary_id) for one in list_projects(store)] == [
        ("icd10cm", "icd10cm"),
        ("Ward 7", "icd10cm"),
    ]
    assert default_project(store, "icd10cm") == first != second


def test_documents_stay_in_their_project(store: Store) -> None:
    first, second = default_project(store, "icd10cm"), make_project(store, "Ward 7", "icd10cm")
    note = Document.from_text("note", "Cough", "Cough.")
    add_document(store, note, project_id=second.project_id)
    assert list_documents(store, first.project_id) == []
    assert project_of(store, "note") == second
    assert project_of(store, "none") is None
    assert document_counts(store) == {second.project_id: 1}
    remove_document(store, "note")
    assert document_counts(store) == {}


def test_the_same_text_may_be_in_two_projects(store: Store) -> None:
    first, second = default_project(store, "icd10cm"), make_project(store, "Ward 7", "icd10cm")
    note = Document.from_text("", "Cough", "Cough.")
    ids = [add_document(store, note, project_id=one.project_id) for one in (first, second)]
    assert len(set(ids)) == 2
    assert find_same(store, note, second.project_id) == ids[1]


@pytest.mark.parametrize(
    ("name", "said"), [(" \n", "needs a name"), ("x" * 81, "80"), ("WARD 7", "already")]
)
def test_a_name_that_cannot_be_is_refused(store: Store, name: str, said: str) -> None:
    ward = make_project(store, "Ward 7", "icd10cm")
    other = make_project(store, "Ward 8", "eurovoc")
    with pytest.raises(StoreError, match=said):
        make_project(store, name, "icd10cm")
    with pytest.raises(StoreError, match=said):
        rename_project(store, other.project_id, name)
    rename_project(store, ward.project_id, "ward 7")  # its own may be written otherwise
    assert [one.name for one in list_projects(store)] == ["ward 7", "Ward 8"]


def test_what_a_project_was_left_with_is_kept(store: Store) -> None:
    ward = make_project(store, "Ward 7", "icd10cm")
    assert (ward.bundle, ward.vocabulary_choice) == (None, None)
    keep_choices(store, ward.project_id, bundle="cases@ab", vocabulary_choice="2026")
    (kept,) = list_projects(store)
    assert (kept.bundle, kept.vocabulary_choice) == ("cases@ab", "2026")


def test_versions_of_before_are_read_with_and_without_the_moment(store: Store) -> None:
    ward = make_project(store, "Ward 7", "icd10cm")
    former = [("2025", ""), ("2026", "2026-10-01T08:00:00+00:00")]
    choices = {"bundle": None, "vocabulary_choice": "2027"}
    keep_choices(store, ward.project_id, **choices, former_choices=former)
    assert list_projects(store)[0].former_choices == tuple(former)
    with store.write() as connection:  # as they were written before
        connection.execute(update(project).values(former_choices=["2025", "2026"]))
    assert list_projects(store)[0].former_choices == (("2025", ""), ("2026", ""))


def test_a_project_without_documents_is_deleted_with_its_rules(store: Store) -> None:
    first, ward = default_project(store, "icd10cm"), make_project(store, "Ward 7", "icd10cm")
    person = default_person(store).person_id
    for one in (first, ward):
        set_rule(store, one.project_id, "R05.9", NEVER_SUGGESTED, person)
    assert contents(store, ward.project_id).is_empty
    delete_project(store, ward.project_id)
    assert list_projects(store) == [first]
    assert read_rules(store, first.project_id).never_suggested == {"R05.9"}
    assert not read_rules(store, ward.project_id).never_suggested


def test_a_project_with_documents_is_never_deleted(store: Store) -> None:
    ward = make_project(store, "Ward 7", "icd10cm")
    for name in ("note", "removed"):
        document = Document.from_text(name, name, name)
        add_document(store, document, project_id=ward.project_id)
    remove_document(store, "removed")
    record(
        store,
        document_id="note",
        person_id=default_person(store).person_id,
        client_id="tab",
        operations=[Operation(1, "add", "R05.9"), Operation(2, "reject", "J18.9")],
        concept_ids={"R05.9", "J18.9"},
    )
    assert contents(store, ward.project_id) == Contents(1, 1, 2)
    with pytest.raises(StoreError, match="archive it"):
        delete_project(store, ward.project_id)
    remove_document(store, "note")
    with pytest.raises(StoreError, match="archive it"):  # the bin counts
        delete_project(store, ward.project_id)
    assert list_projects(store) == [ward]


def test_an_archived_project_keeps_what_is_in_it_and_comes_back(store: Store) -> None:
    first, ward = default_project(store, "icd10cm"), make_project(store, "Ward 7", "icd10cm")
    note = Document.from_text("note", "Cough", "Cough.")
    add_document(store, note, project_id=first.project_id)
    archive_project(store, first.project_id)
    assert [one.is_archived for one in list_projects(store)] == [True, False]
    assert default_project(store, "icd10cm") == ward
    with pytest.raises(StoreError, match="an archived project of the name ICD10CM"):
        make_project(store, "ICD10CM", "icd10cm")
    bring_back_project(store, first.project_id)
    assert list_projects(store) == [first, ward]
    assert document_counts(store) == {first.project_id: 1}


def test_groups_of_stays_are_shown_only_where_somebody_says_so(store: Store) -> None:
    ward, other = (make_project(store, name, "icd10cm") for name in ("Ward 7", "Ward 8"))
    keep_switches(store, ward.project_id, groups_stays=True)
    shown = {row.name: row.groups_stays for row in list_projects(store)}
    assert shown["Ward 7"] and not shown["Ward 8"] and not other.groups_stays
