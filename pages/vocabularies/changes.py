"""What a version of a vocabulary changes, and which decisions that touches."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

import streamlit as st

from core.review.reports.usage import touched
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.versions.comparison import VersionComparison
from pages import opening
from pages.components.markdown import count, escaped, plain, shortened
from pages.screens import screen
from pages.serving import current_session, here

MOST_ROWS = 2_000
MOST_DOCUMENTS = 50  # that are linked

Row = dict[str, str]


def render_changes(comparison: VersionComparison, old: Hierarchy, new: Hierarchy) -> None:
    """Draw the decisions that deserve another look, then a list of each kind of change."""
    if comparison.is_same:
        st.markdown("Concepts, labels and places are the same; notes may differ.")
        return
    render_touched(comparison, old)
    changes = _Changes(comparison, old, new, current_session().language())
    for words, total, rows in changes.kinds():
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
    """Draw which decisions are about concepts that were withdrawn, renamed or moved."""
    session = current_session()
    by_concept = touched(session.store(), session.project_id(), comparison.changed_ids)
    if not by_concept:
        st.markdown("No decision that was made here is touched.")
        return
    documents = {decision.document_id for decided in by_concept.values() for decision in decided}
    n_decisions = sum(len(decided) for decided in by_concept.values())
    st.warning(
        f"{count(n_decisions, 'decision')} on {count(len(documents), 'document')} concern concepts "
        "that change. They stay as they are; look at them after taking the version.",
        icon=":material/history:",
    )
    withdrawn = {change.concept_id for change in comparison.withdrawn}
    renamed = {change.concept_id for change in comparison.renamed}
    has_titles = not opening.hides_titles()
    rows = [
        {
            "Concept": old[concept_id].label(session.language()),
            "Change": _change(concept_id, withdrawn, renamed),
            "Decision": decision.state,
            "Document": decision.title if has_titles else decision.document_id,
        }
        for concept_id, decided in by_concept.items()
        for decision in decided
    ]
    with st.expander(f"Decisions that are touched: {n_decisions:,}", expanded=n_decisions <= 10):
        st.dataframe(rows[:MOST_ROWS], hide_index=True)


def render_touched_in_use(
    comparison: VersionComparison, now: Hierarchy, *, before: str, until: datetime | None
) -> None:
    """Draw the decisions that the version in use touches, with links to their documents.

    Args:
        before: the version before, as a sentence names it.
        until: when the version was taken: who decided on a renamed concept later knew its new name.
    """
    session = current_session()
    withdrawn = {change.concept_id: change.label for change in comparison.withdrawn}
    renamed = {change.concept_id for change in comparison.renamed}
    by_concept = touched(session.store(), session.project_id(), comparison.changed_ids)
    by_document: dict[str, list[str]] = {}
    titles: dict[str, str] = {}
    for concept_id, decided in by_concept.items():
        is_lost = concept_id in withdrawn
        label = withdrawn[concept_id] if is_lost else now[concept_id].label(session.language())
        change = _change(concept_id, set(withdrawn), renamed)
        for decision in decided:
            if is_lost or until is None or decision.decided_at <= until:
                sentence = f"{shortened(label)} ({change}), {decision.state}"
                by_document.setdefault(decision.document_id, []).append(sentence)
                titles[decision.document_id] = decision.title
    if not by_document:
        return
    n_decisions = sum(map(len, by_document.values()))
    st.warning(
        escaped(
            f"{count(n_decisions, 'decision')} on {count(len(by_document), 'document')} "
            f"concern concepts that changed since {before}. They stay as they are; look at them."
        ),
        icon=":material/history:",
    )
    with st.expander(f"Decisions to look at: {n_decisions:,}", expanded=n_decisions <= 10):
        for document_id, sayings in islice(by_document.items(), MOST_DOCUMENTS):
            st.page_link(
                screen("annotate"),
                label=plain(opening.listed_title(document_id, titles[document_id])) or "Untitled",
                query_params=here(document=document_id),
                icon=":material/description:",
            )
            st.caption(escaped("; ".join(sayings)))
        if len(by_document) > MOST_DOCUMENTS:
            st.caption(f"The first {MOST_DOCUMENTS} of {len(by_document):,} documents.")


def _change(concept_id: str, withdrawn: set[str], renamed: set[str]) -> str:
    if concept_id in withdrawn:
        return "withdrawn"
    return "renamed" if concept_id in renamed else "moved"


@dataclass(frozen=True, slots=True)
class _Changes:
    """The rows of a comparison, with the labels that its concepts have on either side."""

    comparison: VersionComparison
    old: Hierarchy
    new: Hierarchy
    language: str

    def kinds(self) -> Iterable[tuple[str, int, Callable[[], Iterable[Row]]]]:
        """Return name, number and rows of each kind of change."""
        changes = self.comparison
        return (
            ("Added", len(changes.added), self.added),
            ("Withdrawn", len(changes.withdrawn), self.withdrawn),
            ("Renamed", len(changes.renamed), self.renamed),
            ("Moved", len(changes.moved), self.moved),
            ("Other alternative labels", len(changes.relabelled), self.relabelled),
        )

    def added(self) -> Iterable[Row]:
        """Return concepts that are new."""
        for concept_id in self.comparison.added:
            broader = self.new.broader(concept_id)
            yield {"Concept": self.after([concept_id]), "Below": self.after(broader)}

    def withdrawn(self) -> Iterable[Row]:
        """Return concepts that are not offered any more, and what to use instead."""
        for change in self.comparison.withdrawn:
            instead = self.after(change.replaced_by) if change.replaced_by else "not stated"
            yield {"Concept": self.before([change.concept_id]), "Use instead": instead}

    def renamed(self) -> Iterable[Row]:
        """Return concepts with another label."""
        for change in self.comparison.renamed:
            yield {"Language": change.language, "Before": change.before, "After": change.after}

    def moved(self) -> Iterable[Row]:
        """Return concepts below other ones than before."""
        for change in self.comparison.moved:
            yield {
                "Concept": self.after([change.concept_id]),
                "Before below": self.before(change.before),
                "After below": self.after(change.after),
            }

    def relabelled(self) -> Iterable[Row]:
        """Return concepts with other alternative labels."""
        for change in self.comparison.relabelled:
            yield {
                "Concept": self.after([change.concept_id]),
                "Language": change.language,
                "Added": ", ".join(change.added),
                "Dropped": ", ".join(change.dropped),
            }

    def before(self, concept_ids: Iterable[str]) -> str:
        """Return labels in the version that is in use."""
        return _labels(self.old, concept_ids, self.language)

    def after(self, concept_ids: Iterable[str]) -> str:
        """Return labels in the version that would follow."""
        return _labels(self.new, concept_ids, self.language)


def _labels(hierarchy: Hierarchy, concept_ids: Iterable[str], language: str) -> str:
    labels = (hierarchy[i].label(language) if i in hierarchy else i for i in concept_ids)
    return ", ".join(labels) or "(top)"
