"""Lists of the Vocabulary page: what is used here and what is not, and the rules in force."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypedDict

from core.clinical.joined import conventions_in
from core.review.reports.used import accepted_concepts
from core.review.store.rules import KINDS, Rules
from core.review.store.store import Store
from core.vocabulary.concepts import Hierarchy
from pages.components.markdown import count

MOST = 8  # concepts of each list
MOST_BRANCHES = 24


class OverviewRow(TypedDict):
    """A row of the overview; `code` is "" where codes do not come first."""

    id: str
    code: str
    label: str
    note: str


class OverviewList(TypedDict):
    """A list of concepts with a heading; a sentence where it is empty."""

    heading: str
    empty: str
    rows: list[OverviewRow]


def overview(
    store: Store, project_id: int, hierarchy: Hierarchy, language: str
) -> list[OverviewList]:
    """Return what is used most here, what was accepted last, and the branches without any use.

    Raises:
        StoreError: the store cannot be read.
    """
    accepted = [
        concept
        for concept in accepted_concepts(store, project_id)
        if concept.concept_id in hierarchy
    ]
    often = sorted(accepted, key=lambda concept: -concept.n_accepted)[:MOST]
    counted = {concept.concept_id: count(concept.n_accepted, "document") for concept in accepted}
    unused = unused_branches(hierarchy, counted)
    n_left = len(unused) - MOST_BRANCHES
    heading = f"Branches not used yet: {len(unused):,}" if n_left > 0 else "Branches not used yet"

    def rows(ids: Iterable[str], notes: Mapping[str, str]) -> list[OverviewRow]:
        return [_row(hierarchy, i, language, note=notes.get(i, "")) for i in ids]

    return [
        OverviewList(
            heading="Most used here",
            empty="Nothing was accepted in this project yet.",
            rows=rows((concept.concept_id for concept in often), counted),
        ),
        OverviewList(
            heading="Accepted last",
            empty="What is accepted on documents stands here.",
            rows=rows((concept.concept_id for concept in accepted[:MOST]), counted),
        ),
        OverviewList(
            heading=heading,
            empty="Something in every branch is used."
            if any(map(hierarchy.narrower, hierarchy.top_concepts))
            else "This vocabulary has no branches.",
            rows=rows(unused[:MOST_BRANCHES], {}),
        ),
    ]


def unused_branches(hierarchy: Hierarchy, used: Iterable[str]) -> list[str]:
    """Return the top concepts that neither are used nor have anything used below them.

    One without narrower concepts is no branch: some lists of codes have no other concepts.
    """
    reached: set[str] = set()
    for concept_id in used:
        reached |= {concept_id, *hierarchy.ancestors(concept_id)}
    return [
        concept_id
        for concept_id in hierarchy.top_concepts
        if concept_id not in reached and hierarchy.narrower(concept_id)
    ]


def _row(hierarchy: Hierarchy, concept_id: str, language: str, *, note: str) -> OverviewRow:
    concept = hierarchy[concept_id]
    code_first = conventions_in(hierarchy).code_first
    code = concept.notation or "" if code_first else ""
    return OverviewRow(id=concept_id, code=code, label=concept.label(language), note=note)


def in_force(rules: Rules, hierarchy: Hierarchy, language: str) -> list[dict[str, str]]:
    """Return all rules, by label; a concept that the vocabulary lost goes by that of before."""
    by_kind = zip(KINDS, (rules.never_suggested, rules.never_assigned), strict=True)
    rows = [
        {"id": concept_id, "label": _label(concept_id, hierarchy, language), "kind": kind}
        for kind, concept_ids in by_kind
        for concept_id in concept_ids
    ]
    return sorted(rows, key=lambda rule: (rule["label"].casefold(), rule["kind"]))


def _label(concept_id: str, hierarchy: Hierarchy, language: str) -> str:
    if concept_id in hierarchy:
        return hierarchy[concept_id].label(language)
    withdrawn = hierarchy.withdrawn(concept_id)
    return f"{withdrawn.label(language)} (withdrawn)" if withdrawn else concept_id
