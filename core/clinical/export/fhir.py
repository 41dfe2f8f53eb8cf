"""Coded encounters as FHIR R4: a Bundle of plain dictionaries, made without a FHIR library.

Resources point at one another by `urn:uuid` addresses, which are the same in every export of the
same encounter. `fhir_resources.py` makes them.

Source: HL7 FHIR R4 (4.0.1).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from core.clinical.export.coded import CodedEncounter, CodeSystem
from core.clinical.export.fhir_resources import Resource, instant, is_known, resources

COLLECTION, TRANSACTION = "collection", "transaction"


def write(
    encounters: Iterable[CodedEncounter],
    system: CodeSystem,
    *,
    made_at: datetime,
    kind: str = COLLECTION,
) -> Iterator[bytes]:
    """Yield a FHIR JSON file, a resource at a time.

    It is a Bundle; empty where there is no encounter. A server puts each resource of a
    transaction in the place of the one with the same id, so the same file can be sent twice.

    Args:
        made_at: with its time zone.
        kind: COLLECTION or TRANSACTION.
    """
    head = {"resourceType": "Bundle", "type": kind, "timestamp": instant(made_at)}
    yield _indented(head).removesuffix("\n}").encode()
    before = ',\n "entry": [\n  '
    end = "\n}\n"
    for resource in _each_once(encounters, system):
        whole: Resource = {"fullUrl": f"urn:uuid:{resource['id']}", "resource": resource}
        if kind == TRANSACTION:
            whole["request"] = {"method": "PUT", "url": _place(resource)}
        entry = _indented(whole)
        yield (before + entry.replace("\n", "\n  ")).encode()  # in strings, they are escaped
        before, end = ",\n  ", "\n ]\n}\n"
    yield end.encode()


def write_lines(encounters: Iterable[CodedEncounter], system: CodeSystem) -> Iterator[bytes]:
    """Yield a resource a line (ndjson), which name each other by type and id."""
    places: dict[str, str] = {}
    for resource in _each_once(encounters, system, places):
        relative = _with_places(resource, places)
        yield f"{json.dumps(relative, ensure_ascii=False, separators=(',', ':'))}\n".encode()


def _each_once(
    encounters: Iterable[CodedEncounter],
    system: CodeSystem,
    places: dict[str, str] | None = None,
) -> Iterator[Resource]:
    """Yield all resources; a patient who may have several encounters at the end, once.

    A later encounter may say what an earlier one does not. Of a patient of whom two encounters
    state different sexes, none is stated.

    Args:
        places: where the address of each resource of an encounter is noted, before the first.
    """
    patients: dict[str, Resource] = {}
    sexes: dict[str, set[str]] = {}
    for encounter in encounters:
        made = resources(encounter, system)
        if places is not None:
            places.clear()
            places.update({f"urn:uuid:{resource['id']}": _place(resource) for resource in made})
        for resource in made:
            if resource["resourceType"] != "Patient" or not is_known(encounter):
                yield resource
                continue
            patients[resource["id"]] = resource
            sexes.setdefault(resource["id"], set()).update(filter(None, [encounter.stay.sex]))
    for patient_id, resource in patients.items():
        stated = sexes[patient_id]
        others = {name: value for name, value in resource.items() if name != "gender"}
        yield {**others, "gender": min(stated)} if len(stated) == 1 else others


def _place(resource: Resource) -> str:
    return f"{resource['resourceType']}/{resource['id']}"


def _with_places(content: Any, places: Mapping[str, str]) -> Any:
    """Return content in which references name types and ids instead of addresses."""
    if isinstance(content, dict):
        return {
            name: places.get(value, value) if name == "reference" else _with_places(value, places)
            for name, value in content.items()
        }
    return (
        [_with_places(item, places) for item in content] if isinstance(content, list) else content
    )


def _indented(content: Resource) -> str:
    return json.dumps(content, ensure_ascii=False, indent=1)
