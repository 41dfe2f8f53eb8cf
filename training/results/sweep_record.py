"""The results of a sweep as tables: sweep.json names the rows of its points.

So the tables and the figure can be made anew from what is committed, without runs or corpora.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from core.boundaries import MEASUREMENT_FILES
from core.errors import ConfigError
from training.judging.recorded import write_text
from training.judging.rows import ROWS, ResultRow, row_paths
from training.results.tables import Spread, markdown

SPEC = "sweep.json"
SPLITS = {"dev": "Validation", "test": "Test"}
MEASURES = {"accuracy": "accuracy", "micro_f1@0.5": "micro-F1 at 0.5", "ndcg@5": "nDCG@5"}
"""Measure -> what it is called; the first that a row has is the corpus's own."""


@dataclass(frozen=True, slots=True)
class SweepPoint:
    """One place of the figure.

    Attributes:
        key: the setting, such as "optim.epochs".
        value: as it was written.
        series: the arm that the value is taken in; "" for the configuration as it is.
        arm: whose rows are drawn there.
        digest: of the settings that the rows are of; "" for whichever they are of.
    """

    key: str
    value: str
    series: str
    arm: str
    digest: str = ""


@dataclass(frozen=True, slots=True)
class SweepReference:
    """A line that the points are compared with: another model, or a published figure.

    Attributes:
        values: split -> value in [0, 1].
        parameters: 0 where they are not known.
    """

    name: str
    values: Mapping[str, float]
    parameters: int = 0


@dataclass(frozen=True, slots=True)
class SweepSpec:
    """What is drawn: where, against what.

    Attributes:
        measure: "" for the corpus's own.
        x: "value" (of the setting) or "parameters".
    """

    title: str
    points: tuple[SweepPoint, ...]
    seeds: tuple[int, ...]
    measure: str = ""
    x: str = "value"
    references: tuple[SweepReference, ...] = ()

    def save(self, folder: Path) -> None:
        """Write sweep.json."""
        text = json.dumps(asdict(self), indent=1, ensure_ascii=False)
        write_text(folder / SPEC, text + "\n")

    @classmethod
    def load(cls, folder: Path) -> SweepSpec:
        """Read sweep.json.

        Raises:
            ConfigError: there is none, or it is no description of a sweep.
        """
        no_sweep = "{folder} holds no sweep ({name}: {reason})."
        with MEASUREMENT_FILES.translated(no_sweep, folder=folder, name=SPEC):
            content = json.loads((folder / SPEC).read_text(encoding="utf-8"))
            points = tuple(SweepPoint(**point) for point in content.pop("points"))
            references = tuple(SweepReference(**line) for line in content.pop("references"))
            seeds = tuple(content.pop("seeds"))
            return cls(points=points, references=references, seeds=seeds, **content)


@dataclass(frozen=True, slots=True)
class SweepResult:
    """A point with the rows that are there for it.

    Attributes:
        rows: split -> the rows of the seeds; none where a split is not finished.
    """

    point: SweepPoint
    rows: Mapping[str, Sequence[ResultRow]] = field(default_factory=dict)

    def spread(self, split: str, measure: str) -> Spread:
        """Return mean and deviation over the seeds; NaN where nothing is finished."""
        return Spread.of(row.mean(measure) for row in self.rows.get(split, ()))

    def fact(self, name: str) -> float:
        """Return the mean of a number in the facts of runs; NaN without it."""
        numbers = [row.facts.get(name) for row in next(iter(self.rows.values()), ())]
        known = [float(n) for n in numbers if isinstance(n, int | float) and n]
        return sum(known) / len(known) if known else math.nan

    @property
    def capped(self) -> bool:
        """Whether a run was ended by its cap of minutes, before its last epoch."""
        return any(row.facts.get("capped") for of in self.rows.values() for row in of)

    @property
    def n_seeds(self) -> int:
        """From how many seeds the point is."""
        return max((len(of) for of in self.rows.values()), default=0)


def joined_seeds(folder: Path, seeds: Sequence[int]) -> tuple[int, ...]:
    """Return the seeds of the sweep that a folder holds, if any, and others: seeds add up."""
    before = SweepSpec.load(folder).seeds if (folder / SPEC).is_file() else ()
    return tuple(sorted({*before, *seeds}))


def sweep_results(spec: SweepSpec, folder: Path) -> list[SweepResult]:
    """Return the points of a sweep with their finished rows, in order.

    A row of other settings than the point's stays out: it is of an earlier sweep.
    """
    found: list[SweepResult] = []
    there = set(row_paths(folder))
    for point in spec.points:
        rows: dict[str, list[ResultRow]] = {}
        for split in SPLITS:
            places = [folder / ROWS / f"{point.arm}-s{s}-{split}" for s in spec.seeds]
            loaded = [ResultRow.load(place) for place in places if place in there]
            fitting = [row for row in loaded if point.digest in ("", row.facts.get("digest"))]
            if fitting:
                rows[split] = fitting
        found.append(SweepResult(point, rows))
    return found


def measure_of(spec: SweepSpec, points: Sequence[SweepResult]) -> str:
    """Return the measure that is drawn: the one named, or the corpus's own.

    Raises:
        ConfigError: the rows do not have the one that is named.
    """
    return own_measure(
        [row for result in points for of in result.rows.values() for row in of], spec.measure
    )


def own_measure(rows: Sequence[ResultRow], named: str = "") -> str:
    """Return the measure that is named, or the first of `MEASURES` that the rows have, or "".

    Raises:
        ConfigError: the rows do not have the one that is named.
    """
    there = [name for name in MEASURES if any(not math.isnan(row.mean(name)) for row in rows)]
    if named and rows and all(math.isnan(row.mean(named)) for row in rows):
        known = ", ".join(name for name in rows[0].means["all"] if ":" not in name)
        raise ConfigError(f"The rows have no measure {named!r}, only {known}.")
    return named or next(iter(there), "")


def page(spec: SweepSpec, points: Sequence[SweepResult]) -> str:
    """Return a table an axis, and the lines that they are compared with, as Markdown."""
    measure = measure_of(spec, points)
    called = f"{MEASURES.get(measure, measure)} (%), mean ± std over seeds."
    parts = [f"# {spec.title}", called if measure else "Nothing is finished yet."]
    keys = dict.fromkeys(point.key for point in spec.points)
    parts += [f"## Over {key}\n\n{_axis_table(key, points, measure)}" for key in keys]
    if spec.references:
        parts.append(f"## Compared with\n\n{_reference_table(spec.references)}")
    if any(result.capped for result in points):
        parts.append("\\* ended by its cap of minutes, before its last epoch.")
    return "\n\n".join(parts) + "\n"


def sweep_page(folder: Path) -> str:
    """Return the tables of a folder with sweep.json.

    Raises:
        ConfigError: there is no sweep, or its rows do not have its measure.
    """
    spec = SweepSpec.load(folder)
    return page(spec, sweep_results(spec, folder))


def _axis_table(key: str, points: Sequence[SweepResult], measure: str) -> str:
    of_axis = [result for result in points if result.point.key == key]
    has_series = any(result.point.series for result in of_axis)
    header = [key.rpartition(".")[2], *(["Arm"] if has_series else []), *SPLITS.values(),
              "Parameters", "Epochs", "Minutes", "Seeds"]  # fmt: skip
    body = [
        [f"{result.point.value}{'*' if result.capped else ''}",
         *([result.point.series or "–"] if has_series else []),
         *(str(result.spread(split, measure)) for split in SPLITS),
         _shown(result.fact("parameters"), "{:,.0f}"), _shown(result.fact("epochs"), "{:.1f}"),
         _shown(result.fact("minutes"), "{:.1f}"), str(result.n_seeds)]
        for result in of_axis
    ]  # fmt: skip
    return markdown(header, body)


def _reference_table(references: Sequence[SweepReference]) -> str:
    body = [
        [line.name, *(_shown(100 * line.values.get(split, math.nan), "{:.1f}") for split in SPLITS),
         f"{line.parameters:,}" if line.parameters else "–"]
        for line in references
    ]  # fmt: skip
    return markdown(["", *SPLITS.values(), "Parameters"], body)


def _shown(value: float, form: str, missing: str = "–") -> str:
    return missing if math.isnan(value) else form.format(value)
