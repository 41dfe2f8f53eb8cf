"""The group of a stay as the page asks for it."""

from __future__ import annotations

from datetime import date
from typing import Any

from starlette.testclient import TestClient

from core.clinical.stay import NO_STAY, Stay
from core.review.store.documents import set_stay
from core.review.store.projects import keep_switches
from core.serving.session import Session
from tests.support.clinical_fakes import DOCUMENT, decide, on
from tests.support.clinical_fakes import client as client  # a fixture
from tests.support.clinical_fakes import shared as shared  # a fixture


def switch_on(shared: Session) -> None:
    keep_switches(shared.server.store(), shared.project_id(), groups_stays=True)


def asked(client: TestClient, document_id: str = DOCUMENT) -> dict[str, Any]:
    answer = client.get("/api/drg", params={"document": document_id})
    assert answer.status_code == 200, answer.text
    facts: dict[str, Any] = answer.json()
    return facts


def test_nothing_is_grouped_unless_the_project_says_so(client: TestClient) -> None:
    answer = client.get("/api/drg", params={"document": DOCUMENT})
    assert answer.status_code == 404
    assert "switched off in this project" in answer.json()["problem"]


def test_an_unknown_document_and_none_are_refused(client: TestClient) -> None:
    assert client.get("/api/drg").status_code == 400
    assert client.get("/api/drg", params={"document": "nowhere"}).status_code == 404


def test_a_stay_without_a_diagnosis_says_why_it_has_no_group(
    shared: Session, client: TestClient
) -> None:
    switch_on(shared)
    facts = asked(client)
    assert facts["group"] is None
    assert facts["why"] == "There is no group before a principal diagnosis is accepted."


def test_the_group_follows_codes_marks_and_the_stay(shared: Session, client: TestClient) -> None:
    switch_on(shared)
    decide(client, on("accept", "J18.1"), on("accept", "N18.4"), on("hold", "E11"))
    facts = asked(client)
    group = facts["group"]
    assert (group["drg"], group["severity"], group["note"]) == (
        "194",
        "CC",
        "not an official grouper",
    )
    assert len(group["assumed"]) == 3
    assert facts["accepted"]["N18.4"]["drg"] == "195"
    assert set(facts["accepted"]) == {"J18.1", "N18.4"}

    stay = Stay(discharged=date(2023, 5, 6), sex="male", disposition="01")
    set_stay(shared.server.store(), DOCUMENT, stay, former=NO_STAY)
    later = asked(client)["group"]
    assert later["version"] == "version 40, in force from 1 October 2022"
    assert len(later["assumed"]) == 1  # no procedure is coded


def test_an_encounter_of_an_outpatient_has_no_group(shared: Session, client: TestClient) -> None:
    switch_on(shared)
    decide(client, on("accept", "J18.1"))
    stay = Stay(encounter_class="emergency")
    set_stay(shared.server.store(), DOCUMENT, stay, former=NO_STAY)
    facts = asked(client)
    assert (facts["group"], facts["accepted"]) == (None, {})
    assert facts["why"].endswith("the class of this encounter is emergency.")
