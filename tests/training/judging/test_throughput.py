"""What a benchmark counts and measures, on encoders that take no time."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode
from transformers import BertConfig, BertModel

from core.errors import ConfigError
from core.model.guided import GuidedClassifier, Shape
from tests.support.models.tiny_model import tiny_encoder
from tests.support.models.workshop import make_workshop
from training.__main__ import main
from training.benchmarks.throughput import (
    SHAPES,
    RandomWords,
    ThroughputBenchmark,
    encoder_of,
    forward_flops,
    product_flops,
    training_seconds,
)
from training.results.speed_tables import ROWS, Speed, speed_page


def test_the_operations_are_those_that_torch_counts() -> None:
    config = BertConfig(vocab_size=50, hidden_size=32, num_hidden_layers=3, num_attention_heads=4)
    config.intermediate_size = 80
    model = BertModel(config, add_pooling_layer=False)
    model.set_attn_implementation("eager")
    ids = torch.randint(0, 50, (2, 20))
    with FlopCounterMode(display=False) as counted:
        model(input_ids=ids)
    assert counted.get_total_flops() == 2 * forward_flops(config, tokens=20)


def test_bert_base_is_the_shape_that_the_name_promises() -> None:
    assert SHAPES["bert-base"]["hidden_size"] == 768
    # 85 million parameters in the layers, two operations each, 512 tokens, and the attention.
    layers = 12 * (4 * 768**2 + 8 * 768**2)
    attention = 12 * 4 * 512**2 * 768
    config = BertConfig()
    assert forward_flops(config, 512) == 2 * 512 * layers + attention


def test_a_product_of_matrices_has_a_rate() -> None:
    assert product_flops(torch.float32, seconds=0.01) > 1e8


def test_the_command_measures_prints_and_keeps(tmp_path: Path, capsys) -> None:
    encoder = make_workshop(tmp_path) / "encoder"
    command = ["benchmark", "--encoder", str(encoder), "--lengths", "8,16", "--precisions", "fp32"]
    command += ["--batch-size", "2", "--seconds", "0.02", "--out", str(tmp_path / "speed")]
    assert main(command) == 0
    said = capsys.readouterr().out
    assert said.startswith("| Encoder | Device")
    rows = [json.loads(x) for x in (tmp_path / "speed" / ROWS).read_text().splitlines()]
    assert [row["tokens"] for row in rows] == [8, 16]
    for speed in (Speed(**row) for row in rows):
        assert speed.forward > 0 and speed.training > 0
        assert 0 <= speed.training_share < 1
    assert main(command) == 0
    assert (tmp_path / "speed" / "table.md").read_text() == speed_page(tmp_path / "speed")
    assert len((tmp_path / "speed" / ROWS).read_text().splitlines()) == 4


def test_what_cannot_be_measured_is_said(tmp_path: Path, capsys) -> None:
    encoder = str(make_workshop(tmp_path) / "encoder")
    for words, message in (
        (["--lengths", "65"], "reads 64 tokens at most"),
        (["--lengths", "long"], "not 'long'"),
        (["--precisions", "fp8"], "no precision “fp8”"),
    ):
        assert main(["benchmark", "--encoder", encoder, "--seconds", "0", *words]) == 1
        assert message in capsys.readouterr().err


def test_one_process_measures_several_precisions() -> None:
    for precision in ("fp32", "bf16", "fp32"):
        model = GuidedClassifier(tiny_encoder(), Shape("none", (), 100))
        words = RandomWords(model.encoder.config, 8, 2)
        assert training_seconds(model, words, precision, 0.0) > 0
    with pytest.raises(ConfigError):
        ThroughputBenchmark(precisions=("fp8",)).resolved()
    assert encoder_of("minilm-6").config.num_hidden_layers == 6
