"""The most probable label sequence of a document, and what the beams say of every label."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from training.networks.label_decoder import Decoding, LabelDecoder, Memory

# Least distance from 0, the logit of 0.5, so that rounding moves no label over the threshold.
_MARGIN = 0.02
_MOST = 15.0


@dataclass(slots=True)
class Found:
    """What a beam search found in each document.

    Attributes:
        labels: those of the most probable path that ended, (documents, labels).
        log_prob: of that path, (documents,).
        mass: the probability, over the paths that were followed, that a label stands in the
            sequence; never more than its probability over all paths, (documents, labels).
    """

    labels: Tensor
    log_prob: Tensor
    mass: Tensor

    def logits(self) -> Tensor:
        """Return one logit a label, of which exactly those of the best path are at least 0.

        A label of the best path has probability ½ + mass / 2, and any other mass / 2: a threshold
        of 0.5 gives the path that beam search chose, and among the labels on either side of it the
        more probable come first. The paper ranks no labels; this is our choice.
        """
        mass = self.mass.clamp(torch.finfo(torch.float32).tiny, 1)
        # logit(m / 2) = ln m - ln(2 - m), and logit(1/2 + m / 2) = ln(1 + m) - ln(1 - m).
        others = (mass.log() - (2 - mass).log()).clamp(max=-_MARGIN)
        of_path = (mass.log1p() - (1 - mass).log()).clamp(_MARGIN, _MOST)
        return torch.where(self.labels, of_path, others)


def search_labels(
    decoder: LabelDecoder,
    memory: Memory,
    start: Decoding,
    *,
    beam_size: int,
    max_labels: int,
) -> Found:
    """Follow the `beam_size` most probable paths of each document until none can become the best.

    A path's probability is the product of its steps', with the end as one of them and no reward for
    length (the paper names none), so that it only falls: once the best path that ended is at least
    as probable as every one that goes on, it is the answer. At each step every path that is
    followed may also end.

    The mass of a label adds up, over all paths that were followed, the probability that the label
    comes next. These events exclude each other, since a label stands in a sequence once.

    Args:
        start: one empty path a document.
        max_labels: no path is longer.
    Source: Yang et al. (2018), section 2.3, for the beam search, whose details it leaves open.
    """
    n_documents, _, n_labels = start.used.shape
    live = start.hidden.new_zeros(n_documents, 1, dtype=torch.float32)
    beams = Found(
        torch.zeros_like(start.used[:, 0]),
        torch.full_like(live[:, 0], float("-inf")),
        live.new_zeros(n_documents, n_labels),
    )
    rows, at = torch.arange(n_documents, device=live.device), start
    for n_chosen in range(max_labels + 1):
        log_probs, at = decoder.step(at, memory)
        total = live.unsqueeze(-1) + log_probs
        probs = total[..., :n_labels].exp()
        beams.mass[rows] += probs.sum(dim=1)
        _end_paths(beams, rows, total[..., n_labels], at.used)
        going_on = total[..., :n_labels].flatten(1)
        # What is decided is left alone: what it is found with must not change with its company.
        is_open = going_on.amax(dim=1) > beams.log_prob[rows]
        if n_chosen == max_labels or not is_open.any():
            break
        rows, memory, at = rows[is_open], memory.of_documents(is_open), at.of_documents(is_open)
        live, index = going_on[is_open].topk(min(beam_size, going_on.shape[1]), dim=1)
        at = at.of_paths(index // n_labels).choose(index % n_labels)
    return beams


def _end_paths(beams: Found, rows: Tensor, log_prob: Tensor, used: Tensor) -> None:
    """Let every path of some documents end here, and keep a document's best.

    Args:
        rows: which documents these are.
        log_prob: of the ended paths, (documents, paths).
        used: the labels of the paths, (documents, paths, labels).
    """
    best, path = log_prob.max(dim=1)
    better = best > beams.log_prob[rows]
    beams.labels[rows[better]] = used[better, path[better]]
    beams.log_prob[rows[better]] = best[better]
