from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import select

from core.review.decisions import (
    Operation,
    Receipt,
    current,
)
from core.review.store import Store
from core.review.tables import decision_event
from tests.stores import (
    open_with_documents,
    prediction,
    send,
    states,
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_with_documents(tmp_path)
    yield opened
    opened.close()


def test_accept_reject_add_and_clear(store: Store) -> None:
    receipt = send(
        store,
        Operation(1, "accept", "c1"),
        Operation(2, "reject", "c2"),
        Operation(3, "add", "c3"),
        Operation(4, "accept", "c4"),
        Operation(5, "clear", "c4"),
    )
    assert receipt == Receipt((1, 2, 3, 4, 5))
    assert states(store) == {"c1": "accepted", "c2": "rejected", "c3": "accepted"}
    assert [one.added for one in current(store, "act").values()] == [False, False, True]


def test_the_browsers_mappings_do_as_well(store: Store) -> None:
    sent = {"sequence": 1, "action": "accept", "concept_id": "c1", "group": None, "extra": 1}
    assert send(store, sent).settled == (1,)
    assert states(store) == {"c1": "accepted"}


def test_what_the_person_saw_is_kept(store: Store) -> None:
    run_id = store.save_prediction("act", prediction(3, 0.8), settings={})
    send(store, Operation(1, "accept", "c2"), Operation(2, "add", "c9"))
    store.save_prediction("act", prediction(3, 0.4), settings={})
    decided = current(store, "act")
    assert (decided["c2"].probability, decided["c2"].rank) == (0.4, 2)
    assert decided["c2"].source == "guided"
    assert (decided["c9"].probability, decided["c9"].rank, decided["c9"].source) == (None,) * 3
    assert decided["c2"].person == store.default_person().name
    assert abs((datetime.now(UTC) - decided["c2"].decided_at).total_seconds()) < 60
    with store.read() as connection:
        assert set(connection.scalars(select(decision_event.c.run_id))) == {run_id}


def test_the_run_that_the_page_shows_counts_even_if_there_is_a_newer_one(store: Store) -> None:
    shown = store.save_prediction("act", prediction(3, 0.8), settings={})
    store.save_prediction("act", prediction(3, 0.4), settings={})
    send(store, Operation(1, "accept", "c1"), run_id=shown)
    send(store, Operation(2, "accept", "c2"), run_id=10**6)  # no run of this document
    assert [one.probability for one in current(store, "act").values()] == [0.8, 0.2]


def test_decisions_of_one_document_are_not_those_of_another(store: Store) -> None:
    send(store, Operation(1, "accept", "c1"))
    send(store, Operation(2, "reject", "c1"), document_id="other")
    assert (states(store), states(store, "other")) == ({"c1": "accepted"}, {"c1": "rejected"})
