"""Filters over runs of words, which the convolutional networks share."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

from torch import Tensor, nn

from core.model.networks.network import NetworkConfig
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


def parts_of_words(
    filters: nn.Module, vectors: Tensor, runs: Tensor, attention_mask: Tensor
) -> Tensor:
    """Return what the words of some runs add to c_i: W · x of each, and equal parts of the bias.

    Args:
        filters: of one width.
        runs: (batch, channels, chosen runs), each of them with a word of the text.
    Returns:
        Shape (batch, tokens, channels, chosen runs); over the tokens they add up to c_i.
    """
    assert isinstance(filters, nn.Conv1d) and filters.bias is not None
    width, lengths = filters.kernel_size[0], attention_mask.sum(dim=1)[:, None, None]
    first, last = (runs - width + 1).clamp(min=0), runs.minimum(lengths - 1)
    bias = filters.bias[:, None] / (last - first + 1)
    parts = vectors.new_zeros(*vectors.shape[:2], *runs.shape[1:])
    for step in range(width):
        place = runs - width + 1 + step
        inside = (place >= 0) & (place < lengths)
        place = place.clamp(0, vectors.shape[1] - 1)
        with convolution_precision(vectors):
            by_word = vectors @ filters.weight[:, :, step].T
        of_words = by_word.transpose(1, 2).gather(2, place)
        parts.scatter_add_(1, place.unsqueeze(1), ((of_words + bias) * inside).unsqueeze(1))
    return parts
