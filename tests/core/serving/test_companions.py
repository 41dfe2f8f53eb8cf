"""A project with two code systems: what is found, decided, checked and exported."""

from __future__ import annotations

import csv
import io
import json

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from core import api
from core.api import check
from core.api.check import findings
from core.clinical.stay import Stay
from core.documents.document import Document
from core.export.export import Export
from core.export.gathering import Selection
from core.review.decisions.recording import Operation, current, record
from core.review.reports.outline import outline
from core.review.store.arrivals import add_document
from core.review.store.predictions import save_prediction
from core.review.store.projects import keep_companions, make_project
from core.serving.session import Session
from core.suggest.suggestions import Prediction
from core.vocabulary.concepts import Concept, Hierarchy

pytestmark = pytest.mark.usefixtures("single_thread")

CM = (("J18", "Pneumonia", ()), ("J18.9", "Pneumonia, unspecified organism", ("J18",)))
PCS = (("0DT", "Resection", ()), ("0DTJ4ZZ", "Resection of appendix, endoscopic", ("0DT",)))
LIST = (("99213", "Visit of an invented kind", ()),)


def codes(vocabulary_id: str, rows: tuple[tuple[str, str, tuple[str, ...]], ...]) -> Hierarchy:
    divided = {above for _, _, broader in rows for above in broader}
    return Hierarchy(
        [
            Concept(
                code,
                f"http://x/{code}",
                code,
                {"en": label},
                broader=broader,
                assignable=code not in divided,
            )
            for code, label, broader in rows
        ],
        vocabulary_id=vocabulary_id,
        version=f"{vocabulary_id} of 2026",
    )


def stay_of(shared: Session) -> Session:
    """A project of ICD-10-CM with ICD-10-PCS and a list of services, and an encounter in it."""
    for name, rows in (("icd10cm", CM), ("icd10pcs", PCS), ("cpt", LIST)):
        hierarchy = codes(name, rows)
        shared.server.versions.add(hierarchy, file_name="x", sha256=name, report={})
    project = make_project(shared.server.store(), "Stays", "icd10cm")
    keep_companions(shared.server.store(), project.project_id, ["icd10pcs", "cpt", "nowhere"])
    document = Document.from_text("E1", "A stay", "Cough and a bad appendix.")
    add_document(shared.server.store(), document, project_id=project.project_id)
    return shared.elsewhere(project.project_id)


def decide(stay: Session, *operations: Operation) -> list[str]:
    receipt = record(
        stay.server.store(),
        document_id="E1",
        person_id=stay.person_id(),
        client_id="tab",
        operations=list(operations),
        concept_ids=stay.hierarchy(),
        vocabulary=stay.hierarchy(),
    )
    return [refusal.code for refusal in receipt.refused]


def test_codes_of_all_systems_are_found_and_marked(shared: Session) -> None:
    stay = stay_of(shared)
    vocabulary = stay.vocabulary()
    assert vocabulary is not None
    found = {
        query: vocabulary.index.search(query, divisions=False) for query in ("resection", "99213")
    }
    assert [hits[0].concept_id for hits in found.values()] == ["0DTJ4ZZ", "99213"]
    nodes = outline(["0DTJ4ZZ", "J18.9"], hierarchy=vocabulary.hierarchy)
    assert {node["id"]: node.get("system") for node in nodes} == {
        "0DTJ4ZZ": "icd10pcs",
        "0DT": "icd10pcs",
        "J18.9": None,
        "J18": None,
    }
    assert "0DTJ4ZZ" not in vocabulary.own


def test_they_are_decided_by_the_rules_of_their_system_and_checked(shared: Session) -> None:
    stay = stay_of(shared)
    refused = decide(
        stay,
        Operation(1, "add", "0DTJ4ZZ"),
        Operation(2, "add", "99213"),
        Operation(3, "accept", "J18.9"),
        Operation(4, "accept", "0DT"),
        Operation(5, "present", "0DTJ4ZZ", value="Y"),
        Operation(6, "performed", "J18.9", value="2026-03-01"),
        Operation(7, "performed", "99213", value="2026-03-01"),
        Operation(8, "accept", "0DTNONE"),
    )
    assert refused == ["unknown concept", "category", "no diagnosis", "no procedure"]
    found = findings(current(stay.server.store(), "E1"), stay.hierarchy(), Stay())
    assert {(finding.kind, finding.concept_ids) for finding in found} == {
        ("undated", ("0DTJ4ZZ",)),
        ("unmarked", ("J18.9",)),
    }


def test_a_procedure_that_was_accepted_first_is_no_principal_diagnosis(
    shared: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    stay = stay_of(shared)
    monkeypatch.setattr(check, "wait_until_loaded", lambda *_: "")
    decide(stay, Operation(1, "add", "0DTJ4ZZ"), Operation(2, "add", "J18.9"))
    client = TestClient(Starlette(routes=api.routes(stay.server)))
    project = {"document": "E1", "project": stay.project_id()}
    found = client.get("/api/check", params=project).json()["findings"]
    (unmarked,) = (one["sentence"] for one in found if one["kind"] == "unmarked")
    assert "Y? the principal diagnosis is the reason for the admission" in unmarked


def test_they_are_exported_with_their_system_procedures_behind_diagnoses(shared: Session) -> None:
    stay = stay_of(shared)
    decide(stay, *(Operation(n, "add", i) for n, i in enumerate(("0DTJ4ZZ", "J18.9", "99213"), 1)))
    chosen = Selection(project_id=stay.project_id())
    table = Export(stay.server.store(), chosen, stay.hierarchy()).file("csv").decode("utf-8-sig")
    rows = sorted(csv.DictReader(io.StringIO(table)), key=lambda row: row["place"])
    assert [(row["notation"], row["code_system"]) for row in rows] == [
        ("J18.9", "http://hl7.org/fhir/sid/icd-10-cm"),
        ("0DTJ4ZZ", "http://www.cms.gov/Medicare/Coding/ICD10"),
        ("99213", "http://www.ama-assn.org/go/cpt"),
    ]


def test_an_export_states_the_version_of_each_code_system(shared: Session) -> None:
    stay = stay_of(shared)
    read = Prediction((), {}, 1, 1, 1, "hash", "icd10cm of 2026", 0.0)
    save_prediction(stay.server.store(), "E1", read, settings={})
    decide(stay, *(Operation(n, "add", i) for n, i in enumerate(("0DTJ4ZZ", "J18.9", "99213"), 1)))
    chosen = Selection(project_id=stay.project_id())
    table = Export(stay.server.store(), chosen, stay.hierarchy()).file("csv").decode("utf-8-sig")
    stated = {row["notation"]: row["vocabulary"] for row in csv.DictReader(io.StringIO(table))}
    (line,) = Export(stay.server.store(), chosen, stay.hierarchy()).file("jsonl").splitlines()
    versions = {one["id"]: one["vocabulary_version"] for one in json.loads(line)["concepts"]}
    assert versions["0DTJ4ZZ"] == "icd10pcs of 2026"
    assert stated == {code: f"{version.split()[0]} {version}" for code, version in versions.items()}


def test_without_companions_they_are_gone_when_it_is_opened_again(shared: Session) -> None:
    stay = stay_of(shared)
    before = stay.server_id
    keep_companions(stay.server.store(), stay.project_id(), [])
    stay.server.registry.reopen(stay.project_id())
    assert stay.server_id != before
    assert "0DTJ4ZZ" not in stay.hierarchy()
    assert "J18.9" in stay.hierarchy()
