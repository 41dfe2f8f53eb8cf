"""Times of models: how they are kept, and which of them stand beside each other."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

from core.errors import ConfigError
from tests.support.files.timing_files import ONE, SESSION, timing
from training.results.timings import LATENCY, add_timings, fastest, read_timings, sessions


def test_times_of_two_sessions_do_not_stand_beside_each_other(tmp_path: Path) -> None:
    later = "2026-11-21T10:00:00Z"
    add_timings([timing(arm) for arm in ("lr", "han", "sgm")], tmp_path)
    add_timings([timing("lr", session=later), timing("han", session=later)], tmp_path)
    assert {name: len(of) for name, of in sessions(read_timings(tmp_path)).items()} == {
        SESSION: 3,
        later: 2,
    }
    add_timings([timing(arm, session="2026-11-22") for arm in ("lr", "han", "a", "b")], tmp_path)
    assert next(iter(sessions(read_timings(tmp_path)))) == "2026-11-22"  # of as many the latest


def test_the_fastest_way_of_a_model_counts_for_each_kind_of_time() -> None:
    slow_alone = timing("bundle", batch_seconds=1.0, p50_ms=9.0, way="large batches")
    quick_alone = timing("bundle", batch_seconds=2.0, p50_ms=3.0, way="one by one")
    assert fastest([slow_alone, quick_alone])["bundle"].way == "large batches"
    assert fastest([slow_alone, quick_alone], single=True)["bundle"].way == "one by one"


def test_times_are_kept_as_they_are(tmp_path: Path) -> None:
    assert read_timings(tmp_path) == []
    add_timings([ONE], tmp_path / "new")
    add_timings([replace(ONE, arm="two")], tmp_path / "new")
    assert read_timings(tmp_path / "new") == [ONE, replace(ONE, arm="two")]
    assert ONE.documents_per_second == 100


@pytest.mark.parametrize(
    "line",
    ["{", "[]", "{}", json.dumps({"session": 1})],
    ids=["broken", "list", "empty", "other kind"],
)
def test_a_damaged_file_is_a_sentence(tmp_path: Path, line: str) -> None:
    (tmp_path / LATENCY).write_text(line + "\n")
    with pytest.raises(ConfigError, match="holds no times, or is damaged"):
        read_timings(tmp_path)


@pytest.mark.parametrize("name", ["batch_seconds", "p50_ms", "p95_ms"])
@pytest.mark.parametrize("value", [0.0, -1.0, math.nan, math.inf])
def test_what_is_no_time_is_refused(tmp_path: Path, name: str, value: float) -> None:
    add_timings([replace(ONE, **{name: value})], tmp_path)
    with pytest.raises(ConfigError, match=r"greater than 0|finite"):
        read_timings(tmp_path)
