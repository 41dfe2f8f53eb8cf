"""Which branches were accepted and rejected most, as bars on the Documents page."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from core.review.reports.summaries import batches
from core.review.reports.usage import Branch, busiest_branches
from core.serving.vocabularies import Vocabulary
from pages.charts.style import LOOKS, QUIET, bar_marker, grid, is_dark, plain, styled
from pages.components.counting import counted, may_count
from pages.serving import current_session

if TYPE_CHECKING:
    import plotly.graph_objects as go

MOST_BRANCHES = 20
ALL_BATCHES = "All documents"
LEVELS = {1: "Domains", 2: "One level below"}


def render_branches() -> None:
    """Draw which branches were accepted and rejected most, for all documents or a batch."""
    session = current_session()
    vocabulary = session.vocabulary()
    if vocabulary is None:
        return
    with st.expander("Branches that were accepted and rejected most", icon=":material/bar_chart:"):
        if not may_count("branches_count"):
            return
        store, project_id = session.store(), session.project_id()
        uploads = batches(store, project_id)
        with st.container(horizontal=True, vertical_alignment="bottom"):
            batch = None
            if uploads:
                chosen = st.selectbox(
                    "Batch", [ALL_BATCHES, *uploads], key="branches_batch", width=320
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
        branches = counted(
            ("branches", vocabulary.hierarchy, level, batch),
            partial(
                busiest_branches,
                store,
                project_id,
                hierarchy=vocabulary.hierarchy,
                level=level or 1,
                batch=batch,
            ),
        )
        if branches is not None:
            _render_bars(branches, vocabulary)


def _render_bars(branches: list[Branch], vocabulary: Vocabulary) -> None:
    if not branches:
        st.info("Nothing was decided yet: accept or reject something, and it is counted here.")
        return
    shown = branches[:MOST_BRANCHES]
    labels = {
        branch.concept_id: vocabulary.hierarchy[branch.concept_id].label(
            current_session().language()
        )
        for branch in shown
    }
    figure = branch_figure(shown, labels, dark=is_dark())
    spoken = "; ".join(
        f"{labels[branch.concept_id][:80]}: {branch.n_accepted} accepted, "
        f"{branch.n_rejected} rejected"
        for branch in shown
    )
    st.plotly_chart(figure, key="branch_chart", theme=None, alt=spoken, config=QUIET)
    if len(branches) > len(shown):
        st.markdown(f":small[The {len(shown)} branches with most decisions, of {len(branches)}.]")


def branch_figure(branches: list[Branch], labels: Mapping[str, str], *, dark: bool) -> go.Figure:
    """Return two bars a branch, numbers at their ends."""
    import plotly.graph_objects as go

    ids = [branch.concept_id for branch in branches]
    names = [plain(labels[concept_id]) for concept_id in ids]
    figure = go.Figure()
    for state, numbers in (
        ("accepted", [branch.n_accepted for branch in branches]),
        ("rejected", [branch.n_rejected for branch in branches]),
    ):
        look = LOOKS[state]
        figure.add_bar(
            y=ids,
            x=numbers,
            text=numbers,
            name=f"{look.sign}{look.words}",
            orientation="h",
            textposition="outside",
            cliponaxis=False,
            customdata=names,
            hovertemplate=f"%{{customdata}}<br>%{{x}} {look.words}<extra></extra>",
            marker=bar_marker(look, dark),
        )
    figure.update_xaxes(gridcolor=grid(dark), zeroline=False, showticklabels=False, fixedrange=True)
    figure.update_yaxes(
        type="category", tickvals=ids, ticktext=names, autorange="reversed", fixedrange=True,
        automargin=True, ticksuffix="  ",
    )  # fmt: skip
    figure.update_layout(
        barmode="group", bargap=0.3, legend={"orientation": "h", "y": 1.02, "yanchor": "bottom"}
    )
    return styled(figure, dark, height=110 + 44 * len(branches)).update_layout(margin={"t": 40})
