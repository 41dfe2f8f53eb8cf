"""A person of each role."""

from __future__ import annotations

import pytest

from core.review.people.accounts import add_account, make_administrator
from core.review.people.memberships import give_role
from core.review.store.projects import make_project
from core.roles import Role
from core.serving.session import Session
from tests.support.people import ROLES


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
