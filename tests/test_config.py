"""Configurations: presets, overrides, and sentences for what is wrong."""

import pytest

from core.errors import ConfigError
from training.config import load_config


def write(tmp_path, text: str):
    path = tmp_path / "run.toml"
    path.write_text(text)
    return path


def test_the_paper_is_the_default_and_small_changes_what_it_names(tmp_path):
    paper = load_config(write(tmp_path, 'name = "x"'))
    assert (paper.model.pooling, paper.optim.encoder_lr, paper.reading.mode) == (
        "cls",
        3e-5,
        "first",
    )
    assert paper.reading.max_length_tokens == 512
    small = load_config(write(tmp_path, 'preset = "small"\n[optim]\nepochs = 2'))
    assert (small.model.pooling, small.optim.encoder_lr) == ("mean", 2e-4)
    assert small.optim.epochs == 2.0


def test_the_presets_of_flat_tasks_are_as_published(tmp_path):
    toxic = load_config(write(tmp_path, 'preset = "multi-label"'))
    optim = toxic.optim
    assert (optim.epochs, optim.batch_size, optim.encoder_lr) == (4, 32, 3e-5)
    assert (optim.head_lr, toxic.reading.max_length_tokens) == (3e-5, 512)
    assert (toxic.model.objective, toxic.model.plan) == ("multi_label", "none")
    triage = load_config(write(tmp_path, 'preset = "label-embedding"'))
    optim = triage.optim
    assert (optim.epochs, optim.batch_size, optim.encoder_lr, optim.head_lr) == (3, 32, 2e-5, 2e-5)
    assert (optim.optimizer, optim.weight_decay, optim.clip, optim.warmup) == ("adam", 0, 1, 0.1)
    assert (optim.label_loss, triage.reading.max_length_tokens) == (3.0, 128)
    assert (triage.model.objective, triage.model.assigned_head) == ("single_label", True)
    assert triage.model.label_embeddings == "random"


def test_a_resolved_configuration_reads_back_as_itself(tmp_path):
    config = load_config(write(tmp_path, 'preset = "small"\n[reading]\nboilerplate = "a\\\\d"'))
    again = load_config(write(tmp_path, config.to_toml()))
    assert again == config
    assert again.digest() == config.digest()
    assert config.replace("seed", 2).digest() != config.digest()


def test_paths_start_at_the_file_and_hub_ids_stay(tmp_path):
    (tmp_path / "acts").mkdir()
    text = '[data]\npath = "acts"\n[model]\nencoder = "bert-base-uncased"'
    config = load_config(write(tmp_path, text))
    assert config.data.path == str(tmp_path / "acts")
    assert config.model.encoder == "bert-base-uncased"


def test_a_folder_that_is_not_there_is_named_in_full(tmp_path):
    text = '[data]\npath = "../acts"\n[model]\nencoder = "../../runs/x"'
    config = load_config(write(tmp_path, text))
    assert config.data.path == str(tmp_path.parent / "acts")
    assert config.model.encoder == str(tmp_path.parent.parent / "runs" / "x")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[model]\nplam = 'flat'", "no setting “model.plam”.*did you mean “model.plan”"),
        ("[model]\nbatch_size = 3", "did you mean “optim.batch_size”"),
        ("plan = 'flat'", "no setting “plan”.*did you mean “model.plan”"),
        ("[modle]\nplan = 'flat'", r"no section \[modle\].*did you mean \[model\]\?"),
        ("[modle]", r"no section \[modle\]"),
        ("[colours]\nsky = 1", r"no section \[colours\].*\. It has \[data\], "),
        ("model = 3", r"write \[model\] above its settings"),
        ("[optim]\nxyzzyx = 3", r"no setting “optim.xyzzyx” in a run's configuration\."),
        ("preset = 'huge'", "no preset “huge”"),
        ("seed = 'one'", "“seed” takes a int"),
        ("[model]\nassigned_head = 3", "takes a bool"),
        ("a = [", "not a TOML file"),
    ],
)
def test_what_is_wrong_is_said(tmp_path, text, message):
    with pytest.raises(ConfigError, match=message):
        load_config(write(tmp_path, text))


def test_a_missing_file_is_said(tmp_path):
    with pytest.raises(ConfigError, match="Cannot read"):
        load_config(tmp_path / "none.toml")
