"""Another bundle in the place of the one that is served: real bundles with random weights."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.documents.document import Document
from core.errors import BundleError
from core.model.bundles import read_card
from core.review.decisions.recording import Operation, current, record
from core.review.jobs import running_jobs
from core.review.reports.summaries import list_documents
from core.review.store.arrivals import add_document
from core.review.store.people import read_preferences
from core.review.store.predictions import latest_prediction
from core.settings import Settings
from core.suggest.opening import load_suggester
from core.suggest.protocol import Suggester
from core.suggest.service import OTHER_MODEL
from core.suggest.suggestions import Prediction
from core.vocabulary.concepts import Hierarchy
from pages.served import BUSY, FAILED
from pages.serving import Workplace
from tests.support.models.served_models import (
    ACT,
    PATIENCE_SECONDS,
    opened,
    own,
    read,
    serve,
    served_name,
    wait_for,
)

pytestmark = pytest.mark.usefixtures("single_thread")


def test_another_bundle_takes_the_place_and_predictions_name_theirs(shared: Workplace) -> None:
    first = read(shared)
    vocabulary = shared.vocabulary()
    serve(shared, own(shared, "second"))
    wait_for(lambda: served_name(shared) == "second")
    assert shared.health()["model"] == "second"
    second = read(shared)
    assert first == read_card(shared.settings.bundle_dir).bundle_hash
    assert second == shared.served.card().bundle_hash != first
    assert shared.vocabulary() is not vocabulary  # with an index of its own
    assert shared.suggests()


def test_a_bundle_that_cannot_be_loaded_leaves_the_old_one_at_work(shared: Workplace) -> None:
    path = own(shared, "second") / "calibration.json"
    path.write_bytes(path.read_bytes()[::-1])
    serve(shared, own(shared, "second"), state=FAILED)
    change = shared.served.change
    assert change and "calibration.json is not what it was" in change.problem
    assert served_name(shared) == "first" and read(shared)
    path.unlink()
    with pytest.raises(BundleError, match=r"calibration\.json is missing"):
        shared.serve(own(shared, "second"))


def test_a_choice_that_cannot_be_kept_leaves_the_old_one_at_work(
    shared: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    readable = shared.store()
    read_only = f"sqlite:///file:{shared.settings.home}/s.sqlite?mode=ro&uri=true"
    shared.person_id()
    locked = Workplace(Settings(shared.settings.home, read_only, shared.settings.bundle_dir, "en"))
    monkeypatch.setattr(shared, "_store", locked.store())
    serve(shared, own(shared, "second"), state=FAILED)
    assert shared.served.change and "can only be read" in shared.served.change.problem
    assert served_name(shared) == "first"
    assert shared.served.directory == shared.settings.bundle_dir
    locked.close()
    readable.close()


def test_a_change_that_fails_on_its_last_step_leaves_all_as_it_was(
    shared: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    read(shared)

    def prepare(_: Hierarchy) -> Callable[[], None]:
        def put_in_use() -> None:
            raise RuntimeError("no room")

        return put_in_use

    monkeypatch.setattr(shared.served, "_prepare", prepare)
    serve(shared, own(shared, "second"), state=FAILED)
    assert shared.served.change and "could not be taken (no room)" in shared.served.change.problem
    assert (served_name(shared), shared.served.card().name) == ("first", "first")
    assert "served_bundle" not in read_preferences(shared.store(), shared.person_id())
    assert read(shared, Document.from_text("b", "Next", "fish"))  # the worker goes on
    monkeypatch.undo()
    serve(shared, own(shared, "second"))  # and another choice is heard


def test_the_old_one_reads_until_the_new_one_is_ready_and_a_second_choice_waits(
    settings: Settings,
) -> None:
    gate = threading.Event()

    def load(directory: Path) -> Suggester:
        if directory.name == "second":
            assert gate.wait(PATIENCE_SECONDS)
        return load_suggester(directory)

    shared = opened(settings, load)
    shared.serve(own(shared, "second"))
    assert read(shared) == read_card(settings.bundle_dir).bundle_hash
    with pytest.raises(BundleError, match=BUSY):  # as another session does
        shared.serve(own(shared, "other"))
    assert shared.served.card().name == "first"
    gate.set()
    wait_for(lambda: served_name(shared) == "second")
    shared.close()


def test_documents_of_another_model_are_read_again_and_decisions_stay(shared: Workplace) -> None:
    first = read(shared)
    stored = latest_prediction(shared.store(), "act")
    assert stored is not None
    concept = stored.prediction.suggestions[0].concept_id
    record(
        shared.store(),
        document_id="act",
        person_id=shared.person_id(),
        client_id="tab",
        operations=[Operation(1, "accept", concept)],
    )
    decided = current(shared.store(), "act")
    serve(shared, own(shared, "second"))
    wait_for(lambda: served_name(shared) == "second")
    listed = list_documents(shared.store(), shared.project_id())
    assert [one.read_by for one in listed] == [first]
    assert shared.outdated(listed) == ["act"]
    shared.predict(["act"])
    wait_for(lambda: not running_jobs(shared.store(), shared.project_id()))
    listed = list_documents(shared.store(), shared.project_id())
    assert shared.outdated(listed) == []
    assert current(shared.store(), "act") == decided


def test_a_model_of_another_vocabulary_brings_its_own_and_leaves_the_others_documents_alone(
    shared: Workplace,
) -> None:
    mine = shared.vocabulary_id()
    project_id = shared.project_id()
    read(shared)
    late = Document.from_text("late", "Late", "fish quota")
    add_document(shared.store(), late, project_id=project_id)
    serve(shared, own(shared, "other"))
    wait_for(lambda: served_name(shared) == "other")
    assert shared.vocabulary_id() == "tiny" != mine
    assert shared.suggests()
    vocabulary = shared.vocabulary()
    assert vocabulary and [hit.concept_id for hit in vocabulary.index.search("herr")] == ["102"]
    assert list_documents(shared.store(), shared.project_id()) == []

    serve(shared, shared.settings.bundle_dir)
    wait_for(lambda: served_name(shared) == "first")
    assert shared.project_id() == project_id
    assert {one.document_id for one in list_documents(shared.store(), project_id)} == {
        "act",
        "late",
    }


def test_a_job_of_another_vocabulary_waits_for_a_model_of_its_own(shared: Workplace) -> None:
    project_id = shared.project_id()
    add_document(shared.store(), ACT, project_id=project_id)
    serve(shared, own(shared, "other"))
    wait_for(lambda: served_name(shared) == "other")
    from core.review.jobs import start_job

    start_job(shared.store(), ["act"], project_id=project_id)
    shared.service.wake()
    in_turn = Document.from_text("b", "Herring", "herring")
    read(shared, in_turn)  # the worker has been at the backlog meanwhile
    assert latest_prediction(shared.store(), "act") is None
    serve(shared, shared.settings.bundle_dir)
    wait_for(lambda: latest_prediction(shared.store(), "act"))
    stored = latest_prediction(shared.store(), "act")
    assert stored and stored.bundle_hash == read_card(shared.settings.bundle_dir).bundle_hash


def test_an_opened_document_that_waits_is_not_read_by_a_model_of_another_vocabulary(
    settings: Settings,
) -> None:
    at_work, gate = threading.Event(), threading.Event()

    def load_slow(directory: Path) -> Suggester:
        suggester = load_suggester(directory)
        suggest = suggester.suggest

        def slowly(document: Document, **options: Any) -> Prediction:
            if document.document_id == "slow":
                at_work.set()
                assert gate.wait(PATIENCE_SECONDS)
            return suggest(document, **options)

        suggester.suggest = slowly  # type: ignore[method-assign]
        return suggester

    shared = opened(settings, load_slow)
    slow = Document.from_text("slow", "Slow", "fish")
    for document in (slow, ACT):
        add_document(shared.store(), document, project_id=shared.project_id())
    first, waiting = shared.service.submit(slow), shared.service.submit(ACT)
    assert at_work.wait(PATIENCE_SECONDS)
    shared.serve(own(shared, "other"))
    wait_for(lambda: shared.service._exchange._loaded)
    gate.set()
    assert first.finished.wait(PATIENCE_SECONDS) and first.prediction is not None
    assert waiting.finished.wait(PATIENCE_SECONDS)
    assert (waiting.prediction, waiting.problem) == (None, OTHER_MODEL)
    assert latest_prediction(shared.store(), "act") is None
    shared.close()


def test_a_document_that_is_sent_to_a_model_of_another_vocabulary_is_left_alone_until_its_own_is_back(
    shared: Workplace,
) -> None:
    own_hash = read(shared)
    serve(shared, own(shared, "other"))
    wait_for(lambda: served_name(shared) == "other")
    assert shared.suggests() and not shared.reads("act")
    reading = shared.service.submit(ACT)  # as a page does that was drawn before
    assert reading.finished.wait(PATIENCE_SECONDS)
    assert (reading.prediction, reading.problem) == (None, OTHER_MODEL)
    stored = latest_prediction(shared.store(), "act")
    assert stored and stored.bundle_hash == own_hash

    serve(shared, shared.settings.bundle_dir)
    wait_for(lambda: served_name(shared) == "first")
    assert shared.service.reading("act") is None  # so that it can be asked for again
    assert shared.reads("act")


def test_what_the_version_of_another_bundle_lacks_is_not_offered(shared: Workplace) -> None:
    read(shared)
    stored = latest_prediction(shared.store(), "act")
    assert stored is not None
    prediction = stored.prediction
    assert shared.offered(prediction) == prediction
    withdrawn = replace(prediction.suggestions[0], concept_id="withdrawn")
    former = replace(
        prediction,
        suggestions=(withdrawn, *prediction.suggestions),
        vocabulary_version="0.9",
    )
    assert shared.offered(former).suggestions == prediction.suggestions


def test_what_a_prediction_run_notes_is_of_the_model_that_made_it(shared: Workplace) -> None:
    from sqlalchemy import select

    from core.review.store.tables import prediction_run

    read(shared)
    serve(shared, own(shared, "second"))
    wait_for(lambda: served_name(shared) == "second")
    read(shared)
    columns = prediction_run.c
    with shared.store().read() as connection:
        rows = connection.execute(
            select(columns.bundle_hash, columns.settings).order_by(columns.run_id)
        ).all()
    names = {
        read_card(d).bundle_hash: read_card(d).name
        for d in (shared.settings.bundle_dir, own(shared, "second"))
    }
    assert [names[bundle_hash] for bundle_hash, _ in rows] == ["first", "second"]
    assert [noted["model"] for _, noted in rows] == ["first", "second"]
    assert json.dumps(rows[0][1])
