"""Comments as a page sends them that is being left."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from core.documents.document import Document
from core.review.people.comments import LONGEST_COMMENT
from core.review.reports.summaries import list_documents
from core.review.store.arrivals import add_document
from core.review.store.projects import default_project
from core.serving.session import Session


def comments(shared: Session, project_id: int) -> list[str]:
    return [line.comment for line in list_documents(shared.server.store(), project_id)]


def test_a_comment_takes_the_place_of_the_one_before(
    client: TestClient, shared: Session, document_id: str
) -> None:
    for comment in ("Ask Maria", "", "Ask Ana"):
        sent = {"document": document_id, "comment": comment}
        assert client.post("/api/comments", json=sent).status_code == 200
        assert comments(shared, shared.project_id()) == [comment]


def test_a_comment_that_comes_late_leaves_a_newer_one(
    client: TestClient, shared: Session, document_id: str
) -> None:
    for comment, formers in (("Ask Maria", [""]), ("Ask Ana", [""]), ("Ask Paul", ["Ask Maria"])):
        sent = {"document": document_id, "comment": comment, "formers": formers}
        assert client.post("/api/comments", json=sent).status_code == 200
    assert comments(shared, shared.project_id()) == ["Ask Paul"]


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        ({"document": "act"}, 400),
        ({"document": "act", "comment": 1}, 400),
        ({"document": "act", "comment": "x" * (LONGEST_COMMENT + 1)}, 400),
        ({"document": "none", "comment": "x"}, 404),
    ],
)
def test_what_is_no_comment_on_a_document_gets_a_sentence(
    client: TestClient, sent: dict[str, object], status: int
) -> None:
    answer = client.post("/api/comments", json=sent)
    assert answer.status_code == status
    assert answer.json()["problem"]


def test_a_page_comments_on_documents_of_its_project_alone(
    client: TestClient, shared: Session
) -> None:
    other = default_project(shared.server.store(), "stw").project_id
    foreign = add_document(
        shared.server.store(), Document.from_text("b", "Fish", ""), project_id=other
    )
    sent = {"document": foreign, "comment": "x", "project": shared.project_id()}
    assert client.post("/api/comments", json=sent).status_code == 409
    assert comments(shared, other) == [""]
