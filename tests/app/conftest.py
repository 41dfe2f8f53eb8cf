"""Servers with the fake model, and pages of them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.documents.document import Document
from core.model.bundle.manifest import record_about, record_metrics
from core.review.decisions.recording import Operation
from core.review.store.arrivals import add_document
from core.review.store.proposed_terms import propose_term
from core.serving.choosing import wait_until_loaded
from core.serving.server import Server
from core.serving.session import Session
from core.settings import Settings
from core.vocabulary.labels import LabelSpace
from tests.support.app_documents import add_act, add_decided, decide_on
from tests.support.app_models import models_page
from tests.support.app_pages import (
    click,
    fresh_page,
    installed,
    opened,
    run,
    turn_to,
)
from tests.support.clinical_fakes import clinical_session
from tests.support.component_manifests import read_manifests_once
from tests.support.fakes import fake_session, hierarchy
from tests.support.fetch_host import FetchHost, served
from tests.support.models.tiny_bundle import write_tiny_bundle
from tests.support.stores import begin_empty


@pytest.fixture(scope="session", autouse=True)
def _manifests_read_once() -> None:
    read_manifests_once()


@pytest.fixture
def shared(tmp_path: Path) -> Iterator[Session]:
    """A server with the fake model, loaded, in place of the real one."""
    place = fake_session(tmp_path)
    yield from installed(place)


@pytest.fixture
def page(shared: Session) -> AppTest:
    return fresh_page()


@pytest.fixture
def page_of_two(shared: Session) -> AppTest:
    add_act(shared, "a", "On herring", batch="week 12")
    add_act(shared, "b", "On honey")
    decide_on(shared, "a", (1, "accept", "101"), (2, "reject", "201"), (3, "finish", ""))
    return documents_page()


def documents_page() -> AppTest:
    return turn_to(fresh_page(), "documents")


@pytest.fixture
def clinical(tmp_path: Path) -> Iterator[Session]:
    """A server with a code system for a vocabulary."""
    yield from installed(clinical_session(tmp_path))


@pytest.fixture
def clinical_page(clinical: Session) -> AppTest:
    return fresh_page()


@pytest.fixture
def broken_hip(clinical_page: AppTest) -> str:
    """The id of that example, open on the page of encounters."""
    return opened(click(clinical_page, "example-broken-hip")) or ""


@pytest.fixture
def decided(tmp_path: Path) -> Iterator[Session]:
    for place in installed(fake_session(tmp_path)):
        add_decided(
            place, "a", "week 12", Operation(1, "accept", "101"), Operation(2, "reject", "201")
        )
        add_decided(
            place, "b", None, Operation(1, "accept", "301"), Operation(2, "finish", shown=0)
        )
        add_decided(place, "c", None)
        propose_term(place.server.store(), "c", "seaweed farm", "", place.person_id())
        yield place


@pytest.fixture
def export_page(decided: Session) -> AppTest:
    export_page = turn_to(fresh_page(), "export")
    return run(export_page.checkbox(key="export_unfinished").check())


@pytest.fixture(scope="module")
def bundles(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bundles")
    for seed, name in enumerate(("first", "second"), start=1):
        write_tiny_bundle(folder / name, name=name, seed=seed)
        record_metrics(folder / name, {"test": {"titles": {"ndcg@5": seed / 10, "p@5": 0.5}}})
    record_about(folder / "second", {"languages": ["de"], "training_documents": 1234})
    write_tiny_bundle(folder / "other", name="other", space=LabelSpace(hierarchy()))
    return folder


@pytest.fixture
def two_models(tmp_path: Path, bundles: Path) -> Iterator[Session]:
    home, shipped = tmp_path / "home", tmp_path / "shipped"
    shutil.copytree(bundles / "second", home / "models" / "second")
    shutil.copytree(bundles / "first", shipped / "first")
    begin_empty(home / "s.sqlite")
    settings = Settings(home, f"sqlite:///{home}/s.sqlite", shipped / "first", "en", shipped)
    yield from installed(Session(Server(settings)))


@pytest.fixture
def bundles_page(two_models: Session) -> AppTest:
    return models_page()


@pytest.fixture
def with_an_act(tmp_path: Path) -> Iterator[Session]:
    for place in installed(fake_session(tmp_path)):
        act = Document.from_text("act", "On herring", "herring")
        add_document(place.server.store(), act, project_id=place.project_id())
        assert wait_until_loaded(place, 60) == "ready"
        yield place


@pytest.fixture
def page_of_projects(with_an_act: Session) -> AppTest:
    return turn_to(fresh_page(), "settings")


@pytest.fixture
def settings_page(shared: Session) -> AppTest:
    return turn_to(fresh_page(), "settings")


@pytest.fixture
def fetch_host() -> Iterator[FetchHost]:
    with served() as host:
        yield host


@pytest.fixture
def fetching_page(shared: Session, fetch_host: FetchHost) -> AppTest:
    """The Start page of a server that may ask a host on this machine."""
    shared.server.settings = replace(
        shared.settings, fetch_hosts=(fetch_host.name,), fetches_loopback=True
    )
    return fresh_page()
