"""A bundle of a small network with random weights over the hand-written vocabulary."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch

from core.model.bundle.bundle import save_bundle
from core.model.guided import GuidedClassifier, Shape
from core.model.networks import NetworkConfig, build_network
from core.suggest.calibration import Calibration
from core.suggest.windows import JoinRule, ReadingSettings
from tests.support.models.tiny_bundle import (
    DEPTH,
    READING,
    tiny_fusion,
    tiny_label_space,
    tiny_linear,
)
from tests.support.models.tiny_model import WORDS
from training.fitting.encoders.networks import word_tokenizer

TEXTS = [" ".join(WORDS), "fish quota bay , honey . label ! ?"]


def network_student(vocab_size: int) -> GuidedClassifier:
    """Heads of three levels and of what is assigned on a network of a few thousand weights."""
    space = tiny_label_space()
    torch.manual_seed(3)
    config = NetworkConfig(
        model_type="lstm_reg",
        vocab_size=vocab_size,
        vector_size=12,
        hidden_units=8,
    )
    shape = Shape(
        plan="flat",
        level_sizes=tuple(len(space.level_columns(level)) for level in range(1, DEPTH + 1)),
        n_assigned=int(np.sum(space.assignable)),
    )
    model = GuidedClassifier(build_network(config), shape)
    for head in (*model.level_heads.levels, model.assigned_head):  # type: ignore[union-attr]
        torch.nn.init.normal_(head.weight, std=1.0)
    return model.eval()


def write_network_bundle(
    directory: Path, *, linear: bool = False, **reading: object
) -> GuidedClassifier:
    """Write a bundle of windows of words, and return the model as it was before compression."""
    space, tokenizer = tiny_label_space(), word_tokenizer(TEXTS, max_words=99, min_count=1)
    model = network_student(tokenizer.get_vocab_size())
    settings = {**READING, **reading}
    save_bundle(
        directory,
        model=model,
        tokenizer=tokenizer,
        label_space=space,
        calibration=Calibration.identity(DEPTH).to_dict()
        | ({"fusion": tiny_fusion().to_dict()} if linear else {}),
        linear=tiny_linear(space) if linear else None,
        facts={
            "name": "tiny-network",
            "reading": ReadingSettings(**settings).to_dict(),  # type: ignore[arg-type]
            "join": JoinRule().to_dict(),
        },
    )
    return model
