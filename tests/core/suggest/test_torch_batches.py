"""Which windows PyTorch runs together."""

from __future__ import annotations

from core.suggest.backends.torch import TorchBackend
from tests.support.models.tiny_model import tiny_model

LONG = [[1] * 512] * 64


def sizes(device: str, batch_size: int) -> list[int]:
    backend = TorchBackend(tiny_model(), device=device)
    return [len(batch) for batch in backend.batches(LONG, batch_size)]


def test_a_graphics_card_runs_more_pieces_at_once_than_a_processor() -> None:
    assert sizes("cpu", 32) == [4] * 16
    # No card is needed to say which windows it would run together.
    assert sizes("meta", 32) == [32, 32]
    assert sizes("meta", 16) == [16] * 4
