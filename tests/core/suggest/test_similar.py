"""Documents that read alike are found, also among thousands."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
import scipy.sparse as sp

from core.documents.document import Document
from core.suggest.similar import SimilarDocuments, hashed_words, shared_concepts
from tests.support.similar_acts import SIMILAR_ACTS

WANTED = Document.from_text("new", "Quotas of herring", "Herring that vessels catch in the bay.")


def titled(*names: str) -> dict[str, str]:
    return {name: SIMILAR_ACTS[name].title for name in names}


def test_the_nearest_comes_first_and_what_is_of_something_else_not_at_all(
    similar_index: SimilarDocuments,
) -> None:
    found = similar_index.nearest(WANTED, least=0.1)
    assert [similar.document_id for similar in found] == ["herring", "cod"]
    assert 1 > found[0].similarity > found[1].similarity > 0.1


def test_a_document_is_not_similar_to_itself_and_identical_to_its_copy(
    similar_index: SimilarDocuments,
) -> None:
    assert "herring" not in {
        similar.document_id for similar in similar_index.nearest(SIMILAR_ACTS["herring"])
    }
    copy = Document.from_text("copy", SIMILAR_ACTS["herring"].title, SIMILAR_ACTS["herring"].text)
    assert similar_index.nearest(copy)[0].similarity == pytest.approx(1.0)


def test_only_what_is_not_known_is_read_and_what_is_gone_is_forgotten() -> None:
    index, read = SimilarDocuments(hashed_words()), []

    def fetch(document_id: str) -> Document:
        read.append(document_id)
        return SIMILAR_ACTS[document_id]

    index.update(titled("herring", "cod"), fetch)
    index.update(titled("cod", "trains"), fetch)
    assert read == ["herring", "cod", "trains"]
    assert len(index) == 2
    assert [similar.document_id for similar in index.nearest(WANTED, least=0.0)] == [
        "cod",
        "trains",
    ]


def test_a_document_that_is_opened_again_is_not_weighed_again() -> None:
    weighed: list[str] = []
    words = hashed_words()

    def vector(title: str, text: str) -> sp.csr_matrix:
        weighed.append(title)
        return words(title, text)

    index = SimilarDocuments(vector)
    index.update(titled("herring"), SIMILAR_ACTS.__getitem__)
    for _ in range(3):
        assert index.nearest(WANTED, least=0.0)
        index.nearest(SIMILAR_ACTS["herring"])
    assert weighed == [SIMILAR_ACTS["herring"].title, WANTED.title]


def test_a_document_with_another_title_is_read_and_weighed_again() -> None:
    index = SimilarDocuments(hashed_words())
    index.update(titled("herring", "trains"), SIMILAR_ACTS.__getitem__)
    bare = Document.from_text("bare", SIMILAR_ACTS["herring"].title, "")
    assert [near.document_id for near in index.nearest(bare)] == ["herring"]
    renamed = replace(bare, title=SIMILAR_ACTS["trains"].title)
    assert [near.document_id for near in index.nearest(renamed)] == ["trains"]
    # An indexed one, which was opened again, named anew, and finished anew.
    herring = replace(SIMILAR_ACTS["herring"], title="Zeppelins over the lake of Constance")
    index.update(titled("trains") | {"herring": herring.title}, lambda _: herring)
    zeppelins = Document.from_text("zeppelins", herring.title, "")
    assert [near.document_id for near in index.nearest(zeppelins)] == ["herring"]
    alone = index.nearest(replace(zeppelins, document_id="herring"), least=0.0)
    assert [near.document_id for near in alone] == ["trains"]


def test_what_takes_too_long_is_left_for_later() -> None:
    index = SimilarDocuments(hashed_words())
    assert index.update(titled(*SIMILAR_ACTS), SIMILAR_ACTS.__getitem__, seconds=0.0) == 3
    assert index.nearest(WANTED) == []


def test_a_text_without_a_known_word_is_like_nothing(similar_index: SimilarDocuments) -> None:
    assert similar_index.nearest(Document.from_text("x", "", "")) == []
    assert SimilarDocuments(hashed_words()).nearest(WANTED) == []


def test_five_thousand_documents_are_searched_in_a_moment() -> None:
    row = hashed_words()(WANTED.title, WANTED.text)
    index = SimilarDocuments(lambda title, text: sp.csr_matrix(row))
    index.update({str(n): "" for n in range(5_000)}, lambda one: WANTED)
    index.nearest(WANTED)
    started = time.process_time()
    assert len(index.nearest(WANTED)) == 3
    assert time.process_time() - started < 0.5


def test_concepts_are_counted_by_document_and_stand_by_how_many_have_them() -> None:
    assigned = [["b", "a", "b"], ["a"], ["c"]]
    assert shared_concepts(assigned) == [("a", 2), ("b", 1), ("c", 1)]
    assert shared_concepts([]) == []
