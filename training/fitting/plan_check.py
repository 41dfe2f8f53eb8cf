"""Whether plans and guided heads can be built, found out before a corpus is read for minutes."""

from __future__ import annotations

from typing import Any

from transformers import AutoConfig

from core.model.encoders import loading_encoder
from core.model.guided_heads import build_guided_heads
from core.model.plans import build_plan
from core.vocabulary.labels import LabelSpace
from training.config import RunConfig
from training.corpora.label_spaces import vocabulary_of

NEEDS_NOTHING = ("none", "flat")
"""Plans that every encoder carries, with levels of any number."""


def check_plans(config: RunConfig) -> None:
    """Refuse what the encoder cannot carry; a network's plans are checked with its other settings.

    Raises:
        PlanError: there is no such plan, a specification cannot be read, or the encoder has too few
            layers or heads.
        ConfigError: there is no such encoder.
    """
    model = config.model
    plans = [x for x in (model.plan, model.auxiliary_plan) if x not in NEEDS_NOTHING]
    if config.network.kind != "none" or not (plans or model.guided_heads != "none"):
        return
    with loading_encoder(model.encoder):
        encoder: Any = AutoConfig.from_pretrained(model.encoder)
    n_levels = known_levels(config)
    for plan in plans:
        build_plan(plan, n_layers=encoder.num_hidden_layers, n_levels=n_levels)
    build_guided_heads(model.guided_heads, (1,) * n_levels, encoder)


def known_levels(config: RunConfig) -> int:
    """Levels that will be learned, or 1 where the corpus has to be read to know."""
    if not config.data.vocabulary:
        return 1
    space = LabelSpace(vocabulary_of(config.data.vocabulary))
    return min(config.model.depth, space.n_levels)
