"""Another bundle in the place of the one that is served: real bundles with random weights."""

from __future__ import annotations

import json
import shutil
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from core.api import health_of
from core.documents.document import Document
from core.errors import BundleError
from core.model.bundle.cards import read_card
from core.review.decisions.recording import Operation, current, record
from core.review.jobs import running_jobs, start_job
from core.review.reports.summaries import list_documents
from core.review.store.arrivals import add_document
from core.review.store.people import DEFAULT_PERSON
from core.review.store.predictions import latest_prediction
from core.review.store.projects import model_changes
from core.serving.choosing import serve_model, use_version, wait_until_loaded
from core.serving.models import FAILED, TAKEN
from core.serving.project import BUSY
from core.serving.registry import WENT_BACK
from core.serving.server import Server
from core.serving.session import Session, read_by_another, read_in_background
from core.settings import Settings
from core.suggest.opening import load_suggester
from core.suggest.protocol import Suggester
from core.suggest.suggestions import Prediction
from core.vocabulary.concepts import Hierarchy
from tests.support.models.served_models import (
    ACT,
    opened,
    own,
    read,
    serve,
    served_name,
)
from tests.support.waiting import PATIENCE_SECONDS, wait_until

pytestmark = pytest.mark.usefixtures("single_thread")


def test_another_bundle_takes_the_place_and_predictions_name_theirs(shared: Session) -> None:
    first = read(shared)
    vocabulary = shared.vocabulary()
    serve(shared, own(shared, "second"))
    wait_until(lambda: served_name(shared) == "second")
    assert health_of(shared)["model"] == "second"
    second = read(shared)
    assert first == read_card(shared.settings.bundle_dir).bundle_hash
    assert shared.project.card and second == shared.project.card.bundle_hash != first
    assert shared.vocabulary() is not vocabulary  # with an index of its own
    assert shared.project.suggests


def test_a_bundle_that_cannot_be_loaded_leaves_the_old_one_at_work(shared: Session) -> None:
    path = own(shared, "second") / "calibration.json"
    path.write_bytes(path.read_bytes()[::-1])
    serve(shared, own(shared, "second"), state=FAILED)
    change = shared.project.change
    assert change and "calibration.json is not what it was" in change.problem
    assert served_name(shared) == "first" and read(shared)
    path.unlink()
    with pytest.raises(BundleError, match=r"calibration\.json is missing"):
        serve_model(shared, own(shared, "second"))


def test_a_choice_that_cannot_be_kept_leaves_the_old_one_at_work(
    shared: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    readable = shared.server.store()
    read_only = f"sqlite:///file:{shared.settings.home}/s.sqlite?mode=ro&uri=true"
    shared.person_id()
    locked = Session(
        Server(Settings(shared.settings.home, read_only, shared.settings.bundle_dir, "en"))
    )
    monkeypatch.setattr(shared.server, "_store", locked.server.store())
    serve(shared, own(shared, "second"), state=FAILED)
    assert shared.project.change and "can only be read" in shared.project.change.problem
    assert served_name(shared) == "first"
    assert shared.project.card and shared.project.card.directory == shared.settings.bundle_dir
    locked.server.close()
    readable.close()


def test_a_change_that_fails_on_its_last_step_leaves_all_as_it_was(
    shared: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    read(shared)

    def keep(*_: object, **__: object) -> None:
        raise RuntimeError("no room")

    monkeypatch.setattr("core.serving.registry.keep_model", keep)
    serve(shared, own(shared, "second"), state=FAILED)
    change, card = shared.project.change, shared.project.card
    assert change and "could not be loaded (no room)" in change.problem
    assert card and (served_name(shared), card.name) == ("first", "first")
    assert shared.current().bundle is None
    assert read(shared, Document.from_text("b", "Next", "fish"))  # the worker goes on
    monkeypatch.undo()
    serve(shared, own(shared, "second"))  # and another choice is heard


def test_another_model_brings_a_project_to_life_whose_first_one_failed(settings: Settings) -> None:
    def load(directory: Path) -> Suggester:
        if directory.name == "first":
            raise BundleError("The bundle is damaged.")
        return load_suggester(directory)

    shared = Session(Server(settings, load))
    assert wait_until_loaded(shared, PATIENCE_SECONDS) == "failed"
    assert shared.project.problem == "The bundle is damaged."
    serve(shared, own(shared, "second"))
    assert (shared.project.state, shared.project.problem) == ("ready", None)
    assert read(shared) == read_card(own(shared, "second")).bundle_hash
    shared.server.close()


def test_a_model_that_fails_at_its_first_text_never_takes_the_place(settings: Settings) -> None:
    def load(directory: Path) -> Suggester:
        suggester = load_suggester(directory)
        if directory.name == "second":
            suggester.suggest = refuse  # type: ignore[method-assign]
        return suggester

    def refuse(*_: object, **__: object) -> Prediction:
        raise RuntimeError("shapes do not fit")

    shared = opened(settings, load)
    serve(shared, own(shared, "second"), state=FAILED)
    change = shared.project.change
    assert change and change.problem == "The model could not be loaded (shapes do not fit)."
    assert served_name(shared) == "first"
    shared.server.close()


def test_the_old_one_reads_until_the_new_one_is_ready_and_a_second_choice_waits(
    settings: Settings,
) -> None:
    gate = threading.Event()

    def load(directory: Path) -> Suggester:
        if directory.name == "second":
            assert gate.wait(PATIENCE_SECONDS)
        return load_suggester(directory)

    shared = opened(settings, load)
    serve_model(shared, own(shared, "second"))
    assert read(shared) == read_card(settings.bundle_dir).bundle_hash
    with pytest.raises(BundleError, match=BUSY):  # as another session does
        serve_model(shared, settings.bundle_dir)
    assert shared.project.card and shared.project.card.name == "first"
    gate.set()
    wait_until(lambda: served_name(shared) == "second")
    shared.server.close()


def test_a_model_serves_whose_project_was_opened_again_while_it_was_loaded(
    settings: Settings,
) -> None:
    begun, gate = threading.Event(), threading.Event()

    def load(directory: Path) -> Suggester:
        if directory.name == "second":
            begun.set()
            assert gate.wait(PATIENCE_SECONDS)
        return load_suggester(directory)

    shared = opened(settings, load)
    closed = shared.project
    serve_model(shared, own(shared, "second"))
    assert begun.wait(PATIENCE_SECONDS)
    shared.server.registry.reopen(shared.project_id())  # as for other code systems
    assert wait_until_loaded(shared, PATIENCE_SECONDS) == "ready"
    assert shared.project is not closed and served_name(shared) == "first"
    gate.set()

    def serves_second() -> bool:
        wait_until_loaded(shared, 1)
        suggester, card = shared.project.suggester, shared.project.card
        return bool(suggester and card) and suggester.name == card.name == "second"

    wait_until(serves_second, 20)
    shared.server.close()


def test_documents_of_another_model_are_read_again_and_decisions_stay(shared: Session) -> None:
    first = read(shared)
    stored = latest_prediction(shared.server.store(), "act")
    assert stored is not None
    concept = stored.prediction.suggestions[0].concept_id
    record(
        shared.server.store(),
        document_id="act",
        person_id=shared.person_id(),
        client_id="tab",
        operations=[Operation(1, "accept", concept)],
    )
    decided = current(shared.server.store(), "act")
    serve(shared, own(shared, "second"))
    wait_until(lambda: served_name(shared) == "second")
    listed = list_documents(shared.server.store(), shared.project_id())
    assert [one.read_by for one in listed] == [first]
    assert read_by_another(shared, listed) == ["act"]
    read_in_background(shared, ["act"])
    wait_until(lambda: not running_jobs(shared.server.store(), shared.project_id()))
    listed = list_documents(shared.server.store(), shared.project_id())
    assert read_by_another(shared, listed) == []
    assert current(shared.server.store(), "act") == decided


def test_a_model_of_another_vocabulary_serves_in_a_project_of_its_own(shared: Session) -> None:
    server, mine = shared.server_id, shared.project.vocabulary()
    read(shared)
    late = Document.from_text("late", "Late", "fish quota")
    add_document(shared.server.store(), late, project_id=shared.project_id())
    other = shared.elsewhere(serve_model(shared, own(shared, "other")))
    wait_until(lambda: served_name(other) == "other")
    assert (other.vocabulary_id(), other.project.suggests) == ("tiny", True)
    vocabulary = other.vocabulary()
    assert vocabulary and [hit.concept_id for hit in vocabulary.index.search("herr")] == ["102"]
    assert list_documents(shared.server.store(), other.project_id()) == []
    assert (served_name(shared), shared.server_id) == ("first", server)  # nothing changed here
    assert shared.vocabulary() is mine
    assert shared.server.queue.task("late") is None and shared.server.queue.submit(
        late, shared.project_id()
    ).finished.wait(PATIENCE_SECONDS)
    stored = latest_prediction(shared.server.store(), "late")
    assert stored and stored.bundle_hash == read_card(shared.settings.bundle_dir).bundle_hash


def test_a_job_goes_on_with_its_own_model_while_nobody_has_its_project_open(
    shared: Session,
) -> None:
    add_document(shared.server.store(), ACT, project_id=shared.project_id())
    other = shared.elsewhere(serve_model(shared, own(shared, "other")))
    wait_until(lambda: served_name(other) == "other")
    shared.server.registry.forget(shared.project_id())
    start_job(shared.server.store(), ["act"], project_id=shared.project_id())
    shared.server.queue.wake()
    assert read(other, Document.from_text("b", "Herring", "herring"))
    wait_until(lambda: latest_prediction(shared.server.store(), "act"))
    stored = latest_prediction(shared.server.store(), "act")
    assert stored and stored.bundle_hash == read_card(shared.settings.bundle_dir).bundle_hash


def test_opened_documents_of_two_projects_are_read_each_with_its_own_model(
    shared: Session,
) -> None:
    other = shared.elsewhere(serve_model(shared, own(shared, "other")))
    documents = [Document.from_text(f"d{n}", "Herring", "herring") for n in range(6)]
    sessions = [shared, other] * 3
    for session, document in zip(sessions, documents, strict=True):
        add_document(session.server.store(), document, project_id=session.project_id())
    tasks = [
        s.server.queue.submit(document, s.project_id())
        for s, document in zip(sessions, documents, strict=True)
    ]
    assert all(task.finished.wait(PATIENCE_SECONDS) for task in tasks)
    hashes = [task.prediction.bundle_hash for task in tasks if task.prediction]
    first, second = (card.bundle_hash for card in (shared.project.card, other.project.card) if card)
    assert hashes == [first, second] * 3


def test_what_the_version_of_another_bundle_lacks_is_not_offered(shared: Session) -> None:
    read(shared)
    stored = latest_prediction(shared.server.store(), "act")
    assert stored is not None
    prediction = stored.prediction
    assert prediction.within(shared.hierarchy()) == prediction
    withdrawn = replace(prediction.suggestions[0], concept_id="withdrawn")
    former = replace(
        prediction,
        suggestions=(withdrawn, *prediction.suggestions),
        vocabulary_version="0.9",
    )
    assert former.within(shared.hierarchy()).suggestions == prediction.suggestions


def test_what_a_prediction_run_notes_is_of_the_model_that_made_it(shared: Session) -> None:
    from sqlalchemy import select

    from core.review.store.tables import prediction_run

    read(shared)
    serve(shared, own(shared, "second"))
    wait_until(lambda: served_name(shared) == "second")
    read(shared)
    columns = prediction_run.c
    with shared.server.store().read() as connection:
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


def test_who_has_chosen_a_model_is_noted_with_the_reason_and_can_be_taken_back(
    shared: Session,
) -> None:
    store, project_id = shared.server.store(), shared.project_id()
    assert model_changes(store, project_id) == []
    shared.server.registry.use_former_model(
        shared.project, person_id=shared.person_id()
    )  # there is nothing to go back to
    second = own(shared, "second")
    serve_model(shared, second, reason="retrained from 12 finished documents")
    wait_until(lambda: shared.project.change and shared.project.change.state == TAKEN)
    (change,) = model_changes(store, project_id)
    assert (change.person, change.former) == (DEFAULT_PERSON, None)
    assert str(change.bundle).startswith("second@")
    assert change.reason == "retrained from 12 finished documents"

    shared.server.registry.use_former_model(shared.project, person_id=shared.person_id())
    wait_until(lambda: served_name(shared) == "first")
    back, _ = model_changes(store, project_id)
    assert (back.bundle, back.former, back.reason) == (None, change.bundle, WENT_BACK)
    shared.server.registry.use_former_model(shared.project, person_id=shared.person_id())
    wait_until(lambda: served_name(shared) == "second")

    shutil.rmtree(second)
    serve(shared, shared.settings.bundle_dir)
    with pytest.raises(BundleError, match="The model second was chosen"):
        shared.server.registry.use_former_model(shared.project, person_id=shared.person_id())
    assert served_name(shared) == "first"


def test_another_version_leaves_the_choice_of_a_model_that_is_away(
    settings: Settings, tmp_path: Path
) -> None:
    shared = opened(settings)
    serve(shared, own(shared, "second"))
    chosen, hierarchy = shared.current().bundle, shared.hierarchy()
    newer = Hierarchy(
        [hierarchy[i] for i in hierarchy], vocabulary_id=hierarchy.vocabulary_id, version="2"
    )
    key = shared.server.versions.add(newer, file_name="v", sha256="2" * 64, report={})
    shared.server.close()
    shutil.move(own(shared, "second"), tmp_path / "away")  # as a disk that is not mounted

    shared = opened(settings)
    assert served_name(shared) == "first" and shared.project.fallback
    use_version(shared, key)
    wait_until(lambda: not shared.project.is_changing)
    assert shared.project.choice == key
    assert shared.current().bundle == chosen
    assert "The model second was chosen" in shared.project.fallback
    shared.server.close()

    shutil.move(tmp_path / "away", own(shared, "second"))
    shared = opened(settings)
    assert served_name(shared) == "second"
    shared.server.close()
