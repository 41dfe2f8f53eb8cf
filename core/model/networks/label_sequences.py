"""A document's labels as the sequence that a decoder learns to say, the most frequent first."""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from core.model.networks.label_decoder import Decoding, LabelDecoder, Memory

NOTHING = -100
"""Stands after the end of a sequence; torch's losses leave it out."""


@dataclass(frozen=True, slots=True)
class LabelSequences:
    """What a decoder gave for the sequences that it was told.

    Attributes:
        log_probs: of every label at each step, given those before, (documents, steps, labels + 1).
        gold: the label of each step, then the end, then nothing (-100), (documents, steps).
    """

    log_probs: Tensor
    gold: Tensor

    def negative_log_likelihood(self) -> Tensor:
        """Return -ln of the probability of a document's whole sequence, a mean over documents."""
        losses = F.nll_loss(
            self.log_probs.flatten(0, 1),
            self.gold.flatten(),
            ignore_index=NOTHING,
            reduction="sum",
        )
        return losses / len(self.gold)


def in_order(y_true: Tensor, rank: Tensor) -> Tensor:
    """Return the labels of each document by rank, then the end, then nothing, (documents, steps).

    Args:
        y_true: zeros and ones, (documents, labels).
        rank: place of each label in the order, 0 for the first, (labels,).
    Source: Yang et al. (2018), section 2.1: labels by descending frequency in training.
    """
    n_labels = y_true.shape[1]
    counts = y_true.bool().sum(dim=1, keepdim=True)
    n_steps = int(counts.max()) + 1
    places = torch.where(y_true.bool(), rank, n_labels)
    labels = places.argsort(dim=1)[:, :n_steps]
    # Where every label is assigned there is no column left for the end.
    labels = F.pad(labels, (0, n_steps - labels.shape[1]))
    step = torch.arange(n_steps, device=y_true.device)
    ended = labels.masked_fill(step == counts, n_labels)
    return ended.masked_fill(step > counts, NOTHING)


def follow(decoder: LabelDecoder, memory: Memory, start: Decoding, gold: Tensor) -> LabelSequences:
    """Return what the decoder gives at each step when it is told what really came before."""
    at, steps = start, []
    # After its end a document is told the end again; nothing reads what it gives there.
    told = gold.masked_fill(gold == NOTHING, decoder.end)
    for step in range(gold.shape[1]):
        log_probs, at = decoder.step(at, memory)
        at = at.choose(told[:, step, None])
        steps.append(log_probs.squeeze(1))
    return LabelSequences(torch.stack(steps, dim=1), gold)
