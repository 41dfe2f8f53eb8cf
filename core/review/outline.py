"""The part of the hierarchy that a document's page shows: concepts with everything above them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypedDict

from core.suggest.suggestions import Prediction, Suggestion
from core.vocabulary.concepts import Hierarchy


class OutlineNode(TypedDict):
    """A concept as the browser draws it; `rank` and `probability` only where it was suggested."""

    id: str
    label: str
    notation: str | None
    broader: list[str]
    assignable: bool
    probability: float | None
    branch: float | None
    rank: int | None


def outline(
    concept_ids: Iterable[str],
    *,
    hierarchy: Hierarchy | None,
    prediction: Prediction | None = None,
    language: str = "en",
) -> list[OutlineNode]:
    """Nodes of these concepts, of all suggestions, and of all that is broader.

    Args:
        hierarchy: None where no vocabulary could be loaded; then suggestions keep the labels that
            were stored with them, and nothing is above them. So does what it does not know.
    """
    suggestions = prediction.suggestions if prediction else ()
    suggested = {one.concept_id: one for one in suggestions}
    branches = dict(prediction.branch_probability) if prediction else {}
    wanted = dict.fromkeys([*suggested, *concept_ids])
    if hierarchy is not None:
        known = [concept_id for concept_id in wanted if concept_id in hierarchy]
        wanted |= dict.fromkeys(sorted(hierarchy.augment(known)))
    return [
        _node(concept_id, hierarchy, suggested.get(concept_id), branches.get(concept_id), language)
        for concept_id in wanted
    ]


def _node(
    concept_id: str,
    hierarchy: Hierarchy | None,
    suggestion: Suggestion | None,
    branch: float | None,
    language: str,
) -> OutlineNode:
    """One concept, from the vocabulary where it is there, or else from what was suggested."""
    node = OutlineNode(
        id=concept_id,
        label=suggestion.pref_label if suggestion else concept_id,
        notation=suggestion.notation if suggestion else None,
        broader=[],
        assignable=True,
        probability=suggestion.probability if suggestion else None,
        branch=suggestion.branch_probability if suggestion else branch,
        rank=suggestion.rank if suggestion else None,
    )
    if hierarchy is not None and concept_id in hierarchy:
        concept = hierarchy[concept_id]
        node["label"] = concept.label(language)
        node["notation"] = concept.notation
        node["broader"] = list(concept.broader)
        node["assignable"] = concept.assignable
    return node
