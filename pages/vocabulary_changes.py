"""What a version of a vocabulary changes, and which decisions that touches."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice

import streamlit as st

from core.review.reports.usage import touched
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.versions.comparison import VersionComparison
from pages.serving import workplace

MOST_ROWS = 2_000

Row = dict[str, str]


def render_changes(comparison: VersionComparison, old: Hierarchy, new: Hierarchy) -> None:
    """The decisions that deserve another look, then every kind of change in a list of its own."""
    if comparison.is_same:
        st.markdown("Concepts, labels and places are the same; notes may differ.")
        return
    render_touched(comparison, old)
    language = workplace().language()
    for words, total, rows in _kinds(comparison, old, new, language):
        if not total:
            continue
        with st.expander(f"{words}: {total:,}"):
            if total > MOST_ROWS:
                st.caption(f"The first {MOST_ROWS:,} of {total:,}.")
            st.dataframe(list(islice(rows(), MOST_ROWS)), hide_index=True)
    for words, languages in (
        ("New languages", comparison.new_languages),
        ("Languages that are gone", comparison.lost_languages),
    ):
        if languages:
            st.markdown(f"{words}: {', '.join(code or 'none stated' for code in languages)}")


def render_touched(comparison: VersionComparison, old: Hierarchy) -> None:
    """Which decisions are about concepts that were withdrawn, renamed or moved."""
    shared = workplace()
    found = touched(shared.store(), shared.project_id(), comparison.changed_ids)
    if not found:
        st.markdown("No decision that was made here is touched.")
        return
    documents = {one.document_id for decided in found.values() for one in decided}
    n_decisions = sum(len(decided) for decided in found.values())
    st.warning(
        f"{n_decisions:,} decision{'s' if n_decisions != 1 else ''} on {len(documents):,} "
        f"document{'s' if len(documents) != 1 else ''} concern concepts that change. They stay as "
        "they are; look at them after taking the version.",
        icon=":material/history:",
    )
    withdrawn = {one.concept_id for one in comparison.withdrawn}
    renamed = {one.concept_id for one in comparison.renamed}
    rows = [
        {
            "Concept": old[concept_id].label(shared.language()),
            "Change": _change(concept_id, withdrawn, renamed),
            "Decision": one.state,
            "Document": one.title,
        }
        for concept_id, decided in found.items()
        for one in decided
    ]
    with st.expander(f"Decisions that are touched: {n_decisions:,}", expanded=n_decisions <= 10):
        st.dataframe(rows[:MOST_ROWS], hide_index=True)


def _change(concept_id: str, withdrawn: set[str], renamed: set[str]) -> str:
    if concept_id in withdrawn:
        return "withdrawn"
    return "renamed" if concept_id in renamed else "moved"


def _kinds(
    comparison: VersionComparison, old: Hierarchy, new: Hierarchy, language: str
) -> Iterable[tuple[str, int, Callable[[], Iterable[Row]]]]:
    """Name, number and rows of each kind of change."""

    def labels(hierarchy: Hierarchy, concept_ids: Iterable[str]) -> str:
        known = (hierarchy[i].label(language) if i in hierarchy else i for i in concept_ids)
        return ", ".join(known) or "(top)"

    def added() -> Iterable[Row]:
        for one in comparison.added:
            yield {"Concept": labels(new, [one]), "Below": labels(new, new.broader(one))}

    def withdrawn() -> Iterable[Row]:
        for one in comparison.withdrawn:
            instead = labels(new, one.replaced_by) if one.replaced_by else "not stated"
            yield {"Concept": labels(old, [one.concept_id]), "Use instead": instead}

    def renamed() -> Iterable[Row]:
        for one in comparison.renamed:
            yield {"Language": one.language, "Before": one.before, "After": one.after}

    def moved() -> Iterable[Row]:
        for one in comparison.moved:
            places = {
                "Before below": labels(old, one.before),
                "After below": labels(new, one.after),
            }
            yield {"Concept": labels(new, [one.concept_id]), **places}

    def relabelled() -> Iterable[Row]:
        for one in comparison.relabelled:
            yield {
                "Concept": labels(new, [one.concept_id]),
                "Language": one.language,
                "Added": ", ".join(one.added),
                "Dropped": ", ".join(one.dropped),
            }

    return (
        ("Added", len(comparison.added), added),
        ("Withdrawn", len(comparison.withdrawn), withdrawn),
        ("Renamed", len(comparison.renamed), renamed),
        ("Moved", len(comparison.moved), moved),
        ("Other alternative labels", len(comparison.relabelled), relabelled),
    )
