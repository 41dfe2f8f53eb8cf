"""The process of the models, with invented ones."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.suggest.remote.names import RemoteTexts
from core.suggest.remote.process import ModelProcess
from core.suggest.remote.suggester import RemoteExplainer, load_remote
from tests.support.models.remote_worker import MODULE


@pytest.fixture(scope="module")
def process() -> Iterator[ModelProcess]:
    running = ModelProcess(MODULE)
    yield running
    running.close()


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    (tmp_path / "version").write_text("1")
    return tmp_path


@pytest.fixture
def remote(process: ModelProcess, bundle: Path) -> RemoteExplainer:
    found = load_remote(process, bundle)
    assert isinstance(found, RemoteExplainer)
    return found


@pytest.fixture(scope="module")
def texts() -> Iterator[RemoteTexts]:
    running = ModelProcess()
    yield RemoteTexts(running)
    running.close()
