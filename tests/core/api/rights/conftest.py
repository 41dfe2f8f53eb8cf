"""A person of each role."""

from __future__ import annotations

import pytest

from core.documents.document import Document
from core.review.annotations.asking import ask_twice
from core.review.people.accounts import add_account, make_administrator
from core.review.people.memberships import give_role
from core.review.store.arrivals import add_document
from core.review.store.projects import make_project
from core.review.store.proposed_terms import propose_term
from core.roles import Role
from core.serving.session import Session
from tests.support.people import HERS, HIS, ROLES, finish_as


@pytest.fixture
def people(shared: Session) -> dict[Role | None, int]:
    """A person of each role in the first project, and one who has a role in another alone."""
    store = shared.server.store()
    numbers: dict[Role | None, int] = {}
    elsewhere = make_project(store, "Elsewhere", shared.vocabulary_id())
    for role in ROLES:
        name = role.value if role else "stranger"
        numbers[role] = add_account(store, name).person_id
        if role is Role.ADMINISTRATOR:
            make_administrator(store, name, is_administrator=True)
        elif role is not None:
            give_role(store, name, shared.project_id(), role)
    give_role(store, "stranger", elsewhere.project_id, Role.LEAD)
    return numbers


@pytest.fixture
def jo_and_ann(shared: Session, document_id: str, people: dict[Role | None, int]) -> dict[str, int]:
    """Two who annotate the act, which nobody has touched, and one more document."""
    store = shared.server.store()
    ids = {name: add_account(store, name).person_id for name in ("jo", "ann")}
    for name in ids:
        give_role(store, name, shared.project_id(), Role.INDEXER)
    other = Document.from_text("other", "On honey", "Honey.")
    add_document(store, other, project_id=shared.project_id())
    ids |= {"reviewer": people[Role.REVIEWER], "lead": people[Role.LEAD]}
    return ids


@pytest.fixture(params=["untouched", "finished"])
def half_done(
    request: pytest.FixtureRequest, shared: Session, jo_and_ann: dict[str, int]
) -> dict[str, int]:
    """Jo has finished, Ann has not: of a document nobody had touched, and of one that Jo had finished."""
    store, project_id = shared.server.store(), shared.project_id()
    pair = [jo_and_ann["jo"], jo_and_ann["ann"]]
    if request.param == "finished":
        finish_as(store, "act", jo_and_ann["jo"])
    ask_twice(store, project_id, ["act"], pair, asked_by=jo_and_ann["lead"])
    if request.param == "untouched":
        finish_as(store, HERS, jo_and_ann["jo"])
    propose_term(store, HERS, "jo’s term", "", jo_and_ann["jo"])
    return jo_and_ann


@pytest.fixture
def both_done(shared: Session, half_done: dict[str, int]) -> dict[str, int]:
    finish_as(shared.server.store(), HIS, half_done["ann"], "101")
    return half_done
