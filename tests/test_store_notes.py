"""What is kept beside documents: comments, given concepts, proposed terms, preferences."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.documents.document import Document, Heading, Part
from core.errors import StoreError
from core.review.store.store import DocumentSummary, Store
from tests.stores import open_with_documents


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_with_documents(tmp_path)
    yield opened
    opened.close()


def summary(store: Store, document_id: str = "act") -> DocumentSummary:
    return next(one for one in store.documents(1) if one.document_id == document_id)


def test_a_part_keeps_its_title_and_headings(store: Store) -> None:
    text = "Article 1\nOn olives 🫒.\nArticle 2\nOn oil."
    part = Part(text, "annex", None, "Annex I", (Heading(0, 9, 2), Heading(24, 33, 2)))
    document = Document("headed", "Title", (part, Part("Bare.")))
    store.add_document(document, project_id=1)
    assert store.document("headed") == document


def test_a_comment_is_kept_and_changes_nothing_else(store: Store) -> None:
    before = summary(store)
    store.set_comment("act", "ask Maria\0 =1+1")
    after = summary(store)
    assert after.comment == "ask Maria\N{REPLACEMENT CHARACTER} =1+1"
    assert (after.status, after.updated_at) == (before.status, before.updated_at)
    store.set_comment("act", "")
    assert summary(store).comment == ""
    with pytest.raises(StoreError, match="no document 'nowhere'"):
        store.set_comment("nowhere", "x")


def test_given_concepts_are_kept_in_order_and_once(store: Store) -> None:
    document = Document.from_text("batch", "T", "x")
    for given in (["c3", "c1", "c3"], ["c1", "c2", "", "x" * 256]):
        store.add_document(document, project_id=1, given=given, batch="march.csv")
    assert store.given("batch") == ("c3", "c1", "c2")
    assert (summary(store, "batch").n_given, summary(store, "batch").batch) == (3, "march.csv")
    assert (store.given("act"), summary(store).n_given, summary(store).batch) == ((), 0, None)


def test_the_same_text_is_found_under_whatever_title_and_id(store: Store) -> None:
    parts = (Part("On the marketing\r\nof olives. "), Part("A  list.", "annex"))
    store.add_document(Document("long", "Olives", parts), project_id=1)
    same = Document.from_text("x", "Other title", "On the marketing of olives.\n\nA list.")
    assert store.find_same_text(same, 1) == "long"
    store.remove_document("long")
    assert store.find_same_text(same, 1) == "long"
    assert store.find_same_text(same, 2) is None
    assert store.find_same_text(Document.from_text("x", "Olives", "On oil."), 1) is None


def test_without_a_text_titles_are_compared(store: Store) -> None:
    store.add_document(Document("bare", "Only a title", ()), project_id=1)
    assert store.find_same_text(Document("x", "Only a  title", ()), 1) == "bare"
    assert store.find_same_text(Document("x", "Another", ()), 1) is None


def test_a_term_is_proposed_once_and_can_be_withdrawn(store: Store) -> None:
    first = store.propose_term("act", "  oleiculture\n ", "see title", 1)
    assert store.propose_term("act", "Oleiculture", "again", 1) == first
    other = store.propose_term("other", "oleiculture", "", 1)
    assert [(one.term_id, one.document_id, one.text) for one in store.proposed_terms()] == [
        (first, "act", "oleiculture"),
        (other, "other", "oleiculture"),
    ]
    (term,) = store.proposed_terms("act")
    assert (term.note, term.person, summary(store).n_proposed) == ("see title", "me", 1)
    store.withdraw_term(first)
    assert (store.proposed_terms("act"), summary(store).n_proposed) == ([], 0)
    assert store.propose_term("act", "oleiculture", "", 1) not in (first, other)
    store.remove_document("act")
    assert [one.document_id for one in store.proposed_terms()] == ["other"]


@pytest.mark.parametrize(
    ("document_id", "text", "problem"),
    [("act", " \n", "at least a word"), ("act", "x" * 501, "at most 500"), ("no", "x", "'no'")],
)
def test_a_term_that_cannot_be_kept_is_refused(
    store: Store, document_id: str, text: str, problem: str
) -> None:
    with pytest.raises(StoreError, match=problem):
        store.propose_term(document_id, text, "", 1)


def test_preferences_are_each_persons_own(store: Store) -> None:
    assert store.preferences(1) == {}
    store.set_preference(1, "label_language", "fr")
    store.set_preference(1, "keys", {"accept": "j", "reject": "Shift+R"})
    store.set_preference(1, "label_language", "de")
    assert store.preferences(1) == {
        "keys": {"accept": "j", "reject": "Shift+R"},
        "label_language": "de",
    }
    assert store.preferences(2) == {}
    store.set_preference(1, "keys", None)
    assert store.preferences(1) == {"label_language": "de"}
