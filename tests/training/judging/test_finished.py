"""Tables over runs and rows that are finished, whoever made them."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.errors import ConfigError
from tests.support.comparisons import Tossing, comparison
from tests.support.files.timing_files import row
from training.__main__ import main
from training.config import RunConfig
from training.judging.finished import by_arm
from training.judging.folders import names_apart
from training.judging.rows import ROWS, ResultRow, row_paths
from training.results.report import report
from training.results.tables import cost_table


def finished_runs(base: RunConfig, tmp_path: Path) -> list[Path]:
    """Two arms from two seeds each, each a folder with its configuration."""
    train = Tossing(noise={"flat": 1.2, "last_half": 0.3})

    def run(config: RunConfig, out: Path) -> Path:
        train(config, out)
        (out / "config.toml").write_text(config.to_toml(), encoding="utf-8")
        return out

    comparison(base, tmp_path).run(run)
    return sorted((tmp_path / "runs").iterdir())


def test_runs_of_an_arm_become_one_line(acts_config: RunConfig, tmp_path: Path, capsys) -> None:
    runs = finished_runs(acts_config, tmp_path)
    kept = tmp_path / "tables"
    assert main(["compare", *map(str, runs), "--results", str(kept)]) == 0
    said = capsys.readouterr().out
    assert said.count("| Depth ") == 4  # dev and test, all acts and full texts
    assert said.count("minus flat") == 2
    line = next(line for line in said.splitlines() if line.startswith("| last_half"))
    assert "±" in line
    assert "| last_half | 2    | 1.2     |" in said
    assert "abc1234" in said
    page = (kept / "table.md").read_text(encoding="utf-8")
    assert page.splitlines()[0].endswith(": test")
    assert set(page.splitlines()) <= set(said.splitlines())


def test_a_folder_of_runs_and_one_of_rows_say_the_same(
    acts_config: RunConfig,
    tmp_path: Path,
    capsys,
) -> None:
    finished_runs(acts_config, tmp_path)
    tables = []
    for place in ("runs", "results"):
        assert main(["compare", str(tmp_path / place), "--split", "test"]) == 0
        tables.append(capsys.readouterr().out.split("\n", 1)[1])
    assert tables[0] == tables[1]


def test_differences_are_taken_from_the_arm_that_is_named(
    acts_config: RunConfig,
    tmp_path: Path,
    capsys,
) -> None:
    finished_runs(acts_config, tmp_path)
    place = str(tmp_path / "results")
    assert main(["compare", place, "--split", "dev", "--against", "last_half"]) == 0
    assert "minus last_half" in capsys.readouterr().out
    assert main(["compare", place, "--against", "hybrid"]) == 1
    assert "There is no arm 'hybrid'; there are flat, last_half." in capsys.readouterr().err


def test_evaluated_runs_of_one_name_in_different_folders_are_told_apart(
    acts_config: RunConfig,
    tmp_path: Path,
    capsys,
) -> None:
    for attempt in ("first", "second"):
        (tmp_path / attempt).mkdir()
        finished_runs(acts_config, tmp_path / attempt)
    runs = sorted(tmp_path.glob("*/runs/flat-s1-*"))
    places = [run.rename(run.parent.parent / "flat") for run in runs]
    kept = tmp_path / "rows"
    assert main(["evaluate", *map(str, places), "--results", str(kept)]) == 0
    said = capsys.readouterr().out
    assert "| first/flat " in said and "| second/flat " in said
    assert [path.name for path in row_paths(kept)] == ["first-flat-dev", "second-flat-dev"]


def test_names_grow_by_folders_until_each_is_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def named(*places: str) -> list[str]:
        return names_apart([Path(place) for place in places])

    assert named("x/a/run", "x/b/walk") == ["run", "walk"]
    assert named("x/a/run", "y/a/run", "y/b/run", "z") == ["x/a/run", "y/a/run", "b/run", "z"]
    assert named("/run", "/x/run", "/y/x/run") == ["run", "x/run", "y/x/run"]
    # A folder that is named twice is one, and a folder may be named from where one is.
    assert named("a/run", "./b/../a/run") == ["run", "run"]
    monkeypatch.chdir(tmp_path)
    assert named(".") == [tmp_path.name]


def test_what_is_not_finished_or_double_is_said(
    acts_config: RunConfig,
    tmp_path: Path,
    capsys,
) -> None:
    runs = finished_runs(acts_config, tmp_path)
    (tmp_path / "empty").mkdir()
    assert main(["compare", str(tmp_path / "empty")]) == 1
    assert "no finished run and no result row" in capsys.readouterr().err
    row = tmp_path / "results" / ROWS / "flat-s1-dev"
    assert ResultRow.load(row).facts["seed"] == 1
    assert main(["compare", str(runs[0]), str(row), "--split", "dev"]) == 1
    assert "Two results are of the arm flat and seed 1" in capsys.readouterr().err


def test_a_run_that_its_time_ended_is_marked_among_the_costs() -> None:
    capped, whole = row("lstm_reg", 1, 0.8, minutes=20.0, capped=True), row("svm", 1, 0.8)
    table = cost_table({"lstm_reg": [capped], "svm": [whole]})
    assert table.count("†") == 2
    assert "| lstm_reg | 1    | 20.0 †  |" in table
    assert table.endswith("† Training ended at its time limit (`optim.max_minutes`).")
    assert "†" not in cost_table({"svm": [whole]})


def test_seeds_of_different_settings_are_not_averaged() -> None:
    rows = [row("lstm_reg", seed, 0.8, digest=of) for seed, of in ((1, "capped"), (2, "whole"))]
    with pytest.raises(ConfigError, match=r"different settings \(capped, whole\)"):
        by_arm(rows)
    # Where a seed takes a fold of its own, the documents tell.
    assert len(by_arm([rows[0], replace(rows[1], documents="others")])["lstm_reg"]) == 2
    assert len(by_arm([rows[0], row("lstm_reg", 2, 0.8, digest="capped")])["lstm_reg"]) == 2


def test_a_report_says_which_arm_was_trained_in_several_number_formats() -> None:
    mixed = [
        row("flat", 1, 0.8, dtype="torch.float32"),
        row("flat", 2, 0.8, dtype="torch.bfloat16"),
    ]
    same = [row("plain", seed, 0.8, dtype="torch.float32") for seed in (1, 2)]
    page = report({"flat": mixed, "plain": same}, against="flat", title="Results")
    assert "number formats" not in report({"plain": same}, against="plain", title="Results")
    assert page.endswith(
        "## Data\n\n- The seeds of the arm flat were trained in different number formats "
        "(torch.bfloat16, torch.float32): their spread is also that of the formats.\n"
    )


def test_one_run_under_two_names_is_refused() -> None:
    with pytest.raises(ConfigError, match="names its seed and another does not"):
        by_arm([row("docbert", None, 0.8), row("docbert", 1, 0.8)])


def test_a_file_without_rows_is_refused(tmp_path: Path) -> None:
    (tmp_path / ROWS).write_bytes(b"not a row")
    with pytest.raises(ConfigError, match="holds no result rows"):
        row_paths(tmp_path)


def test_a_flipped_byte_anywhere_is_refused_in_a_sentence_or_harmless(tmp_path: Path) -> None:
    file = tmp_path / ROWS
    row("han", 1, 0.8).save(file / "han-test")
    whole = file.read_bytes()
    places = range(0, len(whole), 19)
    refused = 0
    for place in places:
        file.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        with suppress(ConfigError):
            row_paths(tmp_path)
        # Dates and the like may be anything; what is raised must be this error and no other.
        try:
            ResultRow.load(file / "han-test")
        except ConfigError:
            refused += 1
    assert refused > len(places) / 2


@pytest.mark.parametrize("means", [[], {"all": []}, {"all": {"accuracy": math.inf}}, None])
def test_means_that_are_no_numbers_are_refused(tmp_path: Path, means: Any) -> None:
    path = tmp_path / ROWS / "han-test"
    replace(row("han", 1, 0.8), means=means).save(path)
    with pytest.raises(ConfigError, match="is not a result row"):
        ResultRow.load(path)
