"""Documents that read alike are found, also among thousands."""

from __future__ import annotations

import time

import pytest
import scipy.sparse as sp

from core.documents.document import Document
from core.suggest.similar import SimilarDocuments, hashed_words

ACTS = {
    "herring": Document.from_text("herring", "Herring quotas", "Vessels catch herring at sea."),
    "cod": Document.from_text("cod", "Cod quotas", "Vessels catch cod at sea in the bay."),
    "trains": Document.from_text(
        "trains", "Train tickets", "Passengers travel by high-speed train."
    ),
}
WANTED = Document.from_text("new", "Quotas of herring", "Herring that vessels catch in the bay.")


@pytest.fixture(scope="module")
def index() -> SimilarDocuments:
    made = SimilarDocuments(hashed_words())
    assert made.update(list(ACTS), ACTS.__getitem__) == 0
    return made


def test_the_nearest_comes_first_and_what_is_of_something_else_not_at_all(
    index: SimilarDocuments,
) -> None:
    found = index.nearest(WANTED, least=0.1)
    assert [one.document_id for one in found] == ["herring", "cod"]
    assert 1 > found[0].similarity > found[1].similarity > 0.1


def test_a_document_is_not_similar_to_itself_and_identical_to_its_copy(
    index: SimilarDocuments,
) -> None:
    assert "herring" not in {one.document_id for one in index.nearest(ACTS["herring"])}
    copy = Document.from_text("copy", ACTS["herring"].title, ACTS["herring"].text)
    assert index.nearest(copy)[0].similarity == pytest.approx(1.0)


def test_only_what_is_not_known_is_read_and_what_is_gone_is_forgotten() -> None:
    index, read = SimilarDocuments(hashed_words()), []

    def fetch(document_id: str) -> Document:
        read.append(document_id)
        return ACTS[document_id]

    index.update(["herring", "cod"], fetch)
    index.update(["cod", "trains"], fetch)
    assert read == ["herring", "cod", "trains"]
    assert len(index) == 2
    assert [one.document_id for one in index.nearest(WANTED, least=0.0)] == ["cod", "trains"]


def test_what_takes_too_long_is_left_for_later() -> None:
    index = SimilarDocuments(hashed_words())
    assert index.update(list(ACTS), ACTS.__getitem__, seconds=0.0) == 3
    assert index.nearest(WANTED) == []


def test_a_text_without_a_known_word_is_like_nothing(index: SimilarDocuments) -> None:
    assert index.nearest(Document.from_text("x", "", "")) == []
    assert SimilarDocuments(hashed_words()).nearest(WANTED) == []


def test_five_thousand_documents_are_searched_in_a_moment() -> None:
    row = hashed_words()(WANTED.title, WANTED.text)
    index = SimilarDocuments(lambda title, text: sp.csr_matrix(row))
    index.update([str(n) for n in range(5_000)], lambda one: WANTED)
    index.nearest(WANTED)
    started = time.process_time()
    assert len(index.nearest(WANTED)) == 3
    assert time.process_time() - started < 0.5
