"""What goes wrong: how near wrong suggestions are to the right ones on the tree."""

from __future__ import annotations

import streamlit as st

from core.insights import RELATIONS, Confusion, Insights
from pages.charts_looks import is_dark
from pages.figures.charts import stacked_figure
from pages.figures.figure import Shown, render, render_download, render_missing, render_origin
from pages.figures.quality import measured_on
from pages.figures.style import Series

WORDS = {
    "right": "right",
    "broader": "broader (parent or above)",
    "narrower": "narrower",
    "sibling": "sibling",
    "same_branch": "elsewhere in the same branch",
    "other_branch": "another branch",
}
RULE = (
    "For each document, as many first suggestions are looked at as people assigned labels to it. "
    "Each counts once, under the first of these that holds: **right**, it was assigned; "
    "**broader**, it stands above a label that was assigned (its parent, or higher); **narrower**, "
    "it stands below one; **sibling**, it has a parent in common with one, be that a mere division "
    "such as a micro-thesaurus; **elsewhere in the same branch**, it is below the same top concept "
    "as one; **another branch**, it is not."
)
IMPLIED = (
    "This model does not tell what is assigned from what is implied: what stands above an assigned "
    "label is right as well, and counts as assigned for how many are looked at and for siblings."
)
PAIR_COLUMNS = ("suggested", "assigned by people, and missed", "documents")


def render_errors(insights: Insights) -> None:
    """The relations by level, the rule, and the pairs that are confused most."""
    if insights.confusion is None:
        render_missing(
            "The labels of this model form no tree, or it does not tell which are assigned.", ""
        )
        return
    render_relations(insights, insights.confusion)
    render_pairs(insights, insights.confusion)


def render_relations(insights: Insights, found: Confusion) -> None:
    """A row for all suggestions, and one for each level that they are on."""
    rows = {"all": found.counts} | {f"level {n}": c for n, c in sorted(found.by_level.items())}
    rows = {name: counts for name, counts in rows.items() if sum(counts.values())}
    series = [
        Series(WORDS[one], [c.get(one, 0) / sum(c.values()) for c in rows.values()])
        for one in RELATIONS
    ]
    wrong = sum(found.counts.values()) - found.counts.get("right", 0)
    near = wrong - found.counts.get("other_branch", 0)
    of_wrong = (
        f" Of the wrong ones here, {near / wrong:.0%} stay in the right branch." if wrong else ""
    )
    render(
        Shown(
            key="confusion_along_the_tree",
            title="Wrong, but how far off?",
            sentence="A wrong suggestion next to the right one on the tree is soon mended by hand; "
            f"one from another branch is a false track.{of_wrong}",
            label=f"{measured_on(insights)} {sum(found.counts.values()):,} suggestions; in "
            "brackets, how many are on a level.",
            command=str(insights.facts.get("command", "")),
            figure=stacked_figure(
                [f"{name} ({sum(c.values()):,})" for name, c in rows.items()],
                series,
                dark=is_dark(),
            ),
            columns=("suggested labels", *(WORDS[one] for one in RELATIONS)),
            rows=[(name, *(c.get(one, 0) for one in RELATIONS)) for name, c in rows.items()],
            alt="; ".join(f"{WORDS[one]}: {found.counts.get(one, 0):,}" for one in RELATIONS),
            note=f"{RULE} {IMPLIED}" if insights.facts.get("labels") == "augmented" else RULE,
        )
    )


def render_pairs(insights: Insights, found: Confusion) -> None:
    """Near concepts that were taken for each other."""
    if not found.pairs:
        return
    with st.container(key="figure_confused_pairs", border=True):
        st.header("Taken for each other", anchor=False)
        st.markdown(
            "Neighbours on the tree of which the model suggested one where people had chosen the "
            "other. Where a pair seems the same to you as well, a note in the vocabulary helps "
            "people and the next model alike."
        )
        rows = [(one.suggested, one.assigned, one.n_documents) for one in found.pairs]
        table = [dict(zip(PAIR_COLUMNS, row, strict=True)) for row in rows]
        st.dataframe(table, hide_index=True, key="confused_pairs", alt="Pairs of labels")
        render_origin(measured_on(insights), str(insights.facts.get("command", "")))
        render_download("confused_pairs", PAIR_COLUMNS, rows)
