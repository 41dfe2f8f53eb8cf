"""Small bundles, labels and seeds."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from core.model.bundle.bundle import (
    INT8_LAYERS,
    save_bundle,
)
from core.model.bundle.shared_parts import FOLDER
from core.settings import Settings
from core.suggest.calibration import Calibration
from core.suggest.windows import JoinRule, ReadingSettings
from core.vocabulary.concepts import Concept, Hierarchy
from core.vocabulary.labels import LabelSpace
from tests.support.models.tiny_bundle import tiny_label_space, write_tiny_bundle
from tests.support.models.tiny_model import tiny_model, tiny_tokenizer


def space(**broader: str) -> LabelSpace:
    """A label space from name="broader narrower…"."""
    concepts = [
        Concept(name, f"test:{name}", name, {"en": name}, broader=tuple(of.split()))
        for name, of in broader.items()
    ]
    return LabelSpace(Hierarchy(concepts, vocabulary_id="test", version="1", uri_base=""))


@pytest.fixture
def bundle_dir(tmp_path):
    write_tiny_bundle(tmp_path / "bundle")
    return tmp_path / "bundle"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    shipped = tmp_path / "shipped"
    write_tiny_bundle(shipped / "tiny")
    home = tmp_path / "home"
    return Settings(home, "sqlite://", shipped / "tiny", "en", shipped_models=shipped)


@pytest.fixture
def pets() -> LabelSpace:
    """Three branches of 4, 2 and 1 labels; the columns are a, b, c | d, e, g | f."""
    return space(a="", b="", c="", d="a", e="a", f="d", g="b")


def write_sharing(folder: Path, *, seed: int, words: torch.Tensor) -> None:
    """A bundle of its own heads and layers over the same word embeddings."""
    torch.manual_seed(seed)
    space = tiny_label_space()
    sizes = tuple(len(space.level_columns(level)) for level in (1, 2, 3))
    model = tiny_model(level_sizes=sizes, n_assigned=int(space.assignable.sum()), pooling="mean")
    model.encoder.get_input_embeddings().weight.data.copy_(words)  # type: ignore[operator]
    save_bundle(
        folder,
        model=model,
        tokenizer=tiny_tokenizer(),
        label_space=space,
        calibration=Calibration.identity(3).to_dict(),
        facts={
            "name": folder.name,
            "reading": ReadingSettings().to_dict(),
            "join": JoinRule().to_dict(),
        },
        shared=folder.parent / FOLDER,
        int8=INT8_LAYERS,
    )


@pytest.fixture
def models(tmp_path: Path) -> Path:
    words = torch.randn(tiny_tokenizer().get_vocab_size(), 16)
    for seed, name in enumerate(("first", "second")):
        write_sharing(tmp_path / name, seed=seed, words=words)
    return tmp_path


@pytest.fixture
def seed_of_three() -> None:
    torch.manual_seed(3)


@pytest.fixture
def seed_of_five(single_thread: None) -> None:
    torch.manual_seed(5)
