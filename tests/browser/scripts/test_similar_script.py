"""What is offered from similar documents, as the tree's scripts know it."""

from __future__ import annotations

import shutil

import pytest

from tests.support.browser.scripts import run

pytestmark = pytest.mark.skipif(not shutil.which("node"), reason="no node to run scripts")

UNDONE = """
const told = [];
const state = { ...newState(), documentId: "B" };
const similar = new SimilarOffer({ state, tell: (sentence) => told.push(sentence) });
similar.offer = { documentId: "B", from: ["A"], ids: [], ticked: [], n: 1 };
similar.withdraw("%s");
similar.takeOver();
return told;
"""


@pytest.mark.parametrize(
    ("undone_in", "told"),
    [
        ("A", "No finished document is similar enough to take something from."),
        ("C", "Nothing to take: what the similar document has is decided here."),
    ],
)
def test_an_undo_in_a_similar_document_withdraws_its_offer(undone_in: str, told: str) -> None:
    assert run(UNDONE % undone_in, "tree/similar.js", "tree/state.js") == [told]


NOT_COMMON = """
const told = [];
const state = { ...newState(), documentId: "B", outline: { ancestorsOf: () => [], nodes: new Map() } };
const similar = new SimilarOffer({ state, tell: (sentence) => told.push(sentence) });
similar.offer = { documentId: "B", from: ["A"], ids: ["1"], ticked: [], n: 5, isChosen: false };
similar.takeOver();
return told;
"""


def test_what_too_few_similar_documents_have_is_not_called_decided() -> None:
    told = ["Nothing to take: nothing is common to half of the 5 similar documents."]
    assert run(NOT_COMMON, "tree/similar.js", "tree/state.js") == told
