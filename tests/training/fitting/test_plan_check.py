"""Plans and guided heads that cannot be built are refused before any document is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import ConfigError, PlanError
from training.config import RunConfig
from training.fitting.checks import check_plans
from training.fitting.run import Run


@pytest.mark.parametrize(
    ("setting", "value", "message"),
    [
        ("model.plan", "hybird", "no plan “hybird”; take one of flat"),
        ("model.plan", "in_pairs", "at least 6 layers for 3 levels; this one has 4"),
        ("model.auxiliary_plan", "in_pairs", "at least 6 layers"),
        ("model.guided_heads", "last_half", "such as last_half:4, not “last_half”"),
        ("model.guided_heads", "last_half:5", "has 4 heads a layer, not 5"),
        ("model.guided_heads", "in_pairs:2", "at least 6 layers"),
    ],
)
def test_what_cannot_be_built_is_refused_at_once(
    config_without_corpus: RunConfig, tmp_path: Path, setting: str, value: str, message: str
) -> None:
    with pytest.raises(PlanError, match=message):
        Run(config_without_corpus.replace(setting, value), tmp_path)


@pytest.mark.parametrize("plan", ["none", "flat", "last_half", "one_by_one", "hybrid"])
def test_what_can_be_built_passes(config_without_corpus: RunConfig, plan: str) -> None:
    check_plans(config_without_corpus.replace("model.plan", plan))
    check_plans(config_without_corpus.replace("model.guided_heads", "last_half:4:random"))


def test_without_a_vocabulary_one_level_is_certain(
    config_without_corpus: RunConfig, tmp_path: Path
) -> None:
    flat = config_without_corpus.replace("data.vocabulary", "")
    check_plans(flat.replace("model.plan", "in_pairs"))
    with pytest.raises(PlanError, match="no plan"):
        check_plans(flat.replace("model.plan", "pairs"))
    with pytest.raises(ConfigError, match="no encoder folder"):
        check_plans(config_without_corpus.replace("model.encoder", str(tmp_path / "nowhere")))
