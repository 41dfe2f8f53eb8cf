"""Codes leave with their system, order, marks and days; concepts of a thesaurus without them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from fhir.resources.R4B.bundle import Bundle

from core.clinical.export.fhir_resources import DOCUMENT_IDS
from core.documents.document import Document
from core.errors import VocabularyError
from core.export.decision_table import COLUMNS
from core.export.export import Export, forms_of
from core.export.gathering import Selection
from core.review.decisions.recording import Operation
from core.review.reports.snapshot import ACCEPTED, GIVEN, REJECTED
from core.review.store.arrivals import add_document
from core.review.store.projects import default_project, make_project
from core.review.store.store import Store
from tests.support.exports import NOTES, codes, lines, table
from tests.support.stores import open_store, send

ALL = frozenset({ACCEPTED, REJECTED, GIVEN})
EVERY = Selection()


def bundle(store: Store, selection: Selection = EVERY, **more: Any) -> dict[str, Any]:
    content = Export(store, selection, codes(), **more).file("fhir")
    Bundle.model_validate_json(content)
    found: dict[str, Any] = json.loads(content)
    return found


def those(content: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    listed = (entry["resource"] for entry in content["entry"])
    return [resource for resource in listed if resource["resourceType"] == kind]


def coded(resources: list[dict[str, Any]]) -> list[str]:
    return [resource["code"]["coding"][0]["code"] for resource in resources]


def test_a_table_of_codes_has_their_system_place_mark_and_day(coded_store: Store) -> None:
    rows = table(Export(coded_store, EVERY, codes()).file("csv"))
    assert {row["code_system"] for row in rows} == {"http://hl7.org/fhir/sid/icd-9-cm"}
    said = [
        (row["notation"], row["place"], row["present_on_admission"], row["performed_on"])
        for row in rows
    ]
    assert said == [
        ("991.5", "1", "N", ""),
        ("786.2", "2", "", ""),
        ("99.15", "3", "", "2026-02-03"),
    ]
    (line, _) = lines(Export(coded_store, EVERY, codes()).file("jsonl"))
    first, _, third = line["concepts"]
    assert (first["place"], first["present_on_admission"]) == (1, "N")
    assert (third["performed_on"], third["present_on_admission"]) == ("2026-02-03", None)


def test_words_that_a_person_attached_come_with_the_text(coded_store: Store) -> None:
    cite = Operation(1, "cite", "991.5", value="0-9")
    assert send(coded_store, cite, document_id="enc-1", client_id="later").refused == ()
    words = NOTES[0].text[:9]
    plain = table(Export(coded_store, EVERY, codes()).file("csv"))
    assert [row["evidence_at"] for row in plain] == ["0-9", "", ""]
    assert "evidence" not in plain[0]
    full = table(Export(coded_store, EVERY, codes(), with_text=True).file("csv"))
    assert [row["evidence"] for row in full] == [words, "", ""]
    (line, _) = lines(Export(coded_store, EVERY, codes()).file("jsonl"))
    assert line["concepts"][0]["evidence"] == [{"start": 0, "end": 9}]
    (line, _) = lines(Export(coded_store, EVERY, codes(), with_text=True).file("jsonl"))
    assert line["concepts"][0]["evidence"] == [{"start": 0, "end": 9, "text": words}]
    history = Export(coded_store, EVERY, codes()).file("history").decode()
    assert ",cite," in history


def test_of_a_thesaurus_nothing_of_this_is_said(coded_store: Store) -> None:
    words = codes("words")
    project_id = default_project(coded_store, "words").project_id
    add_document(coded_store, Document.from_text("text", "Cough", "Cough."), project_id=project_id)
    send(coded_store, Operation(1, "accept", "786.2"), document_id="text", client_id="librarian")
    (row,) = table(Export(coded_store, EVERY, words).file("csv"))
    assert list(row) == list(COLUMNS)
    (line,) = lines(Export(coded_store, EVERY, words).file("jsonl"))
    assert "code_system" not in line["concepts"][0]
    assert "fhir" not in forms_of("words") and "fhir" in forms_of("icd10cm")
    with pytest.raises(VocabularyError, match="Only codes of ICD"):
        Export(coded_store, EVERY, words).file("fhir")
    assert Export(coded_store, EVERY, words).preview().bundle == ""


def test_fhir_has_the_accepted_codes_in_their_order(coded_store: Store) -> None:
    content = bundle(coded_store, Selection(document_ids=("enc-1",), decisions=ALL))
    assert coded(those(content, "Condition")) == ["991.5", "786.2"]
    (procedure,) = those(content, "Procedure")  # 99.15 has the digits of the diagnosis 991.5
    assert (coded([procedure]), procedure["performedDateTime"]) == (["99.15"], "2026-02-03")
    first, second = those(content, "Encounter")[0]["diagnosis"]
    assert first["extension"][0]["valueCodeableConcept"]["coding"][0]["code"] == "N"
    assert "extension" not in second
    assert those(content, "DocumentReference") == []


def test_what_is_not_finished_is_provisional_and_what_came_along_unconfirmed(
    coded_store: Store,
) -> None:
    def said(document_id: str) -> list[tuple[str, str]]:
        found = bundle(coded_store, Selection(document_ids=(document_id,), decisions=ALL))
        return [
            (resource["code"]["text"], resource["verificationStatus"]["coding"][0]["code"])
            for resource in those(found, "Condition")
        ]

    assert said("enc-1") == [("Chilblains", "provisional"), ("Cough", "provisional")]
    assert said("enc-2") == [("Chilblains", "unconfirmed")]  # and no category
    send(coded_store, Operation(1, "finish", shown=0), document_id="enc-1", client_id="later")
    assert [status for _, status in said("enc-1")] == ["confirmed", "confirmed"]


def test_a_category_that_was_accepted_is_no_code_until_the_encounter_was_finished(
    coded_store: Store,
) -> None:
    given = Operation(1, "accept", "786"), Operation(2, "accept", "withdrawn")
    send(coded_store, *given, document_id="enc-2", client_id="earlier page")
    selection = Selection(document_ids=("enc-2",), decisions=ALL)
    assert coded(those(bundle(coded_store, selection), "Condition")) == ["withdrawn", "991.5"]
    assert Export(coded_store, selection, codes()).preview().n_codes == 2
    send(coded_store, Operation(1, "finish", shown=0), document_id="enc-2", client_id="later")
    stood = coded(those(bundle(coded_store, selection), "Condition"))
    assert stood[:2] == ["786", "withdrawn"]  # a code on the day on which it was finished


def test_tables_and_lines_give_no_category_as_an_accepted_code(coded_store: Store) -> None:
    def told() -> list[tuple[str, str]]:
        rows = table(Export(coded_store, selection, codes()).file("csv"))
        (line,) = lines(Export(coded_store, selection, codes()).file("jsonl"))
        found = [(row["notation"], row["place"]) for row in rows]
        assert found == [
            (concept["notation"], str(concept["place"])) for concept in line["concepts"]
        ]
        return found

    given = Operation(1, "accept", "786"), Operation(2, "accept", "786.2")
    send(coded_store, *given, document_id="enc-2", client_id="earlier page")
    selection = Selection(document_ids=("enc-2",))
    assert told() == [("786.2", "1")]
    send(coded_store, Operation(1, "finish", shown=0), document_id="enc-2", client_id="later")
    assert told() == [("786", "1"), ("786.2", "2")]  # a code on that day, as in FHIR


def test_in_a_thesaurus_what_has_narrower_concepts_is_accepted_like_any_other(
    coded_store: Store,
) -> None:
    project_id = default_project(coded_store, "words").project_id
    add_document(coded_store, Document.from_text("text", "Cough", "Cough."), project_id=project_id)
    send(coded_store, Operation(1, "accept", "786"), document_id="text", client_id="librarian")
    (row,) = table(Export(coded_store, EVERY, codes("words")).file("csv"))
    assert row["notation"] == "786"


@pytest.mark.parametrize(
    ("version", "said"),
    [("v32", "v32"), ("2026-04-01", "2026-04-01"), ("titled", None), ("0123456789ab", None)],
)
def test_fhir_states_the_version_of_a_release_alone(
    coded_store: Store, version: str, said: str | None
) -> None:
    content = json.loads(Export(coded_store, EVERY, codes(version=version)).file("fhir"))
    codings = [resource["code"]["coding"][0] for resource in those(content, "Condition")]
    assert {coding.get("version") for coding in codings} == {said}


def test_encounters_of_the_same_id_in_two_databases_are_two_patients(
    coded_store: Store, tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    other = open_store(tmp_path / "other")
    project_id = default_project(other, "icd9cm").project_id
    cough = Document("enc-1", "Cough", NOTES)
    add_document(other, cough, project_id=project_id, given=["786.2"])
    one = Selection(document_ids=("enc-1",), decisions=ALL)
    here, again, there = (bundle(each, one)["entry"] for each in (coded_store, coded_store, other))
    assert [entry["fullUrl"] for entry in here] == [entry["fullUrl"] for entry in again]
    assert not {entry["fullUrl"] for entry in here} & {entry["fullUrl"] for entry in there}
    other.close()


def test_fhir_has_each_note_where_the_text_is_asked_for(coded_store: Store) -> None:
    content = bundle(coded_store, Selection(document_ids=("enc-1",)), with_text=True)
    notes = those(content, "DocumentReference")
    assert [note["type"]["text"] for note in notes] == ["Discharge summary", "Radiology"]


def test_a_preview_shows_the_first_encounter_and_counts_the_codes_of_all(
    coded_store: Store,
) -> None:
    found = Export(coded_store, Selection(decisions=ALL), codes()).preview()
    assert (found.n_documents, found.n_codes) == (2, 4)
    assert len(those(json.loads(found.bundle), "Encounter")) == 1
    assert found.columns[-1] == "evidence_at"
    assert len(found.rows[0]) == len(found.columns)


def test_each_project_exports_its_own(coded_store: Store) -> None:
    ward = make_project(coded_store, "Ward 7", "icd9cm")
    alone = Document.from_text("enc-3", "Ward", "x")
    add_document(coded_store, alone, project_id=ward.project_id, given=["786.2"])
    assert "entry" not in bundle(coded_store, Selection(project_id=ward.project_id))
    there = bundle(coded_store, Selection(project_id=ward.project_id, decisions=ALL))
    assert [resource["identifier"] for resource in those(there, "Encounter")] == [
        [{"system": DOCUMENT_IDS, "value": "enc-3"}]
    ]
    assert len(those(bundle(coded_store), "Encounter")) == 1  # nothing is decided on the other
    foreign = make_project(coded_store, "Acts", "eurovoc").project_id
    assert "entry" not in bundle(coded_store, Selection(project_id=foreign))


@pytest.mark.parametrize("form", ["csv", "jsonl", "fhir"])
def test_without_text_no_title_of_an_encounter_leaves(coded_store: Store, form: str) -> None:
    named = Document.from_text("enc-3", "Mrs. Willow Sample", "Cough.")
    project_id = default_project(coded_store, "icd9cm").project_id
    arrival = {"project_id": project_id, "given": ["786.2"], "batch": "Willow Sample.zip"}
    add_document(coded_store, named, **arrival)  # type: ignore[arg-type]
    chosen = Selection(decisions=ALL)
    bare = Export(coded_store, chosen, codes()).file(form).decode()
    assert "enc-3" in bare
    assert "Willow" not in bare
    assert "Willow" in Export(coded_store, chosen, codes(), with_text=True).file(form).decode()
