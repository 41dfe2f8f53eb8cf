"""People who sign in, for tests."""

from __future__ import annotations

from core.review.people.accounts import add_account
from core.review.people.sign_ins import choose_password, invite
from core.review.store.store import Store
from core.roles import Role

ROLES = [None, *Role]  # of who has none in the project, too
FIVE = ("a", "b", "c", "d", "e")  # documents
PASSWORD = "a herring in the library"


def two_people(store: Store) -> Store:
    """Have "me", who administers, and "jo" sign in, each with the password."""
    add_account(store, "jo", display_name="Jo Berg")
    for name in ("me", "jo"):
        choose_password(store, invite(store, name), PASSWORD)
    return store
