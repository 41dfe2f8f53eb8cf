"""How good a model is: by depth of the hierarchy, by branch, and by how often a label was seen."""

from __future__ import annotations

from collections.abc import Sequence

from core.insights import DepthRow, GroupRow, Insights
from pages.charts_looks import is_dark
from pages.figures.charts import bars_figure, columns_figure
from pages.figures.figure import Shown, percent, render, render_missing, rounded
from pages.figures.style import Series
from pages.serving import workplace

FREQUENCIES = {
    "frequent": "more than 50 examples",
    "few": "1 to 50 examples",
    "never": "no example",
}
IN_TEN, RIGHT = "found among the first ten suggestions", "right where the model would suggest it"
LONGEST_NAME = 40
R_PRECISION = "R-Precision among the labels of the group"
HOW_OFTEN = (
    "Of the times that a person assigned one of its labels, how often was it among the model's "
    "first ten suggestions; and when the model would suggest it by itself, how often was that "
    "right? In brackets: how often people assigned one of its labels."
)
AMONG_ITS_OWN = (
    "If a document has 4 labels of the group, how many of the model's first 4 guesses within the "
    "group are among them? In brackets: how often documents have one of its labels. (This model "
    "does not tell what is assigned from what is implied, so both count.)"
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


def render_quality(insights: Insights) -> None:
    """Three figures."""
    render_depth(insights)
    render_frequency(insights)
    render_branches(insights)


def measured_on(insights: Insights) -> str:
    """Split, documents and model, for the line below a figure."""
    facts = insights.facts
    some, whole = facts["n_documents"], facts.get("n_of_split", facts["n_documents"])
    of = f"{some:,} of {whole:,}" if some != whole else f"{whole:,}"
    texts = facts.get("n_full_texts", 0)
    full = f", {texts:,} with their full text" if texts else ""
    model = " ".join(str(facts.get(name, "")) for name in ("model", "hash")).strip()
    return f"{facts.get('corpus', '')} {facts['split']}: {of} documents{full}; model {model}."


def render_depth(insights: Insights) -> None:
    """R-Precision by depth."""
    if not insights.depth:
        render_missing("This model has no level heads, so nothing is measured by depth.", "")
        return
    rows = insights.depth
    series = [
        Series("level heads", [row.level_heads for row in rows]),
        Series("branch probability, coherent along the tree", [row.branch for row in rows]),
    ]
    render(
        Shown(
            key="r_precision_by_depth",
            title="Depth: how well each level of the tree is told",
            sentence="A document about *apples* is also about *fruit* and *agriculture*. For each "
            "level, from the most general (1) down: if 4 labels are right, how many of the first "
            "4 guesses are among them? (R-Precision; 100 is perfect.)",
            label=f"{measured_on(insights)} Labels with everything broader than them; a level "
            "counts the documents that have a label there.",
            command=str(insights.facts.get("command", "")),
            figure=columns_figure(
                [_depth_name(row) for row in rows], _there(series), dark=is_dark()
            ),
            columns=("level", "labels", "documents", "level heads %", "branch probability %"),
            rows=[
                (
                    str(row.level or "all"),
                    row.n_labels,
                    row.n_documents,
                    rounded(row.level_heads),
                    rounded(row.branch),
                )
                for row in rows
            ],
            alt="R-Precision in per cent. "
            + "; ".join(
                f"{_depth_name(row).replace('<br>', ', ')}: level heads "
                f"{percent(row.level_heads)}, branch probability {percent(row.branch)}"
                for row in rows
            ),
        )
    )


def render_frequency(insights: Insights) -> None:
    """By how often a label was seen."""
    names = [FREQUENCIES.get(row.name, row.name) for row in insights.frequency]
    _render_groups(
        insights,
        insights.frequency,
        names,
        key="results_by_frequency",
        title="Frequency: is a rare label found as well as a common one?",
        sentence="A model learns from examples. Labels are put into three groups by how many "
        "training documents had them.",
    )


def render_branches(insights: Insights) -> None:
    """By top concept, the best first."""
    augmented = insights.facts.get("labels") == "augmented"
    rows = sorted(
        insights.branches,
        key=lambda row: -((row.r_precision if augmented else row.in_first_ten) or 0.0),
    )
    _render_groups(
        insights,
        rows,
        [_label(insights, row) for row in rows],
        key="results_by_branch",
        title="Branch: which subjects is the model good at?",
        sentence="The same for each branch of the vocabulary, the best on top. A branch with few "
        "documents is measured roughly: ten more or less may move it by many points.",
    )


def _render_groups(
    insights: Insights,
    rows: Sequence[GroupRow],
    names: list[str],
    *,
    key: str,
    title: str,
    sentence: str,
) -> None:
    if not rows:
        render_missing("This model does not tell which labels are assigned.", "")
        return
    augmented = insights.facts.get("labels") == "augmented"
    series = [
        Series(R_PRECISION, [row.r_precision if augmented else None for row in rows]),
        Series(IN_TEN, [None if augmented else row.in_first_ten for row in rows]),
        Series(RIGHT, [row.precision for row in rows]),
    ]
    drawn = _there(series)
    counted = [f"{_short(name)} ({row.n_gold:,})" for name, row in zip(names, rows, strict=True)]
    render(
        Shown(
            key=key,
            title=title,
            sentence=f"{sentence} {AMONG_ITS_OWN if augmented else HOW_OFTEN}",
            label=f"{measured_on(insights)} {_threshold(insights)}",
            command=str(insights.facts.get("command", "")),
            figure=bars_figure(counted, drawn, dark=is_dark()),
            columns=("group", *GROUP_COLUMNS),
            rows=[(name, *_cells(row)) for name, row in zip(names, rows, strict=True)],
            alt="; ".join(
                f"{name}: " + ", ".join(f"{percent(one.values[i])} {one.name}" for one in drawn)
                for i, name in enumerate(names)
            ),
        )
    )


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
    """A name that leaves room for a number behind it."""
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"


def _there(series: list[Series]) -> list[Series]:
    return [one for one in series if any(value is not None for value in one.values)]


def _depth_name(row: DepthRow) -> str:
    return f"{f'level {row.level}' if row.level else 'all levels'}<br>{row.n_labels:,} labels"


def _label(insights: Insights, row: GroupRow) -> str:
    """The branch in the reader's language where the vocabulary is the one in use."""
    shared = workplace()
    hierarchy = shared.hierarchy()
    known = hierarchy.vocabulary_id == insights.facts.get("vocabulary") and row.name in hierarchy
    return hierarchy[row.name].label(shared.language()) if known else row.label
