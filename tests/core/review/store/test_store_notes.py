"""What is kept beside documents: comments, given concepts, proposed terms, preferences."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.documents.document import Document, Heading, Part
from core.errors import StoreError
from core.review.reports.summaries import DocumentSummary, list_documents
from core.review.store.arrivals import add_document, find_same_text
from core.review.store.documents import fetch_document, given_concepts, remove_document, set_comment
from core.review.store.people import read_preferences, set_preference
from core.review.store.proposed_terms import propose_term, read_proposed_terms, withdraw_term
from core.review.store.store import Store
from tests.support.stores import open_with_documents


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_with_documents(tmp_path)
    yield opened
    opened.close()


def summary(store: Store, document_id: str = "act") -> DocumentSummary:
    return next(one for one in list_documents(store, 1) if one.document_id == document_id)


def test_a_part_keeps_its_title_and_headings(store: Store) -> None:
    text = "Article 1\nOn olives 🫒.\nArticle 2\nOn oil."
    part = Part(text, "annex", None, "Annex I", (Heading(0, 9, 2), Heading(24, 33, 2)))
    document = Document("headed", "Title", (part, Part("Bare.")))
    add_document(store, document, project_id=1)
    assert fetch_document(store, "headed") == document


def test_a_comment_is_kept_and_changes_nothing_else(store: Store) -> None:
    before = summary(store)
    set_comment(store, "act", "ask Maria\0 =1+1")
    after = summary(store)
    assert after.comment == "ask Maria\N{REPLACEMENT CHARACTER} =1+1"
    assert (after.status, after.updated_at) == (before.status, before.updated_at)
    set_comment(store, "act", "")
    assert summary(store).comment == ""
    with pytest.raises(StoreError, match="no document 'nowhere'"):
        set_comment(store, "nowhere", "x")


def test_given_concepts_are_kept_in_order_and_once(store: Store) -> None:
    document = Document.from_text("batch", "T", "x")
    for given in (["c3", "c1", "c3"], ["c1", "c2", "", "x" * 256]):
        add_document(store, document, project_id=1, given=given, batch="march.csv")
    assert given_concepts(store, "batch") == ("c3", "c1", "c2")
    assert (summary(store, "batch").n_given, summary(store, "batch").batch) == (3, "march.csv")
    assert (given_concepts(store, "act"), summary(store).n_given, summary(store).batch) == (
        (),
        0,
        None,
    )


def test_the_same_text_is_found_under_whatever_title_and_id(store: Store) -> None:
    parts = (Part("On the marketing\r\nof olives. "), Part("A  list.", "annex"))
    add_document(store, Document("long", "Olives", parts), project_id=1)
    same = Document.from_text("x", "Other title", "On the marketing of olives.\n\nA list.")
    assert find_same_text(store, same, 1) == "long"
    remove_document(store, "long")
    assert find_same_text(store, same, 1) == "long"
    assert find_same_text(store, same, 2) is None
    assert find_same_text(store, Document.from_text("x", "Olives", "On oil."), 1) is None


def test_without_a_text_titles_are_compared(store: Store) -> None:
    add_document(store, Document("bare", "Only a title", ()), project_id=1)
    assert find_same_text(store, Document("x", "Only a  title", ()), 1) == "bare"
    assert find_same_text(store, Document("x", "Another", ()), 1) is None


def test_a_term_is_proposed_once_and_can_be_withdrawn(store: Store) -> None:
    first = propose_term(store, "act", "  oleiculture\n ", "see title", 1)
    assert propose_term(store, "act", "Oleiculture", "again", 1) == first
    other = propose_term(store, "other", "oleiculture", "", 1)
    assert [(one.term_id, one.document_id, one.text) for one in read_proposed_terms(store)] == [
        (first, "act", "oleiculture"),
        (other, "other", "oleiculture"),
    ]
    (term,) = read_proposed_terms(store, "act")
    assert (term.note, term.person, summary(store).n_proposed) == ("see title", "me", 1)
    withdraw_term(store, first)
    assert (read_proposed_terms(store, "act"), summary(store).n_proposed) == ([], 0)
    assert propose_term(store, "act", "oleiculture", "", 1) not in (first, other)
    remove_document(store, "act")
    assert [one.document_id for one in read_proposed_terms(store)] == ["other"]


@pytest.mark.parametrize(
    ("document_id", "text", "problem"),
    [("act", " \n", "at least a word"), ("act", "x" * 501, "at most 500"), ("no", "x", "'no'")],
)
def test_a_term_that_cannot_be_kept_is_refused(
    store: Store, document_id: str, text: str, problem: str
) -> None:
    with pytest.raises(StoreError, match=problem):
        propose_term(store, document_id, text, "", 1)


def test_preferences_are_each_persons_own(store: Store) -> None:
    assert read_preferences(store, 1) == {}
    set_preference(store, 1, "label_language", "fr")
    set_preference(store, 1, "keys", {"accept": "j", "reject": "Shift+R"})
    set_preference(store, 1, "label_language", "de")
    assert read_preferences(store, 1) == {
        "keys": {"accept": "j", "reject": "Shift+R"},
        "label_language": "de",
    }
    assert read_preferences(store, 2) == {}
    set_preference(store, 1, "keys", None)
    assert read_preferences(store, 1) == {"label_language": "de"}
