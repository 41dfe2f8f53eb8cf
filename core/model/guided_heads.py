"""Guided attention heads: single heads of the encoder are tied to parts of the hierarchy.

Manginas et al. (2020), section 7, announce it as future work and give no formula. The one here:

    p_c = σ(u_c · [o_{l,h(c)}]_{l ∈ plan(n(c))} + b_c)

    L_heads = Σₙ (|Lₙ|/|L|) · mean over c ∈ Lₙ of BCE(p_c, y_c)

where o_{l,h} is what head h of layer l gives for [CLS] on its own, Σⱼ a_{l,h}(CLS, j) · v_{l,h}(j),
before W_O mixes the heads; n(c) is the level of label c, plan(n) the layers that a plan assigns to
that level (several are concatenated, as the level heads do), and h(c) the head that the part of
label c belongs to (`head_parts`). The parts divide the labels, so each label is learned by one head
a layer, and that head has 1/heads of the layer's units to tell the labels of its part by: its
queries must look for, and its values carry, what its branch is about. BCE and its weights are those
of the levels (Appendix B), so `optim.heads_loss` = 1 makes the term as heavy as the level heads'.

It costs units-of-a-head × labels parameters and is there in training only: what is served, and how
fast, does not change.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from core.errors import PlanError
from core.model.head_parts import HeadSpec, Parts
from core.model.plans import Plan, build_plan


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

    def share_out(self, parts: Parts) -> None:
        """Say which head each label reads, as `head_parts` divided them."""
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
