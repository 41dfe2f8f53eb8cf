"""A small decoder, and every sequence that it can read."""

from __future__ import annotations

from itertools import permutations

import pytest
import torch

from training.networks.label_decoder import Decoding, LabelDecoder, Memory

N_LABELS, UNITS = 4, 6
Path = tuple[int, ...]


@pytest.fixture(scope="module")
def decoder(single_thread: None) -> LabelDecoder:
    """A decoder whose random steps are far from uniform, so that greed does not always pay."""
    torch.manual_seed(10)
    made = LabelDecoder(N_LABELS, units=UNITS, label_size=3, dropout=0.0).eval()
    for parameter in made.parameters():
        torch.nn.init.normal_(parameter, std=1.2)
    return made


@pytest.fixture(scope="module")
def read(decoder: LabelDecoder) -> tuple[Memory, Decoding]:
    """Twenty documents of random words."""
    torch.manual_seed(4)
    states, hidden = 2 * torch.randn(20, 3, UNITS), torch.randn(20, UNITS)
    with torch.inference_mode():
        return decoder.begin(states, torch.ones(20, 3), hidden, hidden)


@pytest.fixture(scope="module")
def every_path(decoder: LabelDecoder, read: tuple[Memory, Decoding]) -> dict[Path, torch.Tensor]:
    """The probability of each of the 65 sequences of distinct labels, (documents,)."""
    memory, start = read
    paths = [p for n in range(N_LABELS + 1) for p in permutations(range(N_LABELS), n)]
    with torch.inference_mode():
        return {path: probability(decoder, memory, start, path) for path in paths}


def probability(decoder: LabelDecoder, memory: Memory, at: Decoding, path: Path) -> torch.Tensor:
    total = torch.zeros(len(at.last))
    for label in (*path, decoder.end):
        log_probs, at = decoder.step(at, memory)
        total += log_probs[:, 0, label]
        at = at.choose(torch.full_like(at.last, label))
    return total.exp()
