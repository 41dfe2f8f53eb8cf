"""Plans and lengths that an encoder cannot carry are refused before any text is read."""

from __future__ import annotations

from pathlib import Path

import pytest
from transformers import DebertaV2Config, PretrainedConfig, RobertaConfig

from core.errors import ConfigError, PlanError
from core.model.plans import PLAN_NAMES
from tests.support.models.network_workshop import changed
from training.config import RunConfig
from training.fitting.checks import check_length, check_lengths, check_plans
from training.fitting.run import Run


@pytest.mark.parametrize(
    ("setting", "value", "message"),
    [
        ("model.plan", "hybird", "no plan “hybird”; take one of flat"),
        ("model.plan", "in_pairs", "at least 6 layers for 3 levels; this one has 4"),
    ],
)
def test_what_cannot_be_built_is_refused_at_once(
    config_without_corpus: RunConfig, tmp_path: Path, setting: str, value: str, message: str
) -> None:
    with pytest.raises(PlanError, match=message):
        Run(config_without_corpus.replace(setting, value), tmp_path)


@pytest.mark.parametrize("plan", [plan for plan in ("none", *PLAN_NAMES) if plan != "in_pairs"])
def test_what_can_be_built_passes(config_without_corpus: RunConfig, plan: str) -> None:
    check_plans(config_without_corpus.replace("model.plan", plan))


def test_without_a_vocabulary_one_level_is_certain(
    config_without_corpus: RunConfig, tmp_path: Path
) -> None:
    flat = config_without_corpus.replace("data.vocabulary", "")
    check_plans(flat.replace("model.plan", "in_pairs"))
    with pytest.raises(PlanError, match="no plan"):
        check_plans(flat.replace("model.plan", "pairs"))
    with pytest.raises(ConfigError, match="no encoder folder"):
        check_plans(config_without_corpus.replace("model.encoder", str(tmp_path / "nowhere")))


def test_levels_that_are_not_learned_need_no_layers(config_without_corpus: RunConfig) -> None:
    in_pairs = config_without_corpus.replace("model.plan", "in_pairs")
    # Of five levels two are left, for which the four layers suffice.
    check_plans(in_pairs.replace("data.skip_levels", 3))
    with pytest.raises(PlanError, match="at least 6 layers for 3 levels"):
        check_plans(in_pairs.replace("data.skip_levels", 2))
    # How deep the labels are that documents have is known when these are read.
    check_plans(in_pairs.replace("data.labels", "coded"))


LENGTHS = {"reading.mode": "first", "reading.max_length_tokens": 64}
"""The encoder of the workshop has 64 positions."""


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"reading.max_length_tokens": 65}, "max_length_tokens = 65 is more than .* to 64 or less"),
        ({"reading.mode": "pair", "reading.max_length_tokens": 512}, "64 or less"),
        (
            {"reading.mode": "windows", "reading.max_title_tokens": 63},
            "max_title_tokens = 63 .* 62",
        ),
    ],
)
def test_longer_inputs_than_the_encoder_has_positions_for_are_refused_at_once(
    config_without_corpus: RunConfig, tmp_path: Path, changes: dict[str, object], message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        Run(changed(config_without_corpus, LENGTHS | changes), tmp_path)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"reading.mode": "windows", "reading.max_title_tokens": 62},
        # Titles are read alone, whatever a window of the text could hold.
        {
            "reading.mode": "windows",
            "reading.max_length_tokens": 512,
            "reading.windows_per_document": 0,
        },
        {"network.kind": "lstm_reg", "reading.max_length_tokens": 512},
    ],
)
def test_inputs_as_long_as_the_positions_pass(
    config_without_corpus: RunConfig, changes: dict[str, object]
) -> None:
    check_lengths(changed(config_without_corpus, LENGTHS | changes))


@pytest.mark.parametrize(
    ("config", "n_tokens"),
    [
        (RobertaConfig(max_position_embeddings=66), 65),
        (DebertaV2Config(max_position_embeddings=64, position_biased_input=True), 65),
    ],
)
def test_positions_are_counted_as_the_encoder_counts_them(
    tmp_path: Path, config: PretrainedConfig, n_tokens: int
) -> None:
    config.save_pretrained(tmp_path)
    check_length(str(tmp_path), "max_length_tokens", n_tokens - 1)
    with pytest.raises(ConfigError, match="64 or less"):
        check_length(str(tmp_path), "max_length_tokens", n_tokens)


def test_an_encoder_of_distances_alone_reads_any_length(tmp_path: Path) -> None:
    DebertaV2Config(position_biased_input=False).save_pretrained(tmp_path)
    check_length(str(tmp_path), "max_length_tokens", 4096)
