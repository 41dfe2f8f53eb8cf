"""What a student loses against its teacher, by hand."""

import math

import pytest
import torch

from core.model.guided import GuidedOutput
from training.distill.student import DistillLoss, bernoulli_kl, softmax_kl
from training.fitting.losses import GuidedLoss, Targets, TeacherLogits


def odds(p: float) -> float:
    return math.log(p / (1 - p))


def test_one_label_by_hand_and_the_student_comes_first():
    # KL(¼‖½) = ¼ ln(½) + ¾ ln(3/2); the other direction would be ½ ln 2 + ½ ln(2/3) = 0.1438.
    student, teacher = torch.tensor([[odds(0.25)]]), torch.tensor([[odds(0.5)]])
    by_hand = 0.25 * math.log(0.5) + 0.75 * math.log(1.5)
    assert by_hand == pytest.approx(0.1308, abs=1e-4)
    assert bernoulli_kl(student, teacher).item() == pytest.approx(by_hand, rel=1e-5)
    assert bernoulli_kl(teacher, student).item() == pytest.approx(0.1438, abs=1e-4)


def test_labels_of_their_own_are_a_mean_over_documents_and_labels():
    student = torch.tensor([[odds(0.25), 0.0], [0.0, 0.0]])
    one = 0.25 * math.log(0.5) + 0.75 * math.log(1.5)
    assert bernoulli_kl(student, torch.zeros(2, 2)).item() == pytest.approx(one / 4, rel=1e-5)


def test_one_label_a_document_by_hand_and_the_student_comes_first():
    # p = (¾, ¼), q = (½, ½): ¾ ln(3/2) + ¼ ln(½); a mean over documents, the second alike.
    student = torch.tensor([[math.log(3), 0.0], [5.0, 5.0]])
    teacher = torch.tensor([[7.0, 7.0], [0.0, 0.0]])
    by_hand = (0.75 * math.log(1.5) + 0.25 * math.log(0.5)) / 2
    assert softmax_kl(student, teacher).item() == pytest.approx(by_hand, rel=1e-5)
    other_way = (0.5 * math.log(0.5 / 0.75) + 0.5 * math.log(0.5 / 0.25)) / 2
    assert softmax_kl(teacher, student).item() == pytest.approx(other_way, rel=1e-5)


@pytest.mark.parametrize("divergence", [bernoulli_kl, softmax_kl])
def test_a_student_that_agrees_loses_nothing_and_extremes_stay_finite(divergence):
    logits = torch.tensor([[-16.0, 0.5, 16.0]])
    assert divergence(logits, logits).item() == pytest.approx(0, abs=1e-7)
    assert torch.isfinite(divergence(logits.half(), -logits))
    far = torch.tensor([[-200.0, 200.0, 0.0]])
    assert torch.isfinite(divergence(far, -far))


@pytest.mark.parametrize("divergence", [bernoulli_kl, softmax_kl])
def test_the_gradient_goes_to_the_student_alone(divergence):
    student = torch.tensor([[0.3, -1.0]], requires_grad=True)
    teacher = torch.tensor([[2.0, 0.0]], requires_grad=True)
    divergence(student, teacher).backward()
    assert student.grad is not None and student.grad.abs().sum() > 0
    assert teacher.grad is None


def test_of_a_rare_label_the_gradient_keeps_its_digits():
    # p (1 - p) (x - z), which vanishes in the rounding where 1 - p is computed as such.
    student = torch.tensor([[-14.0]], requires_grad=True)
    bernoulli_kl(student, torch.tensor([[-13.0]])).backward()
    p = 1 / (1 + math.exp(14))
    assert student.grad.item() == pytest.approx(-p * (1 - p), rel=1e-3)


def test_a_loss_of_distillation_is_scaled_as_that_of_documents():
    one = 0.25 * math.log(0.5) + 0.75 * math.log(1.5)
    output = GuidedOutput(torch.full((2, 4), odds(0.25)), torch.full((2, 3), odds(0.25)))
    taught = TeacherLogits(torch.zeros(2, 4), torch.zeros(2, 3))
    targets = Targets(torch.zeros(2, 4), torch.zeros(2, 3), taught)
    mean = DistillLoss(GuidedLoss((1, 3)), weight=2.0)
    assert mean(output, targets).item() == pytest.approx(2 * 2 * one, rel=1e-5)
    summed = DistillLoss(GuidedLoss((1, 3), scale="sum"), weight=2.0)
    assert summed(output, targets).item() == pytest.approx(4 * 2 * 2 * one, rel=1e-5)


def test_of_one_label_a_document_the_scale_does_not_count():
    output = GuidedOutput(None, torch.tensor([[math.log(3), 0.0]]))
    targets = Targets(torch.zeros(1, 2), torch.zeros(1, 2), TeacherLogits(None, torch.zeros(1, 2)))
    documents = GuidedLoss((2,), scale="sum", objective="single_label")
    by_hand = 0.75 * math.log(1.5) + 0.25 * math.log(0.5)
    found = DistillLoss(documents, weight=4.0)(output, targets).item()
    assert found == pytest.approx(4 * by_hand, rel=1e-5)


def test_only_labels_that_the_teacher_knows_are_compared():
    output = GuidedOutput(None, torch.tensor([[9.0, odds(0.25), -9.0]], requires_grad=True))
    targets = Targets(torch.zeros(1, 3), torch.zeros(1, 3), TeacherLogits(None, torch.zeros(1, 1)))
    loss = DistillLoss(GuidedLoss((3,)), assigned=torch.tensor([1]))(output, targets)
    assert loss.item() == pytest.approx(0.25 * math.log(0.5) + 0.75 * math.log(1.5), rel=1e-5)
    (gradient,) = torch.autograd.grad(loss, output.assigned)
    assert gradient[0].ne(0).tolist() == [False, True, False]


def test_without_a_teacher_as_on_dev_nothing_is_lost():
    output = GuidedOutput(torch.ones(1, 2), torch.ones(1, 2))
    loss = DistillLoss(GuidedLoss((2,)))(output, Targets(torch.zeros(1, 2), torch.zeros(1, 2)))
    assert loss.item() == 0


def test_heads_that_only_one_of_them_has_are_left_out():
    output = GuidedOutput(None, torch.zeros(1, 2))
    taught = TeacherLogits(torch.ones(1, 2), None)
    targets = Targets(torch.zeros(1, 2), torch.zeros(1, 2), taught)
    assert DistillLoss(GuidedLoss((2,)))(output, targets).item() == 0
