"""Some changed files of every format, the same at every run; more by `python -m tests.fuzz`."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.fuzz.__main__ import Failure, failures
from tests.fuzz.targets import targets

N_CHANGED = 12


@pytest.mark.filterwarnings("ignore")
def test_changed_files_are_read_or_refused_in_a_sentence(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    rng = random.Random(16)
    found: list[Failure] = []
    for target in targets(tmp_path_factory.mktemp("targets")):
        for _ in range(N_CHANGED):
            found += failures(target, rng.getrandbits(32), tmp_path)
    assert found == []
