"""One line of the report, with its bar where the workbench has to meet one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Measure:
    """A figure of the report.

    Attributes:
        bar: what it must be; empty where it is only told.
        passed: None where there is no bar.
    """

    name: str
    value: str
    bar: str = ""
    passed: bool | None = None


def milliseconds(
    name: str, times: Sequence[float], *, most: float | None = None, percentile: int = 95
) -> Measure:
    """Median and a high percentile of times; the bar is on the percentile."""
    p50, high = np.percentile(times, [50, percentile])
    value = f"{p50:.0f} / {high:.0f} ms"
    label = f"{name}, p50 / p{percentile} of {len(times)}"
    if most is None:
        return Measure(label, value)
    return Measure(label, value, f"p{percentile} ≤ {most:.0f} ms", bool(high <= most))
