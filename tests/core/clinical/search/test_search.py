"""The search box where ICD-10-CM is coded, with terms of the ward."""

from __future__ import annotations

import pytest

from core.clinical.names.tables import all_rows
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.search.hits import is_certain
from core.vocabulary.search.vocabulary_index import VocabularyIndex
from tests.core.clinical.search.score import found


@pytest.mark.parametrize(("part", "least"), [("dev", 50), ("scored", 45)])
def test_terms_of_the_ward_find_their_code_first(
    index: VocabularyIndex, part: str, least: int
) -> None:
    rows = list(found(index, part))
    wrong = {term: codes for term, right, codes in rows if not codes or codes[0] not in right}
    assert len(rows) - len(wrong) >= least, wrong


@pytest.mark.parametrize(
    ("query", "first", "also"),
    [
        ("h/o breast cancer", "Z85.3", "C50.919"),
        ("FHx colon cancer", "Z80.0", "C18.9"),
        ("s/p appendectomy", "Z90.49", ""),
        ("fx left 5th ribs", "S22.42XA", ""),
        ("xanax od", "T42.4X1A", ""),
        ("lisinopril side effect", "T46.4X5A", ""),
        ("urinary retention with BPH", "N40.1", ""),
        ("hypertention", "I10", ""),
        ("lung cancer rul", "C34.11", ""),
        ("breast ca left", "C50.912", ""),
        ("vit d def", "E55.9", ""),
        ("obesity bmi 42", "Z68.41", "E66.9"),
    ],
)
def test_what_a_query_means_comes_first(
    index: VocabularyIndex, query: str, first: str, also: str
) -> None:
    codes = [hit.concept_id for hit in index.search(query, divisions=False)]
    assert codes[0] == first
    assert not also or also in codes


def test_a_code_that_is_typed_may_be_taken_without_a_choice(index: VocabularyIndex) -> None:
    assert is_certain("E 11.9", index.search("E 11.9", divisions=False))
    assert not is_certain("S72.141X", index.search("S72.141X", divisions=False))
    (first, *_) = index.search("428.0", divisions=False)
    assert (first.concept_id, first.matched) == ("I50.9", "ICD-9-CM 428.0")


def test_every_code_of_the_table_exists(tree: Hierarchy) -> None:
    for row in all_rows("queries"):
        for code in row.meaning.split() if row.kind not in ("intent", "fracture", "drug") else ():
            assert code in tree and tree[code].assignable, row
        if row.kind == "drug":
            assert f"{row.meaning}1A" in tree, row
