"""The part of the hierarchy that a document's page shows: concepts with everything above them."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NotRequired, TypedDict

from core.review.store.rules import Rules
from core.suggest.suggestions import Prediction, Suggestion
from core.vocabulary.codes.full_titles import full_title
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.conventions import SYMPTOMS, conventions_of
from core.vocabulary.joined import is_companion, part_of


class OutlineNode(TypedDict):
    """A concept as the browser draws it.

    `rank`, `probability` and `source` only where it was suggested, `own` where the model knows how
    probable it is itself though it was not, `branch` for it or anything below; `given` where it
    came with the document; `assignable` is False for a heading and where a rule forbids it
    (`forbidden`); `symptoms` of a chapter of symptoms, which stands behind likely ones; `system`
    names the code system where it is a companion of the project's own; `elsewhere` names the
    suggester on another machine that suggests it as well.
    """

    id: str
    label: str
    notation: str | None
    broader: list[str]
    assignable: bool
    forbidden: bool
    probability: float | None
    own: float | None
    branch: float | None
    rank: int | None
    source: str | None
    given: bool
    symptoms: NotRequired[bool]
    system: NotRequired[str]
    elsewhere: NotRequired[str]


def outline(
    concept_ids: Iterable[str],
    *,
    hierarchy: Hierarchy | None,
    prediction: Prediction | None = None,
    language: str = "en",
    given: Collection[str] = (),
    rules: Rules | None = None,
) -> list[OutlineNode]:
    """Return nodes of these concepts, of all suggestions, and of all that is broader.

    Args:
        concept_ids: what is shown whether or not it was suggested, as decided concepts are.
        hierarchy: None where no vocabulary could be loaded; then suggestions keep the labels that
            were stored with them, and nothing is above them. So does what it does not know.
        given: came with the document as assigned already.
        rules: suggestions that these hide are left out, unless they are in `concept_ids` or given.
    """
    rules = rules or Rules()
    shown = dict.fromkeys([*concept_ids, *given])
    suggested = {
        suggestion.concept_id: suggestion
        for suggestion in (prediction.suggestions if prediction else ())
        if suggestion.concept_id in shown or not rules.hides(suggestion.concept_id, hierarchy)
    }
    wanted = dict.fromkeys([*suggested, *shown])
    if hierarchy is not None:
        known = [concept_id for concept_id in wanted if concept_id in hierarchy]
        wanted |= dict.fromkeys(sorted(hierarchy.augment(known)))
    return [
        _node(
            concept_id,
            hierarchy=hierarchy,
            suggestion=suggested.get(concept_id),
            prediction=prediction,
            language=language,
            given=concept_id in given,
            rules=rules,
        )
        for concept_id in wanted
    ]


def _node(
    concept_id: str,
    *,
    hierarchy: Hierarchy | None,
    suggestion: Suggestion | None,
    prediction: Prediction | None,
    language: str,
    given: bool,
    rules: Rules,
) -> OutlineNode:
    """One concept, from the vocabulary where it is there, or else from what was suggested."""
    concept = hierarchy[concept_id] if hierarchy and concept_id in hierarchy else None
    forbidden = concept is not None and rules.forbids(concept_id, hierarchy)
    stored = suggestion.pref_label if suggestion else concept_id
    node = OutlineNode(
        id=concept_id,
        label=full_title(concept_id, hierarchy, language) if hierarchy and concept else stored,
        notation=concept.notation if concept else (suggestion.notation if suggestion else None),
        broader=list(concept.broader) if concept else [],
        assignable=not forbidden and (concept is None or concept.assignable),
        forbidden=forbidden,
        probability=suggestion.probability if suggestion else None,
        own=_own_probability(concept_id, prediction),
        branch=_branch_probability(concept_id, suggestion, prediction),
        rank=suggestion.rank if suggestion else None,
        source=suggestion.source if suggestion else None,
        given=given,
    )
    if hierarchy is not None and _is_of_symptoms(node, hierarchy):
        node["symptoms"] = True
    part = part_of(concept_id, hierarchy) if hierarchy else None
    if part is not None and is_companion(part, hierarchy):
        node["system"] = part.vocabulary_id
    said = prediction.elsewhere if prediction else None
    if said is not None and suggestion is not None and concept_id in said.found:
        node["elsewhere"] = said.name
    return node


def _is_of_symptoms(node: OutlineNode, hierarchy: Hierarchy) -> bool:
    """Return whether a node is the chapter of symptoms of a code system."""
    is_heading = not node["assignable"] and conventions_of(hierarchy.vocabulary_id).lexical
    return is_heading and SYMPTOMS.search(node["label"]) is not None


def _own_probability(concept_id: str, prediction: Prediction | None) -> float | None:
    return prediction.own_probability.get(concept_id) if prediction else None


def _branch_probability(
    concept_id: str, suggestion: Suggestion | None, prediction: Prediction | None
) -> float | None:
    if suggestion is not None:
        return suggestion.branch_probability
    return prediction.branch_probability.get(concept_id) if prediction else None
