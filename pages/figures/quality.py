"""How good a model is: by depth of the hierarchy, by branch, and by how often a label was seen."""

from __future__ import annotations

from collections.abc import Sequence

from core.insights.groups import DepthRow, GroupRow
from core.insights.report import Insights
from pages.charts.plots import bars_figure, columns_figure
from pages.charts.style import Series, is_dark
from pages.figures.figure import (
    Cell,
    FigureContent,
    FigureSpec,
    MissingFigure,
    percent,
    rounded,
)
from pages.serving import current_session

FREQUENCIES = {
    "frequent": "more than 50 examples",
    "few": "10 to 50 examples",
    "rare": "1 to 9 examples",
    "unseen": "no example",
}
EARLIER_FREQUENCIES = {"few": "1 to 50 examples", "never": "no example"}
"""Of figures that were measured before rare labels were apart."""
IN_TEN, RIGHT = "found among the first ten suggestions", "right where the model would suggest it"
LONGEST_NAME = 40
NOT_ASSIGNED = "This model does not distinguish assigned labels from implied ones."
R_PRECISION = "R-Precision among the labels of the group"
HOW_OFTEN = (
    "Of the times that a person assigned one of its labels, how often was it among the model's "
    "first ten suggestions; and when the model would suggest it by itself, how often was that "
    "right? In brackets: how often people assigned one of its labels."
)
AMONG_ITS_OWN = (
    "If a document has 4 labels of the group, how many of the model's first 4 guesses within the "
    "group are among them? In brackets: how often documents have one of its labels. (This model "
    "does not distinguish what is assigned from what is implied, so both count.)"
)
GROUP_COLUMNS = (
    "labels",
    "documents with one of them",
    "times assigned",
    "times in training",
    "among first ten %",
    "right when suggested (precision) %",
    "suggested when right (recall) %",
    "F1 %",
    "R-Precision %",
)


def measured_on(insights: Insights) -> str:
    """Return split, documents and model, for the line below a figure."""
    facts = insights.facts
    some, whole = facts["n_documents"], facts.get("n_of_split", facts["n_documents"])
    of = f"{some:,} of {whole:,}" if some != whole else f"{whole:,}"
    texts = facts.get("n_full_texts", 0)
    full = f", {texts:,} with their full text" if texts else ""
    model = " ".join(str(facts.get(name, "")) for name in ("model", "hash")).strip()
    return f"{facts.get('corpus', '')} {facts['split']}: {of} documents{full}; model {model}."


def command_of(insights: Insights) -> str:
    """Return the command that measured it."""
    return str(insights.facts.get("command", ""))


def depth(insights: Insights) -> FigureContent | MissingFigure:
    """R-Precision by depth."""
    if not insights.depth:
        return MissingFigure("This model has no level heads, so nothing is measured by depth.")
    rows = insights.depth
    series = [
        Series("level heads", [row.level_heads for row in rows]),
        Series("branch probability, coherent along the tree", [row.branch for row in rows]),
    ]
    return FigureContent(
        sentence="A document about *apples* is also about *fruit* and *agriculture*. For each "
        "level, from the most general (1) down: if 4 labels are right, how many of the first "
        "4 guesses are among them? (R-Precision; 100 is perfect.)",
        label=f"{measured_on(insights)} Labels with everything broader than them; a level "
        "counts the documents that have a label there.",
        command=command_of(insights),
        chart=columns_figure([_depth_name(row) for row in rows], _there(series), dark=is_dark()),
        columns=("level", "labels", "documents", "level heads %", "branch probability %"),
        rows=[_depth_cells(row) for row in rows],
        alt="R-Precision in percent. "
        + "; ".join(
            f"{_depth_name(row).replace('<br>', ', ')}: level heads "
            f"{percent(row.level_heads)}, branch probability {percent(row.branch)}"
            for row in rows
        ),
    )


def _depth_cells(row: DepthRow) -> tuple[Cell, ...]:
    shares = rounded(row.level_heads), rounded(row.branch)
    return (str(row.level or "all"), row.n_labels, row.n_documents, *shares)


def frequency(insights: Insights) -> FigureContent | MissingFigure:
    """Return the results by how often a label was seen in training."""
    is_earlier = any(row.name == "never" for row in insights.frequency)
    words = FREQUENCIES | (EARLIER_FREQUENCIES if is_earlier else {})
    names = [words.get(row.name, row.name) for row in insights.frequency]
    sentence = (
        f"A model learns from examples. Labels are put into {len(names)} groups by how many "
        "training documents had them."
    )
    return _groups(insights, insights.frequency, names, sentence)


def branches(insights: Insights) -> FigureContent | MissingFigure:
    """Return the results by top concept, the best first."""
    augmented = _is_augmented(insights)
    rows = sorted(
        insights.branches,
        key=lambda row: -((row.r_precision if augmented else row.in_first_ten) or 0.0),
    )
    sentence = (
        "The same for each branch of the vocabulary, the best on top. A branch with few "
        "documents is measured roughly: ten more or less may move it by many points."
    )
    return _groups(insights, rows, [_label(insights, row) for row in rows], sentence)


FIGURES: tuple[FigureSpec[Insights], ...] = (
    FigureSpec("r_precision_by_depth", "Depth: how good is each level of the tree?", depth),
    FigureSpec(
        "results_by_frequency",
        "Frequency: is a rare label found as well as a common one?",
        frequency,
    ),
    FigureSpec("results_by_branch", "Branch: which subjects is the model good at?", branches),
)


def _groups(
    insights: Insights, rows: Sequence[GroupRow], names: list[str], sentence: str
) -> FigureContent | MissingFigure:
    if not rows:
        return MissingFigure(NOT_ASSIGNED)
    augmented = _is_augmented(insights)
    series = [
        Series(R_PRECISION, [row.r_precision if augmented else None for row in rows]),
        Series(IN_TEN, [None if augmented else row.in_first_ten for row in rows]),
        Series(RIGHT, [row.precision for row in rows]),
    ]
    drawn = _there(series)
    counted = [f"{_short(name)} ({row.n_gold:,})" for name, row in zip(names, rows, strict=True)]
    return FigureContent(
        sentence=f"{sentence} {AMONG_ITS_OWN if augmented else HOW_OFTEN}",
        label=f"{measured_on(insights)} {_threshold(insights)}",
        command=command_of(insights),
        chart=bars_figure(counted, drawn, dark=is_dark()),
        columns=("group", *GROUP_COLUMNS),
        rows=[(name, *_cells(row)) for name, row in zip(names, rows, strict=True)],
        alt="; ".join(
            f"{name}: " + ", ".join(f"{percent(kind.values[i])} {kind.name}" for kind in drawn)
            for i, name in enumerate(names)
        ),
    )


def _is_augmented(insights: Insights) -> bool:
    """Return whether the model does not distinguish what is assigned from what is implied."""
    return insights.facts.get("labels") == "augmented"


def _cells(row: GroupRow) -> tuple[int | float | None, ...]:
    shares = (row.in_first_ten, row.precision, row.recall, row.f1, row.r_precision)
    counts = (row.n_labels, row.n_documents, row.n_gold, row.n_training)
    return (*counts, *map(rounded, shares))


def _threshold(insights: Insights) -> str:
    threshold = insights.facts.get("threshold")
    if threshold is None:
        return ""
    return f"The model suggests from {100 * threshold:.0f} % on, tuned on dev for the best F1."


def _short(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"


def _there(series: list[Series]) -> list[Series]:
    return [kind for kind in series if any(value is not None for value in kind.values)]


def _depth_name(row: DepthRow) -> str:
    return f"{f'level {row.level}' if row.level else 'all levels'}<br>{row.n_labels:,} labels"


def _label(insights: Insights, row: GroupRow) -> str:
    session = current_session()
    hierarchy = session.hierarchy()
    is_known = hierarchy.vocabulary_id == insights.facts.get("vocabulary") and row.name in hierarchy
    return hierarchy[row.name].label(session.language()) if is_known else row.label
