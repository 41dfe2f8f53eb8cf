"""A document of another project than the one in which pages are drawn."""

from __future__ import annotations

import pytest

from core.documents.document import Document
from core.review.people.comments import add_comment
from core.review.store.arrivals import add_document
from core.review.store.projects import make_project
from core.review.store.proposed_terms import propose_term
from core.serving.session import Session

SECRET = "a pickled sentence"


@pytest.fixture
def elsewhere(shared: Session) -> str:
    """A document of another project, with a comment and a proposed term."""
    store = shared.server.store()
    project = make_project(store, "Elsewhere", shared.vocabulary_id())
    act = Document.from_text("far", "On salt", "Salt.")
    add_document(store, act, project_id=project.project_id)
    add_comment(store, "far", SECRET, 1)
    propose_term(store, "far", "brine", "", 1)
    return "far"
