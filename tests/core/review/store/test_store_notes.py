"""What is kept beside documents: comments, given concepts, proposed terms, preferences."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from core.clinical.stay import NO_STAY, Identifier, Stay
from core.documents.document import Document, Heading, Part
from core.errors import DocumentError, StoreError
from core.review.decisions.recording import Operation
from core.review.reports.summaries import DocumentSummary, list_documents
from core.review.store.arrivals import add_document, find_same
from core.review.store.documents import (
    fetch_document,
    given_concepts,
    read_stay,
    remove_document,
    set_comment,
    set_stay,
    set_title,
)
from core.review.store.people import read_preferences, set_preference
from core.review.store.proposed_terms import propose_term, read_proposed_terms, withdraw_term
from core.review.store.store import Store
from tests.support.stores import send

pytestmark = pytest.mark.usefixtures("on_both")


def summary(store: Store, document_id: str = "act") -> DocumentSummary:
    return next(one for one in list_documents(store, 1) if one.document_id == document_id)


def test_a_part_keeps_its_title_and_headings(store_of_two: Store) -> None:
    text = "Article 1\nOn olives 🫒.\nArticle 2\nOn oil."
    part = Part(text, "annex", None, "Annex I", (Heading(0, 9, 2), Heading(24, 33, 2)))
    document = Document("headed", "Title", (part, Part("Bare.")))
    add_document(store_of_two, document, project_id=1)
    assert fetch_document(store_of_two, "headed") == document


def test_a_comment_is_kept_and_changes_nothing_else(store_of_two: Store) -> None:
    before = summary(store_of_two)
    set_comment(store_of_two, "act", "ask Maria\0 =1+1")
    after = summary(store_of_two)
    assert after.comment == "ask Maria\N{REPLACEMENT CHARACTER} =1+1"
    assert (after.status, after.updated_at) == (before.status, before.updated_at)
    set_comment(store_of_two, "act", "")
    assert summary(store_of_two).comment == ""
    with pytest.raises(StoreError, match="no document 'nowhere'"):
        set_comment(store_of_two, "nowhere", "x")


def test_another_title_is_kept_and_the_document_stays_the_one_that_arrived(
    store_of_two: Store,
) -> None:
    document = Document.from_text("olive", "Olive", "Olive oil is pressed.")
    add_document(store_of_two, document, project_id=1)
    set_title(store_of_two, "olive", "Olive oil\0")
    assert fetch_document(store_of_two, "olive").title == "Olive oil\N{REPLACEMENT CHARACTER}"
    assert find_same(store_of_two, document, 1) == "olive"
    assert add_document(store_of_two, document, project_id=1) == "olive"
    with pytest.raises(StoreError, match="changed elsewhere"):
        set_title(store_of_two, "olive", "Oil", former="Olive")
    set_title(store_of_two, "olive", "Oil", former=fetch_document(store_of_two, "olive").title)
    assert fetch_document(store_of_two, "olive").title == "Oil"
    with pytest.raises(StoreError, match="no document 'nowhere'"):
        set_title(store_of_two, "nowhere", "x")


def test_a_title_without_a_text_is_compared_as_it_is_now(store_of_two: Store) -> None:
    old, new = (Document.from_text("", title, "") for title in ("Olives", "Olive oil"))
    document_id = add_document(store_of_two, old, project_id=1)
    set_title(store_of_two, document_id, "Olive  oil")
    assert find_same(store_of_two, old, 1) is None
    assert find_same(store_of_two, new, 1) == document_id


def test_a_finished_document_keeps_its_title(store_of_two: Store) -> None:
    send(store_of_two, Operation(1, "finish"), document_id="act")
    with pytest.raises(StoreError, match="is finished: reopen it"):
        set_title(store_of_two, "act", "x")


def test_given_concepts_are_kept_in_order_and_once(store_of_two: Store) -> None:
    document = Document.from_text("batch", "T", "x")
    for given in (["c3", "c1", "c3"], ["c1", "c2", "", "x" * 256]):
        add_document(store_of_two, document, project_id=1, given=given, batch="march.csv")
    assert given_concepts(store_of_two, "batch") == ("c3", "c1", "c2")
    assert (summary(store_of_two, "batch").n_given, summary(store_of_two, "batch").batch) == (
        3,
        "march.csv",
    )
    assert (
        given_concepts(store_of_two, "act"),
        summary(store_of_two).n_given,
        summary(store_of_two).batch,
    ) == (
        (),
        0,
        None,
    )


def test_the_same_text_is_found_under_whatever_title(store_of_two: Store) -> None:
    parts = (Part("On the marketing\r\nof olives. "), Part("A  list.", "annex"))
    add_document(store_of_two, Document("long", "Olives", parts), project_id=1)
    same = Document.from_text("", "Other title", "On the marketing of olives.\n\nA list.")
    assert find_same(store_of_two, same, 1) == "long"
    remove_document(store_of_two, "long")
    assert find_same(store_of_two, same, 1) == "long"
    assert find_same(store_of_two, same, 2) is None
    assert find_same(store_of_two, Document.from_text("", "Olives", "On oil."), 1) is None


def test_without_a_text_titles_are_compared(store_of_two: Store) -> None:
    add_document(store_of_two, Document("bare", "Only a title", ()), project_id=1)
    assert find_same(store_of_two, Document("", "Only a  title", ()), 1) == "bare"
    assert find_same(store_of_two, Document("", "Another", ()), 1) is None


def test_a_term_is_proposed_once_and_can_be_withdrawn(store_of_two: Store) -> None:
    first = propose_term(store_of_two, "act", "  oleiculture\n ", "see title", 1)
    assert propose_term(store_of_two, "act", "Oleiculture", "again", 1) == first
    other = propose_term(store_of_two, "other", "oleiculture", "", 1)
    (beside,) = read_proposed_terms(store_of_two, "other")
    assert (beside.term_id, beside.text) == (other, "oleiculture")
    (term,) = read_proposed_terms(store_of_two, "act")
    assert (term.term_id, term.text) == (first, "oleiculture")
    assert (term.note, term.person, summary(store_of_two).n_proposed) == ("see title", "me", 1)
    withdraw_term(store_of_two, "other", first)  # which is of another document
    assert read_proposed_terms(store_of_two, "act") == [term]
    withdraw_term(store_of_two, "act", first)
    assert (read_proposed_terms(store_of_two, "act"), summary(store_of_two).n_proposed) == ([], 0)
    assert propose_term(store_of_two, "act", "oleiculture", "", 1) not in (first, other)


@pytest.mark.parametrize(
    ("document_id", "text", "problem"),
    [("act", " \n", "at least a word"), ("act", "x" * 501, "at most 500"), ("no", "x", "'no'")],
)
def test_a_term_that_cannot_be_kept_is_refused(
    store_of_two: Store, document_id: str, text: str, problem: str
) -> None:
    with pytest.raises(StoreError, match=problem):
        propose_term(store_of_two, document_id, text, "", 1)


def test_preferences_are_each_persons_own(store_of_two: Store) -> None:
    assert read_preferences(store_of_two, 1) == {}
    set_preference(store_of_two, 1, "label_language", "fr")
    set_preference(store_of_two, 1, "keys", {"accept": "j", "reject": "Shift+R"})
    set_preference(store_of_two, 1, "label_language", "de")
    assert read_preferences(store_of_two, 1) == {
        "keys": {"accept": "j", "reject": "Shift+R"},
        "label_language": "de",
    }
    assert read_preferences(store_of_two, 2) == {}
    set_preference(store_of_two, 1, "keys", None)
    assert read_preferences(store_of_two, 1) == {"label_language": "de"}


def test_a_stay_is_kept_changed_and_emptied(store_of_two: Store) -> None:
    stay = Stay(date(2026, 3, 1), date(2026, 3, 8), 0, "female", "01", Identifier("P7", "urn:x"))
    document = Document("stay", "Title", (Part("Bare."),), stay)
    add_document(store_of_two, document, project_id=1)
    assert fetch_document(store_of_two, "stay") == document
    assert fetch_document(store_of_two, "act").stay is None
    set_stay(store_of_two, "stay", Stay(age_years=70), former=stay)
    assert read_stay(store_of_two, "stay") == Stay(age_years=70)
    with pytest.raises(DocumentError, match="before the admission"):
        set_stay(store_of_two, "stay", Stay(date(2026, 3, 2), date(2026, 3, 1)), former=stay)
    set_stay(store_of_two, "stay", Stay(), former=Stay(age_years=70))
    assert fetch_document(store_of_two, "stay").stay is None
    with pytest.raises(StoreError, match="no document 'nowhere'"):
        set_stay(store_of_two, "nowhere", stay, former=NO_STAY)


def test_a_stay_that_was_changed_elsewhere_is_not_replaced(store_of_two: Store) -> None:
    colleagues = Stay(age_years=70)
    set_stay(store_of_two, "act", colleagues, former=NO_STAY)
    for former in (NO_STAY, Stay(age_years=71)):
        with pytest.raises(StoreError, match="Somebody has changed the stay"):
            set_stay(store_of_two, "act", Stay(sex="female"), former=former)
    assert read_stay(store_of_two, "act") == colleagues


def test_the_stay_of_a_finished_document_is_kept(store_of_two: Store) -> None:
    stay = Stay(age_years=70, encounter_class="inpatient")
    set_stay(store_of_two, "act", stay, former=NO_STAY)
    send(store_of_two, Operation(1, "finish"), document_id="act")
    with pytest.raises(StoreError, match="finished: reopen it"):
        set_stay(store_of_two, "act", replace(stay, encounter_class="emergency"), former=stay)
    assert read_stay(store_of_two, "act") == stay
