"""Insights: what was decided here, and behind it how good a model is and where it errs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from core.insights.report import Insights, load_insights
from pages.figures import errors, quality, reliability
from pages.figures.agreement import render_agreement
from pages.figures.decisions import render_decisions
from pages.figures.figure import (
    FigureSpec,
    MissingFigure,
    render_figures,
    render_measured_on,
    render_missing,
)
from pages.figures.places import INSIGHTS, SPLITS, Place, find_places
from pages.figures.team import is_offered, render_team
from pages.messages import shown_here
from pages.serving import current_session
from pages.sidebar import render_sidebar

PLACE_KEY, PART_KEY, SPLIT_KEY = "insights_place", "insights_part", "insights_split"
TOPIC_KEY = "insights_topic"
MODEL_PARAMETER = "model"  # of the address: the name of a bundle
CHOSEN_KEY = "insights_chosen"  # the model, while decisions are looked at
MEASURED: dict[str, Sequence[FigureSpec[Insights]]] = {
    "How good": quality.FIGURES,
    "How sure": reliability.FIGURES,
    "What goes wrong": errors.FIGURES,
}
OURS, RESEARCH = "Decisions here", "Models and research"
TEAM, AGREEMENT = "Team", "Agreement"
PARTS = (*MEASURED,)
SPLIT_WORDS = {"dev": "Development documents", "test": "Test documents"}


def main() -> None:
    """Choose a model and a question, and draw the figures that answer it."""
    with st.container(key="insights_page"):
        st.title("Insights", anchor=False)
        with shown_here("the figures could not be shown"):
            render_page()


def render_page() -> None:
    """Draw the decisions of this project; what is measured of models stands behind a second row."""
    first = RESEARCH if MODEL_PARAMETER in st.query_params else OURS
    topics = [OURS, RESEARCH, *([TEAM, AGREEMENT] if is_offered(current_session()) else [])]
    topic = st.segmented_control("Show", topics, default=first, required=True, key=TOPIC_KEY)
    if topic == RESEARCH:
        render_research()
    elif topic == TEAM:
        render_team()
    elif topic == AGREEMENT:
        render_agreement()
    else:
        render_decisions()


def render_research() -> None:
    """Draw the answer to a question on models, below the choices."""
    places = find_places(current_session().settings)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        part = st.segmented_control(
            "Question", PARTS, default=PARTS[0], required=True, key=PART_KEY, wrap=True
        )
        place = choose_place(places)
    if place is None:
        st.info("There is no model bundle, so there is nothing to look into.")
    else:
        render_measured(place, MEASURED[part or PARTS[0]])


def choose_place(places: list[Place]) -> Place | None:
    """Return the model to show: the chosen one, or else the one that suggests."""
    if not places:
        return None
    names = [place.name for place in places]
    chosen = st.session_state.get(CHOSEN_KEY, st.query_params.get(MODEL_PARAMETER))
    first = names.index(chosen) if chosen in names else _served(places)
    name = st.selectbox("Model", names, index=first, key=PLACE_KEY, width=320)
    st.session_state[CHOSEN_KEY] = name
    return places[names.index(name)]


def _served(places: list[Place]) -> int:
    card = current_session().project.card
    folder = card.directory / INSIGHTS if card else None
    return next((i for i, place in enumerate(places) if place.folder == folder), 0)


def render_measured(place: Place, figures: Sequence[FigureSpec[Insights]]) -> None:
    """Draw one group of figures from the files of `training insights`."""
    if not place.splits:
        render_missing(
            MissingFigure(
                "This model was not measured yet. The command below judges it on the development "
                "documents, in some minutes, and keeps only figures, no text. What you leave out "
                "is what the model was made from.",
                f"python -m training insights {place.target} --data CORPUS --format FORMAT "
                f"--split {SPLITS[0]}",
            )
        )
        return
    split = place.splits[0]
    if len(place.splits) > 1:
        split = st.segmented_control(
            "Documents",
            place.splits,
            default=split,
            required=True,
            format_func=SPLIT_WORDS.__getitem__,
            key=SPLIT_KEY,
        ) or split  # fmt: skip
    insights = read_insights(place.insights(split))
    render_measured_on(place, str(insights.facts.get("hash", "")))
    render_figures(figures, insights)


def read_insights(path: Path) -> Insights:
    """Return the file, read again when it was written again."""
    return _read(path, path.stat().st_mtime_ns)


@st.cache_data(max_entries=20, show_spinner=False)
def _read(path: Path, written_ns: int) -> Insights:
    """Kept by path and by when it was written: a leading underscore would leave that out."""
    return load_insights(path)


render_sidebar()
main()
