"""Guided attention heads: single heads of the encoder are tied to parts of the hierarchy.

Manginas et al. (2020), section 7, announce it as future work and give no formula. The one here:

    p_c = σ(u_c · [o_{l,h(c)}]_{l ∈ plan(n(c))} + b_c)

    L_heads = Σₙ (|Lₙ|/|L|) · mean over c ∈ Lₙ of BCE(p_c, y_c)

where o_{l,h} is what head h of layer l gives for [CLS] on its own, Σⱼ a_{l,h}(CLS, j) · v_{l,h}(j),
before W_O mixes the heads; n(c) is the level of label c, plan(n) the layers that a plan assigns to
that level (several are concatenated, as the level heads do), and h(c) the head that the part of
label c belongs to (`HeadSpec`). The parts divide the labels, so each label is learned by one head a
layer, and that head has 1/heads of the layer's units to distinguish the labels of its part by: its
queries must look for, and its values carry, what its branch is about. BCE and its weights are those
of the levels (Appendix B), so `optim.heads_loss` = 1 makes the term as heavy as the level heads'.

It costs units-of-a-head × labels parameters and is there in training only: what is served, and how
fast, does not change.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from core.errors import PlanError
from core.model.plans import Plan, build_plan
from core.vocabulary.labels import LabelSpace

# ---------------------------------------------------------------------- parts of the hierarchy

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
    # From the top: a broader concept's column is final before narrower ones read it.
    for narrower, broader in label_space.broader_pairs[::-1]:
        top[narrower] = min(top[narrower], top[broader])
    return top.astype(np.int64)


def shuffled(parts: Parts, level_sizes: Sequence[int], *, seed: int) -> Parts:
    """Return the parts assigned anew at random within each level, so that all sizes stay."""
    rng = np.random.default_rng(seed)
    levels = np.split(parts, np.cumsum(level_sizes)[:-1])
    return np.concatenate([rng.permutation(level) for level in levels])


class GuidedHeads(nn.Module):
    """A classifier a level whose every label reads one attention head alone.

    Attributes:
        parts: buffer (labels of the learned levels,), the head that each label reads, from 0.
        levels: one linear layer a level; row c of its weight is u_c.
    """

    parts: Tensor

    def __init__(
        self, plan: Plan, level_sizes: Sequence[int], *, head_size: int, n_heads: int
    ) -> None:
        super().__init__()
        self.plan, self.head_size, self.n_heads = plan, head_size, n_heads
        self.level_sizes = list(level_sizes)
        self.levels = nn.ModuleList(
            nn.Linear(head_size * len(layers), size)
            for layers, size in zip(plan.layers, level_sizes, strict=True)
        )
        # In turns, until the hierarchy says better; kept with the weights, which mean nothing
        # without it.
        self.register_buffer("parts", torch.arange(sum(level_sizes)) % n_heads)

    def set_parts(self, parts: Parts) -> None:
        """Say which head each label reads, as `HeadSpec` divided them."""
        self.parts.copy_(torch.from_numpy(parts))

    def turn_to(
        self, vectors: Mapping[int, Tensor], columns: Sequence[int], *, scale: float
    ) -> None:
        """Start each label's weights at what its own head gives for the label's name.

        Args:
            vectors: of each guided layer, (labels, heads, units of a head), on the CPU.
            columns: row of `vectors` for each label of the learned levels.
            scale: length of a row, shared by the layers of a level.
        """
        rows = torch.as_tensor(columns)
        of_heads = self.parts.cpu().split(self.level_sizes)
        parts = zip(rows.split(self.level_sizes), of_heads, strict=True)
        for level, layers, (labels, heads) in zip(
            self.levels, self.plan.layers, parts, strict=True
        ):
            assert isinstance(level, nn.Linear)
            own = torch.cat([vectors[layer][labels, heads] for layer in layers], dim=1)
            level.weight.data.copy_(scale * own / len(layers))

    @property
    def layers(self) -> list[int]:
        """Layers whose heads are guided, from 1."""
        return sorted({layer for layers in self.plan.layers for layer in layers})

    def forward(self, outputs: Mapping[int, Tensor]) -> Tensor:
        """Return logits (batch, labels of all levels).

        Args:
            outputs: of each guided layer, its heads' outputs for [CLS] side by side, (batch,
                hidden units).
        """
        heads = {
            layer: output.unflatten(-1, (-1, self.head_size)) for layer, output in outputs.items()
        }
        logits = [
            self._level(level, torch.cat([heads[layer] for layer in layers], dim=-1), parts)
            for level, layers, parts in zip(
                self.levels, self.plan.layers, self.parts.split(self.level_sizes), strict=True
            )
        ]
        return torch.cat(logits, dim=-1)

    def _level(self, level: nn.Module, vectors: Tensor, parts: Tensor) -> Tensor:
        """Logits of one level; `vectors`: (batch, heads, units of a head in all its layers)."""
        assert isinstance(level, nn.Linear)
        columns = [torch.nonzero(parts == head).squeeze(1) for head in range(self.n_heads)]
        logits = [
            nn.functional.linear(vectors[:, head], level.weight[of_head], level.bias[of_head])
            for head, of_head in enumerate(columns)
        ]
        return torch.cat(logits, dim=-1)[:, torch.cat(columns).argsort()]


def build_guided_heads(
    spec: str, level_sizes: Sequence[int], encoder_config: Any
) -> GuidedHeads | None:
    """Return the guided heads of a specification such as "last_half:4"; None for "none".

    Raises:
        PlanError: the specification cannot be read, or the encoder has too few layers or heads.
    """
    if spec == "none":
        return None
    heads, n_heads = HeadSpec.parse(spec), encoder_config.num_attention_heads
    if heads.n_heads > n_heads:
        raise PlanError(f"This encoder has {n_heads} heads a layer, not {heads.n_heads} to guide.")
    plan = build_plan(
        heads.plan, n_layers=encoder_config.num_hidden_layers, n_levels=len(level_sizes)
    )
    return GuidedHeads(
        plan,
        level_sizes,
        head_size=encoder_config.hidden_size // n_heads,
        n_heads=heads.n_heads,
    )
