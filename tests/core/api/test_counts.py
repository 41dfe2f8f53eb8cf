"""Counts over a project are kept for a while, and made anew beside what is known."""

from __future__ import annotations

import threading

import pytest

from core.api.counts import ProjectCounts
from core.errors import StoreError
from core.serving.session import Session
from tests.support.waiting import wait_until

pytestmark = pytest.mark.usefixtures("fresh_use")


def test_nobody_waits_for_what_is_counted_anew(shared: Session) -> None:
    counts, may_count, found = ProjectCounts(), threading.Event(), ["herring"]

    def count() -> list[str]:
        may_count.wait(30)
        return list(found)

    def known() -> object:
        return counts.of(shared.project, "found", count, first_at_once=True).newest()

    may_count.set()
    assert known() == ["herring"]
    may_count.clear()
    found.append("honey")
    assert known() == ["herring"]
    may_count.set()
    wait_until(lambda: known() == ["herring", "honey"])


def test_what_is_known_stays_where_counting_fails(shared: Session) -> None:
    counts = ProjectCounts()

    def fail() -> None:
        raise StoreError("away")

    counts.of(shared.project, "found", lambda: 1, first_at_once=True)
    again = counts.of(shared.project, "found", fail)
    wait_until(again.found.done)
    assert again.newest() == 1
    first = counts.of(shared.project, "other", fail, first_at_once=True)
    assert first.newest() is None and isinstance(first.found.exception(), StoreError)
