"""Invented results and times of a few models, as a folder of results holds them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.support.labelled import act, scores_of, tiny_label_space
from training.judging.evaluate import evaluate
from training.judging.rows import ROWS, ResultRow
from training.results.timings import Timing

SESSION = "2026-11-20T10:00:00Z"
COMMAND = "python -m training measure latency runs/a runs/b --split dev"

ONE = Timing(
    session=SESSION,
    arm="lstm_reg",
    seed=1,
    way="torch, float32",
    split="dev",
    n_documents=200,
    batch_size=128,
    batch_seconds=2.0,
    single_documents=50,
    p50_ms=20.0,
    p95_ms=31.5,
    parameters=1_234_567,
    n_bytes=4_900_000,
    device="cpu",
    threads=2,
    load_before=0.1,
    commit="abc1234",
    command=COMMAND,
)

TIMES: Mapping[str, tuple[float, float]] = {
    "lr": (0.2, 0.4),
    "lstm_reg": (2.0, 20.0),
    "docbert": (60.0, 90.0),
    "han": (4.0, 30.0),
}
"""Arm -> seconds over the split, median milliseconds of one document."""

QUALITY: Mapping[str, Sequence[float]] = {
    "lr": [0.748],
    "lstm_reg": [0.86, 0.88],
    "docbert": [0.89],
    "han": [0.85],
}
"""Arm -> micro-F1 at 0.5 on test, by seed."""

DEV_ABOVE = 0.01
"""What dev is above test, so that a table which exchanges them is seen."""


def timing(arm: str, **changes: Any) -> Timing:
    """Of an arm of `TIMES`, with what is to be otherwise."""
    seconds, p50 = TIMES.get(arm, (2.0, 20.0))
    return replace(ONE, **{"arm": arm, "batch_seconds": seconds, "p50_ms": p50, **changes})


def row(arm: str, seed: int | None, micro_f1: float, **facts: Any) -> ResultRow:
    """A row whose means are said rather than measured."""
    acts = [act("a", "grape"), act("b", "fish", "grape")]
    scores = scores_of(acts, assigned=[[0, 0, 0.1, 0.2, 0.9, 0.1], [0, 0, 0.1, 0.9, 0.8, 0.3]])
    seeds = {} if seed is None else {"seed": seed}
    made = ResultRow.of(
        evaluate(scores, acts, tiny_label_space(), depth=3, threshold=0.4),
        {"arm": arm, "command": f"python -m training train {arm}.toml", **seeds, **facts},
    )
    own = {
        "micro_f1@0.5": micro_f1,
        "macro_f1@0.5": micro_f1 / 2,
        "micro_f1": micro_f1 + 0.01,
        "macro_f1": micro_f1 / 2 + 0.01,
    }
    return replace(made, means={**made.means, "all": {**made.means["all"], **own}})


def write_rows(folder: Path, split: str = "test", **facts: Mapping[str, Any]) -> None:
    """The rows of `QUALITY`, on dev a little above.

    Args:
        facts: of an arm.
    """
    for arm, values in QUALITY.items():
        for number, value in enumerate(values, start=1):
            seed = None if arm == "lr" else number
            name = f"{arm}-{split}" if seed is None else f"{arm}-s{seed}-{split}"
            above = DEV_ABOVE if split == "dev" else 0.0
            made = row(arm, seed, value + above, split=split, **facts.get(arm, {}))
            made.save(folder / ROWS / name)
