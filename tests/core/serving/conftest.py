"""A project, and the service that suggests for it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.review.store.projects import default_project, make_project
from core.review.store.store import Store
from core.serving import registry
from core.serving.choosing import open_project, wait_until_loaded
from core.serving.retraining import folder_of
from core.serving.server import Server
from core.serving.session import Session
from core.settings import Settings
from core.suggest.cold_start.suggester import ColdStartSuggester
from core.suggest.suggestions import Prediction
from core.vocabulary.versions import keeping
from core.vocabulary.versions.keeping import keep
from tests.support.counting_server import CountingServer
from tests.support.fakes import FakePredictor, fake_session, hierarchy
from tests.support.garden import garden
from tests.support.garden_home import finished_garden
from tests.support.logs import log as log
from tests.support.models.served_models import bundles as bundles
from tests.support.models.served_models import settings as settings
from tests.support.models.served_models import shared as shared
from tests.support.services import QueueOfOne, running
from tests.support.suggester_host import SuggesterHost
from tests.support.suggester_host import host as host
from tests.support.waiting import PATIENCE_SECONDS


@pytest.fixture
def project_id(store: Store) -> int:
    return default_project(store, "tiny").project_id


@pytest.fixture
def kept() -> dict[str, Prediction]:
    return {}


@pytest.fixture
def service(kept: dict[str, Prediction]) -> Iterator[QueueOfOne]:
    service = running(lambda: FakePredictor(hierarchy()), kept.__setitem__)
    yield service
    service.close()


@pytest.fixture
def counting_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[CountingServer]:
    # All that the tests before have left would be looked through each time that a project is closed.
    monkeypatch.setattr(registry, "settle_memory", lambda: None)
    made = CountingServer(tmp_path)
    yield made
    made.server.close()


@pytest.fixture
def prepared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where an installation prepares vocabularies; none is there yet."""
    monkeypatch.setattr(keeping, "PREPARED", tmp_path / "prepared")
    return tmp_path / "prepared"


@pytest.fixture
def new_home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def new_server(new_home: Path) -> Iterator[Server]:
    """A server of a home that is not there yet."""
    url = f"sqlite:///{new_home}/strata.sqlite"
    made = Server(Settings(new_home, url, new_home / "bundle", "en", new_home / "shipped"))
    yield made
    made.close()


@pytest.fixture
def usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.fixture
def allotment(shared: Session) -> Session:
    """A project of a vocabulary that no model has learned."""
    keep(shared.server.versions, garden(), file_name="garden.ttl", sha256="0" * 64, report={})
    project = open_project(
        shared, make_project(shared.server.store(), "Allotment", "garden").project_id
    )
    assert wait_until_loaded(project, PATIENCE_SECONDS) == "ready", project.project.problem
    return project


@pytest.fixture
def learner() -> ColdStartSuggester:
    """What suggests from the same vocabulary, outside a server."""
    return ColdStartSuggester.of_vocabulary(garden())


@pytest.fixture
def finished_home(tmp_path: Path) -> Settings:
    return finished_garden(tmp_path / "home")


@pytest.fixture
def retraining_folder(finished_home: Settings) -> Path:
    place = folder_of(finished_home, 1)
    place.mkdir(parents=True)
    return place


@pytest.fixture
def place(tmp_path: Path, host: SuggesterHost) -> Iterator[Session]:
    """A project whose model is the fake one, on a server that allows a suggester on loopback."""
    host.results = [{"uri": "https://example.org/104", "label": "sole", "score": 0.9}]
    choices = {"suggester_hosts": (host.name,), "fetches_loopback": True}
    session = fake_session(tmp_path / "home", **choices)
    yield session
    session.server.close()
