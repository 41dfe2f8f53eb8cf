"""Utilisation as tables: the paper's Table 2 beside ours, and what its heat maps average to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from core.utilization.figures import QUERIES, Matrix, Utilization
from training.judging.rows import ResultRow
from training.results.tables import markdown, table_1

# Layer by layer: entropy and mean KL of the heads, BERT-BASE on the development data of EURLEX57K.
PAPER: Mapping[str, tuple[tuple[float, ...], tuple[float, ...]]] = {
    "FLAT": (
        (4.7, 3.9, 2.5, 3.6, 3.3, 3.2, 3.4, 2.7, 2.1, 2.6, 2.2, 2.4),
        (1.3, 0.7, 0.9, 1.7, 2.6, 3.2, 3.1, 2.6, 2.1, 1.8, 1.2, 0.6),
    ),
    "LAST-SIX": (
        (4.6, 4.2, 4.1, 3.9, 2.7, 2.9, 2.9, 2.6, 3.0, 4.5, 4.3, 5.2),
        (1.5, 0.6, 0.8, 1.1, 2.7, 3.6, 3.0, 2.9, 4.2, 3.9, 2.3, 0.6),
    ),
    "ONE-BY-ONE": (
        (4.5, 4.1, 4.0, 4.0, 3.7, 2.8, 4.6, 4.0, 3.9, 3.9, 4.4, 4.5),
        (1.9, 2.4, 4.7, 3.8, 4.2, 2.9, 2.7, 3.0, 1.7, 1.8, 1.4, 0.2),
    ),
    "IN-PAIRS": (
        (4.4, 3.9, 3.9, 4.1, 3.2, 3.5, 4.1, 3.5, 3.7, 3.7, 4.2, 5.1),
        (1.9, 3.0, 4.6, 4.2, 3.6, 3.5, 2.5, 2.8, 2.0, 1.4, 1.1, 0.2),
    ),
    "HYBRID": (
        (4.6, 4.5, 4.2, 4.2, 3.8, 3.1, 4.1, 3.8, 4.1, 4.3, 4.1, 4.7),
        (2.0, 0.9, 1.7, 2.1, 3.4, 3.7, 3.8, 3.6, 2.8, 2.5, 1.1, 0.3),
    ),
}
"""Table 2 of Manginas et al. (2020)."""

_NOTE = (
    "In nats; means over documents, which all have the same weight. The paper does not say which "
    "query rows it measured, and its documents have up to 512 word pieces: compare the order of "
    "the plans, not the values."
)


def report(figures: Mapping[str, Utilization], heads: Mapping[str, ResultRow] | None = None) -> str:
    """Return a page over one or more models that were measured with the same query rows.

    Args:
        heads: what guided heads predict on their own, by model.
    """
    first = next(iter(figures.values()))
    splits = sorted({of.about.get("split", "?") for of in figures.values()})
    parts = [
        f"# Parameter utilisation on {', '.join(splits)}: {QUERIES[first.query]}",
        _NOTE,
        "## Entropy of the attention averaged over heads, and mean KL between heads, by layer",
        table_2(figures),
        "## Between layers",
        "Angular distance of [CLS] (0.5 is a right angle; the same for all query rows), and KL of "
        "the attention averaged over heads; means over pairs of layers.",
        between_layers(figures),
        *_guided_part(figures, heads or {}),
        "## Under-used layers and heads",
        *(
            "\n".join([f"**{name}**", "", *(f"- {note}" for note in of.notes())])
            for name, of in figures.items()
        ),
        "## Commands",
        "\n".join(f"- `{of.about['command']}`" for of in figures.values() if "command" in of.about),
    ]
    return "\n\n".join(parts) + "\n"


def table_2(figures: Mapping[str, Utilization]) -> str:
    """Return entropy / KL by layer and averaged, as Table 2, with the paper's rows below."""
    n_layers = max(12, *(of.n_layers for of in figures.values()))
    ours = (
        _row(name, list(of.entropy), list(of.kl_heads), n_layers, digits=2)
        for name, of in figures.items()
    )
    paper = (
        _row(f"paper: {name}", entropy, kl, n_layers, digits=1)
        for name, (entropy, kl) in PAPER.items()
    )
    return markdown(["Model", *map(str, range(1, n_layers + 1)), "Mean"], [*ours, *paper])


def _row(
    name: str, entropy: Sequence[float], kl: Sequence[float], n_layers: int, *, digits: int
) -> list[str]:
    cells = [f"{e:.{digits}f} / {k:.{digits}f}" for e, k in zip(entropy, kl, strict=True)]
    blank = [""] * (n_layers - len(cells))
    return [name, *cells, *blank, _pair(float(np.mean(entropy)), float(np.mean(kl)))]


def _pair(entropy: float, kl: float) -> str:
    return f"{entropy:.2f} / {kl:.2f}"


def between_layers(figures: Mapping[str, Utilization]) -> str:
    """Return what Figures 3 and 4 show, averaged: over neighbouring layers and over all pairs."""
    header = [
        "Model",
        "Angle, neighbours",
        "Angle, all pairs",
        "KL, neighbours",
        "KL, all pairs",
        "Even attention would have",
        "Documents",
    ]
    body = [
        [
            name,
            *(f"{value:.3f}" for value in (neighbours(of.angular), pairs(of.angular))),
            *(f"{value:.2f}" for value in (neighbours(of.kl_layers), pairs(of.kl_layers))),
            f"{of.uniform_entropy:.2f}",
            f"{of.n_documents:,}",
        ]
        for name, of in figures.items()
    ]
    return markdown(header, body)


def _guided_part(figures: Mapping[str, Utilization], heads: Mapping[str, ResultRow]) -> list[str]:
    guided = [of.about for of in figures.values() if "guided_layers" in of.about]
    if not guided:
        return []
    layers = [int(layer) for layer in guided[0]["guided_layers"].split()]
    n_heads = int(guided[0]["guided_per_layer"])
    return [
        "## Guided heads",
        f"Means over the heads of layers {', '.join(map(str, layers))}: the first {n_heads}, which "
        "some of the models guide, and the others. Entropy / KL to the other heads of the layer.",
        guided_heads(figures, layers, n_heads),
        *(
            [
                "R-Precision by level of what the guided heads predict on their own, each the "
                "labels of its part.",
                table_1({name: [row] for name, row in heads.items()}),
            ]
            if heads
            else []
        ),
    ]


def guided_heads(figures: Mapping[str, Utilization], layers: Sequence[int], n_heads: int) -> str:
    """Return the first heads of some layers beside the others, in guided and other models."""
    rows = [layer - 1 for layer in layers]
    body = []
    for name, of in figures.items():
        entropy, distinct = of.head_entropy[rows], of.head_distinctness[rows]
        parts = [
            _pair(entropy[:, part].mean(), distinct[:, part].mean()) if has else "–"
            for part, has in (
                (slice(n_heads), True),
                (slice(n_heads, None), of.n_heads > n_heads),
            )
        ]
        body.append([name, of.about.get("guided_heads", "none"), *parts])
    return markdown(["Model", "Guided", f"Heads 1 to {n_heads}", "Others"], body)


def neighbours(matrix: Matrix) -> float:
    """Return mean over layers that follow each other, both directions; NaN for a single layer."""
    if len(matrix) < 2:
        return float("nan")
    return float(np.mean([np.diagonal(matrix, 1), np.diagonal(matrix, -1)]))


def pairs(matrix: Matrix) -> float:
    """Return mean over all ordered pairs of different layers; NaN for a single layer."""
    if len(matrix) < 2:
        return float("nan")
    return float(matrix[~np.eye(len(matrix), dtype=bool)].mean())
