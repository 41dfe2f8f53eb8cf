"""Who has finished and judged documents, in exports."""

from __future__ import annotations

import json

import hl7
import pytest
from pymarc import MARCReader

from core.documents.document import Document
from core.export.export import Export
from core.export.gathering import Selection
from core.review.decisions.recording import Operation
from core.review.people.accounts import find_account
from core.review.store.arrivals import add_document
from core.review.store.projects import default_project, keep_switches
from core.review.store.store import Store
from tests.support.exports import HIERARCHY, codes, lines, table
from tests.support.people import two_people
from tests.support.stores import send

NAMES = ("review", "finished_by", "reviewed_by")


def test_where_people_sign_in_exports_say_who_finished_and_judged(store: Store) -> None:
    project_id = default_project(store, HIERARCHY.vocabulary_id).project_id
    add_document(store, Document.from_text("act", "On olives", "Oil."), project_id=project_id)
    send(store, Operation(1, "add", "oil"), Operation(2, "finish"))
    export = Export(store, Selection(), HIERARCHY)
    assert table(export.file("csv"))[0].keys().isdisjoint(NAMES)
    two_people(store)
    jo = find_account(store, "jo").person_id
    send(store, Operation(1, "approve"), client_id="jo", person_id=jo, may_review=True)
    judged = ["approved", "me", "jo"]
    for form in ("csv", "documents"):
        assert [table(export.file(form))[0][name] for name in NAMES] == judged
    (line,) = lines(export.file("jsonl"))
    assert [line[name] for name in NAMES] == judged
    send(store, Operation(2, "send_back"), client_id="jo", person_id=jo, may_review=True)
    (line,) = lines(export.file("jsonl"))
    assert [line[name] for name in NAMES] == ["sent back", "", "jo"]


@pytest.mark.parametrize(
    ("is_named", "actions"), [(False, []), (True, ["indexed me", "approved jo"])]
)
def test_new_records_of_a_catalogue_name_people_where_the_project_does(
    store: Store, is_named: bool, actions: list[str]
) -> None:
    project_id = default_project(store, HIERARCHY.vocabulary_id).project_id
    add_document(store, Document.from_text("act", "On olives", "Oil."), project_id=project_id)
    send(store, Operation(1, "add", "oil"), Operation(2, "finish"))
    alone = Export(store, Selection(), HIERARCHY).file("marc")
    two_people(store)
    jo = find_account(store, "jo").person_id
    send(store, Operation(1, "approve"), client_id="jo", person_id=jo, may_review=True)
    keep_switches(store, project_id, names_people=is_named)
    (record,) = MARCReader(Export(store, Selection(), HIERARCHY).file("marc"))
    fields = record.get_fields("583")
    said = [f"{field['a'].removeprefix('indexing ')} {field['k']}" for field in fields]
    assert said == actions and all(field.indicators.first == "0" for field in fields)
    assert not next(MARCReader(alone)).get_fields("583")


@pytest.mark.parametrize(
    ("is_named", "operator", "recorders", "verifiers"),
    [
        (False, "", [None], []),
        (True, "jo^^^^^^^^Strata", [{"display": "jo"}], [{"display": "me"}]),
    ],
)
def test_messages_and_bundles_name_people_where_the_project_does(
    store: Store,
    is_named: bool,
    operator: str,
    recorders: list[object],
    verifiers: list[object],
) -> None:
    hierarchy = codes()
    project_id = default_project(store, hierarchy.vocabulary_id).project_id
    add_document(store, Document.from_text("enc", "Cough", "Cough."), project_id=project_id)
    two_people(store)
    jo = find_account(store, "jo").person_id
    send(
        store,
        Operation(1, "add", "786.2"),
        Operation(2, "finish"),
        document_id="enc",
        person_id=jo,
    )
    approve = Operation(1, "approve")
    send(store, approve, client_id="me", document_id="enc", may_review=True)
    keep_switches(store, project_id, names_people=is_named)
    export = Export(store, Selection(), hierarchy)
    event = hl7.parse(export.file("hl7v2").decode()).segment("EVN")
    assert (str(event[5]) if len(event) > 5 else "") == operator
    resources = [entry["resource"] for entry in json.loads(export.file("fhir"))["entry"]]
    conditions = [one for one in resources if one["resourceType"] == "Condition"]
    assert [condition.get("recorder") for condition in conditions] == recorders
    approvals = [one for one in resources if one["resourceType"] == "Provenance"]
    assert [approval["agent"][0]["who"] for approval in approvals] == verifiers
