"""`/api/concept`, `/api/narrower` and `/api/below`: all about one concept, and the tree below it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from core.api.answers import asked_language, loaded_vocabulary, problem, route
from core.api.counts import LARGE, ProjectCounts
from core.clinical.instructions import instructions
from core.review.guidance import read_note
from core.review.reports.outline import outline
from core.review.reports.summaries import count_documents
from core.review.reports.usage import Carrying, carrying, usage
from core.review.store.rules import NEVER_ASSIGNED, Rules
from core.serving.server import Server
from core.serving.session import Session
from core.vocabulary.concepts import Concept, Hierarchy
from core.vocabulary.conventions import conventions_of
from core.vocabulary.folding import fold_text

MAX_ID_CHARACTERS = 2_000  # a URI, where two end alike
MAX_PATHS = 12
MAX_CODES = 120  # below a category; more than these are looked for one step at a time
MAX_DOCUMENTS = 20
BELOW_NEVER_ASSIGNED = "below_never_assigned"

Named = dict[str, str]


def routes(server: Server) -> list[Route]:
    """Return `/api/concept?id=&lang=`, `/api/narrower?id=&lang=`, of which the id may be left out, and
    `/api/below?id=&lang=`.
    """
    counts = ProjectCounts()

    def concept(session: Session, request: Request) -> JSONResponse:
        hierarchy = loaded_vocabulary(session).hierarchy
        concept_id, language = _asked(request)
        concept = _find(hierarchy, concept_id)
        if concept is None:
            return _unknown(hierarchy, concept_id)
        facts = described(concept, hierarchy, language)
        review = _review(concept, session, hierarchy)
        below = _carried(session, hierarchy, counts).branch[concept_id]
        review["usage"]["branch"] = below
        return JSONResponse(facts | review)

    def narrower(session: Session, request: Request) -> JSONResponse:
        hierarchy = loaded_vocabulary(session).hierarchy
        concept_id, language = _asked(request)
        if concept_id and concept_id not in hierarchy:
            return _unknown(hierarchy, concept_id)
        below = hierarchy.narrower(concept_id) if concept_id else hierarchy.top_concepts
        rules, carried = session.rules(), _carried(session, hierarchy, counts)
        rows = [
            _row(hierarchy[narrower], hierarchy, language)
            | {"n_documents": carried.itself[narrower], "n_branch": carried.branch[narrower]}
            | {"rules": _rules(rules, narrower, hierarchy)}
            for narrower in in_order(below, hierarchy, language)
        ]
        return JSONResponse({"concepts": rows})

    return [
        route(server, "/api/concept", concept),
        route(server, "/api/narrower", narrower),
        route(server, "/api/below", _below),
    ]


def _below(session: Session, request: Request) -> JSONResponse:
    """The codes below a category, or, where they are many, the categories of its next level.

    `rows` are ids in the order of the codes, `complete` is whether they are all codes there are,
    and `n_codes` how many that is.
    """
    concept_id, language = _asked(request)
    served = session.vocabulary()
    if served is None or concept_id not in served.hierarchy:
        return problem("The vocabulary has no such concept.", 404)
    hierarchy, rules = served.hierarchy, session.rules()
    codes = sorted(
        below
        for below in hierarchy.descendants(concept_id)
        if hierarchy[below].assignable and not rules.forbids(below, hierarchy)
    )
    complete = len(codes) <= MAX_CODES
    rows = codes if complete else sorted(hierarchy.narrower(concept_id))
    nodes = outline(rows, hierarchy=hierarchy, language=language, rules=rules)
    answer = {"nodes": nodes, "rows": rows, "complete": complete, "n_codes": len(codes)}
    return JSONResponse(answer)


def _carried(session: Session, hierarchy: Hierarchy, counts: ProjectCounts) -> Carrying:
    """Return the counts of documents; in a large project the former ones while new ones are made."""
    served, store = session.project, session.store()
    is_small = count_documents(store, served.project_id) <= LARGE
    count = counts.of(
        served,
        (hierarchy.vocabulary_id, hierarchy.version, len(hierarchy)),  # which keeps none in memory
        lambda: carrying(store, served.project_id, hierarchy),
        at_once=is_small,
    )
    if is_small or count.found.done():
        carried: Carrying = count.found.result()
        return carried
    return count.former or Carrying(Counter(), Counter())


def _review(concept: Concept, session: Session, hierarchy: Hierarchy) -> dict[str, Any]:
    store, project_id = session.store(), session.project_id()
    used = usage(store, project_id, concept.concept_id, limit=MAX_DOCUMENTS)
    hidden = session.hides_titles()
    documents = [
        {
            "id": document.document_id,
            "title": f"Document {document.document_id}" if hidden else document.title,
            "state": document.state,
        }
        for document in used.documents
    ]
    return {
        "usage": {
            "accepted": used.n_accepted,
            "rejected": used.n_rejected,
            "documents": documents,
        },
        "rules": _rules(session.rules(), concept.concept_id, hierarchy),
        "advice": read_note(store, project_id, concept.concept_id),
    }


def _rules(rules: Rules, concept_id: str, hierarchy: Hierarchy) -> list[str]:
    kinds = rules.kinds(concept_id)
    if NEVER_ASSIGNED not in kinds and rules.forbids(concept_id, hierarchy):
        return [*kinds, BELOW_NEVER_ASSIGNED]
    return kinds


def described(concept: Concept, hierarchy: Hierarchy, language: str) -> dict[str, Any]:
    """Return what the card of a concept shows of the vocabulary."""
    offered = concept.concept_id in hierarchy
    paths = hierarchy.paths(concept.concept_id, limit=MAX_PATHS) if offered else []
    return {
        "id": concept.concept_id,
        "label": concept.label(language),
        "labels": dict(concept.pref_label),
        "alt": {
            label_language: list(labels) for label_language, labels in concept.alt_labels.items()
        },
        "notation": concept.notation,
        "code": concept.notation if _code_first(hierarchy) else None,
        "uri": concept.uri,
        "assignable": concept.assignable,
        "deprecated": not offered,
        "paths": [named(path, hierarchy, language) for path in paths],
        "notes": {
            kind: {label_language: list(texts) for label_language, texts in by_language.items()}
            for kind, by_language in concept.notes.items()
        },
        "instructions": inherited(concept.concept_id, hierarchy, language),
        "related": named(in_order(concept.related, hierarchy, language), hierarchy, language),
        "replaced_by": named(hierarchy.replacements(concept.concept_id), hierarchy, language),
        "n_narrower": len(hierarchy.narrower(concept.concept_id)) if offered else 0,
    }


def inherited(concept_id: str, hierarchy: Hierarchy, language: str) -> list[dict[str, str]]:
    """Return what a code system instructs above a code and so for it; the nearest first."""
    if not _code_first(hierarchy):
        return []
    return [
        {"kind": instruction.kind, "text": instruction.text, "id": instruction.stated_at}
        | {"label": hierarchy[instruction.stated_at].label(language)}
        for instruction in instructions(concept_id, hierarchy)
        if instruction.stated_at != concept_id
    ]


def _code_first(hierarchy: Hierarchy) -> bool:
    return conventions_of(hierarchy.vocabulary_id).code_first


def named(concept_ids: Iterable[str], hierarchy: Hierarchy, language: str) -> list[Named]:
    """Return the ids and labels of the concepts that may be offered."""
    return [{"id": i, "label": hierarchy[i].label(language)} for i in concept_ids if i in hierarchy]


def in_order(concept_ids: Iterable[str], hierarchy: Hierarchy, language: str) -> list[str]:
    """Sort the offered concepts as a reader looks for them: by label, without case and accents.

    Those of a code system stand as in its book, and others with codes in the order of these.
    """
    offered = [concept_id for concept_id in concept_ids if concept_id in hierarchy]
    if _code_first(hierarchy):
        return offered
    if hierarchy.has_codes:
        return sorted(offered, key=lambda concept_id: hierarchy[concept_id].notation or "")
    return sorted(offered, key=lambda concept_id: fold_text(hierarchy[concept_id].label(language)))


def _row(concept: Concept, hierarchy: Hierarchy, language: str) -> dict[str, Any]:
    return {
        "id": concept.concept_id,
        "label": concept.label(language),
        "notation": concept.notation if hierarchy.has_codes else None,
        "assignable": concept.assignable,
        "n_narrower": len(hierarchy.narrower(concept.concept_id)),
    }


def _find(hierarchy: Hierarchy, concept_id: str) -> Concept | None:
    if concept_id in hierarchy:
        return hierarchy[concept_id]
    return hierarchy.withdrawn(concept_id)


def _asked(request: Request) -> tuple[str, str]:
    asked = request.query_params
    return asked.get("id", "")[:MAX_ID_CHARACTERS], asked_language(asked)


def _unknown(hierarchy: Hierarchy, concept_id: str) -> JSONResponse:
    sentence = f"There is no concept {concept_id[:100]!r} in {hierarchy.vocabulary_id}."
    return problem(sentence, 404)
