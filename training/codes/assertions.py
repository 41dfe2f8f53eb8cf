"""Trains the network that judges whether a note asserts a condition, on lines and variants of them."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
import torch.nn.functional as F
from tokenizers import Tokenizer
from torch import Tensor, nn

from core.clinical.asserting.network import ASSERTED
from training.codes.assertion_lines import MASK, NoteLine, apart, plain, varied
from training.codes.assertion_networks import (
    Batch,
    LineNetwork,
    read_embeddings,
    read_tokenizer,
    write_network,
)

SEED = 0
N_PASSES, BATCH_SIZE = 16, 64
LEARNING_RATE, WEIGHT_DECAY, SMOOTHING, MOST_GRADIENT = 2e-3, 0.02, 0.05, 1.0
WARM_UP = 0.1
MASKED = 0.05
"""Of the pieces beside a condition, that are not read in training."""
SHARE_OF_CASES = 0.15
"""Names in real cases, beside the lines, in a pass."""
SHARE_OF_PLAIN = 0.12
"""Lines that do nothing but name conditions, likewise."""
BOUNDS = (0.5, 0.3, 0.1)
"""Chances of being affirmed below which a condition is taken as denied; above one less it is not."""


def fit_assertions(
    lines: Sequence[NoteLine],
    cases: Sequence[NoteLine],
    encoder: Path,
    out: Path,
    *,
    say: Callable[[str], None],
) -> None:
    """Train the network and write it.

    Args:
        cases: windows around names in real cases that these affirm.
        encoder: folder of an encoder, whose embeddings and tokenizer it reads by.
        out: folder of the network.
    """
    torch.manual_seed(SEED)
    tokenizer = read_tokenizer(encoder)
    learned, dev = apart(lines)
    network = LineNetwork(read_embeddings(encoder))
    _train(network, learned, cases, tokenizer, say)
    say(f"{len(learned):,} lines learned, {len(dev):,} judged: {judged(network, dev, tokenizer)}")
    write_network(network, tokenizer, out)


def judged(network: nn.Module, lines: Sequence[NoteLine], tokenizer: Tokenizer) -> str:
    """Return how much of what is not affirmed is caught, and of what is affirmed lost, by the rules and
    with a network that is sure enough.
    """
    network.eval()
    with torch.no_grad():
        parts = [network(Batch.of(some, tokenizer)).softmax(1) for some in _batches(lines)]
    return report(torch.cat(parts).numpy(), lines)


def report(chances: npt.NDArray[np.float32], lines: Sequence[NoteLine]) -> str:
    """Return the same of chances, shape (n, 5)."""
    shares = {"rules": caught_and_lost(chances, lines, 0.0)}
    shares |= {f"below {bound}": caught_and_lost(chances, lines, bound) for bound in BOUNDS}
    return "; ".join(
        f"{by} {caught:.1%} caught, {lost:.1%} lost" for by, (caught, lost) in shares.items()
    )


def caught_and_lost(
    chances: npt.NDArray[np.float32], lines: Sequence[NoteLine], bound: float
) -> tuple[float, float]:
    """Return the shares that are taken as denied, of what is not affirmed and of what is.

    Args:
        bound: chance of being affirmed below which the network denies, and above one less it does not;
            between them the rules decide.
    """
    is_affirmed = np.array([ASSERTED[line.asserted] == "affirmed" for line in lines])
    by_rules = np.array([line.rule != 0 for line in lines])
    affirmed = chances[:, ASSERTED.index("affirmed")]
    is_unsure = (affirmed >= bound) & (affirmed <= 1 - bound)
    denied = np.where(is_unsure, by_rules, affirmed < bound)
    return float(denied[~is_affirmed].mean()), float(denied[is_affirmed].mean())


def _train(
    network: LineNetwork,
    lines: Sequence[NoteLine],
    cases: Sequence[NoteLine],
    tokenizer: Tokenizer,
    say: Callable[[str], None],
) -> None:
    rng = random.Random(SEED)
    n_cases = min(len(cases), round(SHARE_OF_CASES * len(lines)))
    affirmed = [line for line in lines if ASSERTED[line.asserted] == "affirmed"]
    n_plain = round(SHARE_OF_PLAIN * len(lines))
    n_steps = -(-(len(lines) + n_plain + n_cases) // BATCH_SIZE) * N_PASSES
    mask = tokenizer.token_to_id(MASK) or 0
    learned = [weights for weights in network.parameters() if weights.requires_grad]
    optimiser = torch.optim.AdamW(learned, lr=LEARNING_RATE, weight_decay=WEIGHT_DECAY)
    cycle = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, LEARNING_RATE, n_steps, pct_start=WARM_UP
    )
    for number in range(1, N_PASSES + 1):
        network.train()
        plain_lines = [plain(affirmed, rng) for _ in range(n_plain)]
        variants = [varied(line, lines, rng) for line in (*lines, *plain_lines)]
        some = [*variants, *rng.sample(cases, n_cases)]
        total = 0.0
        for batch in _alike(some, rng):
            loss = _loss(network, Batch.of(batch, tokenizer), mask)
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(learned, MOST_GRADIENT)
            optimiser.step()
            cycle.step()
            total += loss.item() * len(batch)
        say(f"pass {number} of {N_PASSES}: loss {total / len(some):.3f}")


def _loss(network: LineNetwork, batch: Batch, mask: int) -> Tensor:
    is_hidden = (torch.rand(batch.pieces.shape) < MASKED) & (batch.marks == 0) & (batch.there > 0)
    batch.pieces[is_hidden] = mask
    return F.cross_entropy(network(batch), batch.asserted, label_smoothing=SMOOTHING)


def _alike(lines: Sequence[NoteLine], rng: random.Random) -> Iterator[Sequence[NoteLine]]:
    """Yield batches of lines of about the same length, in a random order."""
    ordered = sorted(lines, key=lambda line: len(line.window.text) + 60 * rng.random())
    batches = list(_batches(ordered))
    rng.shuffle(batches)
    yield from batches


def _batches(lines: Sequence[NoteLine]) -> Iterator[Sequence[NoteLine]]:
    for first in range(0, len(lines), BATCH_SIZE):
        yield lines[first : first + BATCH_SIZE]
