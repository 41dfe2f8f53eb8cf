"""Comparisons with an invented trainer: rows add up over sittings, and become the paper's table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from core.errors import ConfigError
from tests.support.comparisons import Tossing, comparison
from tests.support.models.workshop import make_workshop
from training.__main__ import main
from training.config import RunConfig
from training.judging.arms import (
    Arm,
    paper_grid,
    parse_arm,
    parse_seeds,
    plan_arms,
    portable_digest,
)
from training.judging.compare import best_of_grid, write_tables
from training.judging.rows import ROWS, place_of
from training.results.report import report
from training.results.tables import Spread, compare_arms, table_1


def forget_row(path: Path) -> None:
    """Take a row out of the file of its study."""
    file, name = place_of(path)
    with np.load(file) as rows:
        left = {key: rows[key] for key in rows if not key.startswith(f"{name}/")}
        assert len(left) < len(rows)
    np.savez_compressed(file, **left)


def test_every_arm_is_trained_from_every_seed_once(acts_config: RunConfig, tmp_path: Path) -> None:
    train = Tossing()
    rows = comparison(acts_config, tmp_path).run(train)

    assert train.trained == ["flat-s1", "last_half-s1", "flat-s2", "last_half-s2"]
    assert [row.facts["seed"] for row in rows["test"]["flat"]] == [1, 2]
    assert rows["dev"]["flat"][0].facts["documents_seen"] == 300


def test_a_second_sitting_trains_only_what_is_missing(
    acts_config: RunConfig, tmp_path: Path
) -> None:
    comparison(acts_config, tmp_path).run(Tossing())
    forget_row(tmp_path / "results" / ROWS / "last_half-s2-test")
    train = Tossing()
    comparison(acts_config, tmp_path, seeds=[1, 2, 3]).run(train)

    assert train.trained == ["last_half-s2", "flat-s3", "last_half-s3"]


def test_rows_are_enough_once_runs_and_data_are_gone(
    acts_config: RunConfig, tmp_path: Path
) -> None:
    comparison(acts_config, tmp_path).run(Tossing())
    for path in (*tmp_path.glob("*.jsonl"), *(tmp_path / "runs").rglob("*.npz")):
        path.unlink()
    elsewhere = acts_config.replace("data.path", f"/elsewhere/{Path(acts_config.data.path).name}")
    train = Tossing()
    rows = comparison(elsewhere, tmp_path).run(train)

    assert train.trained == []
    assert len(rows["test"]["last_half"]) == 2


def test_a_stale_row_is_noticed_and_trained_anew_when_asked(
    acts_config: RunConfig, tmp_path: Path
) -> None:
    comparison(acts_config, tmp_path).run(Tossing())
    changed = acts_config.replace("optim.head_lr", 1e-3)
    with pytest.raises(ConfigError, match="made from another configuration"):
        comparison(changed, tmp_path).run(Tossing())
    train = Tossing()
    comparison(changed, tmp_path, seeds=[1], refresh=True).run(train)
    assert train.trained == ["flat-s1", "last_half-s1"]


def test_nothing_is_trained_where_a_later_row_is_stale(
    acts_config: RunConfig, tmp_path: Path
) -> None:
    comparison(acts_config, tmp_path, arms=plan_arms("last_half")).run(Tossing())
    train = Tossing()
    with pytest.raises(ConfigError, match="made from another configuration"):
        comparison(acts_config.replace("optim.head_lr", 1e-3), tmp_path).run(train)
    assert train.trained == []


CANNOT_BE = {
    "optim.precison=fp32": "did you mean “optim.precision”",
    "model.plan=flaat": "no plan “flaat”",
    "model.plan=in_pairs": "at least 6 layers for 3 levels; this one has 4",
    "model.depth=1,model.plan=one_by_one": "only one level is learned here",
    "network.kind=han,model.plan=last_half": "A network (han) has one layer",
    "reading.max_length_tokens=512": "set it to 64 or less",
    "optim.start_from=nowhere.safetensors": "There is no nowhere.safetensors",
    "distill.teacher=nowhere": "nowhere",
    "data.fold=7/3": "7/3",
}


def test_nothing_is_trained_where_a_later_arm_cannot_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    train = Tossing()
    monkeypatch.setattr(
        "training.fitting.train.train", lambda config, out, *, data: train(config, out)
    )
    path = make_workshop(tmp_path) / "run.toml"
    kept = ["--results", str(tmp_path / "results"), "--out", str(tmp_path / "runs")]
    for changes, message in CANNOT_BE.items():
        capsys.readouterr()
        arms = ["--arm", "a:model.plan=flat", "--arm", f"b:{changes}"]
        assert main(["compare", str(path), *arms, *kept]) == 1
        said = capsys.readouterr().err
        assert message in said
        assert said.count("\n") == 1
        assert train.trained == []
        assert not (tmp_path / "results").exists()


def test_what_is_finished_needs_nothing_to_be_trained_from(
    acts_config: RunConfig, tmp_path: Path
) -> None:
    checked: list[str] = []

    def check(configs: Sequence[RunConfig], _: object) -> None:
        checked.extend(config.name for config in configs)

    comparison(acts_config, tmp_path, check=check).run(Tossing())
    assert checked == ["flat-s1", "last_half-s1", "flat-s2", "last_half-s2"]
    # Of one row the run is left, of another neither.
    for name in ("flat-s1", "last_half-s2"):
        forget_row(tmp_path / "results" / ROWS / f"{name}-test")
    (run,) = (tmp_path / "runs").glob("last_half-s2-*")
    (run / "run.json").unlink()
    checked.clear()
    comparison(acts_config, tmp_path, check=check).run(Tossing())
    assert checked == ["last_half-s2"]


def test_tables_of_no_rows_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = make_workshop(tmp_path) / "run.toml"
    kept = ["--results", str(tmp_path / "results"), "--tables-only"]
    assert main(["compare", str(path), "--arm", "foo", *kept]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert f"There are no rows to make tables of in {tmp_path / 'results'}: train" in said.err


def test_an_arm_with_a_fold_of_its_own_is_judged_on_it(
    acts_config: RunConfig, tmp_path: Path
) -> None:
    arms = [Arm(f"fold{n}", (("data.fold", f"{n}/3"),)) for n in (1, 2, 3)]
    rows = comparison(acts_config, tmp_path, arms=arms, seeds=[1]).run(Tossing())["test"]

    assert len({of_arm[0].documents for of_arm in rows.values()}) == 3


def test_the_digest_changes_with_what_is_measured_alone() -> None:
    config = RunConfig()
    same = config.replace("seed", 7).replace("name", "x").replace("data.path", "")
    assert portable_digest(same) == portable_digest(config)
    assert portable_digest(config.replace("model.plan", "hybrid")) != portable_digest(config)
    here, there = config.replace("data.path", "/a/acts"), config.replace("data.path", "/b/acts")
    assert portable_digest(here) == portable_digest(there)


def test_the_digest_names_an_encoder_by_the_folder_that_tells_it_from_others() -> None:
    digests = [
        portable_digest(RunConfig().replace("model.encoder", place))
        for place in ("/a/heal/encoder", "/b/heal/encoder", "/a/adapt/encoder", "adapt", "encoder")
    ]
    assert digests[0] == digests[1] != digests[2] == digests[3] != digests[4]


def test_the_better_arm_is_told_from_flat(acts_config: RunConfig, tmp_path: Path) -> None:
    train = Tossing(noise={"flat": 1.5, "last_half": 0.1})
    made = comparison(acts_config, tmp_path)
    made.run(train)
    pages = write_tables(made)

    rows = made.rows()["test"]
    micro = compare_arms(rows["last_half"], rows["flat"], "r_precision_micro")
    assert micro is not None
    assert [row.mean("r_precision_micro") for row in rows["last_half"]] == [1.0, 1.0]
    assert micro.low > 0
    assert micro.p_value < 0.01
    page = (tmp_path / "results/table.md").read_text(encoding="utf-8")
    assert page == f"{pages['test']}\n{pages['dev']}"


def test_the_table_is_the_papers(acts_config: RunConfig, tmp_path: Path) -> None:
    rows = comparison(acts_config, tmp_path).run(Tossing(noise={"flat": 0, "last_half": 0}))["test"]
    lines = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in table_1(rows).splitlines()
    ]

    assert lines[0] == ["Depth", "1", "2", "3", "Micro", "Macro"]
    assert lines[2] == ["#Labels", "2", "2", "2", "6", "6"]
    assert lines[3] == ["flat", *["100.0 ± 0.0"] * 5]
    page = report(rows, against="flat", title="Results")
    assert "full texts (4)" in page
    assert "titles only (36)" in page
    assert "abc1234" in page
    assert "branch" not in page


def test_one_seed_has_no_deviation_and_nothing_measured_is_a_dash() -> None:
    assert str(Spread.of([0.5])) == "50.0"
    assert str(Spread.of([0.4, 0.6, float("nan")])) == "50.0 ± 14.1"
    assert str(Spread.of([float("nan")])) == "–"


def test_arms_are_read_from_the_command_line() -> None:
    arm = parse_arm("alone: model.plan=none, optim.clip=2")
    assert arm == Arm("alone", (("model.plan", "none"), ("optim.clip", "2")))
    config = arm.configure(RunConfig(), seed=3)
    assert (config.name, config.seed, config.model.plan) == ("alone-s3", 3, "none")
    assert config.optim.clip == 2.0
    assert parse_arm("base") == Arm("base")
    assert parse_seeds("3, 1") == [3, 1]


@pytest.mark.parametrize("text", [":model.plan=flat", "x:model.plan", "../x:seed=1", "x:=1"])
def test_a_broken_arm_is_refused(text: str) -> None:
    with pytest.raises(ConfigError):
        parse_arm(text)


@pytest.mark.parametrize("text", ["", "one", "1.5"])
def test_broken_seeds_are_refused(text: str) -> None:
    with pytest.raises(ConfigError):
        parse_seeds(text)


def test_two_arms_of_one_name_and_no_arm_are_refused(
    acts_config: RunConfig, tmp_path: Path
) -> None:
    with pytest.raises(ConfigError, match="Two arms are called 'flat'"):
        comparison(acts_config, tmp_path, arms=plan_arms("flat,flat"))
    with pytest.raises(ConfigError, match="at least one plan"):
        comparison(acts_config, tmp_path, arms=[])


def test_the_papers_grid_is_every_arm_at_six_settings(tmp_path):
    grid = paper_grid(plan_arms("flat,last_half"))
    assert len(grid) == 12
    base = RunConfig()
    configs = [arm.configure(base, 1) for arm in grid]
    rates = {(c.model.plan, c.optim.encoder_lr, c.model.dropout) for c in configs}
    assert rates == {
        (plan, rate, dropout)
        for plan in ("flat", "last_half")
        for rate in (2e-5, 3e-5, 5e-5)
        for dropout in (0.0, 0.1)
    }
    assert all(c.optim.head_lr == c.optim.encoder_lr for c in configs)
    assert all(c.model.encoder_dropout == c.model.dropout for c in configs)
    assert all(parse_arm(arm.name).name == arm.name for arm in grid)


BEST_RATES = {"flat": (3e-5, 0.0), "last_half": (5e-5, 0.1)}


class _ByRates(Tossing):
    """Scores worse with every step away from the rates that are best for its plan."""

    def __call__(self, config: RunConfig, out: Path) -> Path:
        rate, dropout = BEST_RATES[config.model.plan]
        away = (config.optim.encoder_lr != rate) + (config.model.dropout != dropout)
        self.noise = {config.model.plan: 0.4 + 0.6 * away}
        return super().__call__(config, out)


def test_the_grid_is_chosen_on_dev_and_reported_on_test(
    acts_config: RunConfig, tmp_path: Path
) -> None:
    train = _ByRates()
    chosen = best_of_grid(comparison(acts_config, tmp_path), train)
    assert len(train.trained) == 12
    assert all(name.endswith("-s1") for name in train.trained)
    assert not list((tmp_path / "results-grid").rglob("*-test*"))

    best = ["flat_lr3e-5_dropout0", "last_half_lr5e-5_dropout01"]
    assert [arm.name for arm in chosen.arms] == best
    rows = chosen.run(Tossing())["test"]
    assert {name: len(of_arm) for name, of_arm in rows.items()} == dict.fromkeys(best, 2)

    # A grid is not chosen from before it is finished.
    forget_row(tmp_path / "results-grid" / ROWS / "flat_lr2e-5_dropout0-s1-dev")
    with pytest.raises(ConfigError, match="no row of flat_lr2e-5_dropout0"):
        best_of_grid(comparison(acts_config, tmp_path), None)
