"""The invented encounters have right codes: those are in the tree, in search and in the export."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.clinical.codes.icd9cm import read_icd9cm
from core.export.export import Export
from core.export.gathering import Selection
from core.review.decisions.operations import Operation
from core.review.store.arrivals import add_document
from core.review.store.projects import default_project
from core.review.store.store import Store
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.search.vocabulary_index import VocabularyIndex
from pages.adding.start import CODES, ENCOUNTER_EXAMPLES, examples
from tests.support.stores import send

GIVEN = json.loads((ENCOUNTER_EXAMPLES / CODES).read_text("utf-8"))


@pytest.mark.parametrize("name", sorted(GIVEN))
def test_the_codes_are_in_the_tree_and_may_be_assigned(tree: Hierarchy, name: str) -> None:
    for code in GIVEN[name]["icd10cm"]:
        assert tree[code].assignable, code
        assert not tree.narrower(code)


@pytest.mark.parametrize("name", sorted(GIVEN))
def test_the_codes_are_found_by_search_with_and_without_their_point(
    index: VocabularyIndex, name: str
) -> None:
    for code in GIVEN[name]["icd10cm"]:
        for written in (code, code.replace(".", "").lower()):
            assert index.search(written)[0].concept_id == code


@pytest.mark.parametrize("name", sorted(GIVEN))
def test_the_codes_are_exported_in_their_order(store: Store, tree: Hierarchy, name: str) -> None:
    (example,) = (one for one in examples(clinical=True) if one.path.name == name)
    project_id = default_project(store, "icd10cm").project_id
    document_id = add_document(store, example.document(), project_id=project_id)
    codes = GIVEN[name]["icd10cm"]
    accepted = [Operation(n, "accept", code) for n, code in enumerate(codes, start=1)]
    order = Operation(len(codes) + 1, "order", value=tuple(codes))
    send(store, *accepted, order, document_id=document_id)

    chosen = Selection((document_id,))
    content = json.loads(Export(store, chosen, tree).file("fhir"))
    encounters = [
        entry["resource"]
        for entry in content["entry"]
        if entry["resource"]["resourceType"] == "Encounter"
    ]
    (encounter,) = encounters
    conditions = {
        f"urn:uuid:{entry['resource']['id']}": entry["resource"]["code"]["coding"][0]
        for entry in content["entry"]
        if entry["resource"]["resourceType"] == "Condition"
    }
    ranked = sorted(encounter["diagnosis"], key=lambda one: one["rank"])
    coded = [conditions[diagnosis["condition"]["reference"]] for diagnosis in ranked]
    assert [coding["code"] for coding in coded] == codes
    assert {coding["system"] for coding in coded} == {"http://hl7.org/fhir/sid/icd-10-cm"}
    rows = Export(store, chosen, tree).file("csv").decode("utf-8-sig")
    assert all(code in rows for code in codes)


def test_the_codes_of_icd9cm_are_in_its_tree(shared_data: Path) -> None:
    tree = read_icd9cm(sorted((shared_data / "icd9cm").iterdir())).hierarchy
    for given in GIVEN.values():
        assert all(tree[code].assignable for code in given["icd9cm"]), given["icd9cm"]
