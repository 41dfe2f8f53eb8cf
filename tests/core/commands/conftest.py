"""An installation to look after."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from core.home import make_private
from core.model.bundle.bundle import share_tokenizer
from core.review.decisions.recording import Operation
from core.review.store.store import Store
from core.vocabulary.versions.vocabulary_versions import VocabularyVersions
from tests.support.fakes import hierarchy
from tests.support.models.tiny_bundle import write_tiny_bundle
from tests.support.postgres import NewDatabase
from tests.support.stores import fill_with_documents, open_store, open_with_documents, send


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home of an installation with a document that was decided on."""
    monkeypatch.setenv("STRATA_HOME", str(tmp_path))
    monkeypatch.delenv("STRATA_DATABASE_URL", raising=False)
    store = open_with_documents(tmp_path)
    send(store, Operation(1, "accept", "c1"))
    store.close()
    return tmp_path


@pytest.fixture
def empty_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """The store of an installation in which nothing was done."""
    monkeypatch.setenv("STRATA_HOME", str(tmp_path))
    monkeypatch.delenv("STRATA_DATABASE_URL", raising=False)
    store = open_store(tmp_path)
    yield store
    store.close()


@pytest.fixture
def whole(installed: Path) -> Path:
    """The same with a vocabulary, and for its owner alone."""
    versions = VocabularyVersions(installed)
    versions.add(hierarchy(), file_name="tiny.rdf", sha256="1", report={})
    make_private(installed)
    return installed


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nobody else sign in on this machine."""
    monkeypatch.setattr("core.commands.doctor.login_users", list)


@pytest.fixture
def on_server(new_postgres: NewDatabase, tmp_path: Path) -> str:
    """The address of a database on a server, with a document that was decided on."""
    url = new_postgres()
    with closing(Store.open(url)) as store:
        fill_with_documents(store)
        send(store, Operation(1, "accept", "c1"))
    return url


@pytest.fixture
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder for commands that read where it is from the environment."""
    home = tmp_path / "home"
    monkeypatch.setenv("STRATA_HOME", str(home))
    return home


@pytest.fixture
def shared_bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A bundle that shares its tokenizer, on a machine with a home of its own."""
    monkeypatch.setenv("STRATA_HOME", str(tmp_path / "home"))
    folder = tmp_path / "made" / "tiny"
    write_tiny_bundle(folder)
    share_tokenizer(folder, folder.parent / "shared")
    return folder
