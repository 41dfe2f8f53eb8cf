"""The configuration for the paper's table on MIMIC-III, from invented rows to the table."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.model.plans import PLAN_NAMES
from core.paths import PROJECT_ROOT
from tests.support.files.mimic_files import write_mimic, write_tree
from tests.support.models.network_workshop import changed
from tests.support.models.workshop import write_encoder
from training.__main__ import main
from training.config import load_config
from training.fitting.inputs import window_reading

CONFIG = PROJECT_ROOT / "training" / "configs" / "mimic3.toml"


def test_the_configuration_is_the_papers() -> None:
    config = load_config(CONFIG)
    assert config.model.encoder == "allenai/scibert_scivocab_uncased"
    assert (config.model.depth, config.data.skip_levels) == (6, 1)
    reading = window_reading(config.reading)
    assert (reading.first_only, reading.window_tokens, reading.normalise) == (True, 512, "clinical")
    assert (config.optim.optimizer, config.optim.patience) == ("adam", 2)


def test_all_plans_are_compared_on_invented_rows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # As many layers as the paper's plans need for six levels.
    write_encoder(tmp_path / "encoder", n_layers=12)
    write_tree(tmp_path / "tree.tsv")
    (tmp_path / "mimic").mkdir()
    write_mimic(tmp_path / "mimic", 40)
    config = load_config(CONFIG)
    changes = {
        "data.path": str(tmp_path / "mimic"),
        "data.vocabulary": str(tmp_path / "tree.tsv"),
        "model.encoder": str(tmp_path / "encoder"),
        "reading.max_length_tokens": 32,
        "optim.epochs": 1,
    }
    config = changed(config, changes)
    path = tmp_path / "mimic3.toml"
    path.write_text(config.to_toml(), "utf-8")

    options = ["--out", str(tmp_path / "runs"), "--results", str(tmp_path / "results")]
    assert main(["compare", str(path), "--plans", ",".join(PLAN_NAMES), *options]) == 0

    table = capsys.readouterr().out
    for plan in PLAN_NAMES:
        assert plan in table.lower().replace("-", "_")
    facts = [json.loads(p.read_text()) for p in (tmp_path / "runs").rglob("run.json")]
    assert len(facts) == len(PLAN_NAMES)
