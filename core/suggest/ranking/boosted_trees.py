"""Boosted regression trees as arrays: what a ranker needs of them at serving, without what grew them."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float32]
Whole = npt.NDArray[np.int32]


@dataclass(frozen=True)
class BoostedTrees:
    """Trees one behind the other; what their leaves say adds up to log-odds.

    Attributes:
        roots: number of the first node of each tree, (n_trees,).
        feature: column that a node looks at, (n_nodes,).
        threshold: a row goes left where its feature is at most this, (n_nodes,).
        left, right: numbers of the next nodes, (n_nodes,); a leaf names itself.
        value: what a leaf adds; of other nodes the mean of the leaves below, by how many training
            rows came there, (n_nodes,).
        bias: log-odds before any tree, (1,).
    """

    roots: Whole
    feature: Whole
    threshold: Array
    left: Whole
    right: Whole
    value: Array
    bias: Array

    def __call__(self, rows: Array) -> Array:
        """Return log-odds, (n_rows,), of rows of features, (n_rows, n_features)."""
        nodes = np.broadcast_to(self.roots, (len(rows), len(self.roots)))
        for _ in range(self._depth):
            nodes = self._next(rows, nodes)
        return np.asarray(self.value[nodes].sum(axis=1) + self.bias, dtype=np.float32)

    def contributions(self, rows: Array) -> Array:
        """Return what each feature adds to the log-odds, (n_rows, n_features).

        On the way down a tree, each step changes the mean of what lies below; the change is the
        feature's that decided it. With the mean at the roots and the bias they add up to the
        log-odds. Source: Saabas (2014), “Interpreting random forests”.
        """
        added = np.zeros(rows.shape, dtype=np.float32)
        nodes = np.broadcast_to(self.roots, (len(rows), len(self.roots)))
        numbers = np.broadcast_to(np.arange(len(rows))[:, None], nodes.shape)
        for _ in range(self._depth):
            below = self._next(rows, nodes)
            np.add.at(added, (numbers, self.feature[nodes]), self.value[below] - self.value[nodes])
            nodes = below
        return added

    def arrays(self) -> dict[str, npt.NDArray[np.generic]]:
        """Return all arrays by name, for a file."""
        return {part.name: getattr(self, part.name) for part in fields(self)}

    def check(self, n_features: int) -> None:
        """Raise ValueError where the nodes are no trees over so many features."""
        n_nodes = len(self.feature)
        sizes = {len(getattr(self, name)) for name in ("threshold", "left", "right", "value")}
        numbers = np.arange(n_nodes)
        is_leaf = (self.left == numbers) & (self.right == numbers)
        goes_on = (self.left > numbers) & (self.right > numbers)
        if sizes != {n_nodes} or len(self.bias) != 1 or not (is_leaf | goes_on).all():
            raise ValueError("its trees are not whole")
        for name, past in (("roots", n_nodes), ("left", n_nodes), ("right", n_nodes),
                           ("feature", n_features)):  # fmt: skip
            values = getattr(self, name)
            if len(values) and not (values.min() >= 0 and values.max() < past):
                raise ValueError(f"its trees name a {name} that is not there")

    def _next(self, rows: Array, nodes: Whole) -> Whole:
        numbers = np.arange(len(rows))[:, None]
        goes_left = rows[numbers, self.feature[nodes]] <= self.threshold[nodes]
        return np.where(goes_left, self.left[nodes], self.right[nodes])

    @cached_property
    def _depth(self) -> int:
        """Steps from a root to the deepest leaf."""
        depth = np.zeros(len(self.feature), dtype=np.int64)
        # Nodes below have higher numbers, so that one pass from the last to the first is enough.
        for node in range(len(self.feature) - 1, -1, -1):
            if self.left[node] != node:
                depth[node] = 1 + max(depth[self.left[node]], depth[self.right[node]])
        return int(depth.max(initial=0))
