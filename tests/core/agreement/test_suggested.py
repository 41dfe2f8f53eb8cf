"""What annotators took from the model's list and what they typed, counted by hand."""

from __future__ import annotations

import pytest

from core.agreement.annotations import AnnotatedDocument, Annotation, annotation_table
from core.agreement.suggested import agreement_on_suggested, by_annotator
from core.insights.decisions import RankRow
from tests.support.small_trees import concept, hierarchy

TREE = hierarchy([concept(letter) for letter in "abcdefgh"])
LIST = {"a": 1, "b": 2, "c": 3, "d": 4}


def annotation(assigned: str, typed: str = "", ranks: dict[str, int] = LIST) -> Annotation:
    return Annotation(frozenset(assigned), ranks, frozenset(typed))


DOCUMENTS = [
    AnnotatedDocument("d1", {"jo": annotation("abe", "e"), "kim": annotation("abf", "bf")}),
    AnnotatedDocument("d2", {"jo": annotation("a"), "kim": annotation("ag", "g")}),
    AnnotatedDocument("d3", {"jo": annotation("", ranks={})}),
]


def test_accepted_typed_and_typed_though_suggested() -> None:
    jo, kim = by_annotator(DOCUMENTS)
    assert (jo.annotator, jo.n_documents, jo.n_assigned) == ("jo", 3, 4)
    assert (jo.n_accepted, jo.n_typed_suggested, jo.accepted_share) == (3, 0, 3 / 4)
    # kim accepted a twice, typed b which stood in the list, and f and g which did not.
    assert (kim.n_documents, kim.n_assigned, kim.n_accepted, kim.n_typed_suggested) == (2, 5, 2, 1)


def test_what_was_assigned_by_rank() -> None:
    _, kim = by_annotator(DOCUMENTS)
    assert kim.ranks == (RankRow(1, 1, 2, 2), RankRow(2, 3, 4, 1), RankRow(4, 5, 2, 0))


def test_agreement_on_what_was_suggested_and_on_the_rest() -> None:
    """On the list both have {a, b} and {a}: 1. Beside it e and f, nothing and g: 0."""
    suggested, others = agreement_on_suggested(annotation_table(DOCUMENTS, TREE))
    assert (suggested.value, suggested.n_documents) == (1, 2)
    assert (others.value, others.n_documents) == (0, 2)


def test_a_list_that_only_one_of_two_saw_counts_for_both() -> None:
    blind = [AnnotatedDocument("d", {"jo": annotation("ab"), "kim": annotation("ae", ranks={})})]
    suggested, others = agreement_on_suggested(annotation_table(blind, TREE))
    assert suggested.value == pytest.approx(2 / 3)
    assert others.value == 0


def test_without_documents_or_assigned_concepts_a_share_is_not_made_up() -> None:
    assert by_annotator([]) == []
    (jo,) = by_annotator([AnnotatedDocument("d", {"jo": annotation("")})])
    assert jo.accepted_share is None
    suggested, _ = agreement_on_suggested(annotation_table([], TREE))
    assert (suggested.value, suggested.reason) == (None, "nobody used it")
