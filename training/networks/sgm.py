"""The encoder of SGM, whose labels `training.networks.sequence_generator` generates from it.

Source: Yang, Sun, Li, Ma, Wu and Wang (2018), “SGM: Sequence Generation Model for Multi-label
Classification”, section 2.2; two layers as on AAPD, and in the released code.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from core.model.networks.lstm_reg import turn_around
from core.model.networks.network import Network, NetworkConfig
from core.model.precision import recurrent_precision

N_LAYERS = 2


class SgmEncoder(Network):
    """Two bidirectional LSTM layers, of which a decoder reads the state of every word."""

    def __init__(self, config: NetworkConfig) -> None:
        super().__init__(config)
        sizes = [config.vector_size, *[2 * config.hidden_units] * (N_LAYERS - 1)]
        self.forwards, self.backwards = (
            nn.ModuleList(nn.LSTM(size, config.hidden_units, batch_first=True) for size in sizes)
            for _ in range(2)
        )

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """Return the last state of each direction, (batch, 2 · hidden units)."""
        return self.read(input_ids, attention_mask)[1]

    def read(
        self, input_ids: Tensor, attention_mask: Tensor, dropout: nn.Module | None = None
    ) -> tuple[Tensor, Tensor]:
        """Return states (batch, tokens, 2 · hidden units), and the last of each direction, joined.

        Padding comes last in either direction, so that it changes no state before it.

        Args:
            dropout: on what each layer reads.
        """
        there = attention_mask.bool()
        states = self.embeddings(input_ids, attention_mask)
        for ahead, back in zip(self.forwards, self.backwards, strict=True):
            read = states if dropout is None else dropout(states)
            with recurrent_precision(read.device.type):
                from_left, _ = ahead(read)
                from_right, _ = back(turn_around(read, there))
            states = torch.cat([from_left, turn_around(from_right, there)], dim=-1)
        return states, _last(from_left, from_right, there)


def _last(from_left: Tensor, from_right: Tensor, there: Tensor) -> Tensor:
    """Return the state after a text's last token, and after its first when read backwards."""
    ends = (there.sum(dim=1) - 1).clamp(min=0)
    rows = torch.arange(len(ends), device=ends.device)
    return torch.cat([from_left[rows, ends], from_right[rows, ends]], dim=-1)
