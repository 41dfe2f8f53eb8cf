"""Boosted regression trees as arrays, for prediction without the library that grew them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float32]
Whole = npt.NDArray[np.int32]
Leaves = npt.NDArray[np.unsignedinteger]
"""Of each tree, a set of its leaves: a bit each, the leftmost leaf the lowest."""

MAX_LEAVES = 64
MOST_COMPARED = 50_000_000
"""Nodes times trees, of which each asks for some bytes; those of the models here have 6,000,000."""


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
        """Return log-odds, (n_rows,), of rows of features, (n_rows, n_features).

        No tree is walked: each feature rules leaves out, and of those that are left a row comes to
        the first. Source: Lucchese et al. (2015), “QuickScorer”, section 3.
        """
        reachable = np.full((len(rows), len(self.roots)), -1).astype(self._kind)
        for feature, (thresholds, remaining) in self._comparisons.items():
            reachable &= remaining[np.searchsorted(thresholds, rows[:, feature])]
        first = np.bitwise_count((reachable & -reachable) - self._kind.type(1))
        nodes = self._leaves[np.arange(len(self.roots)), first]
        return np.asarray(self.value[nodes].sum(axis=1) + self.bias, dtype=np.float32)

    def contributions(self, rows: Array) -> Array:
        """Return what each feature adds to the log-odds, (n_rows, n_features).

        On the way down a tree, each step changes the mean of what lies below; the change is the
        feature's that decided it. With the mean at the roots and the bias they add up to the
        log-odds. Source: Saabas (2014), “Interpreting random forests”.
        """
        added = np.zeros(rows.shape, dtype=np.float32)
        nodes = np.broadcast_to(self.roots, (len(rows), len(self.roots)))
        numbers = np.arange(len(rows))[:, None]
        while not self._is_leaf[nodes].all():
            goes_left = rows[numbers, self.feature[nodes]] <= self.threshold[nodes]
            below = np.where(goes_left, self.left[nodes], self.right[nodes])
            np.add.at(added, (numbers, self.feature[nodes]), self.value[below] - self.value[nodes])
            nodes = below
        return added

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
        below = np.concatenate([self.left[~is_leaf], self.right[~is_leaf], self.roots])
        if np.bincount(below, minlength=n_nodes).tolist() != [1] * n_nodes:
            raise ValueError("its trees are not apart")
        if len(self.roots) * n_nodes > MOST_COMPARED:
            raise ValueError(f"its {len(self.roots):,} trees are too many")
        if self._n_leaves.max(initial=1) > MAX_LEAVES:
            raise ValueError(f"its trees have more than {MAX_LEAVES} leaves")

    @cached_property
    def _is_leaf(self) -> npt.NDArray[np.bool_]:
        return np.asarray(self.left == np.arange(len(self.left)))

    @cached_property
    def _n_leaves(self) -> Whole:
        """How many leaves are below each node, (n_nodes,)."""
        n_leaves = np.ones(len(self.feature), dtype=np.int32)
        # Nodes below have higher numbers, so that one pass from the last to the first is enough.
        for node in np.flatnonzero(~self._is_leaf)[::-1].tolist():
            n_leaves[node] = n_leaves[self.left[node]] + n_leaves[self.right[node]]
        return n_leaves

    @cached_property
    def _places(self) -> tuple[Whole, Whole]:
        """Of each node its tree, and which of the tree's leaves is the first below it, (n_nodes,)."""
        tree, first = np.zeros((2, len(self.feature)), dtype=np.int32)
        tree[self.roots] = np.arange(len(self.roots))
        for node in np.flatnonzero(~self._is_leaf).tolist():
            left, right = self.left[node], self.right[node]
            tree[[left, right]] = tree[node]
            first[[left, right]] = first[node], first[node] + self._n_leaves[left]
        return tree, first

    @cached_property
    def _leaves(self) -> Whole:
        """The nodes that are leaves, from left to right, (n_trees, most leaves)."""
        tree, first = self._places
        leaves = np.zeros((len(self.roots), self._n_leaves.max(initial=1)), dtype=np.int32)
        leaves[tree[self._is_leaf], first[self._is_leaf]] = np.flatnonzero(self._is_leaf)
        return leaves

    @cached_property
    def _kind(self) -> np.dtype[np.unsignedinteger]:
        """Numbers with a bit for each leaf of a tree."""
        return np.min_scalar_type(2 ** self._leaves.shape[1] - 1)

    @cached_property
    def _comparisons(self) -> dict[int, tuple[Array, Leaves]]:
        """What all trees ask about each feature: thresholds, ascending, (n,), and which leaves a row
        can still come to whose feature is above none of them, above the first …, (n + 1, n_trees).
        """
        asking = np.flatnonzero(~self._is_leaf)
        comparisons = {}
        for feature in np.unique(self.feature[asking]).tolist():
            nodes = asking[self.feature[asking] == feature]
            nodes = nodes[np.argsort(self.threshold[nodes], kind="stable")]
            comparisons[feature] = self.threshold[nodes], self._reachable(nodes)
        return comparisons

    def _reachable(self, nodes: Whole) -> Leaves:
        """Return what is left where a row goes right at none of some nodes, at the first …"""
        tree, first = self._places
        reachable = np.full((len(nodes) + 1, len(self.roots)), -1).astype(self._kind)
        for number, node in enumerate(nodes.tolist()):
            left = int(self.left[node])
            ruled_out = ((1 << int(self._n_leaves[left])) - 1) << int(first[left])
            reachable[number + 1 :, tree[node]] &= ~self._kind.type(ruled_out)
        return reachable
