"""A head in which each label attends by itself: its logits, its terms, and where it begins."""

from __future__ import annotations

import torch

from core.model.label_wise import LabelWiseHead
from core.model.token_terms import token_states
from core.suggest.backends.torch import padded
from tests.support.models.tiny_model import tiny_model

WINDOWS = [(2, *range(10, 24), 3), (2, 10, 11, 3)]


def test_without_queries_it_is_mean_pooling() -> None:
    torch.manual_seed(0)
    head = LabelWiseHead(8, 3)
    states, mask = torch.randn(2, 5, 8), torch.tensor([[1, 1, 1, 1, 1], [1, 1, 0, 0, 0]])
    mean = torch.stack([states[0].mean(dim=0), states[1, :2].mean(dim=0)])
    torch.testing.assert_close(head.logits(states, mask), head(mean))


def test_each_label_reads_the_piece_that_its_query_points_at() -> None:
    head = LabelWiseHead(4, 2)
    states = 10 * torch.eye(4)[None, :3]
    head.query.data[:] = torch.eye(4)[[0, 2]] * 100
    logits = head.logits(states, torch.ones(1, 3))
    expected = 10 * torch.stack([head.weight[0, 0], head.weight[1, 2]]) + head.bias
    torch.testing.assert_close(logits[0], expected)


def test_padding_is_not_read_and_the_terms_add_up_to_the_logits() -> None:
    torch.manual_seed(0)
    model = tiny_model(pooling="mean", label_attention="label_wise").eval()
    head = model.assigned_head
    assert isinstance(head, LabelWiseHead)
    torch.nn.init.normal_(head.query)
    input_ids, mask = padded(WINDOWS)
    with torch.inference_mode():
        together = model(input_ids, mask).assigned
        alone = model(*padded(WINDOWS[1:])).assigned
        columns = torch.arange(head.out_features)
        terms = token_states(model, input_ids, mask).terms(head, columns)
    torch.testing.assert_close(together[1:], alone, atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(terms.sum(dim=1) + head.bias, together, atol=1e-5, rtol=1e-4)
    assert terms[1, len(WINDOWS[1]) :].abs().max() == 0
