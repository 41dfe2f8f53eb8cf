"""Sentences that name under-used layers and heads, with the rule that each follows.

The paper calls utilisation better where [CLS] vectors lie farther apart, entropies are higher and
divergences larger, and draws no line. The lines here are fixed numbers, so that two models can be
held against each other; each is printed in the sentence that rests on it.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from core.utilization.figures import Utilization

SMALL_TURN = 0.05
"""Angular distance from the layer below (9 degrees) under which a layer hardly changes [CLS]."""
ALIKE = 0.1
"""Nats of divergence, mean of both directions, under which two attentions are nearly the same."""
FEW_PIECES = 2.0
"""Word pieces, e to the power of the entropy, under which attention sees hardly more than one."""
EVEN = 0.9
"""Share of all word pieces over which attention spreads when it chooses none of them."""


def notes_on(figures: Utilization) -> list[str]:
    """What is under-used, layers first; one sentence that says so where nothing is."""
    found = [*_layers(figures), *_heads(figures)]
    return found or [
        f"No layer turns [CLS] by less than {SMALL_TURN}, no two layers and no heads of a layer "
        f"attend alike (less than {ALIKE} nats apart), and no head sees fewer than {FEW_PIECES:g} "
        f"word pieces or {EVEN:.0%} of them evenly."
    ]


def _layers(figures: Utilization) -> Iterator[str]:
    turns = [
        f"{layer} ({turn:.3f})"
        for layer, turn in enumerate(np.diagonal(figures.angular, 1), start=2)
        if turn < SMALL_TURN
    ]
    if turns:
        yield (
            f"{_layers_named(turns)} hardly {'change' if len(turns) > 1 else 'changes'} [CLS]: its "
            f"angular distance from the layer below is under {SMALL_TURN}."
        )
    both = (figures.kl_layers + figures.kl_layers.T) / 2
    alike = [
        f"{i + 1} and {j + 1} ({both[i, j]:.2f})"
        for i, j in np.argwhere(np.triu(both < ALIKE, k=1))
    ]
    if alike:
        yield (
            f"Layers {'; '.join(alike)} attend to nearly the same word pieces: less than {ALIKE} "
            "nats apart, the mean of both directions."
        )
    agreed = [
        f"{layer} ({apart:.2f})"
        for layer, apart in enumerate(figures.kl_heads, start=1)
        if apart < ALIKE and figures.n_heads > 1
    ]
    if agreed:
        yield (
            f"All heads of {_layers_named(agreed).lower()} attend to nearly the same word pieces: "
            f"less than {ALIKE} nats apart on average."
        )


def _layers_named(layers: list[str]) -> str:
    """“Layer 1” or “Layers 1, 2 and 5”."""
    if len(layers) == 1:
        return f"Layer {layers[0]}"
    return f"Layers {', '.join(layers[:-1])} and {layers[-1]}"


def _heads(figures: Utilization) -> Iterator[str]:
    pieces = np.exp(figures.head_entropy)
    share = np.exp(figures.head_entropy - figures.uniform_entropy)
    rules = (
        (pieces < FEW_PIECES, f"see hardly more than one word piece (fewer than {FEW_PIECES:g})"),
        (share > EVEN, f"spread over nearly all word pieces alike (more than {EVEN:.0%} of them)"),
        (
            (figures.head_distinctness < ALIKE) & (figures.n_heads > 1),
            f"look where the other heads of their layer look (less than {ALIKE} nats apart)",
        ),
    )
    for under_used, what in rules:
        if under_used.any():
            count = int(under_used.sum())
            yield f"{count} of {under_used.size} heads {what}: {_named(under_used)}."


def _named(under_used: npt.NDArray[np.bool_]) -> str:
    """“layer 1: 3, 7; layer 2: 4”, and “all” for a whole layer."""
    layers = []
    for layer, row in enumerate(under_used, start=1):
        numbers = ", ".join(str(head) for head in np.flatnonzero(row) + 1)
        if row.any():
            layers.append(f"layer {layer}: {'all' if row.all() else numbers}")
    return "; ".join(layers)
