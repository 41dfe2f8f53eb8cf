"""Clients of the routes, over the fake model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from core import api
from core.api import counts, evidence, search
from core.clinical.notation import ICD10CM
from core.documents.document import Document
from core.review import hints
from core.review.store.arrivals import add_document
from core.review.store.projects import keep_choices, make_project
from core.serving.choosing import wait_until_loaded
from core.serving.session import Session
from core.serving.setup import WITHOUT
from tests.support import clinical_fakes
from tests.support.api_evidence import HERRING_ACT
from tests.support.fakes import fake_session
from tests.support.measured_hints import keep_measured

PROJECT_ACT = Document.from_text("act", "On herring", "Herring and sole.")
PROJECT_NOTE = Document.from_text("note", "Visit", "Lobar pneumonia.")


@pytest.fixture(scope="module")
def reading_client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    shared = fake_session(tmp_path_factory.mktemp("home"))
    yield TestClient(Starlette(routes=api.routes(shared.server)))
    shared.server.close()


@pytest.fixture
def shared(tmp_path: Path) -> Iterator[Session]:
    place = fake_session(tmp_path)
    yield place
    place.server.close()


@pytest.fixture
def client(shared: Session) -> TestClient:
    return TestClient(Starlette(routes=api.routes(shared.server)))


@pytest.fixture
def document_id(shared: Session) -> str:
    document = Document.from_text("act", "On herring", "Herring.")
    return add_document(shared.server.store(), document, project_id=shared.project_id())


@pytest.fixture
def measured_hints(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where it is kept what was measured of hints: they are worth it."""
    monkeypatch.setattr(hints, "MEASURED", tmp_path / "measured.json")
    keep_measured(hints.MEASURED)
    return hints.MEASURED


@pytest.fixture
def hinted_act(shared: Session) -> str:
    """A document with five suggestions: fishing quota and herring 48 %, honey 42 %, two of 3 %."""
    text = "A fishing quota, and honey, honey."
    document = Document.from_text("act", "Herring quota: herring", text)
    shared.server.queue.limit = 5
    assert wait_until_loaded(shared, 20) == "ready"
    add_document(shared.server.store(), document, project_id=shared.project_id())
    assert shared.server.queue.submit(document, shared.project_id()).finished.wait(20)
    return document.document_id


@pytest.fixture(scope="module")
def evidence_client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    shared = fake_session(tmp_path_factory.mktemp("home"))
    add_document(shared.server.store(), HERRING_ACT, project_id=shared.project_id())
    assert shared.server.queue.submit(HERRING_ACT, shared.project_id()).finished.wait(20)
    yield TestClient(Starlette(routes=evidence.routes(shared.server)))
    shared.server.close()


@pytest.fixture(scope="module")
def reading_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Starlette]:
    """All routes, over a document that is read."""
    place = fake_session(tmp_path_factory.mktemp("home"))
    add_document(place.server.store(), HERRING_ACT, project_id=place.project_id())
    assert place.server.queue.submit(HERRING_ACT, place.project_id()).finished.wait(20)
    yield Starlette(routes=api.routes(place.server))
    place.server.close()


@pytest.fixture
def acts(tmp_path: Path) -> Iterator[Session]:
    """A thesaurus, and beside it codes in a project of their own."""
    place = fake_session(tmp_path)
    add_document(place.server.store(), PROJECT_ACT, project_id=place.project_id())
    yield place
    place.server.close()


@pytest.fixture
def ward(acts: Session) -> Session:
    codes = clinical_fakes.hierarchy(ICD10CM)
    acts.server.versions.add(codes, file_name="codes.csv", sha256="1", report={})
    made = make_project(acts.server.store(), "Ward 7", ICD10CM)
    keep_choices(
        acts.server.store(), made.project_id, bundle=WITHOUT, vocabulary_choice=codes.version
    )
    add_document(acts.server.store(), PROJECT_NOTE, project_id=made.project_id)
    return acts.elsewhere(made.project_id)


@pytest.fixture
def projects_client(acts: Session, ward: Session) -> TestClient:
    return TestClient(Starlette(routes=api.routes(acts.server)))


@pytest.fixture
def fresh_use(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search knows at once what was decided."""
    monkeypatch.setattr(counts, "LEAST_KEPT_SECONDS", 0.0)
    monkeypatch.setattr(counts, "KEPT_SHARE", 0)
    monkeypatch.setattr(search, "PATIENCE_SECONDS", 60.0)
