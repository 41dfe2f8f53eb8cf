"""An encoder that cannot be had is one sentence with a remedy, at once."""

import json

import pytest
from huggingface_hub import constants

from core.errors import ConfigError
from tests.support.models.workshop import make_workshop
from training.__main__ import main
from training.fitting.encoders.pretrained import load_encoder


def test_a_folder_that_is_not_there(load_part, tmp_path):
    for place in (str(tmp_path / "none"), "../../runs/none", ""):
        with pytest.raises(ConfigError, match=r"There is no encoder folder .*model\.encoder"):
            load_part(place)


def test_a_folder_without_an_encoder(load_part, tmp_path):
    with pytest.raises(ConfigError, match=r"holds no encoder.*no config\.json"):
        load_part(str(tmp_path))


@pytest.mark.parametrize("content", ["{", json.dumps({"model_type": "no-such"})])
def test_a_folder_with_a_damaged_one(load_part, tmp_path, content):
    (tmp_path / "config.json").write_text(content)
    with pytest.raises(ConfigError, match="cannot be loaded"):
        load_part(str(tmp_path))


def test_weights_that_are_cut_off(tmp_path):
    folder = make_workshop(tmp_path) / "encoder"
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:1000])
    with pytest.raises(ConfigError, match="cannot be loaded"):
        load_encoder(str(folder))


def test_a_hub_that_is_out_of_reach(load_part, monkeypatch):
    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(ConfigError, match=r"no folder no/such.*cannot be reached.*refused"):
        load_part("no/such")
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(ConfigError, match="switched off by HF_HUB_OFFLINE"):
        load_part("no/such")


def test_the_command_line_prints_the_sentence_alone(tmp_path, capsys):
    make_workshop(tmp_path)
    capsys.readouterr()
    config = tmp_path / "run.toml"
    config.write_text(config.read_text().replace('"encoder"', '"../nowhere/encoder"'))
    assert main(["train", str(config), "--out", str(tmp_path / "out")]) == 1
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert str(tmp_path.parent / "nowhere" / "encoder") in said
