"""Multi-label BERT on toxic comments in Kaggle's files, on invented rows."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from training.judging.folders import RunFolder, load_data
from training.judging.judge import judge_run


def test_comments_are_judged_by_areas_and_cells(toxic_run: Path) -> None:
    folder = RunFolder(toxic_run)
    means = judge_run(folder, load_data(folder.data()), 6, {})["test"].means["all"]
    assert means["roc_auc"] > 0.95
    assert means["roc_auc:toxic"] > 0.95
    # Nobody is threatened in these comments: there is no area to measure.
    assert np.isnan(means["roc_auc:threat"])
    assert means["cell_accuracy"] > 0.9
