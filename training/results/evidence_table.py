"""The table of the evidence benchmark, and whether the bar is met."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

OURS = "as served: guided and linear part"
REFERENCE = "integrated gradients, 8 steps"
RANDOM = "random passages"
SHOWN = "the passages that are shown"
MAX_BEHIND, MIN_TIMES_RANDOM = 0.03, 2.0


@dataclass(frozen=True, slots=True)
class Measured:
    """One method on one concept of one act.

    Attributes:
        before: the fused probability with the whole text.
        deleted_share: of the words, one for each time that some are deleted.
        without: the probability without these words.
        only: the probability with nothing but these words.
    """

    act: str
    concept: str
    method: str
    before: float
    deleted_share: list[float]
    without: list[float]
    only: list[float]


def table(measured: Sequence[Measured], name: str, bundle_hash: str) -> str:
    """Means by method in Markdown, with what they mean and the bar."""
    by_method: dict[str, list[Measured]] = {}
    for one in measured:
        by_method.setdefault(one.method, []).append(one)
    equal = {m: rows for m, rows in by_method.items() if len(rows[0].without) > 1}
    lines = [f"Bundle {name} ({bundle_hash}).", "", *_rows(equal)]
    if SHOWN in by_method:
        lines += ["", _shown(by_method[SHOWN])]
    if {OURS, REFERENCE, RANDOM} <= equal.keys():
        lines += ["", *_bar(equal)]
    return "\n".join(lines) + "\n"


def falls(rows: Sequence[Measured], kind: str) -> list[float]:
    """Mean fall of the probability for each share of words, "without" them or with them "only"."""
    found = np.array([[row.before - p for p in getattr(row, kind)] for row in rows])
    means: list[float] = found.mean(axis=0).tolist()
    return means


def _rows(equal: dict[str, list[Measured]]) -> list[str]:
    lines = [
        "| method | concepts | compr. 5 % | 10 % | 20 % | mean | suff. 5 % | 10 % | 20 % | mean "
        "| compr. of ours on the same concepts |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    ours = {(row.act, row.concept): row for row in equal.get(OURS, [])}
    for method, rows in equal.items():
        cells = [f"{x:.3f}" for kind in ("without", "only") for x in _with_mean(falls(rows, kind))]
        same = [ours[row.act, row.concept] for row in rows if (row.act, row.concept) in ours]
        cells.append(f"{np.mean(falls(same, 'without')):.3f}" if same else "")
        lines.append(f"| {method} | {len(rows)} | {' | '.join(cells)} |")
    return lines


def _with_mean(values: list[float]) -> list[float]:
    return [*values, float(np.mean(values))]


def _shown(rows: Sequence[Measured]) -> str:
    share = np.mean([row.deleted_share[0] for row in rows])
    return (
        f"The three to five passages that are shown, at all their places, are {share:.1%} of the "
        f"words: without them the probability falls by {falls(rows, 'without')[0]:.3f}, with them "
        f"alone by {falls(rows, 'only')[0]:.3f} ({len(rows)} concepts)."
    )


def _bar(equal: dict[str, list[Measured]]) -> list[str]:
    ours, reference, chance = (falls(equal[m], "without") for m in (OURS, REFERENCE, RANDOM))
    behind = max(theirs - mine for mine, theirs in zip(ours, reference, strict=True))
    times = min(mine / max(other, 1e-9) for mine, other in zip(ours, chance, strict=True))
    verdict = "met" if behind <= MAX_BEHIND and times >= MIN_TIMES_RANDOM else "missed"
    return [
        f"Comprehensiveness is at most {behind:.3f} behind integrated gradients (bar "
        f"{MAX_BEHIND}) and at least {times:.1f} times that of random passages (bar "
        f"{MIN_TIMES_RANDOM:g}), at every share: {verdict}."
    ]
