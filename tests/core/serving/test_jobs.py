"""Jobs in the background: nothing lost, nothing twice, opened documents first."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest
from sqlalchemy import select

from core.documents.document import Document
from core.errors import StoreError, TooSlowError
from core.paths import PROJECT_ROOT
from core.review.decisions.recording import Operation
from core.review.jobs import (
    SLICE_CHARACTERS,
    Job,
    JobBacklog,
    QueuedDocument,
    cancel_job,
    latest_job,
    running_jobs,
    start_job,
    waiting_documents,
)
from core.review.store.arrivals import add_document
from core.review.store.documents import fetch_document, set_title
from core.review.store.predictions import save_prediction
from core.review.store.projects import default_project
from core.review.store.store import Store
from core.review.store.tables import prediction_run
from core.serving import queue as queue_module
from core.suggest.suggestions import Prediction
from tests.support.fakes import FakePredictor, hierarchy
from tests.support.services import QueueOfOne
from tests.support.stores import send
from tests.support.waiting import PATIENCE_SECONDS, wait_until

SLOW_SERVER = """
import sys
from pathlib import Path
from core.review.reports.summaries import list_documents
from core.serving.session import read_in_background
from tests.support.fakes import fake_session
shared = fake_session(Path(sys.argv[1]), seconds=0.05)
shared.server.start()
read_in_background(
    shared, [row.document_id for row in list_documents(shared.server.store(), shared.project_id())]
)
print("started", flush=True)
sys.stdin.read()
"""


class Predictor(FakePredictor):
    """Fails on documents "bad" and "slow"; notes what it reads, and can be held up."""

    def __init__(self, *, seconds: float = 0.0) -> None:
        super().__init__(hierarchy(), seconds=seconds)
        self.asked: list[str] = []
        self.read: list[str] = []
        self.held = ""  # the one document that waits at the gate; "" for all of them
        self.gate = threading.Event()
        self.gate.set()
        self.endless = ""  # the document that is read until something else is wanted

    def suggest(
        self,
        document: Document,
        *,
        limit: int = 50,
        threshold: float = 0.0,
        on_progress: Callable[[int, int], None] | None = None,
    ) -> Prediction:
        if document.document_id == "bad":
            raise RuntimeError("no such tensor")
        if document.document_id == "slow":
            raise TooSlowError("too slow")
        if document.document_id != "warm-up":
            self.asked.append(document.document_id)
            assert self.held not in ("", document.document_id) or self.gate.wait(PATIENCE_SECONDS)
            self.read.append(document.document_id)
            while on_progress and self.endless == document.document_id:
                on_progress(0, 2)
                time.sleep(0.01)
        return super().suggest(document, limit=limit, on_progress=on_progress)


def add(store: Store, project_id: int, *names: str, text: str = "") -> list[str]:
    documents = [Document.from_text(name, f"On herring {name}", text) for name in names]
    return [add_document(store, document, project_id=project_id) for document in documents]


def serve(store: Store, model: FakePredictor, backlog: JobBacklog | None = None) -> QueueOfOne:
    def keep(document_id: str, prediction: Prediction) -> None:
        save_prediction(store, document_id, prediction, settings={})

    return QueueOfOne(lambda: model, keep, backlog=backlog or JobBacklog(lambda: store))


def runs(store: Store) -> Counter[str]:
    """How many predictions each document has."""
    with store.read() as connection:
        return Counter(connection.scalars(select(prediction_run.c.document_id)))


def job_of(store: Store, project_id: int) -> Job:
    found = latest_job(store, project_id)
    assert found is not None
    return found


def read_all(store: Store, project_id: int, model: Predictor) -> None:
    """Serve until no job runs."""
    service = serve(store, model)
    wait_until(lambda: not running_jobs(store, project_id))
    service.close()


def test_a_job_reads_all_its_documents_once(store: Store, project_id: int) -> None:
    names = add(store, project_id, *(f"act-{n}" for n in range(70)))
    start_job(store, names, project_id=project_id)
    read_all(store, project_id, Predictor())
    assert runs(store) == dict.fromkeys(names, 1)
    job = job_of(store, project_id)
    assert (job.state, job.n_documents, job.n_done, job.n_waiting) == ("finished", 70, 70, 0)


def test_a_waking_service_takes_a_job_that_is_started_later(store: Store, project_id: int) -> None:
    service = serve(store, Predictor())
    service.wait_until_loaded(PATIENCE_SECONDS)
    start_job(store, add(store, project_id, "a", "b"), project_id=project_id)
    service.wake()
    wait_until(lambda: not running_jobs(store, project_id))
    service.close()
    assert runs(store) == {"a": 1, "b": 1}


def test_what_waits_already_is_not_queued_again(store: Store, project_id: int) -> None:
    names = add(store, project_id, "a", "b", "c")
    first = start_job(store, names[:2], project_id=project_id)
    assert start_job(store, names[:2], project_id=project_id) is None
    second = start_job(store, [*names, "c", "unknown"], project_id=project_id)
    jobs = running_jobs(store, project_id)
    assert [(one.job_id, one.n_documents) for one in jobs] == [(first, 2), (second, 1)]
    assert waiting_documents(store, project_id) == {"a", "b", "c"}


def test_what_comes_later_joins_a_job_unless_somebody_ended_it(
    store: Store, project_id: int
) -> None:
    names = add(store, project_id, "a", "b", "c", "d")
    first = start_job(store, names[:1], project_id=project_id)
    assert start_job(store, names[:2], project_id=project_id, joins=first) == first
    read_all(store, project_id, Predictor())
    assert job_of(store, project_id).state == "finished"
    assert start_job(store, names[:3], project_id=project_id, joins=first) == first
    (job,) = running_jobs(store, project_id)
    assert (job.n_documents, job.n_done, job.n_waiting) == (3, 2, 1)
    read_all(store, project_id, Predictor())
    assert runs(store) == {"a": 1, "b": 1, "c": 1}
    assert first is not None
    cancel_job(store, first)
    assert start_job(store, ["d"], project_id=project_id, joins=first) == first  # it was over
    cancel_job(store, first)
    assert start_job(store, ["d"], project_id=project_id, joins=first) is None
    assert not running_jobs(store, project_id)


def test_a_finished_document_is_not_read_again(store: Store, project_id: int) -> None:
    names = add(store, project_id, "a", "b", "c")
    for name in names[:2]:
        save_prediction(store, name, Predictor().suggest(fetch_document(store, name)), settings={})
    finish(store, "a")
    job_id = start_job(store, names, project_id=project_id)
    finish(store, "b")  # after it was queued
    read_all(store, project_id, model := Predictor())
    assert model.read == ["c"]
    assert job_of(store, project_id).job_id == job_id


def finish(store: Store, document_id: str) -> None:
    send(store, Operation(1, "finish"), document_id=document_id, client_id=f"tab-{document_id}")


def test_a_failed_document_is_noted_and_the_others_are_read(store: Store, project_id: int) -> None:
    names = add(store, project_id, "a", "bad", "c")
    start_job(store, names, project_id=project_id)
    read_all(store, project_id, Predictor())
    job = job_of(store, project_id)
    assert (job.state, job.n_done) == ("finished", 2)
    (failure,) = job.failures
    assert (failure.document_id, failure.title) == ("bad", "On herring bad")
    assert failure.problem == "The model could not read this text (RuntimeError)."
    assert runs(store) == {"a": 1, "c": 1}


def test_one_text_that_is_too_slow_fails_alone_of_its_slice(store: Store, project_id: int) -> None:
    names = add(store, project_id, "a", "b", "slow", "c")
    start_job(store, names, project_id=project_id)
    read_all(store, project_id, Predictor())
    job = job_of(store, project_id)
    assert [(failure.document_id, failure.problem) for failure in job.failures] == [
        ("slow", "too slow")
    ]
    assert runs(store) == {"a": 1, "b": 1, "c": 1}


def test_an_opened_document_comes_before_the_batch(store: Store, project_id: int) -> None:
    text = "herring " * (SLICE_CHARACTERS // 8)
    names = add(store, project_id, "a", "b", "c", text=text)
    opened = add(store, project_id, "opened")
    start_job(store, names, project_id=project_id)
    model = Predictor()
    model.gate.clear()
    service = serve(store, model)
    wait_until(lambda: service.state == "ready")
    reading = service.submit(fetch_document(store, opened[0]))
    model.gate.set()
    assert reading.finished.wait(PATIENCE_SECONDS)
    wait_until(lambda: not running_jobs(store, project_id))
    service.close()
    assert model.read.index("opened") <= 1
    assert runs(store) == dict.fromkeys([*names, "opened"], 1)


def test_a_long_document_of_a_job_gives_way(store: Store, project_id: int) -> None:
    long = add(store, project_id, "long", text="herring " * SLICE_CHARACTERS)
    opened = add(store, project_id, "opened")
    start_job(store, long, project_id=project_id)
    model = Predictor()
    model.endless = "long"
    service = serve(store, model)
    wait_until(lambda: model.read == ["long"])
    model.held = "long"
    model.gate.clear()  # when it is read again
    assert service.submit(fetch_document(store, opened[0])).finished.wait(PATIENCE_SECONDS)
    assert runs(store) == {"opened": 1}
    model.endless = ""
    model.gate.set()
    wait_until(lambda: not running_jobs(store, project_id))
    service.close()
    assert model.read == ["long", "opened", "long"]
    assert runs(store) == {"long": 1, "opened": 1}


def test_what_was_opened_and_read_meanwhile_is_not_read_again(
    store: Store, project_id: int
) -> None:
    names = add(store, project_id, "a", "b")
    start_job(store, names, project_id=project_id)
    model = Predictor()
    save_prediction(store, "a", model.suggest(fetch_document(store, "a")), settings={})
    model.read.clear()
    read_all(store, project_id, model)
    assert model.read == ["b"]
    assert job_of(store, project_id).n_done == 2


def test_a_cancelled_job_keeps_what_was_read_and_reads_no_more(
    store: Store, project_id: int
) -> None:
    text = "herring " * (SLICE_CHARACTERS // 8)
    names = add(store, project_id, "a", "b", "c", text=text)
    job_id = start_job(store, names, project_id=project_id)
    assert job_id is not None
    model = Predictor()
    model.held = "b"
    model.gate.clear()
    service = serve(store, model)
    wait_until(lambda: "b" in model.asked)
    cancel_job(store, job_id)
    model.gate.set()
    wait_until(lambda: "b" in model.read)
    service.close()
    job = job_of(store, project_id)
    assert (job.state, job.n_waiting, job.n_done) == ("cancelled", 0, 1)
    assert runs(store) == {"a": 1}


def test_two_services_on_one_store_keep_each_prediction_once(store: Store, project_id: int) -> None:
    names = add(store, project_id, *(f"act-{n}" for n in range(60)))
    start_job(store, names, project_id=project_id)
    services = [serve(store, Predictor(seconds=0.002)) for _ in range(2)]
    wait_until(lambda: not running_jobs(store, project_id))
    for service in services:
        service.close()
    assert runs(store) == dict.fromkeys(names, 1)
    assert job_of(store, project_id).n_done == 60


class LockedBacklog(JobBacklog):
    """Cannot store what was read at the first try."""

    locked = True

    def keep(
        self, read: Sequence[tuple[QueuedDocument, Prediction]], settings: Mapping[str, object]
    ) -> None:
        if self.locked:
            self.locked = False
            raise StoreError("Another program keeps the database locked.")
        super().keep(read, settings)


def test_a_locked_store_holds_a_job_up_and_loses_nothing(
    store: Store, project_id: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queue_module, "RETRY_SECONDS", 0.05)
    start_job(store, add(store, project_id, "a", "b"), project_id=project_id)
    service = serve(store, Predictor(), LockedBacklog(lambda: store))
    wait_until(lambda: not running_jobs(store, project_id))
    service.close()
    assert runs(store) == {"a": 1, "b": 1}


def test_a_document_settled_elsewhere_is_not_kept_twice(store: Store, project_id: int) -> None:
    (name,) = add(store, project_id, "a")
    start_job(store, [name], project_id=project_id)
    model = Predictor()
    backlogs = [JobBacklog(lambda: store) for _ in range(2)]
    taken = [backlog.take(project_id, model.bundle_hash) for backlog in backlogs]
    for backlog, queued in zip(backlogs, taken, strict=True):
        backlog.keep([(waiting, model.suggest(waiting.document)) for waiting in queued], {})
    assert runs(store) == {"a": 1}


def test_what_was_read_by_a_former_title_is_read_again(store: Store, project_id: int) -> None:
    names = add(store, project_id, "a", "b")
    start_job(store, names, project_id=project_id)
    model = Predictor()
    backlog = JobBacklog(lambda: store)
    read = [
        (queued, model.suggest(queued.document))
        for queued in backlog.take(project_id, model.bundle_hash) or ()
    ]
    set_title(store, "a", "On sole")
    backlog.keep(read, {})
    assert runs(store) == {"b": 1}
    assert job_of(store, project_id).n_waiting == 1
    (again,) = backlog.take(project_id, model.bundle_hash) or ()
    assert again.document.title == "On sole"
    backlog.keep([(again, model.suggest(again.document))], {})
    assert runs(store) == {"a": 1, "b": 1}
    assert not running_jobs(store, project_id)


def test_a_killed_server_goes_on_where_it_was(tmp_path: Path) -> None:
    store = Store.open(f"sqlite:///{tmp_path}/strata.sqlite")
    project_id = default_project(store, "tiny").project_id
    text = "herring " * (SLICE_CHARACTERS // 16)  # a slice of two
    names = add(store, project_id, *(f"act-{n}" for n in range(30)), text=text)
    command = [sys.executable, "-c", SLOW_SERVER, str(tmp_path)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=PROJECT_ROOT, stdin=pipe, stdout=pipe) as server:
        wait_until(lambda: len(runs(store)) >= 6)
        server.kill()
    n_before = len(runs(store))
    assert 6 <= n_before < 30
    assert job_of(store, project_id).n_done == n_before
    model = Predictor()
    read_all(store, project_id, model)
    store.close()
    assert len(model.read) == 30 - n_before
    assert runs(store) == dict.fromkeys(names, 1)
