from __future__ import annotations

import pytest

from core.documents.document import Document
from core.errors import StoreError
from core.review.decisions.recording import Operation
from core.review.store.arrivals import add_document
from core.review.store.documents import (
    fetch_document,
    given_concepts,
    has_text,
    may_change_id,
    set_document_id,
)
from core.review.store.predictions import latest_prediction, save_prediction
from core.review.store.projects import default_project, make_project
from core.review.store.store import Store
from core.suggest.suggestions import Prediction
from tests.support.stores import send

pytestmark = pytest.mark.usefixtures("on_both")

ACT = Document.from_text("act", "On bees", "Bees.")


def test_a_document_takes_all_that_it_has_to_its_new_id(store: Store) -> None:
    add_document(store, ACT, project_id=default_project(store, "tiny").project_id, given=["oil"])
    save_prediction(store, "act", Prediction((), {}, 1, 1, 1, "hash", "v", 0.1), settings={})
    set_document_id(store, "act", "32031R0643")
    assert fetch_document(store, "32031R0643").text == "Bees."
    assert given_concepts(store, "32031R0643") == ("oil",)
    assert latest_prediction(store, "32031R0643") is not None
    assert not has_text(store, "act")


def test_an_id_that_is_taken_or_decided_on_stays(store: Store) -> None:
    project_id = default_project(store, "tiny").project_id
    add_document(store, ACT, project_id=project_id)
    other = make_project(store, "Other", "tiny").project_id
    add_document(store, Document.from_text("b", "B", "B."), project_id=other)
    with pytest.raises(StoreError, match="has the id b already"):
        set_document_id(store, "act", "b")
    with pytest.raises(StoreError, match="no document 'c'"):
        set_document_id(store, "c", "d")
    assert may_change_id(store, "act")
    send(store, Operation(1, "add", "oil"), document_id="act")
    assert not may_change_id(store, "act")
    with pytest.raises(StoreError, match="has decided on this document"):
        set_document_id(store, "act", "c")
    assert fetch_document(store, "act").title == "On bees"
