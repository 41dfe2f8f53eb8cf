"""`/v1/projects/{project_id}/reconcile`: concepts for the cells of a table, as OpenRefine asks.

Source: Reconciliation Service API 0.2, https://www.w3.org/community/reports/reconciliation/CG-FINAL-specs-0.2-20230410/
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.responses import JSONResponse
from starlette.routing import Route

from core.api.answers import json_value
from core.api.v1 import entities
from core.api.v1.messages import FORM, bad_request, held_to, whole_number
from core.api.v1.named import label_language, listed_project, vocabulary_of
from core.api.v1.operations import Call, Programs
from core.serving.vocabularies import Vocabulary

Fields = Mapping[str, str]

VERSIONS = ["0.2"]
DEFAULT_LIMIT, MOST_CANDIDATES, BATCH = 10, 100, 50
SUGGESTED = 20
ENTITY, PROPERTY, PROPOSED = "/suggest/entity", "/suggest/property", "/properties"
LANGUAGE_SETTING = {
    "name": "language",
    "label": "Language",
    "type": "text",
    "default": "",
    "help_text": "of labels and notes, such as de; that of the server's settings where it is empty",
}


def routes(programs: Programs) -> list[Route]:
    """Return `/v1/projects/{project_id}/reconcile`, and what is below it."""
    path = "/v1/projects/{project_id}/reconcile"
    return [
        programs.route(path, lambda call: _answer(call, call.query)),
        programs.route(path, lambda call: _answer(call, call.content), body=FORM),
        programs.route(f"{path}{ENTITY}", _suggested_entities),
        programs.route(f"{path}{PROPERTY}", _suggested_properties),
        programs.route(f"{path}{PROPOSED}", _proposed_properties),
    ]


def _answer(call: Call, fields: Fields) -> JSONResponse:
    listed_project(call.session)
    vocabulary = vocabulary_of(call.session)
    language = label_language(call.session, vocabulary, call.query.get("language"))
    if "queries" in fields:
        queries = held_to("ReconciliationQueries", _json(fields["queries"], "queries"))
        return JSONResponse(_reconciled(queries, vocabulary, language))
    if "extend" in fields:
        wanted = held_to("ExtensionQuery", _json(fields["extend"], "extend"))
        return JSONResponse(_extended(call, wanted, vocabulary, language))
    return JSONResponse(_manifest(call, vocabulary))


def _manifest(call: Call, vocabulary: Vocabulary) -> dict[str, Any]:
    hierarchy = vocabulary.hierarchy
    space = hierarchy.scheme_uri or hierarchy.uri_base or f"urn:strata:{hierarchy.vocabulary_id}"
    shown = {"view": {"url": "{{id}}"}} if _has_addresses(vocabulary) else {}

    def below(path: str) -> dict[str, str]:
        return {"service_url": call.address, "service_path": path}

    return {
        "versions": VERSIONS,
        "name": f"{call.session.current().name} (Strata)",
        "identifierSpace": space,
        "schemaSpace": entities.SCHEMA_SPACE,
        "defaultTypes": [entities.TYPE],
        **shown,
        "suggest": {"entity": below(ENTITY), "property": below(PROPERTY)},
        "extend": {
            "propose_properties": below(PROPOSED),
            "property_settings": [LANGUAGE_SETTING],
        },
        "batchSize": BATCH,
    }


def _has_addresses(vocabulary: Vocabulary) -> bool:
    first = next(iter(vocabulary.hierarchy), None)
    return first is not None and vocabulary.hierarchy[first].uri.startswith(("http:", "https:"))


def _reconciled(
    queries: Mapping[str, Any], vocabulary: Vocabulary, language: str
) -> dict[str, Any]:
    results = {}
    for name, query in queries.items():
        limit = int(min(query.get("limit", DEFAULT_LIMIT), MOST_CANDIDATES))  # 3.0 is one in JSON
        may_be = _is_of_our_type(query)
        result = (
            entities.candidates(query, vocabulary, language=language, limit=limit) if may_be else []
        )
        results[name] = {"result": result}
    return results


def _is_of_our_type(query: Mapping[str, Any]) -> bool:
    wanted = query.get("type")
    named = [wanted] if isinstance(wanted, str) else wanted or []
    return not named or entities.TYPE["id"] in named


def _extended(
    call: Call, wanted: Mapping[str, Any], vocabulary: Vocabulary, language: str
) -> dict[str, Any]:
    asked = {}
    for asked_property in wanted["properties"]:
        stated_language = asked_property.get("settings", {}).get("language")
        asked[asked_property["id"]] = (
            label_language(call.session, vocabulary, stated_language)
            if stated_language
            else language
        )
    rows: dict[str, dict[str, list[entities.Value]]] = {}
    for uri in wanted["ids"]:
        named = vocabulary.index.named(uri)
        concept = None if named is None else vocabulary.hierarchy[named]
        rows[uri] = {
            name: entities.values(name, concept, vocabulary.hierarchy, stated_language)
            if concept
            else []
            for name, stated_language in asked.items()
        }
    meta = [
        entities.described(name) if name in entities.PROPERTIES else {"id": name, "name": name}
        for name in asked
    ]
    return {"meta": meta, "rows": rows}


def _suggested_entities(call: Call) -> JSONResponse:
    listed_project(call.session)
    vocabulary = vocabulary_of(call.session)
    language = label_language(call.session, vocabulary, call.query.get("language"))
    begin = min(whole_number(call.query, "cursor", 0), MOST_CANDIDATES)
    hits = vocabulary.index.search(_prefix(call), language=language, limit=begin + SUGGESTED)
    entities_found = [entities.entity(hit.concept_id, vocabulary, language) for hit in hits[begin:]]
    return JSONResponse(
        {"result": [entity | {"notable": [entities.TYPE]} for entity in entities_found]}
    )


def _suggested_properties(call: Call) -> JSONResponse:
    listed_project(call.session)
    wanted = _prefix(call).lower()
    described_properties = map(entities.described, entities.PROPERTIES)
    matching = [
        described
        for described in described_properties
        if any(wanted in text.lower() for text in described.values())
    ]
    return JSONResponse({"result": matching})


def _proposed_properties(call: Call) -> JSONResponse:
    listed_project(call.session)
    most = whole_number(call.query, "limit", len(entities.PROPERTIES))
    properties = [entities.described(name) for name in entities.PROPERTIES][:most]
    return JSONResponse({"type": entities.TYPE["id"], "properties": properties})


def _prefix(call: Call) -> str:
    if "prefix" not in call.query:
        raise bad_request("Send what was typed as prefix=….")
    return call.query["prefix"]


def _json(text: str, name: str) -> Any:
    try:
        return json_value(text.encode())
    except ValueError as error:
        raise bad_request(f"{name} is JSON, and this is not.") from error
