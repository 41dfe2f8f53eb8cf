"""A long document gives way to short ones, ends with the server, and is not begun for ever."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from core.clinical import assertions
from core.clinical.asserting.cues import cues
from core.clinical.assertions import Assertions
from core.documents.batches.document_batch import BatchDocument
from core.documents.document import Document
from core.documents.rows.records import BadLine
from core.errors import DocumentError, TooSlowError
from core.review.jobs import latest_job, running_jobs
from core.review.store.predictions import latest_prediction
from core.serving.importing import NOT_TAKEN, Import, _run
from core.serving.reading import (
    LONG_CHARACTERS,
    STOPPING,
    TOO_OFTEN,
    TOO_SLOW,
    ReadingAttempts,
    ServerStoppingError,
    between_parts,
)
from core.suggest.suggestions import Prediction
from tests.support.fakes import FakePredictor, fake_session, hierarchy
from tests.support.growth import Hostile, needs_alarm, too_slow
from tests.support.services import running
from tests.support.waiting import PATIENCE_SECONDS, wait_until

LONG = Document.from_text("long", "Notes", "He has a fever. " * (LONG_CHARACTERS // 10))
SHORT = Document.from_text("short", "Herring", "herring and sole")


class InParts(FakePredictor):
    """Reads long documents in parts, and waits in the midst of them for the test."""

    def __init__(self) -> None:
        super().__init__(hierarchy())
        self.order: list[str] = []
        self.midway, self.go_on = threading.Event(), threading.Event()

    def suggest(
        self,
        document: Document,
        *,
        limit: int = 50,
        threshold: float = 0.0,
        on_progress: Callable[[int, int], None] | None = None,
    ) -> Prediction:
        if document.document_id == "long" and on_progress:
            self.midway.set()
            assert self.go_on.wait(PATIENCE_SECONDS)
            on_progress(1, 2)
        self.order.append(document.document_id)
        return super().suggest(document, limit=limit)


def test_a_short_document_is_read_between_the_parts_of_a_long_one() -> None:
    model = InParts()
    service = running(lambda: model)
    long = service.submit(LONG)
    assert model.midway.wait(PATIENCE_SECONDS)
    short = service.submit(SHORT)
    model.go_on.set()
    assert short.finished.wait(PATIENCE_SECONDS)
    assert long.finished.wait(PATIENCE_SECONDS)
    assert [name for name in model.order if name != "warm-up"] == ["short", "long"]
    assert long.problem is short.problem is None
    service.close()


def test_a_long_document_ends_between_two_parts_when_the_server_stops() -> None:
    model = InParts()
    service = running(lambda: model)
    long = service.submit(LONG)
    assert model.midway.wait(PATIENCE_SECONDS)
    service.close()
    model.go_on.set()
    assert long.finished.wait(PATIENCE_SECONDS)
    assert long.problem == STOPPING
    assert "long" not in model.order


def test_a_document_that_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    step = between_parts(LONG, lambda *_: None, lambda: False, lambda: None)
    step(1, 2)
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now + 10_000)
    with pytest.raises(DocumentError) as refusal:
        step(2, 2)
    assert str(refusal.value) == TOO_SLOW
    between_parts(SHORT, lambda *_: None, lambda: True, lambda: None)(1, 2)  # is read to its end


def test_what_ended_the_server_twice_is_read_when_a_person_asks(tmp_path: Path) -> None:
    path = tmp_path / "home" / "reading.json"
    for _ in range(2):
        with pytest.raises(ServerStoppingError), ReadingAttempts(path).counted(LONG):
            raise ServerStoppingError(STOPPING)
    assert json.loads(path.read_text()) == {"long": 2}
    after_start = ReadingAttempts(path)
    with pytest.raises(DocumentError) as refusal, after_start.counted(LONG):
        pytest.fail("it was read again")
    assert str(refusal.value) == TOO_OFTEN
    after_start.forget("long")
    with after_start.counted(LONG):
        assert json.loads(path.read_text()) == {"long": 1}
    assert json.loads(path.read_text()) == {}


def test_what_could_not_be_read_in_time_is_not_begun_again_after_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "reading.json"
    with pytest.raises(TooSlowError), ReadingAttempts(path).counted(SHORT):
        raise TooSlowError("too slow")
    restarted = ReadingAttempts(path)
    with pytest.raises(DocumentError, match="in time before"), restarted.counted(SHORT):
        raise AssertionError("it is not begun")
    restarted.forget(SHORT.document_id)  # a person asks for it again
    with restarted.counted(SHORT):
        pass
    with ReadingAttempts(path).counted(SHORT):
        pass


@pytest.mark.parametrize("damage", ["", "[1]", "{", '{"long": "2"}', "\0"])
def test_a_damaged_note_of_attempts_stops_nothing(tmp_path: Path, damage: str) -> None:
    (tmp_path / "reading.json").write_text(damage)
    with ReadingAttempts(tmp_path / "reading.json").counted(LONG):
        pass


def test_the_queue_says_so_once_and_reads_when_asked_again(tmp_path: Path) -> None:
    (tmp_path / "reading.json").write_text('{"long": 2}')
    model = InParts()
    model.go_on.set()
    service = running(lambda: model)
    service.queue._attempts = ReadingAttempts(tmp_path / "reading.json")
    refused = service.submit(LONG)
    assert refused.finished.wait(PATIENCE_SECONDS)
    assert refused.problem == TOO_OFTEN
    again = service.submit(LONG)
    assert again.finished.wait(PATIENCE_SECONDS)
    assert again.problem is None
    service.close()


def test_cues_hold_for_what_is_near_however_long_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[object] = []

    def holds(scope: Any, start: int, end: int) -> bool:
        looked_at.append(scope)
        return True

    def n_looked_at(text: str) -> int:
        looked_at.clear()
        said = Assertions(text)
        for place in range(0, len(text) - 20, 20):
            said.at(place, place + 5)
        return len(looked_at)

    monkeypatch.setattr(assertions, "_holds", holds)
    text = "Denies fever, cough or chest pain. Father had diabetes. History of asthma.\n" * 50
    # Eight times as many for a text that is as much longer, and 64 times if each looked at all.
    assert 0 < n_looked_at(text * 8) < 2 * 8 * n_looked_at(text)


@needs_alarm
def test_one_word_without_an_end_takes_time_in_proportion() -> None:
    assert too_slow([("cues", Assertions, [Hostile("", "no/")])], longest=9_600) == []


def test_of_cues_in_one_place_the_longest_counts() -> None:
    found = [(cue.status, cue.start, cue.end) for cue in cues("no history of asthma, no doubt")]
    assert found == [("negated", 0, 13)]


def test_what_an_import_has_stored_before_it_breaks_off_is_read(tmp_path: Path) -> None:
    session = fake_session(tmp_path)
    store, project_id = session.server.store(), session.project_id()

    def n_queued() -> int:
        job = latest_job(store, project_id)
        return job.n_documents if job else 0

    def pages() -> Iterator[BatchDocument]:
        for n in range(3):
            yield BatchDocument(f"page {n}", Document.from_text("", f"Herring {n}", ""))
            assert n_queued() == n + 1  # a server that is killed now reads it after its start
        raise DocumentError("page 4 is damaged")

    taken = Import("acts.csv", 4)
    _run(session, taken, pages(), at_once=1)
    assert (taken.problem, len(taken.added)) == ("page 4 is damaged", 3)
    assert n_queued() == 3  # of one job
    wait_until(lambda: not running_jobs(store, project_id))
    assert all(latest_prediction(store, document_id) for document_id in taken.added)
    session.server.close()


def test_an_import_that_meets_what_nobody_expected_says_so(tmp_path: Path) -> None:
    session = fake_session(tmp_path)
    taken = Import("acts.csv", 1)

    def rows() -> Iterator[BadLine]:
        yield BadLine("line 1", "it is empty")
        raise LookupError

    with pytest.raises(LookupError):
        _run(session, taken, rows(), at_once=1)
    assert taken.finished.is_set()
    assert taken.problem == NOT_TAKEN
    session.server.close()
