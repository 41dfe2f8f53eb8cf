"""What can be learned with an objective, and what is refused."""

from __future__ import annotations

import math

import pytest
import torch

from core.errors import ConfigError
from core.model.guided import GuidedOutput
from tests.support.labelled import act, tiny_label_space
from training.config import RunConfig
from training.corpora.corpus import Splits
from training.fitting.checks import check_labels
from training.fitting.losses import GuidedLoss, LabelLoss, Targets, label_targets

SINGLE = (
    RunConfig().replace("model.objective", "single_label").replace("model.assigned_head", True)
).model


def test_one_known_label_a_document_is_learned() -> None:
    rows, others = (act("1", "wheat"),), (act("2", "fish"),)
    check_labels(SINGLE, tiny_label_space(), Splits(rows, others, others))


def test_training_needs_documents_to_learn_from_and_to_be_measured_on() -> None:
    rows, space = (act("1", "wheat"),), tiny_label_space()
    with pytest.raises(ConfigError, match="no document to train on"):
        check_labels(SINGLE, space, Splits((), rows, rows))
    with pytest.raises(ConfigError, match=r"none in its dev set.*put some of them in dev"):
        check_labels(SINGLE, space, Splits(rows, (), rows))
    with pytest.raises(ConfigError, match=r"none in its test set.*put some of them in test"):
        check_labels(SINGLE, space, Splits(rows, rows, ()))


@pytest.mark.parametrize("lost", ["rocket", "farm"], ids=["unknown", "a division"])
@pytest.mark.parametrize("split", ["train", "dev"])
def test_a_label_without_a_column_is_not_learned_as_the_first(lost: str, split: str) -> None:
    good, bad = (act("1", "wheat"),), (act("1", "wheat"), act("x", lost))
    splits = Splits(bad, good, good) if split == "train" else Splits(good, bad, good)
    with pytest.raises(ConfigError, match=f"label of 1 documents.*“{lost}” of x"):
        check_labels(SINGLE, tiny_label_space(), splits)
    several = RunConfig().model
    check_labels(several, tiny_label_space(), splits)


@pytest.mark.parametrize("plan", ["last_half", "one_by_one", "in_pairs", "hybrid"])
def test_a_plan_needs_levels_to_guide_by(plan: str) -> None:
    rows, space = (act("1", "wheat"),), tiny_label_space()
    splits = Splits(rows, rows, rows)
    guided = RunConfig().replace("model.plan", plan)
    check_labels(guided.model, space, splits)
    with pytest.raises(ConfigError, match=f"The plan {plan} .* only one level is learned"):
        check_labels(guided.replace("model.depth", 1).model, space, splits)
    check_labels(RunConfig().replace("model.depth", 1).model, space, splits)


def test_the_embedding_of_a_division_is_taught_nothing_of_the_assigned_head() -> None:
    targets = label_targets(
        tiny_label_space(), [0, 2, 3], level_columns=[0, 1], assigned_columns=[2, 3, 4, 5]
    )
    loss = GuidedLoss((2,), objective="single_label")
    logits = torch.zeros(3, 4)
    logits[0, 0] = 9.0  # of the division “farm”: nothing is right or wrong here
    output = GuidedOutput(levels=None, assigned=torch.zeros(1, 4), labels=logits)
    nothing = Targets(torch.zeros(1, 2), torch.zeros(1, 4))
    found = LabelLoss(loss, targets, weight=1.0)
    assert found(output, nothing).item() == pytest.approx(math.log(4))
