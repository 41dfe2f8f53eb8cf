"""The loss of guided training, by hand."""

import math

import pytest
import torch

from core.model.guided import GuidedOutput
from training.fitting.losses import GuidedLoss, Targets, levels_loss

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


def test_the_assigned_head_is_added_and_sum_multiplies_by_the_labels():
    output = GuidedOutput(levels=torch.zeros(2, 4), assigned=torch.zeros(2, 3))
    targets = Targets(torch.zeros(2, 4), torch.ones(2, 3))
    assert GuidedLoss((1, 3))(output, targets).item() == pytest.approx(2 * LN2)
    summed = GuidedLoss((1, 3), scale="sum")(output, targets)
    assert summed.item() == pytest.approx(4 * 2 * LN2)


def test_heads_that_are_not_there_cost_nothing():
    alone = GuidedOutput(levels=None, assigned=torch.zeros(1, 3))
    loss = GuidedLoss((1, 3))(alone, Targets(torch.zeros(1, 4), torch.zeros(1, 3)))
    assert loss.item() == pytest.approx(LN2)


def single_label(scale: str = "mean", extra=()) -> GuidedLoss:
    return GuidedLoss((3,), scale=scale, objective="single_label", extra=extra)


# Two documents over three labels. Of the first, softmax is (1/2, 1/4, 1/4) and label 0 is right;
# of the second it is even, and label 2 is right.
LOGITS = torch.tensor([[LN2, 0.0, 0.0], [1.0, 1.0, 1.0]])
ONE_EACH = Targets(torch.zeros(2, 3), torch.tensor([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]))


def test_a_single_label_costs_the_cross_entropy_of_the_softmax():
    output = GuidedOutput(levels=None, assigned=LOGITS)
    expected = (math.log(2) + math.log(3)) / 2
    assert single_label()(output, ONE_EACH).item() == pytest.approx(expected)
    # It is a sum over the labels already, so that the scale leaves it alone.
    assert single_label("sum")(output, ONE_EACH).item() == pytest.approx(expected)


def test_a_row_without_a_label_is_not_taken_for_the_first():
    nothing = torch.zeros(2, 3)
    one = Targets(nothing, torch.tensor([[0.0, 0.0, 0.0], [0.0, 0.0, 1.0]]))
    output = GuidedOutput(levels=None, assigned=LOGITS)
    assert single_label()(output, one).item() == pytest.approx(math.log(3))
    assert single_label()(output, Targets(nothing, nothing)).item() == 0


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("objective", ["multi_label", "single_label"])
def test_half_precision_logits_at_their_limits_give_a_finite_loss_and_gradient(dtype, objective):
    # In fp16 itself, softplus and the sum of so many terms would overflow at 65,504.
    logits = torch.full((4, 3000), 60000.0, dtype=dtype, requires_grad=True)
    y_true = torch.zeros(4, 3000)
    y_true[:, 7] = 1
    loss = GuidedLoss((3000,), scale="sum", objective=objective)
    value = loss(GuidedOutput(levels=None, assigned=logits), Targets(y_true, y_true))
    value.backward()
    assert math.isfinite(value.item())
    assert torch.isfinite(logits.grad).all()
