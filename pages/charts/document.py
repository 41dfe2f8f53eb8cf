"""A document's suggestions along the hierarchy, as a picture over the Annotate page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import streamlit as st

from core.review.decisions.recording import Decision, current
from core.review.decisions.tree import tree_states
from core.review.store.documents import fetch_document
from core.review.store.predictions import latest_prediction
from core.review.store.rules import Rules
from core.serving.caller import UnknownDocumentError
from core.serving.session import is_of_project
from core.suggest.suggestions import Prediction
from core.vocabulary.concepts import Hierarchy
from pages.charts.style import (
    ABOVE,
    LONGEST_LABEL,
    LOOKS,
    QUIET,
    Look,
    ink,
    is_dark,
    plain,
    styled,
)
from pages.serving import current_session

if TYPE_CHECKING:
    import plotly.graph_objects as go

MOST_SHOWN = 100
SHOWN_AT_FIRST = 30
MOST_PATHS = 4  # of one concept
TITLE_WIDTH = 18
SMALLEST_TEXT = 11  # of a label, in pixels; a piece with less room says its name when pointed at
LEAST_SHARE, LEAST_DECIDED = 0.02, 0.12  # so that what is improbable can still be seen
DECIDED = frozenset({"accepted", "rejected", "excluded", "conflict"})
ICICLE, SUNBURST = "Icicle", "Sunburst"
ROOT = "\n"  # the place of the document, above all concepts


@st.dialog("Suggestions along the hierarchy", width="large")
def show_chart(document_id: str) -> None:
    """Draw the chart of a document, over the page."""
    session = current_session()
    try:
        is_here = is_of_project(session, document_id)
    except UnknownDocumentError:
        is_here = False
    if not is_here:
        st.info("This document is not shown here.")
        return
    stored = latest_prediction(session.store(), document_id)
    vocabulary = session.vocabulary()
    if vocabulary is None:
        st.info("The vocabulary could not be loaded, so there is no hierarchy to draw.")
        return
    decisions = current(session.store(), document_id)
    prediction = stored.prediction if stored else None
    if prediction is None and not decisions:
        st.info("There are no suggestions and no decisions yet.")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        form = st.segmented_control(
            "Form", [ICICLE, SUNBURST], default=ICICLE, required=True, key="chart_form"
        )
        n_suggested = len(prediction.wanting) if prediction else 0
        n_shown = _how_many(n_suggested)
    pieces = document_pieces(
        vocabulary.hierarchy,
        prediction,
        decisions,
        n_shown=n_shown,
        language=session.language(),
        title=fetch_document(session.store(), document_id).title,
        rules=session.rules(),
    )
    figure = document_figure(pieces, sunburst=form == SUNBURST, dark=is_dark())
    st.plotly_chart(figure, key="document_chart", theme=None, alt=_spoken(pieces), config=QUIET)
    st.markdown(f":small[{_legend({piece.state for piece in pieces})}]")


def _how_many(n_suggested: int) -> int:
    most = min(n_suggested, MOST_SHOWN)
    if most < 2:
        return most
    shown = st.slider("Suggestions", 1, most, min(SHOWN_AT_FIRST, most), key="chart_shown")
    return int(shown)


@dataclass(frozen=True, slots=True)
class Piece:
    """A concept at one of its places.

    Attributes:
        place: the ids of the path from the top, joined; a concept may have several.
        above: the place of the broader concept, or of the document; empty for the document.
        probability: that it is assigned; None where it was not suggested.
    """

    place: str
    above: str
    label: str
    state: str
    probability: float | None


def document_pieces(
    hierarchy: Hierarchy,
    prediction: Prediction | None,
    decisions: Mapping[str, Decision],
    *,
    n_shown: int,
    language: str,
    title: str,
    rules: Rules | None = None,
) -> list[Piece]:
    """Return what is suggested and decided, with all that is broader, at every place.

    Args:
        rules: suggestions that these hide are left out, unless they are decided.
    """
    rules = rules or Rules()
    probabilities = {
        suggestion.concept_id: suggestion.probability
        for suggestion in (prediction.wanting[:n_shown] if prediction else ())
        if suggestion.concept_id in decisions or not rules.hides(suggestion.concept_id, hierarchy)
    }
    wanted = [
        concept_id for concept_id in {**probabilities, **decisions} if concept_id in hierarchy
    ]
    decided = {concept_id: decision.state for concept_id, decision in decisions.items()}
    states = tree_states(hierarchy, decided, suggested=list(probabilities))
    pieces: dict[str, Piece] = {ROOT: Piece(ROOT, "", title, ABOVE, None)}
    for concept_id in wanted:
        for path in hierarchy.paths(concept_id, limit=MOST_PATHS):
            for depth, step in enumerate(path, start=1):
                place = "\n".join(path[:depth])
                label = hierarchy[step].label(language)
                above = "\n".join(path[: depth - 1]) or ROOT
                state = states.get(step, ABOVE)
                piece = Piece(place, above, label, state, probabilities.get(step))
                pieces.setdefault(place, piece)
    return list(pieces.values())


def document_figure(pieces: list[Piece], *, sunburst: bool, dark: bool) -> go.Figure:
    """Return an icicle from left to right, or a sunburst; what is more probable is larger."""
    import plotly.graph_objects as go  # half a second, which pages without a chart need not wait

    looks = [LOOKS[piece.state] for piece in pieces]
    values = [max(piece.probability or 0.0, _least(piece)) for piece in pieces]
    inner = {piece.above for piece in pieces}
    trace = (go.Sunburst if sunburst else go.Icicle)(
        ids=[piece.place for piece in pieces],
        parents=[piece.above for piece in pieces],
        labels=[
            look.sign + _broken(piece.label) for look, piece in zip(looks, pieces, strict=True)
        ],
        values=[
            0.0 if piece.place in inner and piece.probability is None else value
            for piece, value in zip(pieces, values, strict=True)
        ],
        customdata=[
            [plain(piece.label, 200), look.words, _percent(piece.probability)]
            for look, piece in zip(looks, pieces, strict=True)
        ],
        hovertemplate="%{customdata[0]}<br>%{customdata[1]}%{customdata[2]}<extra></extra>",
        branchvalues="remainder",
        marker=_marker(looks, dark),
        insidetextfont={"color": ink(dark), "size": 13},
        outsidetextfont={"color": ink(dark), "size": 13},  # what Plotly takes for the root
    )
    figure = go.Figure(trace)
    if not sunburst:
        figure.update_traces(tiling={"orientation": "h"}, pathbar={"visible": True})
    figure.update_layout(uniformtext={"minsize": SMALLEST_TEXT, "mode": "hide"})
    return styled(figure, dark, height=560)


def _marker(looks: Sequence[Look], dark: bool) -> dict[str, Any]:
    return {
        "colors": [look.dark if dark else look.light for look in looks],
        "pattern": {
            "shape": [look.pattern for look in looks],
            "fillmode": "overlay",
            "fgcolor": "#e4e9e7" if dark else "#5d3a36",
            "fgopacity": 0.35,
            "size": 9,
            "solidity": 0.12,
        },
        "line": {"color": "#15191a" if dark else "#ffffff", "width": 1.5},
    }


def _least(piece: Piece) -> float:
    return LEAST_DECIDED if piece.state in DECIDED else LEAST_SHARE


def _broken(title: str) -> str:
    """Return a title in short lines: Plotly would rather make it small than break it."""
    return "<br>".join(map(plain, wrap(title[: 2 * LONGEST_LABEL], TITLE_WIDTH)))


def _percent(probability: float | None) -> str:
    return "" if probability is None else f"<br>{probability:.0%} probable"


def _legend(states: set[str]) -> str:
    shown = [look for name, look in LOOKS.items() if name in states and look.sign]
    marks = " · ".join(f"{look.sign.strip()} {look.words}" for look in shown)
    return f"Larger is more probable; what was decided has a least size. {marks}".strip()


def _spoken(pieces: list[Piece]) -> str:
    counted = {
        state: sum(piece.state == state for piece in pieces)
        for state in ("accepted", "rejected", "unresolved")
    }
    tops = ", ".join(piece.label[:80] for piece in pieces if piece.above == ROOT)
    numbers = ", ".join(f"{number} {LOOKS[state].words}" for state, number in counted.items())
    return f"The suggestions as a tree of {tops}: {numbers}. The tree on the page has them all."
