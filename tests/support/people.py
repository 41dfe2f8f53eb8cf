"""People who sign in, for tests."""

from __future__ import annotations

import pytest
from argon2 import PasswordHasher
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send

from core import api
from core.review.decisions.recording import Operation
from core.review.people import passwords
from core.review.people.accounts import add_account
from core.review.people.sign_ins import choose_password, invite
from core.review.store.store import Store
from core.roles import Role
from core.serving.caller import PERSON_HEADER
from core.serving.session import Session
from tests.support.stores import send

ROLES = [None, *Role]  # of who has none in the project, too
FIVE = ("a", "b", "c", "d", "e")  # documents
COOKIE = "strata_person_1"  # of who has signed in
QUICK = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
PASSWORD = "a herring in the library"
CONCEPT = "102"
TYPED = {"query": ["a word of Jo"]}
HERS, HIS = "act~1", "act~2"  # annotations, of the first person and of the second


def two_people(store: Store) -> Store:
    """Have "me", who administers, and "jo" sign in, each with the password, kept with little work."""
    add_account(store, "jo", display_name="Jo Berg")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passwords, "_HASHER", QUICK)
        for name in ("me", "jo"):
            choose_password(store, invite(store, name), PASSWORD)
    return store


def client_of(shared: Session, person_id: int) -> TestClient:
    """A client that the gate has let in as this person."""
    app = Starlette(routes=api.routes(shared.server))

    async def as_person(scope: Scope, receive: Receive, send: Send) -> None:
        await app(scope | {"person": person_id}, receive, send)

    return TestClient(as_person)


def finish_as(store: Store, document_id: str, person_id: int, concept_id: str = CONCEPT) -> None:
    """Accept a concept that was searched for, and finish."""
    added = Operation(1, "add", concept_id, source="search", value=TYPED)
    operations = [added, Operation(2, "finish", shown=0)]
    client = f"b{person_id}:{document_id}"
    send(store, *operations, document_id=document_id, person_id=person_id, client_id=client)


async def inside(scope: Scope, receive: Receive, send: Send) -> None:
    """Tells who has come in, by what pages and what routes see."""
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.accept"})
        while (await receive())["type"] == "websocket.receive":
            await send({"type": "websocket.send", "text": "answer"})
        return
    seen = [value.decode() for name, value in scope["headers"] if name == PERSON_HEADER.encode()]
    await PlainTextResponse(f"inside {scope.get('person')} {seen}")(scope, receive, send)
