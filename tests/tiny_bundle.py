"""A real bundle with random weights over the hand-written vocabulary, made in a fraction of a second."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch

from core.model.bundle import save_bundle
from core.suggest.calibration import Calibration
from core.suggest.scoring import JoinRule
from core.suggest.windows import Reading
from core.vocabulary.labels import LabelSpace
from core.vocabulary.skos import read_skos
from tests.tiny_model import tiny_model, tiny_tokenizer

TINY_VOCABULARY = Path(__file__).parent / "data" / "tiny.ttl"
DEPTH = 3


def tiny_label_space() -> LabelSpace:
    """The label space of `tests/data/tiny.ttl`."""
    return LabelSpace(read_skos(TINY_VOCABULARY).hierarchy)


def write_tiny_bundle(directory: Path, *, seed: int = 1, **reading: object) -> LabelSpace:
    """Write a bundle whose answers differ from text to text; returns its label space."""
    torch.manual_seed(seed)
    space = tiny_label_space()
    level_sizes = tuple(len(space.level_columns(level)) for level in range(1, DEPTH + 1))
    model = tiny_model(
        level_sizes=level_sizes, n_assigned=int(np.sum(space.assignable)), pooling="mean"
    )
    for head in (*model.level_heads.levels, model.assigned_head):
        torch.nn.init.normal_(head.weight, std=2.0)
    settings: dict[str, object] = {
        "window_tokens": 32,
        "title_tokens": 8,
        "max_title_tokens": 16,
        "overlap_tokens": 4,
        "max_tokens": 200,
        **reading,
    }
    save_bundle(
        directory,
        model=model,
        tokenizer=tiny_tokenizer(),
        label_space=space,
        calibration=Calibration.identity(DEPTH).to_dict(),
        facts={
            "name": "tiny",
            "reading": Reading(**settings).to_dict(),  # type: ignore[arg-type]
            "join": JoinRule().to_dict(),
        },
    )
    return space
