"""The part of the hierarchy that a document's page shows: concepts with everything above them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import NotRequired, TypedDict
from weakref import WeakKeyDictionary

from core.clinical.joined import is_companion, part_of
from core.clinical.notation import SYMPTOMS
from core.review.store.rules import Rules
from core.suggest.suggestions import Prediction, Suggestion
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.conventions import conventions_of
from core.vocabulary.full_titles import full_title

MOST_NODES = 50_000  # of one vocabulary, some 30 MB


class OutlineNode(TypedDict):
    """A concept as the browser draws it.

    `rank`, `probability` and `source` only where it was suggested, `own` where the model knows how
    probable it is itself though it was not, `branch` for it or anything below; `given` where it
    came with the document; `assignable` is False for a heading and where a rule forbids it
    (`forbidden`); `symptoms` of a chapter of symptoms, which stands behind likely ones; `system`
    names the code system where it is a companion of the project's own; `elsewhere` names the
    suggester on another machine that suggests it as well; `denied` says how the text denies it; `withdrawn` of what this version of the
    vocabulary does not offer any more, with the labels of what is to be used `instead`.
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
    denied: NotRequired[str]
    withdrawn: NotRequired[bool]
    instead: NotRequired[list[str]]


def outline(
    concept_ids: Iterable[str],
    *,
    hierarchy: Hierarchy | None,
    prediction: Prediction | None = None,
    language: str = "en",
    given: Collection[str] = (),
    rules: Rules | None = None,
    earlier: Iterable[Suggestion] = (),
) -> list[OutlineNode]:
    """Return nodes of these concepts, of all suggestions, and of all that is broader.

    Args:
        concept_ids: what is shown whether or not it was suggested, as decided concepts are.
        hierarchy: None where no vocabulary could be loaded; then suggestions keep the labels that
            were stored with them, and nothing is above them. So does what it does not know.
        given: came with the document as assigned already.
        rules: suggestions that these hide are left out, unless they are in `concept_ids` or given.
        earlier: suggestions that this version of the vocabulary lacks, which a concept is called by
            where no version that is here has it.
    """
    stored = {suggestion.concept_id: suggestion for suggestion in earlier}
    rules = rules or Rules()
    shown = dict.fromkeys([*concept_ids, *given])
    suggested = {
        suggestion.concept_id: suggestion
        for suggestion in (prediction.suggestions if prediction else ())
        if suggestion.concept_id in shown or not rules.hides(suggestion.concept_id, hierarchy)
    }
    wanted = dict.fromkeys([*suggested, *shown])
    if hierarchy is not None:
        present = [concept_id for concept_id in wanted if concept_id in hierarchy]
        wanted |= dict.fromkeys(sorted(hierarchy.augment(present)))
    return [
        _node(
            concept_id,
            hierarchy=hierarchy,
            suggestion=suggested.get(concept_id),
            prediction=prediction,
            language=language,
            given=concept_id in given,
            rules=rules,
            stored=stored,
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
    stored: Mapping[str, Suggestion],
) -> OutlineNode:
    """One concept, from the vocabulary where it is there, or else from what was suggested."""
    if hierarchy is not None and concept_id in hierarchy:
        node = _in_vocabulary(concept_id, hierarchy, language).copy()
        node["forbidden"] = rules.forbids(concept_id, hierarchy)
        node["assignable"] = node["assignable"] and not node["forbidden"]
    else:
        shown = suggestion or stored.get(concept_id)
        node = _lost(concept_id, hierarchy, shown, language)
    node["given"] = given
    if prediction is None:
        return node
    node["own"] = prediction.own_probability.get(concept_id)
    if suggestion is None:
        node["branch"] = prediction.branch_probability.get(concept_id)
        return node
    node["probability"], node["branch"] = suggestion.probability, suggestion.branch_probability
    node["rank"], node["source"] = suggestion.rank, suggestion.source
    if suggestion.denied:
        node["denied"] = suggestion.denied
    elsewhere = prediction.elsewhere
    if elsewhere is not None and concept_id in elsewhere.found:
        node["elsewhere"] = elsewhere.name
    return node


# What every page and every answer says again of the same concepts.
_NODES: WeakKeyDictionary[Hierarchy, dict[tuple[str, str], OutlineNode]] = WeakKeyDictionary()


def _in_vocabulary(concept_id: str, hierarchy: Hierarchy, language: str) -> OutlineNode:
    """Return what the vocabulary says of a concept; to be copied, not changed."""
    nodes = _NODES.setdefault(hierarchy, {})
    node = nodes.get((concept_id, language))
    if node is None:
        if len(nodes) >= MOST_NODES:  # a request may name any language
            nodes.clear()
        node = nodes[concept_id, language] = _of_concept(concept_id, hierarchy, language)
    return node


def _of_concept(concept_id: str, hierarchy: Hierarchy, language: str) -> OutlineNode:
    concept = hierarchy[concept_id]
    node = _bare(concept_id, full_title(concept_id, hierarchy, language), concept.notation)
    node["broader"] = list(concept.broader)
    node["assignable"] = concept.assignable
    is_lexical = conventions_of(hierarchy.vocabulary_id).lexical
    if is_lexical and not concept.assignable and SYMPTOMS.search(node["label"]):
        node["symptoms"] = True
    part = part_of(concept_id, hierarchy)
    if is_companion(part, hierarchy):
        node["system"] = part.vocabulary_id
    return node


def _lost(
    concept_id: str, hierarchy: Hierarchy | None, suggestion: Suggestion | None, language: str
) -> OutlineNode:
    """Return a concept that is not offered: as it was called before, or else when it was shown."""
    before = hierarchy.withdrawn(concept_id) if hierarchy is not None else None
    if hierarchy is None or before is None:
        node = _unknown(concept_id, suggestion)
        if hierarchy is not None and suggestion is not None:
            node["withdrawn"] = True
        return node
    node = _bare(concept_id, before.label(language), before.notation)
    node["withdrawn"] = True
    node["instead"] = [hierarchy[i].label(language) for i in hierarchy.replacements(concept_id)]
    return node


def _unknown(concept_id: str, suggestion: Suggestion | None) -> OutlineNode:
    if suggestion is None:
        return _bare(concept_id, concept_id, None)
    return _bare(concept_id, suggestion.pref_label, suggestion.notation)


def _bare(concept_id: str, label: str, notation: str | None) -> OutlineNode:
    """Return a concept at the top that may be assigned and that nobody suggested."""
    return OutlineNode(
        id=concept_id,
        label=label,
        notation=notation,
        broader=[],
        assignable=True,
        forbidden=False,
        probability=None,
        own=None,
        branch=None,
        rank=None,
        source=None,
        given=False,
    )
