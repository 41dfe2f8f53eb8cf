"""What rows say of how they were made: names, parts, and a command that makes them again."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

from tests.support.comparisons import Tossing, comparison
from training.config import RunConfig
from training.judging.arms import Arm, parse_arm
from training.judging.folders import command_of_run, config_of, identity_of, setup_of
from training.judging.rows import ROWS, ResultRow


def test_a_run_is_named_as_its_comparison_names_it(tmp_path: Path) -> None:
    config = RunConfig(name="lstm_reg-s3").replace("seed", 3)
    (tmp_path / "config.toml").write_text(config.to_toml(), encoding="utf-8")
    identity = identity_of(tmp_path)
    assert (identity["arm"], identity["seed"]) == ("lstm_reg", 3)
    assert config_of(tmp_path / "none") is None
    assert identity_of(tmp_path / "none") == {"arm": "none"}
    # Five fits of one baseline are five seeds of one arm.
    (tmp_path / "svm-s5").mkdir()
    (tmp_path / "svm-s5" / "run.json").write_text('{"config": {"seed": 5}}')
    assert identity_of(tmp_path / "svm-s5") == {"arm": "svm", "seed": 5}
    # A folder of one's own is named without where it lies.
    assert command_of_run(tmp_path) == "python -m training train …/config.toml"


def test_a_setup_names_what_tables_tell_apart() -> None:
    config = RunConfig(preset="docbert").replace("model.encoder", "org/all-MiniLM-L6-v2")
    setup = setup_of(config)
    assert setup["encoder"] == "all-MiniLM-L6-v2"
    assert "network" not in setup
    student = config.replace("network.kind", "lstm_reg").replace("distill.teacher", "runs/docbert")
    setup = setup_of(student)
    assert "encoder" not in setup
    assert (setup["network"], setup["vectors"]) == ("lstm_reg", "random")
    assert (setup["teacher"], setup["transfer_copies"]) == ("docbert", 1)
    pieces = setup_of(student.replace("network.vectors", "encoder"))
    assert (pieces["vectors"], pieces["encoder"]) == ("encoder", "all-MiniLM-L6-v2")
    assert setup_of(student.replace("network.vectors", "/far/news.txt"))["vectors"] == "news.txt"


def test_a_row_notes_the_command_of_its_own_arm_and_seed(
    acts_config: RunConfig,
    tmp_path: Path,
) -> None:
    made = comparison(acts_config, tmp_path)
    made.command = "python -m training compare tiny.toml"
    made.arms, made.seeds = [parse_arm("slow:optim.epochs=2,model.plan=flat")], [4]
    made.run(Tossing())
    row = ResultRow.load(tmp_path / "results" / ROWS / "slow-s4-dev")
    assert row.facts["command"] == (
        "python -m training compare tiny.toml --arm slow:optim.epochs=2,model.plan=flat --seeds 4"
    )
    # The run says the same of itself, for the bundle that is made of it.
    (run,) = (tmp_path / "runs").glob("slow-s4-*")
    assert json.loads((run / "run.json").read_text())["command"] == row.facts["command"]


def test_no_place_of_this_machine_comes_into_a_row(
    acts_config: RunConfig,
    tmp_path: Path,
) -> None:
    teacher = tmp_path / "lab" / "docbert"
    teacher.mkdir(parents=True)
    encoder = ("model.encoder", "org/all-MiniLM-L6-v2")  # a hub id, which is no place
    arm = Arm("taught", (("distill.teacher", str(teacher)), ("distill.weight", "0.5"), encoder))
    made = comparison(acts_config, tmp_path, arms=[arm], seeds=[1])
    made.command = "python -m training compare tiny.toml"
    made.run(Tossing())
    row = ResultRow.load(tmp_path / "results" / ROWS / "taught-s1-dev")
    assert str(tmp_path) not in json.dumps(dict(row.facts))
    told = {"distill.teacher": "…/docbert", "distill.weight": "0.5"}
    assert row.facts["changes"] == told | {"model.encoder": "org/all-MiniLM-L6-v2"}
    assert "distill.teacher=…/docbert,distill.weight=0.5" in row.facts["command"]


def test_an_arm_is_written_as_it_is_read() -> None:
    for text in ("plain", "slow:optim.epochs=2,model.plan=flat"):
        assert parse_arm(text).as_option() == text
    assert Arm("one").as_option() == "one"


def test_values_with_commas_are_written_for_a_shell_and_read_back() -> None:
    wide = ("network.widths", "2,4,8")
    for changes in ((wide,), (("optim.epochs", "2"), wide)):
        arm = Arm("wide", changes)
        (word,) = shlex.split(arm.as_option())
        assert parse_arm(word) == arm
    assert Arm("wide", (wide,)).as_option() == '"wide:network.widths=2,4,8;"'
