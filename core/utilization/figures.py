"""The figures of one encoder on one set of documents, their CSV file, and sentences about them.

The file is in long form, `measure,row,column,value`: a row a number, layers and heads counted from
1, so that a spreadsheet can pivot it and a later measure leaves older files readable. The csv module
does both: core loads no pandas, which would fill the gaps that are refused here.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from core.boundaries import MEASUREMENT_FILES
from core.errors import ConfigError

Matrix = npt.NDArray[np.float64]

QUERIES: Mapping[str, str] = {
    "cls": "the query row of [CLS] alone",
    "mean": "the mean over the query rows of all word pieces",
}
"""Which rows of the attention are measured, and how to call it beside a figure."""

HEADER = ("measure", "row", "column", "value")
LAYER_PAIRS = ("angular", "kl_layers")
LAYERS = ("entropy", "kl_heads")
HEADS = ("head_entropy", "head_distinctness")
# Where the sentences draw the line; the paper draws none. They are fixed numbers, so that two
# models can be compared with each other, and each is printed in the sentence that rests on it.
SMALL_TURN = 0.05
"""Angular distance from the layer below (9 degrees) under which a layer hardly changes [CLS]."""
ALIKE = 0.1
"""Nats of divergence, mean of both directions, under which two attentions are nearly the same."""
FEW_PIECES = 2.0
"""Word pieces, e to the power of the entropy, under which attention sees hardly more than one."""
EVEN = 0.9
"""Share of all word pieces over which attention spreads when it chooses none of them."""


@dataclass(frozen=True, slots=True)
class Utilization:
    """Means over documents; layers and heads are in order, the first layer first.

    Attributes:
        query: "cls" or "mean", a key of `QUERIES`; the angular distance is of [CLS] in both.
        n_documents: documents that were measured.
        angular: (n_layers, n_layers) arccos(cos)/π between the [CLS] vectors of two layers, in
            [0, 1]; 0.5 is a right angle (Figures 3, 5 and 7).
        kl_layers: (n_layers, n_layers) KL(row ‖ column) in nats between the attention of two
            layers, averaged over heads first (Figures 4, 6 and 8).
        entropy: (n_layers,) nats, of the attention averaged over heads (Table 2, left columns).
        kl_heads: (n_layers,) nats, mean KL over the ordered pairs of a layer's heads (Table 2,
            right columns).
        head_entropy: (n_layers, n_heads) nats, of each head's own attention.
        head_distinctness: (n_layers, n_heads) nats, mean KL from a head to the others of its
            layer; a layer's mean of it is `kl_heads`.
        uniform_entropy: nats of attention that is spread evenly: the mean of ln(word pieces), and
            so the most that an entropy can be.
        about: what was measured, by name: "name", "split", "command", "commit" and the like.
    """

    query: str
    n_documents: int
    angular: Matrix
    kl_layers: Matrix
    entropy: Matrix
    kl_heads: Matrix
    head_entropy: Matrix
    head_distinctness: Matrix
    uniform_entropy: float
    about: Mapping[str, str] = field(default_factory=dict)

    @property
    def n_layers(self) -> int:
        """Layers of the encoder."""
        return len(self.entropy)

    @property
    def n_heads(self) -> int:
        """Attention heads of each layer."""
        return int(self.head_entropy.shape[1])

    @property
    def label(self) -> str:
        """What every figure of this is to be labelled with: query rows, split, documents."""
        split = f"{self.about['split']}, " if "split" in self.about else ""
        return f"{QUERIES[self.query]}; {split}{self.n_documents:,} documents"

    def notes(self) -> list[str]:
        """Sentences that name under-used layers and heads, each with the rule behind it."""
        return notes_on(self)

    def save_csv(self, folder: Path) -> Path:
        """Write utilization-QUERY.csv into a folder; returns its path."""
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / file_name(self.query)
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(HEADER)
            writer.writerows(self._records())
        return path

    def _records(self) -> Iterator[tuple[str, object, object, str]]:
        yield "query", "", "", self.query
        yield "n_documents", "", "", str(self.n_documents)
        yield "uniform_entropy", "", "", f"{self.uniform_entropy:.6g}"
        for key, value in self.about.items():
            yield "about", key, "", value
        for measure in (*LAYER_PAIRS, *LAYERS, *HEADS):
            matrix: Matrix = getattr(self, measure)
            for place, number in np.ndenumerate(matrix):
                row, column = place[0] + 1, place[1] + 1 if len(place) > 1 else ""
                yield measure, row, column, f"{number:.6g}"


def file_name(query: str) -> str:
    """Name of the CSV file of one kind of query rows."""
    return f"utilization-{query}.csv"


def load_csv(path: Path) -> Utilization:
    """Read what `save_csv` wrote.

    Raises:
        ConfigError: the file is missing, or is not such a file.
    """
    with MEASUREMENT_FILES.translated("{path} is not a utilisation file ({reason}).", path=path):
        with path.open(encoding="utf-8", newline="") as file:
            header, *records = csv.reader(file)
        if tuple(header) != HEADER:
            raise ConfigError(f"{path} has the columns {', '.join(header)}: no utilisation file.")
        return _from_records(records)


def _from_records(records: list[list[str]]) -> Utilization:
    single = {measure: value for measure, row, _, value in records if not row}
    if single["query"] not in QUERIES:
        raise ValueError(f"query rows “{single['query']}”")
    matrices = {
        measure: _matrix([record for record in records if record[0] == measure])
        for measure in (*LAYER_PAIRS, *LAYERS, *HEADS)
    }
    return Utilization(
        query=single["query"],
        n_documents=int(single["n_documents"]),
        uniform_entropy=float(single["uniform_entropy"]),
        about={row: value for measure, row, _, value in records if measure == "about"},
        **matrices,
    )


def _matrix(records: list[list[str]]) -> Matrix:
    """Values at their places; every place must be given once."""
    places = [tuple(int(x) - 1 for x in (row, column) if x) for _, row, column, _ in records]
    shape = tuple(max(axis) + 1 for axis in zip(*places, strict=True))
    if len(set(places)) != np.prod(shape) or len(places) != np.prod(shape):
        raise ValueError("values are missing or given twice")
    matrix = np.empty(shape)
    for place, record in zip(places, records, strict=True):
        matrix[place] = float(record[3])
    return matrix


# ---------------------------------------------------------------------- notes


def notes_on(figures: Utilization) -> list[str]:
    """Return what is under-used, layers first; one sentence that says so where nothing is."""
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
