"""The loss of guided training, by hand."""

import math

import pytest
import torch

from core.model.guided import GuidedOutput
from training.losses import GuidedLoss, levels_loss

LN2 = math.log(2)


def test_levels_are_weighted_by_their_share_of_the_labels():
    # Level 1 has one label with logit 0 (loss ln 2), level 2 three labels with losses
    # ln 2, ln 2 and ln(1 + e²) for a logit of 2 whose label is absent.
    logits = torch.tensor([[0.0, 0.0, 0.0, 2.0]])
    y_true = torch.tensor([[1.0, 0.0, 1.0, 0.0]])
    level_2 = (2 * LN2 + math.log(1 + math.e**2)) / 3
    expected = 1 / 4 * LN2 + 3 / 4 * level_2
    assert levels_loss(logits, y_true, (1, 3)).item() == pytest.approx(expected, rel=1e-6)


def test_the_weighted_loss_is_the_plain_mean_over_all_labels():
    torch.manual_seed(0)
    logits, y_true = torch.randn(5, 10), torch.randint(2, (5, 10)).float()
    plain = torch.nn.functional.binary_cross_entropy_with_logits(logits, y_true)
    torch.testing.assert_close(levels_loss(logits, y_true, (2, 3, 5)), plain)


def test_alpha_weighs_the_assigned_head_and_sum_multiplies_by_the_labels():
    output = GuidedOutput(levels=torch.zeros(2, 4), assigned=torch.zeros(2, 3), auxiliary=None)
    targets = torch.zeros(2, 4), torch.ones(2, 3)
    assert GuidedLoss((1, 3), alpha=0.5)(output, *targets).item() == pytest.approx(1.5 * LN2)
    summed = GuidedLoss((1, 3), alpha=0.5, scale="sum")(output, *targets)
    assert summed.item() == pytest.approx(4 * 1.5 * LN2)


def test_heads_that_are_not_there_cost_nothing():
    alone = GuidedOutput(levels=None, assigned=torch.zeros(1, 3), auxiliary=None)
    loss = GuidedLoss((1, 3))(alone, torch.zeros(1, 4), torch.zeros(1, 3))
    assert loss.item() == pytest.approx(LN2)
    both = GuidedOutput(levels=torch.zeros(1, 4), assigned=None, auxiliary=torch.zeros(1, 4))
    loss = GuidedLoss((1, 3))(both, torch.zeros(1, 4), torch.zeros(1, 3))
    assert loss.item() == pytest.approx(2 * LN2)
