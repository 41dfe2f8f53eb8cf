"""Beam search, against every label sequence of a small decoder."""

from __future__ import annotations

from itertools import permutations

import pytest
import torch

from tests.training.networks.conftest import N_LABELS, Path
from training.networks.label_beams import Found, search_labels
from training.networks.label_decoder import Decoding, LabelDecoder, Memory


def search(
    decoder: LabelDecoder, read: tuple[Memory, Decoding], beam_size: int, max_labels: int = N_LABELS
) -> Found:
    memory, start = read
    with torch.inference_mode():
        return search_labels(decoder, memory, start, beam_size=beam_size, max_labels=max_labels)


def test_all_sequences_together_are_certain(every_path: dict[Path, torch.Tensor]) -> None:
    assert len(every_path) == 65
    torch.testing.assert_close(sum(every_path.values()), torch.ones(20))


def test_a_beam_that_holds_every_path_finds_the_most_probable(
    decoder: LabelDecoder, read: tuple[Memory, Decoding], every_path: dict[Path, torch.Tensor]
) -> None:
    found = search(decoder, read, beam_size=24)
    paths = list(every_path)
    probs = torch.stack([every_path[path] for path in paths])
    best, which = probs.max(dim=0)
    torch.testing.assert_close(found.log_prob.exp(), best)
    for row, labels in enumerate(found.labels):
        assert labels.nonzero().flatten().tolist() == sorted(paths[which[row]])
    assert len({tuple(row.tolist()) for row in found.labels}) > 3


def test_the_mass_never_exceeds_the_probability_of_a_label(
    decoder: LabelDecoder, read: tuple[Memory, Decoding], every_path: dict[Path, torch.Tensor]
) -> None:
    exact = torch.zeros(20, N_LABELS)
    for path, probs in every_path.items():
        exact[:, list(path)] += probs.unsqueeze(1)
    found = search(decoder, read, beam_size=24)
    assert (found.mass <= exact + 1e-5).all()
    # A path that is the best holds each of its labels at least as probable as itself.
    held = found.mass[found.labels]
    own = found.log_prob.exp().unsqueeze(1).expand_as(found.mass)[found.labels]
    assert (held >= own - 1e-6).all()


def test_the_mass_is_exact_where_no_path_is_left_out(
    decoder: LabelDecoder, read: tuple[Memory, Decoding], every_path: dict[Path, torch.Tensor]
) -> None:
    # Of at most one label, all paths are followed to their end.
    found = search(decoder, read, beam_size=24, max_labels=0)
    first = torch.zeros(20, N_LABELS)
    for path, probs in every_path.items():
        if path:
            first[:, path[0]] += probs
    torch.testing.assert_close(found.mass, first)
    assert not found.labels.any()


@pytest.mark.parametrize("beam_size", [1, 2, 5])
def test_a_narrow_beam_finds_a_path_that_is_there(
    decoder: LabelDecoder,
    read: tuple[Memory, Decoding],
    every_path: dict[Path, torch.Tensor],
    beam_size: int,
) -> None:
    found = search(decoder, read, beam_size)
    wide = search(decoder, read, beam_size=24)
    assert (found.log_prob <= wide.log_prob + 1e-6).all()
    for row, labels in enumerate(found.labels):
        orders = permutations(labels.nonzero().flatten().tolist())
        probs = torch.stack([every_path[order][row] for order in orders])
        assert (probs - found.log_prob[row].exp()).abs().min() < 1e-6


def test_company_changes_nothing(decoder: LabelDecoder, read: tuple[Memory, Decoding]) -> None:
    memory, start = read
    together = search(decoder, read, 5)
    for row in range(5):
        only = torch.tensor([row])
        alone = search(decoder, (memory.of_documents(only), start.of_documents(only)), 5)
        torch.testing.assert_close(alone.mass[0], together.mass[row])
        assert torch.equal(alone.labels[0], together.labels[row])


def test_logits_part_at_zero_exactly_where_the_best_path_does(
    decoder: LabelDecoder, read: tuple[Memory, Decoding]
) -> None:
    found = search(decoder, read, 5)
    assert torch.equal(found.logits() >= 0, found.labels)
    assert torch.equal(found.logits().sigmoid().half() >= 0.5, found.labels)


def test_logits_rank_by_mass_on_either_side() -> None:
    labels = torch.tensor([[True, True, False, False, False, True]])
    mass = torch.tensor([[0.3, 0.9, 0.4, 1.0, 0.0, 1.0]])
    logits = Found(labels, torch.zeros(1), mass).logits()
    assert logits.isfinite().all()
    assert logits.argsort(descending=True).tolist() == [[5, 1, 0, 3, 2, 4]]
    torch.testing.assert_close(logits[0, 1].sigmoid(), torch.tensor(0.95))
    torch.testing.assert_close(logits[0, 2].sigmoid(), torch.tensor(0.2))
