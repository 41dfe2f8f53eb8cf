"""A real bundle with random weights over the hand-written vocabulary, made in a fraction of a second."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import scipy.sparse as sp
import torch

from core.model.bundle.bundle import save_bundle
from core.model.guided import GuidedClassifier
from core.model.sparse_linear import SparseLinear
from core.model.terms import TermVectors
from core.suggest.calibration import Calibration, Platt
from core.suggest.fusion import Fusion
from core.suggest.windows import JoinRule, ReadingSettings
from core.vocabulary.labels import LabelSpace
from core.vocabulary.skos.reader import read_skos
from tests.support.models.tiny_model import tiny_model, tiny_tokenizer
from tests.support.places import TINY_SKOS

DEPTH = 3
READING: dict[str, object] = {
    "window_tokens": 32,
    "title_tokens": 8,
    "max_title_tokens": 16,
    "overlap_tokens": 4,
    "max_tokens": 200,
}


def tiny_label_space() -> LabelSpace:
    """The label space of `tests/data/tiny.ttl`."""
    return LabelSpace(read_skos(TINY_SKOS).hierarchy)


LINEAR_TERMS = ("bay", "fish", "fish quota", "honey", "quota", "quota bay", "railway", "ticket")


def tiny_linear(space: LabelSpace) -> SparseLinear:
    """A linear classifier with random weights over a few of the tokenizer's words."""
    rng = np.random.default_rng(1)
    n_concepts = int(np.sum(space.assignable))
    weights = rng.normal(size=(len(LINEAR_TERMS), n_concepts)).astype(np.float32)
    idf = rng.uniform(1, 3, size=len(LINEAR_TERMS)).astype(np.float32)
    bias = np.full(n_concepts, -0.5, dtype=np.float32)
    return SparseLinear(TermVectors(LINEAR_TERMS, idf), sp.csr_matrix(weights), bias, 0.4)


def tiny_fusion() -> Fusion:
    """The mean of both suggesters, as they are."""
    return Fusion(0.5, 0.4, (0.5,) * DEPTH, Platt(), Platt(2.0, 0.1), (Platt(),) * DEPTH)


def write_tiny_bundle(
    directory: Path,
    *,
    seed: int = 1,
    linear: bool = False,
    name: str = "tiny",
    space: LabelSpace | None = None,
    label_attention: str = "none",
    **reading: object,
) -> LabelSpace:
    """Write a bundle whose answers differ from text to text; returns its label space."""
    torch.manual_seed(seed)
    space = space or tiny_label_space()
    level_sizes = tuple(len(space.level_columns(level)) for level in range(1, DEPTH + 1))
    model = tiny_model(
        level_sizes=level_sizes,
        n_assigned=int(np.sum(space.assignable)),
        pooling="mean",
        label_attention=label_attention,
    )
    for head in (*model.level_heads.levels, model.assigned_head):
        torch.nn.init.normal_(head.weight, std=2.0)
    settings = {**READING, **reading}
    save_bundle(
        directory,
        model=model,
        tokenizer=tiny_tokenizer(),
        label_space=space,
        calibration=Calibration.identity(DEPTH).to_dict()
        | ({"fusion": tiny_fusion().to_dict()} if linear else {}),
        linear=tiny_linear(space) if linear else None,
        facts={
            "name": name,
            "reading": ReadingSettings(**settings).to_dict(),  # type: ignore[arg-type]
            "join": JoinRule().to_dict(),
        },
    )
    return space


def save_tiny(directory: Path, model: GuidedClassifier, space: LabelSpace) -> None:
    """Write a bundle of a model alone, which is not calibrated."""
    save_bundle(
        directory,
        model=model,
        tokenizer=tiny_tokenizer(),
        label_space=space,
        calibration={},
        facts={"name": "tiny"},
    )
