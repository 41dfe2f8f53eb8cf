"""A sweep: one setting after another takes each of its values, and what that costs and gains.

A value is an arm of a comparison, so what is finished is not trained again, seeds add up, and the
rows are those of any comparison. Each setting is varied alone, the others as configured: the axes
of a sweep are not multiplied. A value that makes the same run as another (512 of 128, 256, 512
where 512 is configured, and 30 of 4, 30 where 30 is) is trained once and drawn in both places.
Source: Adhikari et al. (2019), Figures 1 and 2.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from core.errors import ConfigError
from training.config import RunConfig, setting_names
from training.judging.arms import Arm, portable_digest, shown_value
from training.judging.evaluate import evaluate
from training.judging.finished import finished_rows
from training.judging.folders import NOTHING_NAMED, JudgedData
from training.judging.rows import ROWS
from training.judging.scores import Scores
from training.results.sweep_record import SPLITS, SweepPoint, SweepReference, own_measure
from training.results.tables import Spread

_PUBLISHED = re.compile(r"(?P<name>[^=/]+)=(?P<first>[\d.]+)(?:/(?P<second>[\d.]+))?")

MEASURED_DOCUMENTS = 32

BASE = Arm("")
"""The series of the configuration as it is."""


@dataclass(frozen=True, slots=True)
class Axis:
    """A setting, such as "optim.epochs", and the values that it takes, as they were written."""

    key: str
    values: tuple[str, ...]

    @property
    def name(self) -> str:
        """The setting without its section."""
        return self.key.rpartition(".")[2]


def parse_axis(text: str) -> Axis:
    """Return an axis from "key=value,value"; values that have commas themselves stand between ";".

    Raises:
        ConfigError: it is not of this form, has a value twice, or there is no such setting.
    """
    key, equals, rest = text.partition("=")
    separator = ";" if ";" in rest else ","
    values = tuple(item.strip() for item in rest.split(separator) if item.strip())
    if not key.strip() or not equals or not values or len(set(values)) < len(values):
        raise ConfigError(
            f"--over {text!r} is not of the form key=value,value with different values, such as "
            "optim.epochs=4,30."
        )
    if key.strip() not in setting_names():
        # The configuration names the nearest setting that there is.
        RunConfig().replace(key.strip(), values[0])
    return Axis(key.strip(), values)


def swept_arms(
    base: RunConfig, axes: Sequence[Axis], series: Sequence[Arm] = ()
) -> tuple[list[Arm], list[SweepPoint]]:
    """Return the arms to be trained, and the points of the figure, in the order of axes and values.

    Raises:
        ConfigError: there is no axis, an axis is named twice, or a setting does not take a value.
    """
    if not axes or len({axis.key for axis in axes}) < len(axes):
        raise ConfigError("A sweep needs --over KEY=VALUE,…, and each setting once.")
    arms: dict[RunConfig, Arm] = {}
    points: list[SweepPoint] = []
    for axis in axes:
        for line in series or (BASE,):
            for value in axis.values:
                arm = _arm(axis, line, value)
                run = arm.configure(base, 1).replace("name", base.name)
                drawn = arms.setdefault(run, arm).name
                points.append(SweepPoint(axis.key, shown_value(axis.key, value), line.name, drawn))
    return list(arms.values()), points


def require_measure(named: str, data: JudgedData, config: RunConfig) -> None:
    """Refuse, before anything is trained, a measure that the rows of a sweep would not have.

    Which these are depends on heads and corpus, so a few documents are judged by scores of nothing.

    Raises:
        ConfigError: there is no such measure. Those of one label (with ":") are not looked for.
    """
    if not named or ":" in named:
        return
    documents = data.corpus.dev[:MEASURED_DOCUMENTS]
    nothing = np.zeros((len(documents), len(data.label_space)), dtype=np.float32)
    heads = {"levels": config.model.plan != "none", "assigned": config.model.assigned_head}
    scores = Scores(
        tuple(row.document_id for row in documents),
        **{head: nothing for head, there in heads.items() if there},
    )
    judged = evaluate(
        scores,
        documents,
        data.label_space,
        depth=config.model.depth,
        threshold=0.5,
        single_label=data.single_label,
    )
    known = [name for name in judged.means["all"] if ":" not in name]
    if named not in known:
        raise ConfigError(f"There is no measure {named!r} of these runs, only {', '.join(known)}.")


def digested(
    points: Sequence[SweepPoint], arms: Sequence[Arm], base: RunConfig
) -> tuple[SweepPoint, ...]:
    """Return the points with the settings that their rows must be of."""
    digests = {arm.name: portable_digest(arm.configure(base, 1)) for arm in arms}
    return tuple(replace(point, digest=digests[point.arm]) for point in points)


def _arm(axis: Axis, series: Arm, value: str) -> Arm:
    changed = tuple(pair for pair in series.changes if pair[0] != axis.key)
    parts = (series.name, axis.name, _in_a_file_name(value))
    return Arm("-".join(part for part in parts if part), (*changed, (axis.key, value)))


def _in_a_file_name(value: str) -> str:
    """Return a value as part of an arm's name: "0_5" of 0.5; of a path its last part."""
    last = Path(value).name if "/" in value else value
    return re.sub(r"[^A-Za-z0-9_]+", "_", last).strip("_") or "none"


def references(texts: Sequence[str], measure: str = "") -> tuple[SweepReference, ...]:
    """Return lines of "NAME=DEV/TEST" (published figures, in %) or of finished results.

    Args:
        texts: a place is a run folder, a row file or a folder of these; each arm in it is a line.
        measure: "" for the corpus's own.
    Raises:
        ConfigError: a place holds nothing that is finished, or lacks the measure.
    """
    lines: list[SweepReference] = []
    for text in texts:
        number = _PUBLISHED.fullmatch(text)
        lines += [_published(number)] if number else _finished(Path(text), measure)
    return tuple(lines)


def _published(found: re.Match[str]) -> SweepReference:
    """Return published figures; a single one is of the test set, as in most papers."""
    figures = [
        round(float(figure) / 100, 6) for figure in (found["first"], found["second"]) if figure
    ]
    splits = tuple(SPLITS) if len(figures) == len(SPLITS) else ("test",)
    return SweepReference(found["name"].strip(), dict(zip(splits, figures, strict=True)))


def _finished(place: Path, measure: str) -> list[SweepReference]:
    values: dict[str, dict[str, float]] = {}
    parameters: dict[str, int] = {}
    for split in SPLITS:
        if ROWS in place.parts and not place.name.endswith(split):
            continue
        for arm, rows in finished_rows([place], split, NOTHING_NAMED).items():
            chosen = own_measure(rows, measure)
            values.setdefault(arm, {})[split] = Spread.of(row.mean(chosen) for row in rows).mean
            parameters[arm] = int(rows[0].facts.get("parameters") or 0)
    if not values:
        raise ConfigError(f"{place} is no row of dev or test: its name ends with neither.")
    return [SweepReference(arm, of, parameters[arm]) for arm, of in values.items()]
