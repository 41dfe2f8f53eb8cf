"""Figures of agreement on small collections, with their arithmetic, and what is said without one."""

from __future__ import annotations

import time
from dataclasses import fields

import numpy as np
import pytest

from core.agreement import figures
from core.agreement.annotations import AnnotatedDocument, Annotation, annotation_table
from core.agreement.figures import Bootstrap, Estimate
from tests.support.small_trees import concept, hierarchy

# t > m > (a, b); u > c
TREE = hierarchy(
    [concept("t"), concept("u"), concept("m", "t"), concept("a", "m"), concept("b", "m"),
     concept("c", "u")]
)  # fmt: skip


def document(number: int, *, week: str = "", **sets: str) -> AnnotatedDocument:
    """One document with the sets of its annotators: "ab" is {a, b}, "" is empty."""
    annotations = {who: Annotation(frozenset(letters)) for who, letters in sets.items()}
    return AnnotatedDocument(f"d{number}", annotations, week)


def table(*documents: AnnotatedDocument):
    return annotation_table(documents, TREE)


# Jo and Kim differ on the first by a sibling, and agree on the others; nobody compares the last.
THREE = (
    document(1, week="2026-W07", jo="a", kim="b"),
    document(2, week="2026-W08", jo="c", kim="c"),
    document(3, week="2026-W08", jo="", kim=""),
    document(4, week="2026-W08", jo="a"),
)


def test_all_figures_of_three_documents() -> None:
    """Six sets: {a}, {b}, {c}, {c}, {}, {}.

    MASI: within 2 · 1 / 6 = 1/3. Of 30 ordered pairs, all but {c}, {c} and {}, {} are 1 apart:
    26/30. Alpha is 1 − (1/3) / (26/30) = 8/13. On the tree {t, m, a} to {t, m, b} is 1 − 2/4 = 1/2:
    within 2 · 1/2 / 6 = 1/6, of all 25/30. Alpha is 1 − (1/6) / (25/30) = 4/5.
    """
    result = figures.agreement(table(*THREE))
    assert result.f1.n_documents == 3
    assert result.alpha_masi.value == pytest.approx(8 / 13)
    assert result.alpha_tree.value == pytest.approx(4 / 5)
    assert result.f1.value == pytest.approx((0 + 1 + 1) / 3)
    assert result.exact.value == pytest.approx(2 / 3)


def test_three_people_on_a_document_count_as_one_document() -> None:
    # jo-kim 1, jo-lee 2/3, kim-lee 2/3, so 7/9; then a document on which two share nothing.
    result = figures.agreement(
        table(document(1, jo="a", kim="a", lee="ab"), document(2, jo="a", kim="c"))
    )
    assert result.f1.value == pytest.approx((7 / 9 + 0) / 2)
    assert result.exact.value == pytest.approx((1 / 3 + 0) / 2)


def test_by_pair_week_branch_and_level() -> None:
    documents = table(*THREE, document(5, week="2026-W08", jo="c", lee="a"))
    pairs = {row.key: row.f1.value for row in figures.by_pair(documents)}
    assert pairs == {("jo", "kim"): pytest.approx(2 / 3), ("jo", "lee"): 0}
    weeks = {row.key: (row.f1.n_documents, row.f1.value) for row in figures.by_week(documents)}
    assert weeks == {("2026-W07",): (1, 0), ("2026-W08",): (3, pytest.approx(2 / 3))}
    # In t: {a}, {b} and {}, {a}; in u: {c}, {c} and {c}, {}. The empty document counts in neither.
    branches = {
        row.key: (row.f1.n_documents, row.f1.value) for row in figures.by_branch(documents, TREE)
    }
    assert branches == {("t",): (2, 0), ("u",): (2, 0.5)}
    # On level 1 document 1 is {t}, {t}; on level 2 {m}, {m} and document 5 {c}, {m}; on 3 {a}, {b}.
    levels = {
        row.key: (row.f1.n_documents, row.f1.value) for row in figures.by_level(documents, TREE)
    }
    assert levels == {
        ("1",): (3, pytest.approx(2 / 3)),
        ("2",): (3, pytest.approx(2 / 3)),
        ("3",): (2, 0),
    }


def test_kappa_of_a_concept_with_its_prevalence() -> None:
    """c on 2 of 4 documents by both, on a third by kim alone: Pₒ 3/4, Pₑ (2·3 + 2·1) / 16 = 1/2."""
    rows = figures.by_concept(
        table(
            document(1, jo="c", kim="c"),
            document(2, jo="c", kim="c"),
            document(3, jo="a", kim="ac"),
            document(4, jo="a", kim="a"),
        )
    )
    by_id = {row.concept_id: row for row in rows}
    assert list(by_id) == ["a", "c"]
    assert by_id["c"].kappa.value == pytest.approx((3 / 4 - 1 / 2) / (1 / 2))
    assert (by_id["c"].prevalence, by_id["c"].n_used) == (5 / 8, 5)
    assert by_id["a"].kappa.value == 1


def values(row: object) -> list[object]:
    return [getattr(row, field.name) for field in fields(row)]


def test_nothing_to_compare_is_said() -> None:
    for documents in ((), (document(1, jo="a"),)):
        result = figures.agreement(table(*documents))
        nothing = Estimate(None, None, None, 0, figures.NOBODY_TWICE)
        assert values(result) == [(), nothing, nothing, nothing, nothing]
        assert figures.by_pair(table(*documents)) == []
        assert figures.by_branch(table(*documents), TREE) == []
        assert figures.by_level(table(*documents), TREE) == []
        assert figures.by_concept(table(*documents)) == []


def test_one_document_has_shares_but_no_chance() -> None:
    result = figures.agreement(table(document(1, jo="a", kim="ab")))
    assert result.alpha_masi == Estimate(None, None, None, 1, figures.ONE_DOCUMENT)
    assert result.f1 == Estimate(pytest.approx(2 / 3), None, None, 1, figures.ONE_DOCUMENT)
    assert figures.by_concept(table(document(1, jo="a", kim="ab")))[0].kappa == result.alpha_masi


def test_a_concept_that_everybody_used_is_said() -> None:
    documents = table(document(1, jo="a", kim="a"), document(2, jo="a", kim="a"))
    (used,) = figures.by_concept(documents)
    assert (used.kappa.value, used.kappa.reason, used.prevalence) == (None, figures.ALL_USED, 1)
    result = figures.agreement(documents)
    assert (result.alpha_masi.value, result.alpha_masi.reason) == (None, figures.ALL_THE_SAME)
    assert (result.f1.value, result.exact.value) == (1, 1)


def test_a_withdrawn_concept_stands_alone() -> None:
    result = figures.agreement(table(document(1, jo="a", kim="x"), document(2, jo="x", kim="x")))
    # {t, m, a} to {x} is 1; within 2/4, of 12 pairs 6 are 1: 1 − (1/2) / (1/2).
    assert result.alpha_tree.value == 0


def drawn(n_documents: int, n_concepts: int, seed: int = 0):
    rng = np.random.default_rng(seed)
    tree = hierarchy([concept("t"), *(concept(f"c{n}", "t") for n in range(n_concepts))])
    documents = []
    for number in range(n_documents):
        base = set(rng.zipf(1.5, 6) % n_concepts)
        sets = {
            who: Annotation(frozenset(f"c{n}" for n in base if rng.random() < 0.8))
            for who in ("jo", "kim")
        }
        documents.append(AnnotatedDocument(f"d{number}", sets))
    return annotation_table(documents, tree)


def test_intervals_surround_the_value_and_the_seed_settles_them() -> None:
    documents = drawn(60, 40)
    result = figures.agreement(documents)
    for estimate in values(result)[1:]:
        assert estimate.low < estimate.value < estimate.high
    assert result == figures.agreement(documents)
    assert result != figures.agreement(documents, bootstrap=Bootstrap(seed=1))


def test_the_interval_of_a_share_is_that_of_its_binomial() -> None:
    # 30 of 100 documents exact: 0.3 ± 1.96 · √(0.3 · 0.7 / 100) = 0.21 to 0.39.
    documents = [document(n, jo="a", kim="a" if n < 30 else "b") for n in range(100)]
    exact = figures.agreement(table(*documents)).exact
    assert (exact.low, exact.high) == (
        pytest.approx(0.21, abs=0.015),
        pytest.approx(0.39, abs=0.015),
    )


def test_alpha_of_very_many_documents_is_that_of_a_sample() -> None:
    result = figures.agreement(drawn(80, 40), bootstrap=Bootstrap(most_documents=50))
    assert (result.alpha_masi.n_documents, result.f1.n_documents) == (50, 80)


def test_a_thousand_samples_of_five_hundred_documents_take_seconds_at_most() -> None:
    documents = drawn(500, 1000)
    begin = time.process_time()
    figures.agreement(documents)
    figures.by_concept(documents)
    assert time.process_time() - begin < 10  # about one, on an idle core
