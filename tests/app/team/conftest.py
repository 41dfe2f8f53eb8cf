"""A team, and a document of another project than the one in which pages are drawn."""

from __future__ import annotations

import pytest

from core.documents.document import Document
from core.review.people.comments import add_comment
from core.review.people.memberships import give_role
from core.review.store.arrivals import add_document
from core.review.store.projects import make_project
from core.review.store.proposed_terms import propose_term
from core.roles import Role
from core.serving.session import Session
from tests.support.people import two_people

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


@pytest.fixture
def team(shared: Session) -> Session:
    """A server on which "me" administers and Jo reads."""
    two_people(shared.server.store())
    give_role(shared.server.store(), "jo", shared.project_id(), Role.READER)
    return shared
