"""Bundles that share tokenizer and word embeddings: one copy, checked, and named where missing."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from core.errors import BundleError
from core.model.bundle.bundle import load_bundle, share_tokenizer
from core.model.bundle.cards import find_bundles, read_card
from core.model.bundle.manifest import identity, read_manifest
from core.model.bundle.shared_parts import FOLDER
from core.settings import Settings
from tests.support.models.tiny_bundle import write_tiny_bundle


def test_what_does_not_differ_is_there_once_and_each_bundle_answers(models: Path) -> None:
    parts = sorted(path.name.split("-", 1)[1] for path in (models / FOLDER).iterdir())
    assert parts == ["tokenizer.json", "word_embeddings.safetensors"]
    assert not (models / "first" / "tokenizer.json").exists()
    first, second = (load_bundle(models / name) for name in ("first", "second"))
    ours, theirs = (b.guided[0].encoder.get_input_embeddings().weight for b in (first, second))
    torch.testing.assert_close(ours, theirs, atol=0, rtol=0)
    assert first.sha256 != second.sha256
    assert first.guided[1].encode("fish quota").tokens[1:3] == ["fish", "quota"]


def test_the_shared_folder_is_no_bundle_and_a_card_tells_its_size(models: Path) -> None:
    settings = Settings(models, "sqlite://", models / "first", "en", shipped_models=models)
    cards = find_bundles(settings)
    assert [card.name for card in cards] == ["first", "second"]
    assert all(card.problem is None for card in cards)
    on_disk = sum(path.stat().st_size for path in (models / FOLDER).iterdir())
    assert cards[0].shared_bytes == on_disk


def test_a_missing_part_and_another_checksum_are_said_in_a_sentence(models: Path) -> None:
    part = next((models / FOLDER).glob("*-word_embeddings.safetensors"))
    content = part.read_bytes()
    part.write_bytes(content[:-1] + b"\0" if content[-1] else content[:-1] + b"\1")
    with pytest.raises(BundleError, match=r"which the model bundle in .* shares with others"):
        load_bundle(models / "second")
    part.unlink()
    with pytest.raises(BundleError, match=f"{part.name} is missing in .*: copy the folder"):
        load_bundle(models / "second")
    assert "copy the folder “shared”" in (read_card(models / "second").problem or "")


def test_a_bundle_stays_the_same_when_its_tokenizer_is_shared(tmp_path: Path) -> None:
    write_tiny_bundle(tmp_path / "tiny")
    before = load_bundle(tmp_path / "tiny").sha256
    assert share_tokenizer(tmp_path / "tiny", tmp_path / FOLDER) == before
    assert not (tmp_path / "tiny" / "tokenizer.json").exists()
    assert identity(read_manifest(tmp_path / "tiny")) == before
    assert load_bundle(tmp_path / "tiny").sha256 == before
    assert share_tokenizer(tmp_path / "tiny", tmp_path / FOLDER) == before
