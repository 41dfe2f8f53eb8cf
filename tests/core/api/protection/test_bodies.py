"""How many bodies arrive at once and how much they hold: who gives way, and what is told."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from core.api.protection.bodies import TOO_MUCH, TOO_SLOW, Bodies, Body, RefusedBodyError
from core.api.protection.guard import Guard
from tests.support.asgi import ask, run

PATH, CHUNKED = "/api/decisions", {"transfer-encoding": "chunked"}


async def inside(scope: Scope, receive: Receive, send: Send) -> None:
    await PlainTextResponse(str(len(await Request(scope, receive).body())))(scope, receive, send)


def test_a_sender_holds_so_much_and_what_is_answered_is_free_again() -> None:
    bodies = Bodies(most_bytes=1_000, most_bytes_of_sender=100)
    first, second, other = Body("a"), Body("a"), Body("b")
    bodies.arrived(first, 60, is_whole=True)
    with pytest.raises(RefusedBodyError) as refused:
        bodies.arrived(second, 41, is_whole=True)
    assert (refused.value.sentence, refused.value.status) == (TOO_MUCH, 429)
    bodies.arrived(other, 100, is_whole=True)
    bodies.over(second)
    bodies.over(first)
    bodies.arrived(Body("a"), 100, is_whole=True)


def test_of_all_senders_the_largest_body_of_who_holds_most_gives_way() -> None:
    bodies = Bodies(most_bytes=100, most_bytes_of_sender=90)
    greedy = [Body("greedy"), Body("greedy")]
    honest = Body("honest")
    for body in (*greedy, honest):
        bodies.begin(body)
    bodies.arrived(greedy[0], 30, is_whole=False)
    bodies.arrived(greedy[1], 50, is_whole=False)
    bodies.arrived(honest, 25, is_whole=True)
    assert [body.is_ended for body in (*greedy, honest)] == [False, True, False]


def test_where_nothing_is_arriving_the_last_one_is_refused() -> None:
    bodies = Bodies(most_bytes=100, most_bytes_of_sender=100)
    bodies.arrived(Body("a"), 80, is_whole=True)
    with pytest.raises(RefusedBodyError) as refused:
        bodies.arrived(Body("b"), 30, is_whole=True)
    assert refused.value.status == 503


@pytest.mark.parametrize(("size", "status"), [(10, 200), (30, 200), (31, 429)])
def test_a_request_with_too_much_is_told_so(size: int, status: int) -> None:
    guarded = Guard(inside, hosts=["*"], bodies=Bodies(most_bytes_of_sender=30))
    pieces = [b"x"] * size
    for _ in range(3):  # what the one before held is free again
        answer = run(ask(guarded, PATH, method="POST", headers=CHUNKED, body=pieces))
        assert answer.status == status
    assert answer.text == str(size) if status == 200 else answer.json() == {"problem": TOO_MUCH}


@pytest.mark.parametrize(
    ("path", "ended"), [(PATH, [True, False, False]), ("/_stcore/upload_file/s/f", [False] * 3)]
)
def test_one_body_more_than_are_waited_for_ends_the_oldest(path: str, ended: list[bool]) -> None:
    guarded = Guard(inside, hosts=["*"], bodies=Bodies(most_arriving=2))

    async def three() -> list[bool]:
        asked = [
            asyncio.create_task(
                ask(guarded, path, method="POST", headers=CHUNKED, body=[b"x"], unfinished=True)
            )
            for _ in range(3)
        ]
        for _ in range(100):
            await asyncio.sleep(0.001)
        found = [task.done() for task in asked]
        assert all(
            not done or TOO_SLOW in task.result().text
            for done, task in zip(found, asked, strict=True)
        )
        for task in asked:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
        return found

    assert run(three()) == ended
