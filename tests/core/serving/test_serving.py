"""Documents that are opened, behind one queue."""

from __future__ import annotations

import threading
from functools import partial
from pathlib import Path

from core.api import health_of
from core.documents.document import Document
from core.errors import BundleError, StoreError
from core.review.store.arrivals import add_document
from core.review.store.documents import fetch_document
from core.review.store.predictions import latest_prediction
from core.serving.queue import MOST_FINISHED
from core.suggest.suggestions import Prediction
from tests.support.fakes import FakePredictor, fake_session, hierarchy
from tests.support.services import QueueOfOne, running

ACT = Document.from_text("act", "Herring", "herring and sole")


class BrokenPredictor(FakePredictor):
    def suggest(self, document: Document, **options: object) -> Prediction:
        if document.document_id == "bad":
            raise RuntimeError("no such tensor")
        return super().suggest(document)


def test_a_document_is_read_and_kept(service: QueueOfOne, kept: dict) -> None:
    reading = service.submit(ACT)
    assert reading.finished.wait(10)
    assert reading.prediction is kept["act"]
    assert len(kept["act"].suggestions) == 5
    assert (reading.done, reading.total) == (4, 4)
    assert service.state == "ready"


def loaded_after(gate: threading.Event) -> FakePredictor:
    gate.wait(10)
    return FakePredictor(hierarchy())


def test_loading_happens_in_the_background() -> None:
    gate = threading.Event()
    service = running(partial(loaded_after, gate))
    reading = service.submit(ACT)
    assert service.state == "loading"
    assert service.unfinished() == {"act"}
    gate.set()
    assert service.wait_until_loaded(10) == "ready"
    assert reading.finished.wait(10)
    assert service.unfinished() == frozenset()
    service.close()


def test_a_waiting_document_is_not_queued_twice() -> None:
    gate = threading.Event()
    service = running(partial(loaded_after, gate))
    first, second = service.submit(ACT), service.submit(ACT)
    assert first is second
    gate.set()
    assert first.finished.wait(10)
    assert service.submit(ACT) is not first
    service.close()


def test_a_document_that_got_another_title_is_read_after_what_is_being_read() -> None:
    gate = threading.Event()
    kept: list[Prediction] = []
    service = running(partial(loaded_after, gate), lambda _, prediction: kept.append(prediction))
    first = service.submit(Document.from_text("act", "On sole", "sole"))
    second = service.submit(Document.from_text("act", "On herring", "sole"))
    gate.set()
    assert first.finished.wait(10) and second.finished.wait(10)
    assert service.queue.task("act") is second
    assert kept == [first.prediction, second.prediction]
    assert first.prediction != second.prediction
    service.close()


def test_tasks_that_ended_long_ago_are_forgotten(service: QueueOfOne) -> None:
    for number in range(MOST_FINISHED + 9):
        document = Document.from_text(f"act {number}", "Herring", "sole")
        assert service.submit(document).finished.wait(10)
    remembered = [service.queue.task(f"act {number}") for number in range(MOST_FINISHED + 9)]
    assert [task is not None for task in remembered] == [False] * 8 + [True] * (MOST_FINISHED + 1)


def test_a_bundle_that_cannot_be_loaded_says_so_to_every_document() -> None:
    def load() -> FakePredictor:
        raise BundleError("The bundle is damaged: model.safetensors.")

    service = running(load)
    reading = service.submit(ACT)
    assert reading.finished.wait(10)
    assert service.state == "failed"
    assert service.problem == reading.problem == "The bundle is damaged: model.safetensors."
    service.close()


def test_one_bad_text_does_not_end_the_worker() -> None:
    service = running(lambda: BrokenPredictor(hierarchy()))
    bad = service.submit(Document.from_text("bad", "Bad", ""))
    good = service.submit(ACT)
    assert bad.finished.wait(10)
    assert good.finished.wait(10)
    assert bad.problem == "The model could not read this text (RuntimeError)."
    assert good.problem is None
    service.close()


def test_a_prediction_that_cannot_be_stored_is_still_shown() -> None:
    def keep(document_id: str, prediction: Prediction) -> None:
        raise StoreError("The disk is full.")

    service = running(lambda: FakePredictor(hierarchy()), keep)
    reading = service.submit(ACT)
    assert reading.finished.wait(10)
    assert reading.problem == "The disk is full."
    assert reading.prediction is not None
    service.close()


def test_a_server_stores_what_its_model_says(tmp_path: Path) -> None:
    shared = fake_session(tmp_path)
    document_id = add_document(shared.server.store(), ACT, project_id=shared.project_id())
    reading = shared.server.queue.submit(ACT, shared.project_id())
    assert reading.finished.wait(10)
    stored = latest_prediction(shared.server.store(), document_id)
    assert stored is not None and reading.prediction is not None
    assert stored.prediction.suggestions == reading.prediction.suggestions
    assert stored.prediction.branch_probability == reading.prediction.branch_probability
    assert health_of(shared)["state"] == "ready"
    shared.server.close()


def test_a_missing_bundle_leaves_documents_open(tmp_path: Path) -> None:
    shared = fake_session(tmp_path)
    (tmp_path / "bundle" / "label_space.jsonl").unlink()
    assert shared.vocabulary() is None
    document_id = add_document(shared.server.store(), ACT, project_id=shared.project_id())
    assert fetch_document(shared.server.store(), document_id).title == "Herring"
    shared.server.close()


def test_the_search_index_finds_another_place_where_its_own_cannot_be_written(
    tmp_path: Path,
) -> None:
    shared = fake_session(tmp_path)
    (tmp_path / "search").write_text("a file where the folder should be")
    vocabulary = shared.vocabulary()
    assert vocabulary is not None
    assert [hit.concept_id for hit in vocabulary.index.search("herr")] == ["102"]
    shared.server.close()
