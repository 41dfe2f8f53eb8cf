"""Which part of a hierarchy each guided attention head learns: branches, or random labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core.errors import PlanError
from core.vocabulary.labels import LabelSpace

Parts = npt.NDArray[np.int64]
"""Part of each label of the learned levels, from 0, in the order of the columns."""

KINDS = ("branches", "random")


@dataclass(frozen=True, slots=True)
class HeadSpec:
    """Which attention heads are guided, by what: "last_half:4" or "last_half:4:random".

    Attributes:
        plan: the plan that says which layers' heads learn which level, as in `core.model.plans`.
        n_heads: the first so many heads of each of those layers are guided, each by one part.
        kind: "branches" of the hierarchy, or "random" parts of the same sizes, to compare with.
    """

    plan: str
    n_heads: int
    kind: str = "branches"

    @classmethod
    def parse(cls, text: str) -> HeadSpec:
        """Read PLAN:HEADS or PLAN:HEADS:KIND.

        Raises:
            PlanError: it is neither.
        """
        plan, *rest = text.split(":")
        kind = rest[1] if len(rest) == 2 else KINDS[0]
        if len(rest) not in (1, 2) or not rest[0].isdecimal() or kind not in KINDS:
            raise PlanError(
                f"Guided heads are written PLAN:HEADS or PLAN:HEADS:random, such as last_half:4, "
                f"not “{text}”."
            )
        if int(rest[0]) < 1:
            raise PlanError("At least one head of each layer must be guided; “none” guides none.")
        return cls(plan, int(rest[0]), kind)

    def parts(self, label_space: LabelSpace, depth: int, *, seed: int) -> Parts:
        """Return the part of each label of the first `depth` levels; `seed` draws the random
        ones.
        """
        by_branch = branch_parts(label_space, depth, self.n_heads)
        if self.kind == "branches":
            return by_branch
        levels = label_space.levels[: len(by_branch)]
        return shuffled(by_branch, np.bincount(levels)[1:].tolist(), seed=seed)


def branch_parts(label_space: LabelSpace, depth: int, n_parts: int) -> Parts:
    """Put whole branches into parts of about equal numbers of labels.

    A branch is a top concept and all below it; a label under several top concepts counts to the
    first by column, so that the parts divide the labels. The largest branch goes first, each to the
    part that is smallest so far.

    Raises:
        PlanError: there are fewer branches than parts.
    """
    branch = _first_top(label_space)[label_space.levels <= depth]
    sizes = np.bincount(branch)
    if len(sizes) < n_parts:
        raise PlanError(
            f"{n_parts} guided heads a layer need as many branches; "
            f"{label_space.hierarchy.vocabulary_id} has {len(sizes)}."
        )
    part_of_branch, filled = np.zeros(len(sizes), dtype=np.int64), np.zeros(n_parts)
    for number in np.argsort(-sizes, kind="stable"):
        part_of_branch[number] = filled.argmin()
        filled[part_of_branch[number]] += sizes[number]
    parts: Parts = part_of_branch[branch]
    return parts


def _first_top(label_space: LabelSpace) -> Parts:
    """For each column the first top concept's column that it lies under, or its own."""
    top = np.where(label_space.levels == 1, np.arange(len(label_space)), len(label_space))
    # Upside down: a broader concept's column is final before those narrower ask for it.
    for narrower, broader in label_space.broader_pairs[::-1]:
        top[narrower] = min(top[narrower], top[broader])
    return top.astype(np.int64)


def shuffled(parts: Parts, level_sizes: Sequence[int], *, seed: int) -> Parts:
    """Return the parts dealt out anew at random within each level, so that all sizes stay."""
    rng = np.random.default_rng(seed)
    levels = np.split(parts, np.cumsum(level_sizes)[:-1])
    return np.concatenate([rng.permutation(level) for level in levels])
