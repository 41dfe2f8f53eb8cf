"""What finished documents say together, against values by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from core.suggest.ranking.decided import (
    CONCEPT_DOCUMENTS,
    PRIOR_DOCUMENTS,
    PRIOR_RIGHT,
    UNTOUCHED,
    LearnedDocument,
    LearnedDocuments,
    SparseRow,
)

N_CONCEPTS, N_TERMS = 3, 4


def decided(
    name: str,
    assigned: list[int],
    rejected: list[int] | None = None,
    *,
    in_title: list[int] | None = None,
    terms: list[int] | None = None,
) -> LearnedDocument:
    columns = np.array(terms or [], dtype=np.int32)
    return LearnedDocument(
        name,
        1,
        np.array(assigned, dtype=np.int32),
        np.array(rejected or [], dtype=np.int32),
        {"title": np.array(in_title or [], dtype=np.int32)},
        SparseRow(columns, np.ones(len(columns), dtype=np.float32)),
    )


def known(*documents: LearnedDocument) -> LearnedDocuments:
    found = LearnedDocuments(N_CONCEPTS, N_TERMS)
    found.add(documents)
    return found


def test_an_untouched_label_counts_less_against_its_concept_than_a_rejected_one() -> None:
    said = known(
        decided("a", [0], in_title=[0, 1, 2]),
        decided("b", [], [1], in_title=[1, 2]),
    ).experience()
    assert said.n_right["title"].tolist() == [1, 0, 0]
    assert said.n_standing["title"].tolist() == [1, UNTOUCHED + 1, 2 * UNTOUCHED]
    right, standing = 1.0, 1 + UNTOUCHED + 1 + 2 * UNTOUCHED
    mean = (right + PRIOR_DOCUMENTS * PRIOR_RIGHT["title"]) / (standing + PRIOR_DOCUMENTS)
    expected = (0 + CONCEPT_DOCUMENTS * mean) / (1 + UNTOUCHED + CONCEPT_DOCUMENTS)
    assert said.right["title"][1] == pytest.approx(expected, abs=1e-6)


def test_before_anything_is_decided_there_is_the_prior_and_nothing_is_similar() -> None:
    said = known().experience()
    assert said.right["text"].tolist() == pytest.approx([PRIOR_RIGHT["text"]] * N_CONCEPTS)
    rows, likeness = said.similar(SparseRow(np.array([1], np.int32), np.ones(1, np.float32)), 5)
    assert len(rows) == len(likeness) == 0


def test_similar_documents_are_compared_by_cosines_with_rare_terms_weighing_more() -> None:
    said = known(decided("a", [0], terms=[0, 1]), decided("b", [1], terms=[0, 2])).experience()
    common, rare = 1.0, np.log(3 / 2) + 1
    assert said.rarity.tolist() == pytest.approx([common, rare, rare, np.log(3) + 1])
    rows, likeness = said.similar(SparseRow(np.array([0, 1], np.int32), np.ones(2, np.float32)), 5)
    assert rows.tolist() == [0, 1]
    assert likeness.tolist() == pytest.approx([1.0, common / (common + rare**2)])
    rows, _ = said.similar(SparseRow(np.array([2], np.int32), np.ones(1, np.float32)), 5)
    assert rows.tolist() == [1]


def test_what_is_forgotten_leaves_nothing_and_the_order_does_not_matter() -> None:
    documents = [decided(name, [n], terms=[n, 3]) for n, name in enumerate("abc")]
    there, back = known(*documents[:2]), known(*reversed(documents))
    back.remove(["c"])
    one, other = there.experience(), back.experience()
    assert (one.terms != other.terms).nnz == (one.assigned != other.assigned).nnz == 0
    assert (one.rarity == other.rarity).all()
    assert (one.n_assigned == other.n_assigned).all()
    assert there.versions() == back.versions() == {"a": 1, "b": 1}


def test_a_document_that_was_decided_anew_takes_its_own_place() -> None:
    found = known(decided("a", [0]))
    found.add([decided("a", [1, 2])])
    assert len(list(found)) == 1
    assert found.experience().n_assigned.tolist() == [0, 1, 1]


def test_without_one_document_is_as_if_it_were_not_known() -> None:
    first = decided("a", [0, 1], [2], terms=[0, 1])
    others = [decided("b", [1], terms=[0, 2]), decided("c", [2], [0], terms=[1, 3])]
    first, *others = (
        replace(one, suggested=SparseRow(np.array([0, 2], np.int32), np.array(chances, np.float32)))
        for one, chances in zip(
            [first, *others], [(0.5, 0.25), (0.75, 0.5), (1.0, 0.5)], strict=True
        )
    )
    hidden, without = known(first, *others).experience().without(0), known(*others).experience()
    assert hidden.n_documents == without.n_documents == 2
    for name in ("n_assigned", "n_expected", "n_surplus"):
        assert getattr(hidden, name).tolist() == getattr(without, name).tolist()
    rows, _ = hidden.similar(first.terms, 3)
    assert sorted(rows.tolist()) == [1, 2]
