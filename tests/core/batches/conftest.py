"""Runs that write nowhere but into their own folders."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.batch_runs import SuggestCommand, write_rows, written
from tests.support.models.tiny_bundle import write_tiny_bundle


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STRATA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("STRATA_PRECISION", "fp32")


@pytest.fixture(scope="module")
def command(tmp_path_factory: pytest.TempPathFactory) -> SuggestCommand:
    folder = tmp_path_factory.mktemp("ray")
    write_tiny_bundle(folder / "bundle", linear=True)
    source = write_rows(folder / "in.jsonl", 4000, broken=(5, 1999))
    return SuggestCommand(source, folder / "bundle", folder / "home")


@pytest.fixture(scope="module")
def by_one_process(
    command: SuggestCommand, tmp_path_factory: pytest.TempPathFactory
) -> list[dict[str, object]]:
    output = tmp_path_factory.mktemp("single") / "out"
    command.run(output)
    return written(output)
