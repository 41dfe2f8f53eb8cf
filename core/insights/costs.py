"""What a smaller model costs: the quality of models beside the time that they take.

A model is on the frontier when no other is at least as good and at least as fast, and better in one
of the two (Pareto).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from core.errors import ConfigError
from core.insights.result_rows import Result, require_one_each, results_in
from core.insights.timings import LATENCY, Timing, fastest, read_timings, sessions

MEASURES = {
    "micro_f1@0.5": "micro-F1 at 0.5",
    "micro_f1": "micro-F1, threshold chosen on dev",
    "macro_f1@0.5": "macro-F1 at 0.5",
    "macro_f1": "macro-F1, threshold chosen on dev",
    "accuracy": "accuracy",
    "ndcg@5": "nDCG@5",
    "r_precision_assigned": "R-Precision of what is assigned",
    "r_precision_micro": "R-Precision over all levels",
    "r_precision_macro": "R-Precision, mean of the levels",
}
"""Measure -> how a page calls it, in the order in which they are offered."""


@dataclass(frozen=True, slots=True)
class Cost:
    """A model: how good it is, and how fast.

    Attributes:
        quality: measure -> mean over seeds, in [0, 1].
        deviation: measure -> sample standard deviation over seeds; without a single seed's.
        capped: whether the time of its training ended before it had converged.
        batch, single: its fastest times, in batches and one by one.
        command: that trains it; "" where the results do not say.
    """

    arm: str
    n_seeds: int
    quality: Mapping[str, float]
    deviation: Mapping[str, float]
    capped: bool
    batch: Timing
    single: Timing
    command: str

    def milliseconds(self, *, single: bool) -> float:
        """Return the time of a document, read in batches or by itself (the median)."""
        return self.single.p50_ms if single else self.batch.batch_ms


@dataclass(frozen=True, slots=True)
class Costs:
    """The models of a folder in one session of measuring times.

    Attributes:
        without_time, without_quality: arms that have only the other of the two.
    """

    split: str
    session: str
    models: tuple[Cost, ...]
    without_time: tuple[str, ...] = ()
    without_quality: tuple[str, ...] = ()

    def measures(self) -> list[str]:
        """Return the measures that any of the models has, in the order of `MEASURES`."""
        return [name for name in MEASURES if any(name in model.quality for model in self.models)]


def read_costs(folder: Path, split: str) -> list[Costs]:
    """Read the costs of each session, that of the most models first; nothing without times.

    Args:
        split: that the quality is of; times are taken from whichever split was read.
    Raises:
        ConfigError: a file of them is damaged, or two are of one arm and seed.
    """
    by_arm: dict[str, list[Result]] = {}
    results = list(results_in(folder, split))
    require_one_each((result.arm, result.facts.get("seed")) for result in results)
    for result in results:
        by_arm.setdefault(result.arm, []).append(result)
    return [
        _of_session(split, session, timings, by_arm)
        for session, timings in sessions(read_timings(folder)).items()
    ]


def folders_with_costs(roots: Sequence[Path]) -> Iterator[Path]:
    """Return every folder below some others in which times were kept, in order."""
    for root in roots:
        yield from sorted(path.parent for path in root.rglob(LATENCY))


def _of_session(
    split: str, session: str, timings: Sequence[Timing], by_arm: Mapping[str, Sequence[Result]]
) -> Costs:
    batch, single = fastest(timings), fastest(timings, single=True)
    models = tuple(
        _cost(arm, by_arm[arm], batch[arm], single[arm]) for arm in batch if arm in by_arm
    )
    return Costs(
        split,
        session,
        models,
        without_time=tuple(arm for arm in by_arm if arm not in batch),
        without_quality=tuple(arm for arm in batch if arm not in by_arm),
    )


def _cost(arm: str, results: Sequence[Result], batch: Timing, single: Timing) -> Cost:
    values = {name: _values(results, name) for name in MEASURES}
    return Cost(
        arm=arm,
        n_seeds=len(results),
        quality={name: float(np.mean(of)) for name, of in values.items() if of},
        deviation={name: float(np.std(of, ddof=1)) for name, of in values.items() if len(of) > 1},
        capped=any(bool(result.facts.get("capped")) for result in results),
        batch=batch,
        single=single,
        command=str(results[0].facts.get("command") or ""),
    )


def _values(results: Sequence[Result], measure: str) -> list[float]:
    found = [result.means.get("all", {}).get(measure, math.nan) for result in results]
    return [value for value in found if not math.isnan(value)]


def frontier(times: Sequence[float], qualities: Sequence[float]) -> list[bool]:
    """Return which models no other beats: in time (less), quality (more), or both.

    Of models that are equal in both all are on it.

    Raises:
        ConfigError: there are not as many times as qualities.
    """
    if len(times) != len(qualities):
        raise ConfigError(f"{len(times)} times stand beside {len(qualities)} qualities.")
    points = list(zip(times, qualities, strict=True))
    return [not any(_beats(other, point) for other in points) for point in points]


def _beats(point: tuple[float, float], other: tuple[float, float]) -> bool:
    return point != other and point[0] <= other[0] and point[1] >= other[1]
