"""FHIR of plain values, held against the resources of R4B; the encounters are invented."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest
from fhir.resources.R4B import get_fhir_model_class
from fhir.resources.R4B.bundle import Bundle

from core.clinical.export.coded import (
    PROVISIONAL,
    UNCONFIRMED,
    CodedEncounter,
    CodeSystem,
    EncounterCode,
)
from core.clinical.export.fhir import TRANSACTION, write, write_lines
from core.clinical.export.fhir_resources import DOCUMENT_IDS
from core.clinical.stay import Identifier, Stay
from core.documents.document import Part

ICD10CM = CodeSystem("http://hl7.org/fhir/sid/icd-10-cm", "2025")
ICD9CM = CodeSystem("http://hl7.org/fhir/sid/icd-9-cm")
NOON = datetime(2026, 3, 1, 12, tzinfo=timezone(timedelta(hours=1)))
PNEUMONIA = EncounterCode("J18.9", "Pneumonia, unspecified organism", present="Y")
DIABETES = EncounterCode("E11.9", "Type 2 diabetes", present="N", recorder="me", recorded_at=NOON)
SUTURE = EncounterCode("86.59", "Closure of skin", is_procedure=True, performed_on=date(2026, 2, 3))
NOTES = (
    Part("Cough for three days.", "Discharge summary", date(2026, 2, 4), "Ward <3>"),
    Part("  \n", "Radiology"),
    Part("No infiltrate.\n“Änderung”", ""),
)


def made(*codes: EncounterCode, system: CodeSystem = ICD10CM, **more: Any) -> dict[str, Any]:
    """The bundle of one encounter as a reader of the file sees it, found valid."""
    one = CodedEncounter("enc-1", "Cough <b>", codes, **more)
    return validated(b"".join(write([one], system, made_at=NOON)))


def validated(content: bytes) -> dict[str, Any]:
    Bundle.model_validate_json(content)
    found: dict[str, Any] = json.loads(content)
    for entry in found.get("entry", ()):
        resource = entry["resource"]
        get_fhir_model_class(resource["resourceType"]).model_validate(resource)
        assert entry["fullUrl"] == f"urn:uuid:{resource['id']}"
    return found


def those(content: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    listed = (entry["resource"] for entry in content["entry"])
    return [resource for resource in listed if resource["resourceType"] == kind]


def test_a_diagnosis_is_a_condition_of_its_encounter_with_the_system_of_its_code() -> None:
    content = made(DIABETES)
    (condition,) = those(content, "Condition")
    assert condition["code"] == {
        "coding": [
            {
                "system": ICD10CM.uri,
                "version": "2025",
                "code": "E11.9",
                "display": "Type 2 diabetes",
            }
        ],
        "text": "Type 2 diabetes",
    }
    assert condition["category"][0]["coding"][0]["code"] == "encounter-diagnosis"
    assert condition["verificationStatus"]["coding"][0]["code"] == "confirmed"
    assert condition["recordedDate"] == "2026-03-01T12:00:00+01:00"
    assert condition["recorder"] == {"display": "me"}
    (patient,), (encounter,) = those(content, "Patient"), those(content, "Encounter")
    assert condition["subject"] == {"reference": f"urn:uuid:{patient['id']}"}
    assert condition["encounter"] == {"reference": f"urn:uuid:{encounter['id']}"}
    assert set(patient) == {"resourceType", "id"}  # nothing is known, so nothing is said
    assert encounter["identifier"] == [{"system": DOCUMENT_IDS, "value": "enc-1"}]


def test_the_encounter_ranks_its_diagnoses_and_says_what_was_present_on_admission() -> None:
    content = made(PNEUMONIA, DIABETES, EncounterCode("Z79.4", "Insulin"))
    ids = [f"urn:uuid:{resource['id']}" for resource in those(content, "Condition")]
    listed = those(content, "Encounter")[0]["diagnosis"]
    assert [one["condition"]["reference"] for one in listed] == ids
    assert [one["rank"] for one in listed] == [1, 2, 3]
    assert {one["use"]["coding"][0]["code"] for one in listed} == {"billing"}
    present = [
        one["extension"][0]["valueCodeableConcept"]["coding"][0]["code"]
        for one in listed
        if "extension" in one
    ]
    assert present == ["Y", "N"]


def test_a_procedure_has_its_day_and_no_place_among_the_diagnoses() -> None:
    undated = EncounterCode("99.15", "Parenteral nutrition", is_procedure=True)
    content = made(SUTURE, EncounterCode("991.5", "Frostbite"), undated, system=ICD9CM)
    first, second = those(content, "Procedure")
    assert (first["performedDateTime"], first["status"]) == ("2026-02-03", "completed")
    assert "performedDateTime" not in second
    assert "version" not in first["code"]["coding"][0]  # none is known
    assert [resource["code"]["coding"][0]["code"] for resource in those(content, "Condition")] == [
        "991.5"
    ]
    assert len(those(content, "Encounter")[0]["diagnosis"]) == 1


@pytest.mark.parametrize("verification", [PROVISIONAL, UNCONFIRMED])
def test_what_is_not_final_says_so(verification: str) -> None:
    content = made(EncounterCode("J18.9", "Pneumonia", verification=verification))
    coding = those(content, "Condition")[0]["verificationStatus"]["coding"][0]
    assert coding["code"] == verification
    content = made(EncounterCode("99.15", "", is_procedure=True, verification=UNCONFIRMED))
    assert those(content, "Procedure")[0]["status"] == "unknown"


def test_notes_come_only_where_they_are_asked_for() -> None:
    assert those(made(PNEUMONIA), "DocumentReference") == []
    first, second = those(made(PNEUMONIA, notes=NOTES), "DocumentReference")
    attachment = first["content"][0]["attachment"]
    assert base64.b64decode(attachment["data"]).decode() == NOTES[0].text
    assert (attachment["title"], attachment["creation"]) == ("Ward <3>", "2026-02-04")
    assert first["type"] == {"text": "Discharge summary"}
    assert first["context"]["period"]["start"] == "2026-02-04"
    assert base64.b64decode(second["content"][0]["attachment"]["data"]).decode() == NOTES[2].text
    assert second["type"] == {"text": "note"} and "period" not in second["context"]


def test_an_encounter_without_codes_is_still_there() -> None:
    content = made()
    assert "diagnosis" not in those(content, "Encounter")[0]


def test_no_encounter_is_an_empty_bundle() -> None:
    content = validated(b"".join(write([], ICD10CM, made_at=NOON)))
    assert content["type"] == "collection" and "entry" not in content


def test_the_file_is_written_in_pieces_and_spread_out_as_a_whole_is() -> None:
    encounters = [CodedEncounter(name, "", (PNEUMONIA,), NOTES) for name in ("enc-1", "enc-2")]
    written = list(write(encounters, ICD10CM, made_at=NOON))
    content = b"".join(written)
    assert len(written) > 2 * len(NOTES)
    again = f"{json.dumps(json.loads(content), ensure_ascii=False, indent=1)}\n"
    assert content.decode() == again


def test_addresses_are_the_same_each_time_and_never_shared() -> None:
    first, again = made(PNEUMONIA, DIABETES, notes=NOTES), made(DIABETES, PNEUMONIA)
    addresses = [entry["fullUrl"] for entry in first["entry"]]
    assert len(set(addresses)) == len(addresses)
    assert {entry["fullUrl"] for entry in again["entry"]} < set(addresses)
    other = json.loads(
        b"".join(write([CodedEncounter("enc-2", "", (PNEUMONIA,))], ICD10CM, made_at=NOON))
    )
    assert not {entry["fullUrl"] for entry in other["entry"]} & set(addresses)


def test_odd_titles_labels_and_ids_make_no_broken_file() -> None:
    odd = CodedEncounter(
        "  id\x00 with\ttab ",
        "<script>&\x0b",
        (EncounterCode("X", " \x01\n"), EncounterCode("Y", "a\nb", recorder="\u2028")),
        (Part("text\x00\ud7ff", " \n", title="\t"),),
    )
    content = validated(b"".join(write([odd], ICD9CM, made_at=datetime.now(UTC))))
    encounter = those(content, "Encounter")[0]
    assert encounter["identifier"] == [{"system": DOCUMENT_IDS, "value": "id with tab"}]
    assert "<script>" not in encounter["text"]["div"]
    first, second = (resource["code"] for resource in those(content, "Condition"))
    assert first == {"coding": [{"system": ICD9CM.uri, "code": "X"}]}
    assert second["text"] == "a b"


STAY = Stay(
    date(2026, 3, 1),
    date(2026, 3, 8),
    72,
    "female",
    "01",
    Identifier("P7", "urn:oid:1.2.3"),
    Identifier("V 8"),
)


def test_what_is_known_of_a_stay_is_said() -> None:
    content = made(PNEUMONIA, stay=STAY)
    (patient,), (encounter,) = those(content, "Patient"), those(content, "Encounter")
    assert patient["identifier"] == [{"system": "urn:oid:1.2.3", "value": "P7"}]
    assert patient["gender"] == "female"
    assert encounter["period"] == {"start": "2026-03-01", "end": "2026-03-08"}
    assert encounter["status"] == "finished"
    assert [known["value"] for known in encounter["identifier"]] == ["V 8", "enc-1"]
    disposition = encounter["hospitalization"]["dischargeDisposition"]
    assert disposition["coding"][0]["code"] == "01"
    assert "hospitalization" not in those(made(PNEUMONIA), "Encounter")[0]


def test_what_is_no_uri_is_no_system_of_an_identifier() -> None:
    stay = Stay(patient=Identifier("P7", "MRN, ward 2"), encounter=Identifier("7"))
    content = made(PNEUMONIA, stay=stay)
    named = {"value": "P7", "assigner": {"display": "MRN, ward 2"}}
    assert those(content, "Patient")[0]["identifier"] == [named]
    assert those(content, "Encounter")[0]["identifier"][0] == {"value": "7"}


def test_codes_of_another_system_say_so() -> None:
    pcs = CodeSystem("http://www.cms.gov/Medicare/Coding/ICD10", "2026")
    removal = EncounterCode("0DTJ4ZZ", "Resection of appendix", is_procedure=True, system=pcs)
    content = made(PNEUMONIA, removal)
    (procedure,), (condition,) = those(content, "Procedure"), those(content, "Condition")
    assert procedure["code"]["coding"][0]["system"] == pcs.uri
    assert condition["code"]["coding"][0]["system"] == ICD10CM.uri


def test_two_encounters_of_a_known_patient_have_one_patient() -> None:
    two = [CodedEncounter(name, "", (PNEUMONIA,), stay=STAY) for name in ("a", "b")]
    content = validated(b"".join(write(two, ICD10CM, made_at=NOON, kind=TRANSACTION)))
    (patient,) = those(content, "Patient")
    subjects = {one["subject"]["reference"] for one in those(content, "Encounter")}
    assert subjects == {f"urn:uuid:{patient['id']}"}
    requests = {entry["request"]["url"] for entry in content["entry"]}
    assert f"Patient/{patient['id']}" in requests
    assert len(requests) == len(content["entry"]) == 5


@pytest.mark.parametrize(
    ("sexes", "gender"),
    [
        (["", "female", ""], "female"),
        (["female", "female"], "female"),
        (["female", "male", "female"], None),
        (["", ""], None),
    ],
)
def test_a_patient_has_the_sex_that_any_encounter_states_and_none_where_two_differ(
    sexes: list[str], gender: str | None
) -> None:
    several = [
        CodedEncounter(str(n), "", (PNEUMONIA,), stay=replace(STAY, sex=sex))
        for n, sex in enumerate(sexes)
    ]
    (patient,) = those(validated(b"".join(write(several, ICD10CM, made_at=NOON))), "Patient")
    assert patient.get("gender") == gender
    lines = map(json.loads, b"".join(write_lines(several, ICD10CM)).splitlines())
    assert [one for one in lines if one["resourceType"] == "Patient"] == [patient]


def test_lines_hold_a_resource_each_that_name_each_other_by_type_and_id() -> None:
    one = CodedEncounter("a", "", (PNEUMONIA, SUTURE), NOTES, stay=STAY)
    lines = b"".join(write_lines([one], ICD10CM)).decode().splitlines()
    resources = [json.loads(line) for line in lines]
    for resource in resources:
        get_fhir_model_class(resource["resourceType"]).model_validate(resource)
    kinds = [resource["resourceType"] for resource in resources]
    assert (kinds[:3], kinds[-1]) == (["Encounter", "Condition", "Procedure"], "Patient")
    assert "urn:uuid:" not in "".join(lines).replace(DOCUMENT_IDS, "")
    (condition,) = (one for one in resources if one["resourceType"] == "Condition")
    assert condition["subject"] == {"reference": f"Patient/{resources[-1]['id']}"}


def test_who_has_approved_an_encounter_is_the_verifier_of_it_and_its_confirmed_codes() -> None:
    given = EncounterCode("Z79.4", "Insulin", verification=UNCONFIRMED)
    content = made(DIABETES, SUTURE, given, approved_by="jo", approved_at=NOON)
    (provenance,) = those(content, "Provenance")
    kinds = {entry["fullUrl"]: entry["resource"]["resourceType"] for entry in content["entry"]}
    targets = [target["reference"] for target in provenance["target"]]
    assert [kinds[target] for target in targets] == ["Encounter", "Condition", "Procedure"]
    assert targets[1] == f"urn:uuid:{those(content, 'Condition')[0]['id']}"
    assert provenance["recorded"] == "2026-03-01T12:00:00+01:00"
    (agent,) = provenance["agent"]
    assert agent["who"] == {"display": "jo"}
    assert agent["type"]["coding"][0]["code"] == "verifier"
    for nobody in ({}, {"approved_at": NOON}):  # FHIR has no approval by nobody
        assert those(made(DIABETES, **nobody), "Provenance") == []


@pytest.mark.parametrize(
    ("name", "code"),
    [("inpatient", "IMP"), ("emergency", "EMER"), ("day surgery", "AMB"), ("", "UNK")],
)
def test_an_encounter_has_its_class(name: str, code: str) -> None:
    content = made(PNEUMONIA, stay=Stay(encounter_class=name))
    assert those(content, "Encounter")[0]["class"]["code"] == code
