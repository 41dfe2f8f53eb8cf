"""A student beside its teacher on acts: quality by depth, speed, bytes, and whether to ship it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from training.judging.evaluate import level_metrics
from training.results.speed_tables import times
from training.results.tables import RowsByArm, Spread, first_row, markdown, spreads
from training.results.timings import Timing, fastest, read_timings, sessions

TEACHER = "eurovoc"
"""The bundle that the app ships, by its folder."""

MOST_POINTS, MOST_TIME, MOST_BYTES = 2.0, 0.1, 6_000_000
"""A student is worth shipping at so many points of nDCG@5 below its teacher, at this share of its
time, and in so many bytes."""

NOTHING = "–"


@dataclass(frozen=True, slots=True)
class StudentRow:
    """What decides about a student; NaN where it was not measured.

    Attributes:
        points: of nDCG@5 below the teacher, in percent.
        share: of the time that the teacher takes in its fastest way, in batches.
        same_documents: whether its teacher was judged on the very documents.
    """

    arm: str
    points: float
    share: float
    n_bytes: float
    same_documents: bool = True

    def verdict(self) -> str:
        """Return whether it is worth shipping, and what it would take."""
        missing = [
            text
            for value, most, text in (
                (
                    self.points,
                    MOST_POINTS,
                    f"{self.points:.1f} points below, {MOST_POINTS:g} allowed",
                ),
                (self.share, MOST_TIME, f"{times(self.share)} of the time, {MOST_TIME:g} allowed"),
                (
                    self.n_bytes,
                    MOST_BYTES,
                    f"{self.n_bytes / 1e6:.1f} MB, {MOST_BYTES / 1e6:g} allowed",
                ),
            )
            if value > most
        ]
        if not self.same_documents:
            return "judged on other documents than its teacher: not comparable."
        if any(math.isnan(value) for value in (self.points, self.share, self.n_bytes)):
            return "not measured yet."
        return f"not worth shipping: {'; '.join(missing)}." if missing else "worth shipping."


def student_page(folder: Path, rows: RowsByArm, *, split: str) -> str:
    """Return the table of a folder's rows and times, and a sentence on each student.

    Times are of the session with the most models.
    """
    timings = next(iter(sessions(read_timings(folder)).values()), [])
    batch, single = fastest(timings), fastest(timings, single=True)
    depth = first_row(rows).depth
    header = ["Model", "nDCG@5", *(f"R-Prec. {n}" for n in range(1, depth + 1)), "micro", "macro"]
    header += ["Documents/s", f"of {TEACHER}", "One document, ms", f"of {TEACHER}", "MB on disk"]
    body = [[arm, *_quality(rows, arm, depth), *_speed(arm, batch, single)] for arm in rows]
    parts = [
        f"# Student and teacher: {split}",
        "## Quality (%) and speed",
        markdown(header, body),
    ]
    students = [_student(rows, arm, batch) for arm in rows if arm != TEACHER]
    if students:
        verdicts = "\n".join(f"- {student.arm}: {student.verdict()}" for student in students)
        parts += ["## Worth shipping", verdicts]
    return "\n\n".join(parts) + "\n"


def _quality(rows: RowsByArm, arm: str, depth: int) -> list[str]:
    levels = level_metrics("r_precision", depth)
    measures = ["ndcg@5", *levels, "r_precision_micro", "r_precision_macro"]
    return spreads(rows[arm], measures)


def _speed(arm: str, batch: Mapping[str, Timing], single: Mapping[str, Timing]) -> list[str]:
    if arm not in batch:
        return [NOTHING] * 5
    timing, by_itself = batch[arm], single[arm]
    teacher = TEACHER in batch
    return [
        f"{timing.documents_per_second:,.1f}",
        times(timing.batch_ms / batch[TEACHER].batch_ms) if teacher else NOTHING,
        f"{by_itself.p50_ms:,.1f}",
        times(by_itself.p50_ms / single[TEACHER].p50_ms) if teacher else NOTHING,
        NOTHING if timing.n_bytes < 0 else f"{timing.n_bytes / 1e6:,.1f}",
    ]


def _student(rows: RowsByArm, arm: str, batch: Mapping[str, Timing]) -> StudentRow:
    measured = TEACHER in batch and arm in batch
    n_bytes = batch[arm].n_bytes if measured else -1
    judged = {row.documents for name in (TEACHER, arm) for row in rows.get(name, ())}
    return StudentRow(
        arm=arm,
        points=100 * (_mean_quality(rows, TEACHER) - _mean_quality(rows, arm))
        if TEACHER in rows
        else math.nan,
        share=batch[arm].batch_ms / batch[TEACHER].batch_ms if measured else math.nan,
        n_bytes=float(n_bytes) if n_bytes >= 0 else math.nan,
        same_documents=len(judged) == 1,
    )


def _mean_quality(rows: RowsByArm, arm: str) -> float:
    values: Sequence[float] = [row.mean("ndcg@5") for row in rows[arm]]
    return Spread.of(values).mean
