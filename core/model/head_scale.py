"""What brings the vectors that level heads read to one size, layer by layer.

[CLS] of a lower layer may differ little from document to document. A head on it then learns slowly
for the size of what it reads, whatever its layer knows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import torch
from torch import Tensor, nn

SPREAD = 0.2
"""Of what the heads read with a frozen scale: the root of the mean variance of a unit."""
# A layer that gives every document the same vector stays at 0.
_LEAST = 1e-6


class FrozenScale(nn.Module):
    """v' = 0.2 · (v − c) / s, with c and s measured once: nothing in it learns.

    Attributes:
        centre: c, the mean vector, (hidden units,).
        spread: s, the root of the mean over units of the variance over documents, a scalar.
    """

    centre: Tensor
    spread: Tensor

    def __init__(self, hidden_size: int) -> None:
        super().__init__()
        self.register_buffer("centre", torch.zeros(hidden_size))
        self.register_buffer("spread", torch.tensor(1.0))

    def measure(self, vectors: Tensor) -> None:
        """Take c and s from the vectors of some documents, (documents, hidden units)."""
        vectors = vectors.double()
        variance = vectors.var(dim=0, correction=0).mean()
        self.centre.copy_(vectors.mean(dim=0))
        self.spread.copy_(variance.sqrt().clamp(min=_LEAST))

    def forward(self, vectors: Tensor) -> Tensor:
        """Return the vectors in the new size, of the same shape."""
        # Centred before half precision rounds them: what documents share may be most of them.
        return SPREAD * (vectors.float() - self.centre) / self.spread


def build_head_scales(kind: str, layers: Iterable[int], hidden_size: int) -> nn.ModuleDict | None:
    """Return a scale for each layer by its number, "frozen" or "layer_norm"; None for "none"."""
    if kind == "none":
        return None
    scale = FrozenScale if kind == "frozen" else nn.LayerNorm
    return nn.ModuleDict({str(layer): scale(hidden_size) for layer in layers})


def fold(head: nn.Linear, scales: Sequence[FrozenScale]) -> None:
    """Let a head give for vectors as they are what it gave for them in their new size.

    W' = W · 0.2 / s in the columns of a layer, and b' = b − W' · c.

    Args:
        head: is modified.
        scales: of the layers whose vectors the head reads side by side, in this order.
    """
    factors = torch.cat(
        [SPREAD / scale.spread.double().expand_as(scale.centre) for scale in scales]
    )
    centres = torch.cat([scale.centre.double() for scale in scales])
    weight = head.weight.data.double() * factors
    head.weight.data.copy_(weight)
    head.bias.data.copy_(head.bias.data.double() - weight @ centres)
