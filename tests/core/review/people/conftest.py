"""Documents that are shared out."""

from __future__ import annotations

import pytest

from core.documents.document import Document
from core.review.people.accounts import add_account
from core.review.store.arrivals import Arrival, add_documents
from core.review.store.people import default_person
from core.review.store.projects import default_project
from core.review.store.store import Store
from tests.support.people import FIVE


@pytest.fixture
def shelf(store: Store) -> Store:
    """Three people and a batch of five documents, which follow each other by their ids."""
    default_person(store)
    for name in ("jo", "ann"):
        add_account(store, name)
    project = default_project(store, "tiny")
    arrivals = [Arrival(Document.from_text(name, name.upper(), "Text.")) for name in FIVE]
    add_documents(store, arrivals, project_id=project.project_id, batch="five")
    return store
