"""The decoder of the sequence generation model, against values worked out by hand."""

from __future__ import annotations

import math

import torch

from training.networks.label_decoder import Decoding, LabelDecoder, Memory, masked_log_softmax

UNITS, N_LABELS = 4, 3


def decoder(n_labels: int = N_LABELS, *, seed: int = 0) -> LabelDecoder:
    torch.manual_seed(seed)
    return LabelDecoder(n_labels, units=UNITS, label_size=2, dropout=0.0).eval()


def begun(of: LabelDecoder, n_documents: int = 2, n_tokens: int = 5) -> tuple[Memory, Decoding]:
    torch.manual_seed(1)
    states, mask = torch.randn(n_documents, n_tokens, UNITS), torch.ones(n_documents, n_tokens)
    return of.begin(states, mask, torch.randn(n_documents, UNITS), torch.randn(n_documents, UNITS))


def test_a_used_label_has_no_probability_and_the_others_share_it() -> None:
    logits = torch.tensor([[math.log(1), math.log(2), math.log(3), math.log(4)]])
    free = masked_log_softmax(logits, torch.tensor([[False, False, False]])).exp()
    torch.testing.assert_close(free, torch.tensor([[0.1, 0.2, 0.3, 0.4]]))
    masked = masked_log_softmax(logits, torch.tensor([[False, True, False]])).exp()
    torch.testing.assert_close(masked, torch.tensor([[1 / 8, 0, 3 / 8, 4 / 8]]))


def test_the_end_is_all_that_is_left_when_every_label_was_used() -> None:
    masked = masked_log_softmax(torch.randn(1, 4), torch.ones(1, 3, dtype=torch.bool))
    assert masked.exp().tolist() == [[0, 0, 0, 1]]


def by_hand() -> LabelDecoder:
    """Embeddings (1, 0), (0, 1), (1, 1) of labels, and gates that are easy to follow."""
    made = decoder()
    with torch.no_grad():
        rows = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [4.0, 0.0], [2.0, 6.0]]
        made.labels.weight.copy_(torch.tensor(rows))
        made.gate_of_last.weight.copy_(torch.tensor([[0.0, 0.0], [math.log(3), 0.0]]))
        made.gate_of_mean.weight.zero_()
    return made


def test_the_global_embedding_mixes_the_chosen_label_with_all_that_might_have_been() -> None:
    # Of label 0, e = (1, 0): the gate is σ(0) = 1/2 and σ(ln 3) = 3/4. The mean of the embeddings
    # by their probabilities is ½(1, 0) + ¼(0, 1) + ¼(4, 0) = (1.5, 0.25).
    probs = torch.tensor([[[0.5, 0.25, 0.0, 0.25, 0.0]]])
    mixed = by_hand().embed(torch.tensor([[0]]), probs)
    expected = [0.5 * 1 + 0.5 * 1.5, 0.25 * 0 + 0.75 * 0.25]
    torch.testing.assert_close(mixed, torch.tensor([[expected]]))


def test_at_the_beginning_there_is_nothing_to_mix() -> None:
    made = by_hand()
    _, start = begun(made)
    embedded = made.embed(start.last, start.last_probs)
    torch.testing.assert_close(embedded, torch.tensor([[[2.0, 6.0]]] * 2))


def test_a_step_mixes_with_the_probabilities_of_the_step_before() -> None:
    made = decoder()
    memory, start = begun(made)
    log_probs, at = made.step(start, memory)
    at = at.choose(torch.tensor([[0], [2]]))
    torch.testing.assert_close(at.last_probs[..., :4], log_probs.exp())
    assert at.last_probs[..., 4].eq(0).all()
    assert at.used.tolist() == [[[True, False, False]], [[False, False, True]]]
    later, _ = made.step(at, memory)
    assert later[0, 0, 0] == later[1, 0, 2] == float("-inf")
    torch.testing.assert_close(later.exp().sum(dim=-1), torch.ones(2, 1))


def test_attention_reads_no_padding() -> None:
    made = decoder()
    torch.manual_seed(2)
    states, hidden = torch.randn(1, 4, UNITS), torch.randn(1, UNITS)
    short, start = made.begin(states, torch.ones(1, 4), hidden, hidden)
    padded = torch.cat([states, 100 * torch.ones(1, 3, UNITS)], dim=1)
    mask = torch.tensor([[1, 1, 1, 1, 0, 0, 0]])
    long, begun_long = made.begin(padded, mask, hidden, hidden)
    torch.testing.assert_close(begun_long.context, start.context)
    torch.testing.assert_close(made.step(begun_long, long)[0], made.step(start, short)[0])


def test_attention_is_a_weighted_mean_of_the_words() -> None:
    made = decoder()
    with torch.no_grad():
        made.query.weight.zero_()
        made.energy.weight.zero_()
    memory, start = begun(made)
    torch.testing.assert_close(start.context.squeeze(1), memory.states.mean(dim=1))
