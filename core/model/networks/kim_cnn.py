"""KimCNN: filters over runs of words, and the maximum of each over the text.

Source: Kim (2014), “Convolutional neural networks for sentence classification”, equations 1 to 3.
Its bound on the norm of the heads' weights (section 2.1) is left out, as in hedwig; dropout is of
the heads.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from core.model.networks.network import Network, NetworkConfig
from core.model.networks.word_filters import WordFilters, parts_of_words


class KimCnn(Network):
    """ĉ = max over runs of ReLU(c_i), for each filter of each width."""

    def __init__(self, config: NetworkConfig) -> None:
        super().__init__(config)
        self.filters = WordFilters(config)

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """Return (batch, widths · channels)."""
        vectors = self.embeddings(input_ids, attention_mask)
        tops = [runs.amax(dim=-1) for runs in self._runs(vectors, attention_mask)]
        return F.relu(torch.cat(tops, dim=-1))

    def shares(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """Return what each word adds: of a maximum, what the filter makes of it there."""
        vectors = self.embeddings(input_ids, attention_mask)
        shares = []
        for filters, runs in zip(
            self.filters.filters, self._runs(vectors, attention_mask), strict=True
        ):
            top, run = runs.max(dim=-1, keepdim=True)
            parts = parts_of_words(filters, vectors, run, attention_mask)
            shares.append((parts * (top > 0).unsqueeze(1)).flatten(2))
        return torch.cat(shares, dim=-1)

    def _runs(self, vectors: Tensor, attention_mask: Tensor) -> list[Tensor]:
        """Return what the filters give, -∞ where a run has no word of the text."""
        lengths = attention_mask.sum(dim=1)
        found = []
        for width, runs in zip(self.config.widths, self.filters(vectors), strict=True):
            places = torch.arange(runs.shape[-1], device=runs.device)
            outside = places >= (lengths + width - 1).unsqueeze(-1)
            found.append(runs.masked_fill(outside.unsqueeze(1), -torch.inf))
        return found
