"""Pictures for those who would rather look than read: a document's tree, a batch's branches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import plotly.graph_objects as go
import streamlit as st

from core.review.branches import Branch, busiest_branches
from core.review.decisions import Decision, current
from core.review.tree import tree_states
from core.suggest.suggestions import Prediction
from core.vocabulary.concepts import Hierarchy
from pages.serving import Vocabulary, workplace

MOST_SHOWN = 100
SHOWN_AT_FIRST = 30
MOST_PATHS = 4  # of one concept
MOST_BRANCHES = 20
LONGEST_LABEL = 60
LEAST_SHARE = 0.02  # so that what is improbable can still be seen
ICICLE, SUNBURST = "Icicle", "Sunburst"
ALL_BATCHES = "All documents"
ABOVE = "above"  # a heading of which there is nothing to say
ROOT = "\n"  # the place of the document, above all concepts
LEVELS = {1: "Domains", 2: "One level below"}


@dataclass(frozen=True, slots=True)
class Look:
    """How a state is drawn: never by colour alone."""

    words: str
    sign: str
    pattern: str
    light: str
    dark: str


LOOKS = {
    "accepted": Look("accepted", "✓ ", "", "#8fd3ac", "#1f6b42"),
    "implied": Look("implied by what is accepted", "↑ ", ".", "#d6efe0", "#234534"),
    "rejected": Look("rejected", "✕ ", "/", "#f2b8b2", "#7c2f28"),
    "excluded": Look("ruled out", "⊘ ", "x", "#e3c4c1", "#55302d"),
    "conflict": Look("in conflict with a ruled-out branch", "! ", "+", "#f6d08a", "#77500f"),
    "unresolved": Look("not decided", "", "", "#cfe0e3", "#29464b"),
    "below excluded": Look("in a ruled-out branch", "⊘ ", "x", "#ecdedc", "#3d2c2a"),
    ABOVE: Look("a broader concept", "", "", "#eef1f0", "#262d2e"),
}


def render_chart_button() -> bool:
    """A button for the picture of the open document; whether it was pressed."""
    return st.button(
        "Chart",
        key="chart",
    )


@st.dialog("Suggestions along the hierarchy", width="large")
def show_chart(document_id: str) -> None:
    """The picture of a document, over the page."""
    shared = workplace()
    stored = shared.store().latest_prediction(document_id)
    vocabulary = shared.vocabulary()
    if vocabulary is None:
        st.info("The vocabulary could not be loaded, so there is no hierarchy to draw.")
        return
    decisions = current(shared.store(), document_id)
    prediction = stored.prediction if stored else None
    if prediction is None and not decisions:
        st.info("There are no suggestions and no decisions yet.")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        form = st.segmented_control(
            "Form", [ICICLE, SUNBURST], default=ICICLE, required=True, key="chart_form"
        )
        n_suggested = len(prediction.suggestions) if prediction else 0
        n_shown = _how_many(n_suggested)
    pieces = document_pieces(
        vocabulary.hierarchy,
        prediction,
        decisions,
        n_shown=n_shown,
        language=_language(),
        title=shared.store().document(document_id).title,
    )
    figure = document_figure(pieces, sunburst=form == SUNBURST, dark=is_dark())
    st.plotly_chart(figure, key="document_chart", theme=None, alt=_spoken(pieces), config=QUIET)
    st.markdown(f":small[{_legend({piece.state for piece in pieces})}]")


QUIET = {"displayModeBar": False, "displaylogo": False}


def _how_many(n_suggested: int) -> int:
    most = min(n_suggested, MOST_SHOWN)
    if most < 2:
        return most
    shown = st.slider("Suggestions", 1, most, min(SHOWN_AT_FIRST, most), key="chart_shown")
    return int(shown)


def _language() -> str:
    return workplace().language()


def is_dark() -> bool:
    """Whether the page is dark now."""
    return st.context.theme.type == "dark"


# ---------------------------------------------------------------------- a document


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
) -> list[Piece]:
    """What is suggested and decided, with all that is broader, at every place."""
    suggestions = prediction.suggestions[:n_shown] if prediction else ()
    probabilities = {one.concept_id: one.probability for one in suggestions}
    wanted = [one for one in {**probabilities, **decisions} if one in hierarchy]
    states = tree_states(hierarchy, decisions, suggested=list(probabilities))
    pieces: dict[str, Piece] = {ROOT: Piece(ROOT, "", title, ABOVE, None)}
    for concept_id in wanted:
        for path in hierarchy.paths(concept_id, limit=MOST_PATHS):
            for depth, step in enumerate(path, start=1):
                place = "\n".join(path[:depth])
                label = hierarchy[step].label(language)
                above = "\n".join(path[: depth - 1]) or ROOT
                state = states[step].word if step in states else ABOVE
                piece = Piece(place, above, label, state, probabilities.get(step))
                pieces.setdefault(place, piece)
    return list(pieces.values())


def document_figure(pieces: list[Piece], *, sunburst: bool, dark: bool) -> go.Figure:
    """An icicle from left to right, or a sunburst; what is more probable is larger."""
    looks = [LOOKS[piece.state] for piece in pieces]
    values = [max(piece.probability or 0.0, LEAST_SHARE) for piece in pieces]
    inner = {piece.above for piece in pieces}
    form = go.Sunburst if sunburst else go.Icicle
    trace = form(
        ids=[piece.place for piece in pieces],
        parents=[piece.above for piece in pieces],
        labels=[look.sign + plain(piece.label) for look, piece in zip(looks, pieces, strict=True)],
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
        marker={
            "colors": [look.dark if dark else look.light for look in looks],
            "pattern": {
                "shape": [look.pattern for look in looks],
                "fillmode": "overlay",
                "fgcolor": "#e4e9e7" if dark else "#5d3a36",
                "fgopacity": 0.45,
                "size": 7,
                "solidity": 0.18,
            },
            "line": {"color": "#15191a" if dark else "#ffffff", "width": 1.5},
        },
        insidetextfont={"color": _ink(dark), "size": 13},
    )
    figure = go.Figure(trace)
    if not sunburst:
        figure.update_traces(tiling={"orientation": "h"}, pathbar={"visible": True})
    return _dressed(figure, dark, height=560)


def _dressed(figure: go.Figure, dark: bool, *, height: int) -> go.Figure:
    """In the colours of the page, without what a picture does not need."""
    return figure.update_layout(
        height=height,
        margin={"l": 4, "r": 4, "t": 24, "b": 4},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"color": _ink(dark), "size": 13, "family": "Source Sans, sans-serif"},
        hoverlabel={"bgcolor": "#1d2324" if dark else "#ffffff", "font": {"color": _ink(dark)}},
    )


def _ink(dark: bool) -> str:
    return "#e4e9e7" if dark else "#1d2726"


def plain(label: str, longest: int = LONGEST_LABEL) -> str:
    """A label as text: Plotly reads some HTML in it otherwise."""
    shown = label if len(label) <= longest else f"{label[: longest - 1]}…"
    return shown.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("$", "＄")


def _percent(probability: float | None) -> str:
    return "" if probability is None else f"<br>{probability:.0%} probable"


def _legend(states: set[str]) -> str:
    shown = [look for name, look in LOOKS.items() if name in states and look.sign]
    marks = " · ".join(f"{look.sign.strip()} {look.words}" for look in shown)
    return f"Larger is more probable. {marks}".strip()


def _spoken(pieces: list[Piece]) -> str:
    """What the picture shows, for those who do not see it."""
    counted = {
        state: sum(piece.state == state for piece in pieces)
        for state in ("accepted", "rejected", "unresolved")
    }
    tops = ", ".join(piece.label[:80] for piece in pieces if piece.above == ROOT)
    numbers = ", ".join(f"{number} {LOOKS[state].words}" for state, number in counted.items())
    return f"The suggestions as a tree of {tops}: {numbers}. The tree on the page has them all."


# ---------------------------------------------------------------------- a batch


def render_branches() -> None:
    """Which branches were accepted and rejected most, for all documents or a batch."""
    shared = workplace()
    vocabulary = shared.vocabulary()
    if vocabulary is None:
        return
    with st.expander("Branches that were accepted and rejected most", icon=":material/bar_chart:"):
        store, project_id = shared.store(), shared.project_id()
        batches = sorted({one.batch for one in store.documents(project_id) if one.batch})
        with st.container(horizontal=True, vertical_alignment="bottom"):
            batch = None
            if batches:
                chosen = st.selectbox(
                    "Batch", [ALL_BATCHES, *batches], key="branches_batch", width=320
                )
                batch = None if chosen == ALL_BATCHES else chosen
            level = st.segmented_control(
                "Branches",
                list(LEVELS),
                default=1,
                required=True,
                format_func=LEVELS.__getitem__,
                key="branches_level",
            )
        branches = busiest_branches(
            store, project_id, hierarchy=vocabulary.hierarchy, level=level or 1, batch=batch
        )
        _render_bars(branches, vocabulary)


def _render_bars(branches: list[Branch], vocabulary: Vocabulary) -> None:
    if not branches:
        st.info("Nothing was decided yet: accept or reject something, and it is counted here.")
        return
    shown = branches[:MOST_BRANCHES]
    labels = {
        one.concept_id: vocabulary.hierarchy[one.concept_id].label(_language()) for one in shown
    }
    figure = branch_figure(shown, labels, dark=is_dark())
    spoken = "; ".join(
        f"{labels[one.concept_id][:80]}: {one.n_accepted} accepted, {one.n_rejected} rejected"
        for one in shown
    )
    st.plotly_chart(figure, key="branch_chart", theme=None, alt=spoken, config=QUIET)
    if len(branches) > len(shown):
        st.markdown(f":small[The {len(shown)} branches with most decisions, of {len(branches)}.]")


def branch_figure(branches: list[Branch], labels: Mapping[str, str], *, dark: bool) -> go.Figure:
    """Two bars a branch, numbers at their ends."""
    names = [plain(labels[one.concept_id]) for one in branches]
    figure = go.Figure()
    for state, numbers in (
        ("accepted", [one.n_accepted for one in branches]),
        ("rejected", [one.n_rejected for one in branches]),
    ):
        look = LOOKS[state]
        figure.add_bar(
            y=[one.concept_id for one in branches],
            x=numbers,
            text=numbers,
            name=f"{look.sign}{look.words}",
            orientation="h",
            textposition="outside",
            cliponaxis=False,
            customdata=names,
            hovertemplate=f"%{{customdata}}<br>%{{x}} {look.words}<extra></extra>",
            marker={
                "color": look.dark if dark else look.light,
                "pattern": {
                    "shape": look.pattern,
                    "fillmode": "overlay",
                    "fgcolor": _ink(dark),
                    "fgopacity": 0.45,
                    "size": 7,
                    "solidity": 0.18,
                },
                "line": {"color": _ink(dark), "width": 0.6},
            },
        )
    grid = "#353e3f" if dark else "#d5dcda"
    figure.update_xaxes(gridcolor=grid, zeroline=False, showticklabels=False, fixedrange=True)
    ids = [one.concept_id for one in branches]
    figure.update_yaxes(
        type="category", tickvals=ids, ticktext=names, autorange="reversed", fixedrange=True
    )
    figure.update_yaxes(automargin=True, ticksuffix="  ")
    figure.update_layout(
        barmode="group", bargap=0.3, legend={"orientation": "h", "y": 1.02, "yanchor": "bottom"}
    )
    return _dressed(figure, dark, height=110 + 44 * len(branches)).update_layout(margin={"t": 40})
