"""A server on which "me", Jo and Ann sign in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.review.people.accounts import add_account, rename_account
from core.review.people.memberships import give_role
from core.review.people.sign_ins import choose_password, invite
from core.roles import Role
from tests.support.browser.seeds import seed
from tests.support.browser.server import Server
from tests.support.fakes import fake_session
from tests.support.people import PASSWORD, two_people


@pytest.fixture
def team_server(tmp_path: Path) -> Iterator[Server]:
    """Maria administers, Jo indexes and Ann reads; four documents on which Maria has decided."""
    home = tmp_path / "home"
    place = fake_session(home)
    seed(place)
    store = two_people(place.server.store())
    rename_account(store, "me", "maria", "Maria Lund")
    give_role(store, "jo", place.project_id(), Role.INDEXER)
    add_account(store, "ann")
    give_role(store, "ann", 1, Role.READER)
    choose_password(store, invite(store, "ann"), PASSWORD)
    place.server.close()
    with Server(home, fake=True) as server:
        yield server
