"""Convolutional networks: filters over runs of words, and their maxima over a text or its parts.

Source: KimCNN: Kim (2014), “Convolutional neural networks for sentence classification”, equations 1
to 3. Its bound on the norm of the heads' weights (section 2.1) is left out, as in hedwig; dropout is
of the heads. XML-CNN: Liu, Chang, Wu and Yang (2017), “Deep learning for extreme multi-label text
classification”, sections 3.1 (dynamic max pooling) and 3.3 (hidden bottleneck layer).
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from core.model.networks.network import Network, NetworkConfig
from core.model.precision import full_precision


class WordFilters(nn.Module):
    """c_i = W · (x_i … x_{i+h-1}) + b for every run of h words, and for each width h.

    A run may begin before the text and end after it, as long as one word of the text is in it (what
    lies outside is zeros), as in hedwig: so a text that is shorter than a filter has runs as well.
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
        """Return for each width (batch, channels, runs), with `width - 1` runs more than tokens.

        Args:
            vectors: (batch, tokens, units), zeros at padding; the runs of a text come first.
        """
        by_unit = vectors.transpose(1, 2)
        with convolution_precision(vectors):
            return [filters(by_unit) for filters in self.filters]


def convolution_precision(vectors: Tensor) -> AbstractContextManager[object]:
    """Convolve in fp32 on a processor, also where an encoder computes in bf16.

    oneDNN's bf16 convolution is wrong on processors with AMX for some sizes: in torch 2.13 with 8
    units and runs of 8 words, by as much as the values themselves.
    """
    on_processor = vectors.device.type == "cpu"
    return full_precision("cpu") if on_processor else nullcontext()


class KimCnn(Network):
    """KimCNN: ĉ = max over runs of ReLU(c_i), for each filter of each width."""

    def __init__(self, config: NetworkConfig) -> None:
        super().__init__(config)
        self.filters = WordFilters(config)

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """Return (batch, widths · channels)."""
        vectors = self.embeddings(input_ids, attention_mask)
        tops = [runs.amax(dim=-1) for runs in self._runs(vectors, attention_mask)]
        return F.relu(torch.cat(tops, dim=-1))

    def _runs(self, vectors: Tensor, attention_mask: Tensor) -> list[Tensor]:
        lengths = attention_mask.sum(dim=1)
        maxima = []
        for width, runs in zip(self.config.widths, self.filters(vectors), strict=True):
            places = torch.arange(runs.shape[-1], device=runs.device)
            outside = places >= (lengths + width - 1).unsqueeze(-1)
            maxima.append(runs.masked_fill(outside.unsqueeze(1), -torch.inf))
        return maxima


class XmlCnn(Network):
    """XML-CNN: ReLU(W · p + b), where p joins each filter's maximum in each part of the text."""

    def __init__(self, config: NetworkConfig) -> None:
        super().__init__(config)
        self.filters = WordFilters(config)
        pooled = len(config.widths) * config.channels * config.pool
        self.bottleneck = nn.Linear(pooled, config.bottleneck)

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """Return (batch, units of the bottleneck)."""
        vectors = self.embeddings(input_ids, attention_mask)
        pooled = [F.relu(top).flatten(1) for top in self._pooled(vectors, attention_mask)]
        return F.relu(self.bottleneck(torch.cat(pooled, dim=-1)))

    def _pooled(self, vectors: Tensor, attention_mask: Tensor) -> list[Tensor]:
        lengths = attention_mask.sum(dim=1)
        return [
            dynamic_max(runs, lengths + width - 1, self.config.pool)
            for width, runs in zip(self.config.widths, self.filters(vectors), strict=True)
        ]


def dynamic_max(runs: Tensor, lengths: Tensor, n_parts: int) -> Tensor:
    """Return maxima over equal parts of what is there of each row, (batch, channels, parts).

    Part j of n runs goes from ⌊j·n/p⌋ to before ⌈(j+1)·n/p⌉: parts of a text with fewer runs than
    parts have runs in common, and none is empty. The paper says m/p, and nothing of what is left.

    Args:
        runs: (batch, channels, runs).
        lengths: how many runs of each row are of its text, at least 1, shape (batch,).
    """
    parts = torch.arange(n_parts, device=runs.device)
    start = parts * lengths.unsqueeze(1) // n_parts
    end = -(-(parts + 1) * lengths.unsqueeze(1) // n_parts)
    longest = int((end - start).max())
    steps = torch.arange(longest, device=runs.device)
    # A part that is shorter than the longest repeats its last run, which changes no maximum.
    places = torch.minimum(start.unsqueeze(-1) + steps, end.unsqueeze(-1) - 1)
    everywhere = places.flatten(1).unsqueeze(1).expand(-1, runs.shape[1], -1)
    tops: Tensor = runs.gather(2, everywhere).unflatten(2, (n_parts, longest)).amax(dim=-1)
    return tops
