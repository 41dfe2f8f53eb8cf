"""What is offered from similar documents, as the tree's scripts know it."""

from __future__ import annotations

import shutil

import pytest

from tests.support.browser.scripts import run

pytestmark = pytest.mark.skipif(not shutil.which("node"), reason="no node to run scripts")

UNDONE = """
const told = [];
const desk = { documentId: "B", tell: (sentence) => told.push(sentence) };
const similar = new SimilarOffer(desk);
similar.offer = { documentId: "B", from: ["A"], ids: [], ticked: [], n: 1 };
similar.listeners["strata:elsewhere"]({ detail: { documentId: "%s" } });
similar.take();
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
    assert run(UNDONE % undone_in, "tree/similar.js") == [told]
