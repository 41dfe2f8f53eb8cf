"""Filters over runs of words, which the convolutional networks share."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from core.model.networks.config import NetworkConfig


class WordFilters(nn.Module):
    """c_i = W · (x_i … x_{i+h-1}) + b for every run of h words, and for each width h.

    A run may begin before the text and end after it, as long as one word of the text is in it (what
    lies outside is zeros): so a text that is shorter than a filter has runs as well.
    Source: Kim (2014), equation 2, without its nonlinearity, which comes after the maximum.
    """

    def __init__(self, config: NetworkConfig) -> None:
        super().__init__()
        self.widths = config.widths
        self.filters = nn.ModuleList(
            nn.Conv1d(config.vector_size, config.channels, width, padding=width - 1)
            for width in config.widths
        )

    def forward(self, vectors: Tensor) -> list[Tensor]:
        """For each width (batch, channels, runs), with `width - 1` runs more than tokens.

        Args:
            vectors: (batch, tokens, units), zeros at padding; the runs of a text come first.
        """
        by_unit = vectors.transpose(1, 2)
        return [filters(by_unit) for filters in self.filters]


def spread_over_words(runs: Tensor, width: int, attention_mask: Tensor) -> Tensor:
    """For each of some runs (batch, chosen), equal shares of its words: (batch, tokens, chosen)."""
    places = torch.arange(attention_mask.shape[1], device=runs.device)[None, :, None]
    last = runs.unsqueeze(1)
    inside = (places <= last) & (places > last - width) & attention_mask.bool().unsqueeze(-1)
    return inside / inside.sum(dim=1, keepdim=True)
