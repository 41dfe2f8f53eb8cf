"""Quality beside time: what a folder of results holds, and which models no other beats."""

from __future__ import annotations

import json
import math
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.errors import ConfigError
from core.insights.costs import folders_with_costs, frontier, read_costs
from core.insights.result_rows import ROWS, read_result
from core.insights.timings import LATENCY, add_timings, fastest, read_timings, sessions
from tests.support.files.costs_files import ONE, SESSION, row, timing, write_costs
from training.judging.rows import ResultRow


def test_the_frontier_by_hand() -> None:
    # b is slower and worse than a; c is slower and better; d is as good as c, and slower.
    times, qualities = [1.0, 2.0, 3.0, 4.0], [0.5, 0.4, 0.9, 0.9]
    assert frontier(times, qualities) == [True, False, True, False]
    assert frontier([1.0, 1.0], [0.5, 0.6]) == [False, True]
    assert frontier([1.0, 1.0], [0.5, 0.5]) == [True, True]  # equal in both: neither is beaten
    assert frontier([], []) == []
    with pytest.raises(ConfigError, match="1 times stand beside 2"):
        frontier([1.0], [0.5, 0.6])


def test_a_folder_of_results_becomes_points(tmp_path: Path) -> None:
    write_costs(tmp_path)
    (costs,) = read_costs(tmp_path, "test")
    by_arm = {model.arm: model for model in costs.models}
    assert list(by_arm) == ["lr", "lstm_reg", "docbert", "han"]
    lstm = by_arm["lstm_reg"]
    assert lstm.quality["micro_f1@0.5"] == pytest.approx(0.87)
    assert lstm.deviation["micro_f1@0.5"] == pytest.approx(0.02 / 2**0.5)
    assert lstm.n_seeds == 2
    assert lstm.milliseconds(single=False) == pytest.approx(10.0)  # 2 s over 200 documents
    assert lstm.milliseconds(single=True) == 20.0
    assert lstm.command == "python -m training train lstm_reg.toml"
    assert by_arm["lr"].deviation == {}
    row("lr", None, 0.7, command="").save(tmp_path / ROWS / "lr-test")
    (costs,) = read_costs(tmp_path, "test")
    assert costs.models[0].command == ""  # and not the one that measured its time
    assert [model.arm for model in costs.models if model.capped] == ["han"]
    assert costs.measures()[:2] == ["micro_f1@0.5", "micro_f1"]


def test_what_has_only_one_of_the_two_is_named(tmp_path: Path) -> None:
    write_costs(tmp_path)
    row("sgm", 1, 0.8).save(tmp_path / ROWS / "sgm-s1-test")
    add_timings([timing("knn")], tmp_path)
    (costs,) = read_costs(tmp_path, "test")
    assert costs.without_time == ("sgm",)
    assert costs.without_quality == ("knn",)


def test_two_runs_of_one_arm_and_seed_are_not_two_seeds(tmp_path: Path) -> None:
    write_costs(tmp_path)
    for number, digest in enumerate(("aaa", "bbb")):
        run = tmp_path / f"sgm-s1-{digest}"
        run.mkdir()
        (run / "config.toml").write_text('name = "sgm-s1"\nseed = 1\n')
        (run / "run.json").write_text("{}")
        (run / "metrics.json").write_text(f'{{"test": {{"all": {{"micro_f1": 0.{number}}}}}}}')
    with pytest.raises(ConfigError, match="the arm sgm and seed 1"):
        read_costs(tmp_path, "test")
    assert len(read_costs(tmp_path, "dev")) == 1


def test_a_row_without_a_seed_is_not_another_seed(tmp_path: Path) -> None:
    write_costs(tmp_path)
    row("lstm_reg", None, 0.9).save(tmp_path / ROWS / "lstm_reg-test")
    with pytest.raises(ConfigError, match="names its seed and another does not"):
        read_costs(tmp_path, "test")


def test_times_of_two_sessions_do_not_stand_beside_each_other(tmp_path: Path) -> None:
    write_costs(tmp_path)
    later = "2026-11-21T10:00:00Z"
    add_timings([timing("lr", session=later), timing("han", session=later)], tmp_path)
    most, fewer = read_costs(tmp_path, "test")
    assert (most.session, len(most.models)) == (SESSION, 4)
    assert (fewer.session, len(fewer.models)) == (later, 2)
    add_timings([timing(arm, session="2026-11-22") for arm in ("lr", "han", "a", "b")], tmp_path)
    assert next(iter(sessions(read_timings(tmp_path)))) == "2026-11-22"  # of as many the latest


def test_the_fastest_way_of_a_model_counts_for_each_kind_of_time() -> None:
    slow_alone = timing("bundle", batch_seconds=1.0, p50_ms=9.0, way="large batches")
    quick_alone = timing("bundle", batch_seconds=2.0, p50_ms=3.0, way="one by one")
    assert fastest([slow_alone, quick_alone])["bundle"].way == "large batches"
    assert fastest([slow_alone, quick_alone], single=True)["bundle"].way == "one by one"


def test_a_folder_of_runs_is_read_as_well(tmp_path: Path) -> None:
    run = tmp_path / "lstm_reg-s3-0123"
    run.mkdir()
    (run / "run.json").write_text(json.dumps({"capped": True, "command": "train it"}))
    means = {"test": {"all": {"micro_f1@0.5": 0.8, "roc_auc": float("nan")}}}
    (run / "metrics.json").write_text(json.dumps(means))
    (run / "config.toml").write_text('name = "lstm_reg-s3"\nseed = 3\n')
    add_timings([ONE], tmp_path)
    (costs,) = read_costs(tmp_path, "test")
    (model,) = costs.models
    assert (model.arm, model.capped, model.command) == ("lstm_reg", True, "train it")
    assert read_costs(tmp_path, "dev")[0].without_quality == ("lstm_reg",)
    assert list(folders_with_costs([tmp_path, tmp_path / "none"])) == [tmp_path]


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
        read_costs(tmp_path, "dev")


def test_a_damaged_row_is_a_sentence(tmp_path: Path) -> None:
    write_costs(tmp_path)
    (tmp_path / ROWS).write_bytes(b"not a row")
    with pytest.raises(ConfigError, match="holds no result rows"):
        read_costs(tmp_path, "test")
    (tmp_path / ROWS).unlink()
    run = tmp_path / "broken"
    run.mkdir()
    (run / "metrics.json").write_text("{")
    with pytest.raises(ConfigError, match="holds no run that can be read"):
        read_costs(run.parent, "dev")


@pytest.mark.parametrize("name", ["batch_seconds", "p50_ms", "p95_ms"])
@pytest.mark.parametrize("value", [0.0, -1.0, math.nan, math.inf])
def test_what_is_no_time_is_refused(tmp_path: Path, name: str, value: float) -> None:
    add_timings([replace(ONE, **{name: value})], tmp_path)
    with pytest.raises(ConfigError, match="above zero"):
        read_timings(tmp_path)


def test_a_flipped_byte_anywhere_is_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / ROWS / "han-test"
    row("han", 1, 0.8).save(path)
    whole = (tmp_path / ROWS).read_bytes()
    refused = []
    for place in range(0, len(whole), 19):
        (tmp_path / ROWS).write_bytes(
            whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :]
        )
        for read in (read_result, ResultRow.load):
            # Dates and the like may be anything; what is met must be this error and no other.
            with suppress(ConfigError):
                read(path)
                continue
            refused.append(place)
    assert len(refused) > len(whole) / 38


@pytest.mark.parametrize("means", [[], {"all": []}, {"all": {"accuracy": math.inf}}, None])
def test_means_that_are_none_are_a_sentence(tmp_path: Path, means: Any) -> None:
    path = tmp_path / ROWS / "han-test"
    replace(row("han", 1, 0.8), means=means).save(path)
    for read in (read_result, ResultRow.load):
        with pytest.raises(ConfigError, match="is not a result row"):
            read(path)
