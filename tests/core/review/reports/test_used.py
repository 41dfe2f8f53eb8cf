from __future__ import annotations

from core.documents.document import Document
from core.review.decisions.recording import Operation
from core.review.reports.used import typed_for, used_in
from core.review.store.arrivals import add_document
from core.review.store.projects import default_project
from core.review.store.store import Store
from tests.support.stores import send


def add(store: Store, document_id: str, *found: tuple[str, str]) -> int:
    """A document on which concepts were added, each after these words; its project."""
    project_id = default_project(store, "tiny").project_id
    add_document(store, Document.from_text(document_id, "T", document_id), project_id=project_id)
    operations = [
        Operation(n, "add", concept_id, value={"query": [words]})
        for n, (concept_id, words) in enumerate(found, start=1)
    ]
    send(store, *operations, document_id=document_id, client_id=f"tab {document_id}")
    return project_id


def test_what_was_typed_is_counted_and_found_in_whatever_case(store: Store) -> None:
    add(store, "a", ("c1", "Lakes"), ("c2", "lakes"))
    project_id = add(store, "b", ("c2", "lakes"), ("c3", "rivers"))
    typed = sorted(typed_for(store, project_id))
    assert typed == [("Lakes", "c1", 1), ("lakes", "c2", 2), ("rivers", "c3", 1)]
    used = used_in(store, project_id)
    assert list(used.after("LAKES")) == ["c2", "c1"]
    assert dict(used.frequencies) == {"c1": 1, "c2": 2, "c3": 1}
