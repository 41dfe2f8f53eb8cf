"""Servers with three real bundles of random weights, and what is done with them."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core.documents.document import Document
from core.review.store.arrivals import add_document
from core.review.store.predictions import latest_prediction
from core.serving.choosing import serve_model, wait_until_loaded
from core.serving.models import TAKEN
from core.serving.server import Server
from core.serving.session import Session
from core.settings import Settings
from core.suggest.opening import load_suggester
from core.suggest.protocol import Suggester
from core.vocabulary.labels import LabelSpace
from tests.support.fakes import hierarchy
from tests.support.models.tiny_bundle import write_tiny_bundle
from tests.support.waiting import PATIENCE_SECONDS, wait_until

ACT = Document.from_text("act", "Regulation on fish quota", "fish quota in the bay " * 5)


def write_bundles(folder: Path) -> Path:
    """Fill a folder with three: two of one vocabulary, one of another."""
    write_tiny_bundle(folder / "first", name="first")
    write_tiny_bundle(folder / "second", name="second", seed=2)
    write_tiny_bundle(folder / "other", name="other", space=LabelSpace(hierarchy()))
    return folder


def settings_in(folder: Path, bundles: Path) -> Settings:
    """The first is shipped; the others lie in the home folder."""
    home = folder / "home"
    for name in ("second", "other"):
        shutil.copytree(bundles / name, home / "models" / name)
    shipped = folder / "shipped"
    shutil.copytree(bundles / "first", shipped / "first")
    return Settings(home, f"sqlite:///{home}/s.sqlite", shipped / "first", "en", shipped)


@pytest.fixture(scope="module")
def bundles(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with three: two of one vocabulary, one of another."""
    return write_bundles(tmp_path_factory.mktemp("bundles"))


@pytest.fixture
def settings(tmp_path: Path, bundles: Path) -> Settings:
    return settings_in(tmp_path, bundles)


def opened(settings: Settings, load: Callable[[Path], Suggester] = load_suggester) -> Session:
    shared = Session(Server(settings, load))
    shared.server.start()
    assert wait_until_loaded(shared, PATIENCE_SECONDS) == "ready", shared.project.problem
    return shared


@pytest.fixture
def shared(settings: Settings) -> Iterator[Session]:
    place = opened(settings)
    yield place
    place.server.close()


def serve(shared: Session, directory: Path, state: str = TAKEN) -> None:
    serve_model(shared, directory)
    wait_until(lambda: shared.project.change and shared.project.change.state != "loading")
    assert shared.project.change and shared.project.change.state == state


def own(shared: Session, name: str) -> Path:
    return shared.settings.own_models / name


def served_name(shared: Session) -> str:
    wait_until(lambda: shared.project.suggester)
    assert shared.project.suggester is not None
    return shared.project.suggester.name


def read(shared: Session, document: Document = ACT) -> str:
    """Add and read a document; returns the bundle that did."""
    add_document(shared.server.store(), document, project_id=shared.project_id())
    assert shared.server.queue.submit(document, shared.project_id()).finished.wait(PATIENCE_SECONDS)
    stored = latest_prediction(shared.server.store(), document.document_id)
    assert stored is not None
    return stored.bundle_hash
