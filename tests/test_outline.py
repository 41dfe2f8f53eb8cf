"""The nodes that a page shows: suggestions, decisions, and everything above them."""

from __future__ import annotations

from core.documents.document import Document
from core.review.outline import OutlineNode, outline
from tests.fakes import FakePredictor, hierarchy

VOCABULARY = hierarchy()
PREDICTION = FakePredictor(VOCABULARY).suggest(Document.from_text("a", "sole", "sole"), limit=2)


def by_id(nodes: list[OutlineNode]) -> dict[str, OutlineNode]:
    assert len({node["id"] for node in nodes}) == len(nodes)
    return {node["id"]: node for node in nodes}


def test_suggestions_come_with_all_that_is_broader() -> None:
    nodes = by_id(outline([], hierarchy=VOCABULARY, prediction=PREDICTION))
    assert PREDICTION.suggestions[0].concept_id == "104"
    assert {"104", "103", "m1", "m2", "d1"} <= set(nodes)
    assert nodes["103"]["broader"] == ["m1", "m2"]


def test_only_suggestions_have_a_rank_and_ancestors_have_a_branch_probability() -> None:
    nodes = by_id(outline([], hierarchy=VOCABULARY, prediction=PREDICTION))
    best = PREDICTION.suggestions[0]
    assert (nodes["104"]["rank"], nodes["104"]["probability"]) == (1, best.probability)
    assert (nodes["d1"]["rank"], nodes["d1"]["probability"]) == (None, None)
    assert nodes["d1"]["branch"] == PREDICTION.branch_probability["d1"]
    assert not nodes["d1"]["assignable"]


def test_a_decided_concept_is_there_without_being_suggested() -> None:
    nodes = by_id(outline(["303"], hierarchy=VOCABULARY, prediction=None))
    assert list(nodes) == ["303", "301", "d2", "m3"]
    assert nodes["303"]["probability"] is None


def test_without_a_vocabulary_suggestions_keep_the_labels_they_were_stored_with() -> None:
    nodes = by_id(outline(["999"], hierarchy=None, prediction=PREDICTION))
    assert nodes["104"]["label"] == "sole"
    assert nodes["104"]["broader"] == []
    assert nodes["999"]["label"] == "999"
