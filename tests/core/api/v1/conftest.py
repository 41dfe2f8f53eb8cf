"""Servers that answer programs, over the fake model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from core import api
from core.api.protection.access import AccessGate
from core.api.protection.access_key import KEY_FILE
from core.api.protection.guard import Guard
from core.api.protection.program_keys import PROGRAM_KEYS_FILE, ProgramKeys
from core.serving.session import Session
from core.serving.vocabularies import Vocabulary
from core.vocabulary.concepts import Concept, Hierarchy
from core.vocabulary.search.vocabulary_index import VocabularyIndex
from tests.support.browser.server import Server
from tests.support.fakes import fake_session
from tests.support.rest import ACCESS_KEY, OFTEN, ORIGIN


@pytest.fixture(scope="module")
def rest_session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    """A server whose routes for programs are read from alone."""
    place = fake_session(tmp_path_factory.mktemp("home"), rest=True, rest_per_minute=OFTEN)
    yield place
    place.server.close()


@pytest.fixture(scope="module")
def rest_app(rest_session: Session) -> Starlette:
    return Starlette(routes=api.routes(rest_session.server))


@pytest.fixture(scope="module")
def rest_client(rest_app: Starlette) -> TestClient:
    return TestClient(rest_app, base_url="http://localhost:8501")


@pytest.fixture
def own_session(tmp_path: Path) -> Iterator[Session]:
    """A server of this test's own, to write to."""
    place = fake_session(tmp_path, rest=True, rest_per_minute=OFTEN)
    yield place
    place.server.close()


@pytest.fixture
def own_client(own_session: Session) -> TestClient:
    return TestClient(
        Starlette(routes=api.routes(own_session.server)), base_url="http://localhost:8501"
    )


@pytest.fixture
def program_keys(tmp_path: Path) -> ProgramKeys:
    return ProgramKeys(tmp_path / PROGRAM_KEYS_FILE)


@pytest.fixture
def kept_client(rest_app: Starlette, program_keys: ProgramKeys) -> TestClient:
    """The same behind guard and gate, with an access key."""
    gate = AccessGate(rest_app, key=ACCESS_KEY, program_keys=program_keys)
    guard = Guard(gate, hosts=["localhost"], origins=[ORIGIN])
    return TestClient(guard, base_url="http://localhost:8501")


@pytest.fixture(scope="module")
def rest_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A Strata with an access key, started as a person does, over the fake model."""
    home = tmp_path_factory.mktemp("served") / "home"
    home.mkdir()
    (home / KEY_FILE).write_text(ACCESS_KEY)
    server = Server(home, fake=True, STRATA_REST="1")
    server.start()
    server.wait_for_model()
    yield server
    server.close()


ODD_NAMES = {
    "c": {"en": "C"}, "10": {"en": "10"}, "na": {"en": "Na"}, "vitamin": {"en": "vitamin B-12"},
    "spinning": {"ja": "こま"}, "sesame": {"ja": "ごま"}, "seed": {"hi": "तिल"}, "oil": {"hi": "तेल"},
    "trade": {"en": "department for trade, fisheries and skills"}, "goat": {"en": "goat"},
}  # fmt: skip


@pytest.fixture(scope="module")
def odd_names(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Vocabulary]:
    hierarchy = Hierarchy(
        [Concept(f"x-{i}", f"u:{i}", None, labels) for i, labels in ODD_NAMES.items()],
        vocabulary_id="v",
        version="1",
    )
    index = VocabularyIndex.build(hierarchy, tmp_path_factory.mktemp("index") / "v.sqlite")
    yield Vocabulary(hierarchy, index)
    index.close()
