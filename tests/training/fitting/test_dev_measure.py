"""What is measured on dev, by hand."""

from __future__ import annotations

import pytest
import torch

from core.model.guided import GuidedOutput
from training.config import RunConfig
from training.fitting.losses import Targets
from training.fitting.progress import DevMeasure


def measured(config: RunConfig, logits: list[list[float]], gold: list[list[float]]) -> DevMeasure:
    """Of two batches that are the same."""
    measure = DevMeasure(config)
    targets = Targets(torch.zeros(len(gold), 1), torch.tensor(gold))
    for _ in range(2):
        output = GuidedOutput(levels=None, assigned=torch.tensor(logits))
        measure.add(0.25, output, targets, n_documents=len(gold))
    return measure


def test_several_labels_count_from_even_odds() -> None:
    config = RunConfig().replace("optim.select", "micro_f1")
    logits, gold = [[0.0, 3.0, -1.0], [-2.0, -0.1, 1.0]], [[1.0, 0, 0], [0, 1.0, 0]]
    # Predicted: two of the first, one of the second; one hit; two gold.
    assert measured(config, logits, gold).selection_score == pytest.approx(2 * 1 / (3 + 2))


def test_of_one_label_the_most_probable_counts() -> None:
    config = RunConfig().replace("optim.select", "micro_f1")
    config = config.replace("model.objective", "single_label")
    logits, gold = [[-5.0, -4.0], [-1.0, -2.0]], [[0, 1.0], [0, 1.0]]
    assert measured(config, logits, gold).selection_score == 0.5


def test_the_loss_is_summed_over_documents_and_f1_costs_nothing_unless_asked() -> None:
    measure = measured(RunConfig(), [[1.0], [1.0], [1.0]], [[1.0], [1.0], [1.0]])
    assert measure.loss == pytest.approx(0.25 * 6)
    assert measure.selection_score == 0.0


def test_processes_add_up() -> None:
    config = RunConfig().replace("optim.select", "micro_f1")
    measure = measured(config, [[1.0, 1.0]], [[1.0, 0]])
    before = measure.selection_score
    measure.over(lambda values: 2 * values)
    assert (measure.selection_score, measure.loss) == (before, pytest.approx(1.0))
