"""Where the self-attention of a BERT-like encoder is, layer by layer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from torch import Tensor, nn

from core.errors import PlanError

AttentionObserver = Callable[[int, Tensor, Tensor | None], None]
"""Called with a layer (from 1), its heads' outputs (batch, tokens, units), and its attention."""


def self_attentions(encoder: nn.Module) -> list[nn.Module]:
    """Return the self-attention of each layer, the first layer first.

    Raises:
        PlanError: the encoder does not keep them where BERT and its relatives do.
    """
    config: Any = encoder.config
    found = [m for name, m in encoder.named_modules() if name.endswith("attention.self")]
    if len(found) != config.num_hidden_layers:
        raise PlanError(
            f"Attention heads are read from encoders that are built like BERT; of the "
            f"{config.num_hidden_layers} layers of this {config.model_type}, {len(found)} are."
        )
    return found


@contextmanager
def observe_attention(
    encoder: nn.Module, layers: Sequence[int], observe: AttentionObserver
) -> Iterator[None]:
    """Call `observe` with what the self-attention of some layers gives in each forward pass within.

    The outputs are the heads' own, side by side, before W_O mixes them. The attention is
    (batch, heads, query tokens, key tokens), or None where the kernel does not give it.
    """
    modules = self_attentions(encoder)
    handles = [
        modules[layer - 1].register_forward_hook(
            lambda _module, _inputs, output, layer=layer: observe(layer, *output[:2])
        )
        for layer in layers
    ]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()
