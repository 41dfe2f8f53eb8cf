"""What a smaller model costs: quality against time, all models of a folder in one plot."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from core.errors import ConfigError
from core.insights.costs import MEASURES, Cost, Costs, folders_with_costs, frontier, read_costs
from core.settings import PROJECT_ROOT
from pages.charts.costs import Point, costs_figure
from pages.charts.style import is_dark
from pages.components.markdown import count, escaped
from pages.figures.figure import (
    FigureContent,
    FigureSpec,
    MissingFigure,
    render_figures,
    render_missing,
    rounded,
)
from pages.figures.places import RESULTS, SPLITS, shown

RUNS = PROJECT_ROOT / "runs"
OWN_PLACE = "STRATA_RESULTS"
"""Variable of the environment that names one more folder to look in, for results kept elsewhere."""

FOLDER_KEY, SPLIT_KEY = "costs_folder", "costs_split"
MEASURE_KEY, TIME_KEY, SESSION_KEY = "costs_measure", "costs_time", "costs_session"
BATCH, SINGLE = "In batches", "One by one"
AXES = {BATCH: "milliseconds a document, in batches", SINGLE: "milliseconds for one document"}
TIME_WORDS = {
    BATCH: "read in batches, as overnight work is",
    SINGLE: "read by itself, while somebody waits",
}
SPLIT_WORDS = {"dev": "Development documents", "test": "Test documents"}
COMMANDS = """\
python -m training evaluate RUN_OR_BUNDLE … --split test --results FOLDER
python -m training latency RUN_OR_BUNDLE … --split dev --batch-size 128 --out FOLDER"""
COLUMNS = (
    "model",
    "quality %",
    "± over seeds",
    "seeds",
    "ms a document in batches",
    "documents/s",
    "ms for one document",
    "of 20 documents the slowest, ms",
    "parameters",
    "MB",
    "on the frontier",
    "trained to its end",
    "command",
)


def render_costs() -> None:
    """Choose a folder, then what the two axes show, and draw the plot."""
    folders = list(folders_with_costs(roots()))
    if not folders:
        render_missing(
            MissingFigure(
                "No times were measured yet. Judge some finished runs or bundles into a folder "
                "below docs/results or runs, and measure their times into the same folder: they "
                "are loaded together and read the same documents in turns.",
                COMMANDS,
            )
        )
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        folder, split = choose_folder(folders), choose_split()
    found = [costs for costs in read_costs(folder, split) if costs.models]
    if not found:
        measured = f"In {escaped(folder.name)} times were measured"
        missing = f"{measured}, but nothing was judged on these documents."
        render_missing(MissingFigure(missing, COMMANDS))
        return
    costs = choose_session(found)
    if not costs.measures():
        missing = f"In {escaped(folder.name)} nothing was judged by a measure that this page knows."
        render_missing(MissingFigure(missing, COMMANDS))
        return
    measure, time = choose_axes(costs)
    plot = CostPlot(folder, costs, measure, time)
    render_figures(FIGURES, plot)
    render_commands(plot.models)


def roots() -> list[Path]:
    """Return where folders of results and of runs lie.

    Raises:
        ConfigError: the variable names the home of somebody whom this machine does not know.
    """
    own = os.environ.get(OWN_PLACE)
    try:
        own_places = [Path(own).expanduser()] if own else []
    except RuntimeError as error:  # "~nobody", whose home there is not
        raise ConfigError(f"{OWN_PLACE} names {own}: {error}") from error
    places = [RESULTS, RUNS, *own_places]
    return [place for place in places if place.is_dir()]


def choose_folder(folders: list[Path]) -> Path:
    """Return the chosen folder; those that come with the project are offered first."""
    chosen: Path = st.selectbox(
        "Folder of results or runs", folders, format_func=shown, key=FOLDER_KEY, width=400
    )
    return chosen


def choose_split() -> str:
    """Return the split that quality is measured on; times are the same."""
    return (
        st.segmented_control(
            "Quality on",
            SPLITS,
            default="test",
            required=True,
            format_func=SPLIT_WORDS.__getitem__,
            key=SPLIT_KEY,
        )
        or "test"
    )


def choose_session(found: list[Costs]) -> Costs:
    """Return the session of the most models, unless another is chosen."""
    if len(found) == 1:
        return found[0]
    by_name = {f"{costs.session} ({len(costs.models)} models)": costs for costs in found}
    name = st.selectbox("Times measured", list(by_name), key=SESSION_KEY, width=420)
    return by_name[name]


def choose_axes(costs: Costs) -> tuple[str, str]:
    """Return what counts as quality, and which time."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        measure = st.selectbox(
            "Quality",
            costs.measures(),
            format_func=MEASURES.__getitem__,
            key=MEASURE_KEY,
            width=400,
        )
        time = st.segmented_control(
            "Time", (BATCH, SINGLE), default=BATCH, required=True, key=TIME_KEY
        )
    return measure, time or BATCH


@dataclass(frozen=True, slots=True)
class CostPlot:
    """What is plotted: the models of a folder, by one measure and one kind of time."""

    folder: Path
    costs: Costs
    measure: str
    time: str

    @property
    def models(self) -> list[Cost]:
        """Return the models that have the measure, the fastest first."""
        having = [model for model in self.costs.models if self.measure in model.quality]
        return sorted(having, key=self.milliseconds)

    def milliseconds(self, model: Cost) -> float:
        """Return how long a model takes."""
        return model.milliseconds(single=self.time == SINGLE)

    @property
    def points(self) -> list[Point]:
        """Return a point for each model, the fastest first."""
        models, measure = self.models, self.measure
        best = frontier(
            [self.milliseconds(model) for model in models],
            [model.quality[measure] for model in models],
        )
        return [
            Point(
                name=model.arm,
                milliseconds=self.milliseconds(model),
                quality=model.quality[measure],
                deviation=model.deviation.get(measure),
                on_frontier=on_frontier,
                capped=model.capped,
                command=model.command,
            )
            for model, on_frontier in zip(models, best, strict=True)
        ]


def quality_against_time(plot: CostPlot) -> FigureContent:
    """Return the plot, the sentence that it says, and the table with commands."""
    points, time = plot.points, plot.time
    return FigureContent(
        sentence=f"Each point is a model: the higher, the better; the further left, the "
        f"faster, {TIME_WORDS[time]}. Equal steps to the right multiply the time. "
        f"{_said(points)}",
        label=_label(plot.folder, plot.costs),
        command=plot.costs.models[0].batch.command,
        chart=costs_figure(points, time=AXES[time], measure=MEASURES[plot.measure], dark=is_dark()),
        columns=COLUMNS,
        rows=[
            _cells(model, plot.measure, point.on_frontier)
            for model, point in zip(plot.models, points, strict=True)
        ],
        alt="; ".join(
            f"{point.name}: {100 * point.quality:.1f} %, {point.milliseconds:.2g} ms"
            f"{', on the frontier' if point.on_frontier else ''}"
            for point in points
        ),
        note=_left_out(plot.costs, plot.measure),
    )


FIGURES: tuple[FigureSpec[CostPlot], ...] = (
    FigureSpec("quality_against_time", "What a smaller model costs", quality_against_time),
)


def render_commands(models: list[Cost]) -> None:
    """Show each model's command, with a button that copies it."""
    with st.expander("Commands", icon=":material/terminal:"):
        for model in models:
            st.markdown(f"**{escaped(model.arm)}**")
            if model.command:
                st.code(model.command, language=None, wrap_lines=True)
            else:
                st.caption("Its results do not say which command made it.")


def _said(points: list[Point]) -> str:
    """Return what the frontier says, from its fastest model to its best."""
    line = [point for point in points if point.on_frontier]
    if len(line) < 2:
        return "No other model is better or faster than the one on the frontier."
    fast, good = line[0], line[-1]
    return (
        f"On the line are those that no other beats in both: from **{escaped(fast.name)}** to "
        f"**{escaped(good.name)}** quality rises by {100 * (good.quality - fast.quality):.1f} "
        f"points and the time {_fold(good.milliseconds / fast.milliseconds)}-fold."
    )


def _fold(ratio: float) -> str:
    """With a decimal where a whole number would be far off: “1.3”, “60”."""
    return f"{ratio:.1f}".removesuffix(".0") if ratio < 9.95 else f"{ratio:,.0f}"


def _label(folder: Path, costs: Costs) -> str:
    timing = costs.models[0].batch
    threads = count(timing.threads, "thread")
    busy = f" The machine was busy with other work ({timing.load_before:.1f} before)."
    return (
        f"{shown(folder)}; quality on {costs.split}; times on {timing.n_documents:,} documents of "
        f"{timing.split}, {timing.device}, {threads}, {costs.session}, "
        f"commit {timing.commit or 'unknown'}."
        f"{busy if timing.device == 'cpu' and timing.load_before > 1 else ''}"
    )


def _left_out(costs: Costs, measure: str) -> str:
    """Marks, and models that have only one of the two, or were not judged by what is drawn."""
    parts = []
    if any(model.capped for model in costs.models):
        parts.append("A hollow point had not converged when the time for its training was over.")
    others = [model.arm for model in costs.models if measure not in model.quality]
    if others:
        parts.append(f"Without {MEASURES[measure]}: {escaped(', '.join(others))}.")
    if costs.without_time:
        parts.append(f"Without a time: {escaped(', '.join(costs.without_time))}.")
    if costs.without_quality:
        parts.append(f"Not judged here: {escaped(', '.join(costs.without_quality))}.")
    return " ".join(parts)


def _cells(model: Cost, measure: str, on_frontier: bool) -> tuple[str | int | float | None, ...]:
    size = model.batch.n_bytes
    return (
        model.arm,
        rounded(model.quality[measure]),
        rounded(model.deviation.get(measure)),
        model.n_seeds,
        round(model.batch.batch_ms, 3),
        round(model.batch.documents_per_second, 1),
        round(model.single.p50_ms, 2),
        round(model.single.p95_ms, 2),
        model.batch.parameters if model.batch.parameters >= 0 else None,
        round(size / 1e6, 1) if size >= 0 else None,
        "yes" if on_frontier else "",
        "no" if model.capped else "yes",
        model.command,
    )
