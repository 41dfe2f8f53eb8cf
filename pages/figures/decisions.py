"""What people here did with the suggestions: from the documents that they have finished."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial

import streamlit as st

from core.export.gathering import ExportedDocument, Selection, gather
from core.insights.decisions import (
    DecisionStatistics,
    RankRow,
    SuggestionOutcome,
    WeekCounter,
    decision_statistics,
)
from core.review.reports.snapshot import ACCEPTED, EXCLUDED, NOT_TAKEN, REJECTED
from core.review.reports.summaries import FINISHED
from core.review.reports.weeks import WEEKS, WeekEffects, weekly_effects
from pages.charts.plots import columns_figure, reliability_figure
from pages.charts.style import Series, is_dark
from pages.components.counting import counted, may_count
from pages.components.markdown import count
from pages.figures.figure import FigureContent, FigureSpec, render_figures, rounded
from pages.figures.reliability import bin_cells
from pages.figures.weeks import WEEKLY, Weeks
from pages.serving import current_session

WANTED = Selection(
    statuses=frozenset({FINISHED}),
    decisions=frozenset({ACCEPTED, REJECTED, EXCLUDED, NOT_TAKEN}),
    below_excluded=True,  # who rules out a branch says no to all suggestions below it
)
NONE_YET = (
    "No document was finished yet. What people take and leave is counted from finished documents: "
    "press *Finish* on the Annotate page when one is done."
)
SEEN = (
    "People saw the suggestions before they decided, so these figures are kinder to the model than "
    "those of documents that were indexed without it."
)
ENOUGH = 30  # documents from which on shares begin to hold


def render_decisions() -> None:
    """Draw the counts in a sentence, then by rank and by probability."""
    if not may_count("insights_count"):
        return
    session = current_session()
    wanted = replace(WANTED, project_id=session.project_id())
    gathered = partial(gather, session.store(), wanted, session.hierarchy())
    effects = partial(weekly_effects, session.store(), session.project_id())
    counts = counted("decisions", lambda: count_decisions(gathered(), effects()))
    if counts is None:
        return
    figures, weeks = counts
    if not figures.n_documents:
        st.info(NONE_YET, icon=":material/info:")
        return
    st.markdown(f"{summary(figures)} {SEEN}")
    if figures.n_shown:
        render_figures(FIGURES, figures)
    render_figures(WEEKLY, weeks)


def count_decisions(
    documents: Iterable[ExportedDocument], effects: Mapping[str, WeekEffects]
) -> tuple[DecisionStatistics, Weeks]:
    """Count what became of suggestions, altogether and by week; documents are gone through once."""
    weeks = WeekCounter()
    noted = (weeks.noted(row.summary.finished_at, outcomes(row)) for row in documents)
    return decision_statistics(noted), Weeks(weeks.newest(WEEKS), effects)


def outcomes(document: ExportedDocument) -> list[SuggestionOutcome]:
    """Return what became of each concept; a ruled-out branch that nobody suggested is left out.

    What a person searched for was not suggested, though the model may give it a late rank.
    """
    return [
        SuggestionOutcome(True)
        if item.added
        else SuggestionOutcome(item.decision == ACCEPTED, item.probability, item.rank)
        for item in document.items
        if item.decision == ACCEPTED or item.probability is not None
    ]


def summary(figures: DecisionStatistics) -> str:
    """Return how much of what people assigned came from the model."""
    documents = count(figures.n_documents, "finished document")
    if not figures.n_taken:
        return f"Nothing was accepted in {documents}."
    by_hand = figures.n_added / figures.n_taken
    few = "" if figures.n_documents >= ENOUGH else " So few documents say little yet."
    return (
        f"In {documents}, people assigned {count(figures.n_taken, 'concept')}: "
        f"**{1 - by_hand:.0%}** were suggested, {by_hand:.0%} they added themselves.{few}"
    )


def by_rank(figures: DecisionStatistics) -> FigureContent:
    """Return how often suggestions at each rank are taken."""
    names = [rank_words(row) for row in figures.ranks]
    shares = [row.n_taken / row.n_shown for row in figures.ranks]
    counted = [
        f"{name}<br>{row.n_shown:,} shown" for name, row in zip(names, figures.ranks, strict=True)
    ]
    return FigureContent(
        sentence="The suggestions at the top of the list should be taken nearly always. Where "
        "the bars become low, reading on finds nothing.",
        label=_label(figures),
        chart=columns_figure(counted, [Series("taken", shares)], dark=is_dark()),
        columns=("rank", "suggestions shown", "taken", "taken %"),
        rows=[
            (name, row.n_shown, row.n_taken, rounded(share))
            for name, row, share in zip(names, figures.ranks, shares, strict=True)
        ],
        alt="; ".join(
            f"{name}: {share:.0%} taken" for name, share in zip(names, shares, strict=True)
        ),
    )


def by_probability(figures: DecisionStatistics) -> FigureContent | None:
    """Return whether people take as many as the probabilities say."""
    bins = [each for each in figures.curve.bins if each.n_pairs]
    if not bins:
        return None
    return FigureContent(
        sentence="Of the suggestions that the model calls 80 % probable, people should take 8 "
        "of 10. Points below the dashed line: the model is too sure of itself here; above it, "
        "too modest.",
        label=f"{_label(figures)} Suggestions below 1 % are left out.",
        chart=reliability_figure([("taken here", figures.curve)], dark=is_dark()),
        columns=("from %", "to below %", "suggestions", "mean probability %", "taken %"),
        rows=[bin_cells(each) for each in bins],
        alt="; ".join(
            f"{rounded(each.probability)} % probable, {rounded(each.share)} % taken"
            for each in bins
        ),
    )


FIGURES: tuple[FigureSpec[DecisionStatistics], ...] = (
    FigureSpec("taken_by_rank", "How often is a suggestion taken?", by_rank),
    FigureSpec(
        "taken_by_probability", "Do the percentages hold on your documents?", by_probability
    ),
)


def rank_words(row: RankRow) -> str:
    """Return ranks as tables call them, such as “ranks 2–3”."""
    if row.last is None:
        return f"rank {row.first} and on"
    return f"rank {row.first}" if row.first == row.last else f"ranks {row.first}–{row.last}"


def _label(figures: DecisionStatistics) -> str:
    were = "was" if figures.n_shown == 1 else "were"
    return (
        f"{count(figures.n_documents, 'finished document')} of this project, "
        f"{count(figures.n_shown, 'suggestion')} that {were} on the page; counted now."
    )
