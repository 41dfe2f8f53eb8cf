"""Decisions do not wait for evidence, and evidence does not wait for a model to be loaded."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import pytest
from sqlalchemy.event import listen
from starlette.applications import Starlette

from core import api
from core.documents.document import Document
from core.review.store.arrivals import add_document
from core.serving.caller import Caller
from core.serving.choosing import wait_until_loaded
from core.serving.server import Server
from core.serving.session import Session
from core.serving.workers import SUPERSEDED, TOO_MANY, BusyError, Pool
from core.suggest.protocol import Suggester
from tests.support.api_evidence import HERRING_ACT
from tests.support.asgi import Answer, ask, run
from tests.support.fakes import FakeExplanation, FakePredictor, fake_session, hierarchy

DECISION = {
    "client": "a" * 24,
    "document_id": "act",
    "operations": [{"sequence": 1, "action": "accept", "concept_id": "102"}],
}
MOST_STATEMENTS = 35  # begins included; there were 50
LONG = 20  # seconds; only a failure waits so long
Result = TypeVar("Result")


class HeldPredictor(FakePredictor):
    """Explains nothing before it may."""

    def __init__(self) -> None:
        super().__init__(hierarchy())
        self.begun = threading.Event()
        self.may_explain = threading.Event()

    def explain(self, document: Document) -> FakeExplanation:
        self.begun.set()
        assert self.may_explain.wait(2 * LONG)
        return super().explain(document)


def session_with(home: Path, load: Callable[[Path], Suggester]) -> Session:
    place = fake_session(home)
    session = Session(Server(replace(place.settings), load))
    add_document(session.server.store(), HERRING_ACT, project_id=session.project_id())
    return session


def decision(app: Starlette, decided: Mapping[str, object] = DECISION) -> asyncio.Task[Answer]:
    body = json.dumps({"document": "act", "batches": [decided]}).encode()
    headers = {"content-type": "application/json"}
    return asyncio.create_task(
        ask(app, "/api/decisions", method="POST", headers=headers, body=[body])
    )


async def deciding(app: Starlette, decided: dict[str, object]) -> Answer:
    return await decision(app, decided)


def evidence(app: Starlette, tab: int) -> asyncio.Task[Answer]:
    asked = {"document": "act", "concept": "102", "tab": f"tab {tab}"}
    return asyncio.create_task(ask(app, "/api/evidence", query=asked))


def test_a_decision_is_answered_while_sixty_wait_for_evidence(tmp_path: Path) -> None:
    model = HeldPredictor()
    session = session_with(tmp_path, lambda _: model)
    assert wait_until_loaded(session, LONG) == "ready"
    app = Starlette(routes=api.routes(session.server))

    async def work() -> tuple[Answer, int, list[int]]:
        waiting = [evidence(app, tab) for tab in range(60)]
        await asyncio.to_thread(model.begun.wait, LONG)
        stored = await asyncio.wait_for(decision(app), LONG)
        n_answered = sum(task.done() for task in waiting)
        model.may_explain.set()
        return stored, n_answered, [(await task).status for task in waiting]

    stored, n_answered, statuses = run(work())
    session.server.close()
    assert stored.json()["receipts"]["a" * 24]["settled"] == [1]
    assert (n_answered, statuses) == (0, [200] * 60)


def test_evidence_says_at_once_that_the_model_is_being_loaded(tmp_path: Path) -> None:
    may_load = threading.Event()

    def load(_: Path) -> Suggester:
        assert may_load.wait(2 * LONG)
        return FakePredictor(hierarchy())

    session = session_with(tmp_path, load)
    session.vocabulary()
    app = Starlette(routes=api.routes(session.server))

    async def work() -> tuple[list[Answer], Answer]:
        early = [evidence(app, tab) for tab in range(60)]
        stored = decision(app)
        answers = [await asyncio.wait_for(task, LONG) for task in early]
        assert (await asyncio.wait_for(stored, LONG)).status == 200
        may_load.set()
        await asyncio.to_thread(wait_until_loaded, session, LONG)
        return answers, await evidence(app, 1)

    answers, late = run(work())
    session.server.close()
    assert {(answer.status, answer.headers.get("retry-after")) for answer in answers} == {
        (503, "1")
    }
    assert answers[0].json()["problem"] == "The model is still being loaded."
    assert late.status == 200


def in_held_pool(work: Callable[[Pool], asyncio.Future[Result]]) -> Result:
    """What comes of work in a pool for three, of two for each tab, whose only thread is held."""
    pool = Pool("test", 1, most_waiting=3, most_of_one_tab=2)
    is_held, may_go_on = threading.Event(), threading.Event()

    def hold() -> None:
        is_held.set()
        assert may_go_on.wait(LONG)

    async def held() -> Result:
        first = asyncio.create_task(pool.run(hold))
        await asyncio.to_thread(is_held.wait, LONG)
        found = work(pool)
        await asyncio.sleep(0)
        may_go_on.set()
        await first
        return await found

    try:
        return run(held())
    finally:
        pool.close()


def waiting(pool: Pool, *tabs: str) -> asyncio.Future[list[object]]:
    tasks = [
        pool.run(lambda number=number: number, tab=tab)  # type: ignore[misc]
        for number, tab in enumerate(tabs)
    ]
    return asyncio.gather(*tasks, return_exceptions=True)


def test_the_oldest_request_of_a_tab_is_dropped_for_its_newest() -> None:
    dropped, *answered = in_held_pool(lambda pool: waiting(pool, "a", "a", "a", "b"))
    assert isinstance(dropped, BusyError) and str(dropped) == SUPERSEDED
    assert answered == [1, 2, 3]


def test_a_full_pool_refuses_what_comes_from_another_tab() -> None:
    *answered, refused = in_held_pool(lambda pool: waiting(pool, "a", "", "", "b"))
    assert answered == [0, 1, 2]
    assert isinstance(refused, BusyError) and str(refused) == TOO_MANY


def test_a_closed_pool_says_that_the_server_is_stopping() -> None:
    pool = Pool("test", 1)
    pool.close()
    with pytest.raises(BusyError, match="stopping"):
        run(pool.run(int))


def test_sessions_look_up_their_callers_at_the_same_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = fake_session(tmp_path)
    both, found = threading.Barrier(2, timeout=LONG), session.caller

    def caller(*_: object) -> Caller:
        both.wait()  # neither goes on before the other is here
        return found

    monkeypatch.setattr(session.server, "caller", caller)
    with ThreadPoolExecutor(2) as threads:
        callers = threads.map(lambda _: Session(session.server).caller, range(2))
    assert list(callers) == [found, found]
    session.server.close()


def test_a_decision_takes_few_statements_however_many_are_stored(tmp_path: Path) -> None:
    session = fake_session(tmp_path)
    add_document(session.server.store(), HERRING_ACT, project_id=session.project_id())
    app = Starlette(routes=api.routes(session.server))
    statements: list[str] = []
    listen(
        session.server.store().engine, "before_cursor_execute", lambda *a: statements.append(a[2])
    )
    operations = [
        {"sequence": n, "action": ("accept", "reject")[n % 2], "concept_id": str(101 + n % 3)}
        for n in range(1, 31)
    ]
    n_statements = []
    for client, some in (("a", operations[:1]), ("b", operations), ("c", operations[:1])):
        statements.clear()
        decided = DECISION | {"client": client * 24, "operations": some}
        assert run(deciding(app, decided)).status == 200
        n_statements.append(len(statements))
    session.server.close()
    few, _, again = n_statements
    assert again <= few <= MOST_STATEMENTS, statements
