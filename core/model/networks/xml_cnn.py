"""XML-CNN: filters over runs of words, maxima over the parts of a text, and a bottleneck.

Source: Liu, Chang, Wu and Yang (2017), “Deep learning for extreme multi-label text classification”,
sections 3.1 (dynamic max pooling) and 3.3 (hidden bottleneck layer).
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from core.model.networks.network import Network, NetworkConfig
from core.model.networks.word_filters import WordFilters, parts_of_words


class XmlCnn(Network):
    """ReLU(W · p + b), where p joins each filter's maximum in each part of the text."""

    def __init__(self, config: NetworkConfig) -> None:
        super().__init__(config)
        self.filters = WordFilters(config)
        pooled = len(config.widths) * config.channels * config.pool
        self.bottleneck = nn.Linear(pooled, config.bottleneck)

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """Return (batch, units of the bottleneck)."""
        vectors = self.embeddings(input_ids, attention_mask)
        pooled = [F.relu(top).flatten(1) for top, _ in self._pooled(vectors, attention_mask)]
        return F.relu(self.bottleneck(torch.cat(pooled, dim=-1)))

    def shares(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """Return what each word adds: of maxima, what the filters make of it; of the bias equal
        parts.
        """
        vectors = self.embeddings(input_ids, attention_mask)
        pooled = self._pooled(vectors, attention_mask)
        shares = []
        for filters, (top, run) in zip(self.filters.filters, pooled, strict=True):
            parts = parts_of_words(filters, vectors, run, attention_mask)
            shares.append((parts * (top > 0).unsqueeze(1)).flatten(2))
        words = F.linear(torch.cat(shares, dim=-1), self.bottleneck.weight)
        equal = (attention_mask / attention_mask.sum(dim=1, keepdim=True)).unsqueeze(-1)
        words = words + self.bottleneck.bias * equal
        return words * (words.sum(dim=1, keepdim=True) > 0)

    def _pooled(self, vectors: Tensor, attention_mask: Tensor) -> list[tuple[Tensor, Tensor]]:
        """For each width the maxima, and the runs that gave them: (batch, channels, parts)."""
        lengths = attention_mask.sum(dim=1)
        return [
            dynamic_max(runs, lengths + width - 1, self.config.pool)
            for width, runs in zip(self.config.widths, self.filters(vectors), strict=True)
        ]


def dynamic_max(runs: Tensor, lengths: Tensor, n_parts: int) -> tuple[Tensor, Tensor]:
    """Return maxima over equal parts of what is there of each row, and where they stand.

    Part j of n runs goes from ⌊j·n/p⌋ to before ⌈(j+1)·n/p⌉: parts of a text with fewer runs than
    parts have runs in common, and none is empty. The paper says m/p, and nothing of what is left.

    Args:
        runs: (batch, channels, runs).
        lengths: how many runs of each row are of its text, at least 1, shape (batch,).
    Returns:
        Two of shape (batch, channels, parts).
    """
    parts = torch.arange(n_parts, device=runs.device)
    start = parts * lengths.unsqueeze(1) // n_parts
    end = -(-(parts + 1) * lengths.unsqueeze(1) // n_parts)
    longest = int((end - start).max())
    steps = torch.arange(longest, device=runs.device)
    # A part that is shorter than the longest repeats its last run, which changes no maximum.
    places = torch.minimum(start.unsqueeze(-1) + steps, end.unsqueeze(-1) - 1)
    everywhere = places.flatten(1).unsqueeze(1).expand(-1, runs.shape[1], -1)
    top, step = runs.gather(2, everywhere).unflatten(2, (n_parts, longest)).max(dim=-1)
    run = (start.unsqueeze(1) + step).minimum(end.unsqueeze(1) - 1)
    return top, run
