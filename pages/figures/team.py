"""What each person did, week by week, for who leads a project."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import streamlit as st

from core.review.annotations.access import annotation_states
from core.review.people.accounts import list_accounts
from core.review.reports.team import PersonWeek, Waiting, read_team
from core.roles import Right
from core.serving.session import Session
from pages.components.counting import counted, may_count
from pages.components.markdown import count, escaped
from pages.figures.figure import Cell, FigureContent, FigureSpec, render_figures
from pages.serving import current_session

COLUMNS = (
    "week",
    "person",
    "finished documents",
    "decisions",
    "accepted from suggestions",
    "accepted by search",
    "changed by others later",
)
MINUTES = "median minutes"
MEANING = (
    "Weeks begin on Monday, in UTC; the last twelve. What was undone does not count. Changed by others "
    "later: their decisions on documents that the person had finished in that week."
)
TIMED = (
    "Minutes: active time on a document until it was finished. Of the time between one event of a person "
    "and the next, two minutes count at most, so long reading before the first decision is cut, too. "
    "An administrator can turn times off for this project (Settings → Projects)."
)
UNTIMED = "Times are turned off in this project."


@dataclass(frozen=True, slots=True)
class TeamFigures:
    """What people did, and what waits; without times where the project hides them."""

    weeks: list[PersonWeek]
    waiting: Waiting
    hides_times: bool


def is_offered(session: Session) -> bool:
    """Return whether the person leads others here."""
    return session.may(Right.TEAM) and len(list_accounts(session.store())) > 1


def render_team() -> None:
    """Draw the table of people and weeks."""
    session = current_session()
    session.require(Right.TEAM)
    if not may_count("team_count"):
        return
    found = counted("team", partial(read_team, session.store(), session.project_id()))
    if found is not None:
        render_figures(FIGURES, TeamFigures(*found, session.current().hides_times))
    if annotation_states(session.store(), session.project_id()):
        address = f"api/annotations?project={session.project_id()}"
        st.html(f'<a href="{address}" class="strata-download" download>Annotations, CSV</a>')


def by_person(team: TeamFigures) -> FigureContent:
    """Return the table, and what waits in a sentence."""
    columns = COLUMNS if team.hides_times else (*COLUMNS, MINUTES)
    return FigureContent(
        sentence=said_of_waiting(team.waiting),
        label=f"{MEANING} {UNTIMED if team.hides_times else TIMED}",
        columns=columns,
        rows=[_row(row, hides_times=team.hides_times) for row in team.weeks],
        alt="What each person did in each week",
    )


def said_of_waiting(waiting: Waiting) -> str:
    """Return how many documents are not finished, and whose they are or who began them."""
    n_waiting = waiting.n_new + sum(waiting.by_person.values())
    begun = [f"{n:,} with {escaped(who)}" for who, n in waiting.by_person.items()]
    parts = ", ".join([f"{waiting.n_new:,} new", *begun])
    verb = "waits" if n_waiting == 1 else "wait"
    return f"{count(n_waiting, 'document')} {verb}: {parts}." if n_waiting else "No document waits."


def _row(row: PersonWeek, *, hides_times: bool) -> tuple[Cell, ...]:
    counts = (row.n_finished, row.n_decisions, row.n_from_suggestions, row.n_searched)
    minutes = row.median_minutes
    times = () if hides_times else (None if minutes is None else round(minutes, 1),)
    return (row.week, row.person, *counts, row.n_changed, *times)


FIGURES: tuple[FigureSpec[TeamFigures], ...] = (
    FigureSpec("team_by_week", "Who did what, week by week?", by_person, is_table=True),
)
