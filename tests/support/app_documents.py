"""Documents with decisions, and the page that lists them."""

from __future__ import annotations

from typing import Any

from core.documents.document import Document
from core.review.decisions.recording import Operation, record
from core.review.store.arrivals import add_document
from core.serving.session import Session


def add_act(shared: Session, name: str, title: str, **options: Any) -> str:
    document = Document.from_text(name, title, "herring")
    return add_document(shared.server.store(), document, project_id=shared.project_id(), **options)


def decide_on(shared: Session, document_id: str, *operations: tuple[int, str, str]) -> None:
    receipt = record(
        shared.server.store(),
        document_id=document_id,
        person_id=shared.person_id(),
        client_id=f"tab-{document_id}",
        operations=[Operation(*one) for one in operations],
    )
    assert not receipt.refused


def add_decided(shared: Session, name: str, batch: str | None, *operations: Operation) -> None:
    document = Document.from_text(name, f"On {name}", "herring")
    add_document(shared.server.store(), document, project_id=shared.project_id(), batch=batch)
    receipt = record(
        shared.server.store(),
        document_id=name,
        person_id=shared.person_id(),
        client_id=name,
        operations=operations,
    )
    assert not receipt.refused
