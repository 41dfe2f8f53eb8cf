"""The open projects of a server: shared, bounded by memory, opened once by whoever comes first."""

from __future__ import annotations

import gc
import threading
import time
import weakref
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from core.api import health_of
from core.clinical.codes.icd10cm import release
from core.documents.document import Document
from core.errors import VocabularyError
from core.review.jobs import running_jobs
from core.review.store.arrivals import add_document
from core.review.store.projects import Project, delete_project, keep_choices, make_project
from core.serving import queue
from core.serving.caller import UnknownProjectError
from core.serving.choosing import begin_loading, wait_until_loaded
from core.serving.models import LOADING, READY, LoadedBundle, Models
from core.serving.project import ServedProject
from core.serving.registry import Registry, held_bytes
from core.serving.server import Server
from core.serving.session import Session, read_in_background
from core.serving.setup import WITHOUT
from core.suggest.protocol import Suggester
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.labels import LabelSpace
from core.vocabulary.versions.keeping import keep
from core.vocabulary.versions.vocabulary_versions import VocabularyVersions
from tests.support.counting_server import CountingServer
from tests.support.fakes import FakePredictor, hierarchy
from tests.support.waiting import PATIENCE_SECONDS, wait_until


def test_many_at_once_open_a_project_once(counting_server: CountingServer) -> None:
    with ThreadPoolExecutor(8) as pool:
        sessions = [Session(counting_server.server) for _ in range(16)]
        states = list(pool.map(lambda session: wait_until_loaded(session, 30), sessions))
        vocabularies = {id(one) for one in pool.map(lambda s: s.vocabulary(), sessions)}
    assert set(states) == {READY}
    assert counting_server.loads == 1
    assert len(vocabularies) == 1
    assert len({id(session.project) for session in sessions}) == 1


def bundle_of(session: Session) -> LoadedBundle:
    """Return what a project shares with others that read with the same bundle."""
    model = session.project.model
    assert model is not None and model.bundle is not None
    return model.bundle


def test_projects_of_one_bundle_share_its_model_until_none_is_open(
    counting_server: CountingServer,
) -> None:
    first, registry = counting_server.first, counting_server.server.registry
    second = first.elsewhere(make_project(first.server.store(), "Second", "tiny").project_id)
    assert wait_until_loaded(first, 30) == wait_until_loaded(second, 30) == READY
    assert bundle_of(first) is bundle_of(second) and counting_server.loads == 1
    assert held_bytes([first.project, second.project]) < 2 * held_bytes([first.project])
    model = weakref.ref(bundle_of(first))
    registry.forget(first.project_id())
    gc.collect()
    assert model() is not None
    registry.forget(second.project_id())
    # The thread that loaded it lets go of it last.
    wait_until(lambda: gc.collect() is not None and model() is None)
    assert wait_until_loaded(first, 30) == READY and counting_server.loads == 2


class Part:
    """Something that holds memory, and is shared with no other project."""

    def __init__(self, n_bytes: int) -> None:
        self.n_bytes = n_bytes


def holding(monkeypatch: pytest.MonkeyPatch, n_bytes: int) -> None:
    """Have every project hold so much."""
    held: defaultdict[int, Part] = defaultdict(lambda: Part(n_bytes))
    monkeypatch.setattr(ServedProject, "parts", lambda served: [held[served.project_id]])


def test_the_least_recently_used_are_closed_and_opened_again(
    counting_server: CountingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    holding(monkeypatch, 400_000_000)
    registry = counting_server.server.registry
    one, two, three = (counting_server.versioned(n) for n in range(3))
    for session in (one, two, three):
        assert wait_until_loaded(session, 30) == READY
    one.project  # noqa: B018 - used just now
    registry.shrink()
    opened = [session.project_id() in registry for session in (one, two, three)]
    assert opened == [True, False, True]
    assert wait_until_loaded(two, 30) == READY and two.vocabulary() is not None
    registry.shrink()
    assert two.project_id() in registry
    assert sum(s.project_id() in registry for s in (one, two, three)) == 2


def test_one_that_is_too_large_stays_and_so_does_what_is_being_read(
    counting_server: CountingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    holding(monkeypatch, 2_000_000_000)
    registry = counting_server.server.registry
    one, two = counting_server.versioned(1), counting_server.versioned(2)
    wait_until_loaded(one, 30)
    monkeypatch.setattr(registry, "_busy", lambda: {one.project_id()})
    wait_until_loaded(two, 30)
    registry.shrink()
    assert one.project_id() in registry and two.project_id() in registry
    monkeypatch.setattr(registry, "_busy", lambda: ())
    registry.shrink()
    assert one.project_id() not in registry and two.project_id() in registry


def test_closing_a_project_redraws_no_page_and_a_restore_redraws_all(
    counting_server: CountingServer,
) -> None:
    before = counting_server.first.server_id
    wait_until_loaded(counting_server.first, 30)
    counting_server.server.registry.forget(counting_server.first.project_id())
    assert counting_server.first.server_id == before
    wait_until_loaded(counting_server.first, 30)
    assert counting_server.first.server_id == before
    counting_server.server.reread()
    assert counting_server.first.server_id != before


def test_what_another_process_has_chosen_is_taken_up_and_ones_own_choice_is_not_another(
    counting_server: CountingServer,
) -> None:
    session, registry = counting_server.first, counting_server.server.registry
    wait_until_loaded(session, 30)
    before = session.server_id
    registry.forget_changed()
    assert session.server_id == before
    counting_server.server.versions.add(hierarchy(), file_name="x", sha256="1", report={})
    registry.choose_model(session.project, None, person_id=session.person_id())
    wait_until(lambda: session.project.change is None or session.project.change.state != LOADING)
    own = session.server_id
    registry.forget_changed()
    assert session.server_id == own
    keep_choices(
        session.server.store(), session.project_id(), bundle="other", vocabulary_choice=None
    )
    registry.forget_changed()
    assert session.server_id != own


def test_a_project_that_another_process_has_deleted_keeps_no_other_from_being_looked_at(
    counting_server: CountingServer,
) -> None:
    first, registry = counting_server.first, counting_server.server.registry
    store = first.server.store()
    deleted = first.elsewhere(make_project(store, "Tried out", "tiny").project_id)
    for session in (deleted, first):
        assert wait_until_loaded(session, 30) == READY
    delete_project(store, deleted.project_id())
    keep_choices(store, first.project_id(), bundle=WITHOUT, vocabulary_choice=None)
    registry.forget_changed()
    assert deleted.project_id() not in registry
    assert first.project_id() not in registry


def test_looking_at_the_health_opens_nothing(counting_server: CountingServer) -> None:
    assert health_of(counting_server.first)["state"] == LOADING
    assert counting_server.first.project_id() not in counting_server.server.registry


def test_an_unknown_project_is_not_opened(counting_server: CountingServer) -> None:
    with pytest.raises(UnknownProjectError, match="no such project"):
        counting_server.server.registry.project(999)
    assert 999 not in counting_server.server.registry


def test_a_vocabulary_that_takes_long_keeps_no_other_project_waiting(tmp_path: Path) -> None:
    gate, asked = threading.Event(), threading.Event()

    def bundled(_: Path) -> Hierarchy:
        asked.set()
        assert gate.wait(PATIENCE_SECONDS)
        return hierarchy()

    counting = CountingServer(tmp_path)
    slow = Session(Server(counting.server.settings, counting.load, bundled))
    fast = slow.elsewhere(counting.versioned(1).project_id())
    begin_loading(slow)
    assert asked.wait(PATIENCE_SECONDS)
    assert slow.project.is_opening and not slow.project.wait_until_open(0.05)
    assert fast.vocabulary() is not None and wait_until_loaded(fast, 30) == READY
    gate.set()
    assert wait_until_loaded(slow, 30) == READY
    slow.server.close()
    counting.server.close()


def test_a_vocabulary_that_cannot_be_read_is_a_sentence(tmp_path: Path) -> None:
    def bundled(_: Path) -> Hierarchy:
        raise VocabularyError("label_space.jsonl is damaged.")

    counting = CountingServer(tmp_path)
    shared = Session(Server(counting.server.settings, counting.load, bundled))
    assert shared.vocabulary() is None
    assert shared.project.vocabulary_problem == "label_space.jsonl is damaged."
    assert shared.project.wait_until_open(0)
    shared.server.close()
    counting.server.close()


def test_two_projects_with_jobs_that_do_not_fit_together_are_both_read(
    counting_server: CountingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queue, "PATIENCE_SECONDS", 0.0)
    holding(monkeypatch, 800_000_000)
    first = counting_server.first
    second = first.elsewhere(make_project(first.server.store(), "Second", "tiny").project_id)
    for session in (first, second):
        documents = [
            Document.from_text(f"{session.project_id()}-{n}", "Herring", f"herring {n}")
            for n in range(3)
        ]
        ids = [
            add_document(session.server.store(), document, project_id=session.project_id())
            for document in documents
        ]
        assert read_in_background(session, ids) is not None
    ids = [session.project_id() for session in (first, second)]
    wait_until(
        lambda: not any(running_jobs(first.server.store(), project_id) for project_id in ids)
    )


def test_a_registry_is_closed_only_once_and_loads_nothing_more(
    counting_server: CountingServer,
) -> None:
    registry: Registry = counting_server.server.registry
    registry.close()
    registry.begin(counting_server.first.project)
    assert counting_server.first.project.state == LOADING


def test_a_first_project_shares_what_was_loaded_ahead(
    counting_server: CountingServer, prepared: Path
) -> None:
    codes = hierarchy()
    codes.vocabulary_id, codes.version = "icd10cm", release()
    keep(VocabularyVersions(prepared), codes, file_name="icd10cm", sha256="0", report={})
    registry = counting_server.server.registry
    registry.load_ahead("icd10cm", after=0.0)
    wait_until(lambda: registry.ahead is not None)
    ahead = registry.ahead
    assert ahead is not None and ahead.wait_until_open(PATIENCE_SECONDS)
    made = make_project(counting_server.server.store(), "Codes", "icd10cm")
    vocabulary = Session(counting_server.server, made.project_id).vocabulary()
    assert vocabulary is not None and vocabulary is ahead.vocabulary()


def test_what_has_no_bundle_is_loaded_while_a_bundle_is(tmp_path: Path) -> None:
    begun, goes_on = threading.Event(), threading.Event()

    def load(_: Path) -> Suggester:
        begun.set()
        assert goes_on.wait(PATIENCE_SECONDS)
        return FakePredictor(hierarchy())

    models, project = Models(tmp_path, load), Project(1, "Fish", "tiny")
    LabelSpace(hierarchy()).save(tmp_path / "label_space.jsonl")
    with ThreadPoolExecutor(1) as threads:
        loading = threads.submit(models.load, tmp_path, hierarchy(), project)
        assert begun.wait(PATIENCE_SECONDS)
        alone = models.load(None, hierarchy(), project)
        assert alone is not None and not loading.done()
        goes_on.set()
        assert loading.result() is not None


def test_nothing_is_loaded_ahead_that_would_have_to_be_made_first(
    counting_server: CountingServer, prepared: Path
) -> None:
    registry = counting_server.server.registry
    registry.load_ahead("icd10cm", after=0.0)
    time.sleep(0.2)
    assert registry.ahead is None and not prepared.exists()
