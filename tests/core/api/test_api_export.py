"""`/api/export`: decisions as a file that is written to the disk and sent in pieces."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from core.api.export import query_of
from core.export.export import Export
from core.export.gathering import Selection
from core.home import leftovers
from core.review.decisions.recording import Operation
from core.review.store.projects import make_project
from core.serving.session import Session
from tests.support.app_documents import add_decided

ACCEPTED = Selection()
EVERYTHING = Selection(
    batch="week 12", decisions=frozenset({"rejected", "not taken"}), proposed_terms=True
)
NOTHING = Selection(decisions=frozenset(), statuses=frozenset())


@pytest.mark.parametrize("selection", [ACCEPTED, EVERYTHING, NOTHING])
@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_the_file_is_what_is_exported_and_is_removed_here(
    client: TestClient, shared: Session, selection: Selection, form: str
) -> None:
    add_decided(
        shared, "a", "week 12", Operation(1, "accept", "101"), Operation(2, "reject", "201")
    )
    add_decided(shared, "b", None, Operation(1, "accept", "301"))
    answer = client.get(f"/api/export?{query_of(selection, form, with_text=True)}")
    hierarchy = shared.hierarchy()
    assert answer.status_code == 200
    assert answer.content == Export(
        shared.server.store(), selection, hierarchy, with_text=True
    ).file(form)
    named = f'filename="strata-decisions.{form}"'
    assert answer.headers["content-disposition"] == f"attachment; {named}"
    assert leftovers(shared.settings.home) == []


def test_one_of_several_projects_has_to_be_named(client: TestClient, shared: Session) -> None:
    assert client.get("/api/export").status_code == 200
    other = make_project(shared.server.store(), "Fish", "tiny")
    answer = client.get("/api/export?form=csv")
    assert answer.status_code == 400
    assert answer.json()["problem"].startswith("Name the project, as in project=1: 1 (")
    assert f"{other.project_id} (Fish)" in answer.json()["problem"]
    assert client.get(f"/api/export?project={other.project_id}").status_code == 200


@pytest.mark.parametrize(
    "query", ["form=fhir", "form=none", "decision=x", "status=x", f"batch={'x' * 3000}"]
)
def test_what_is_no_choice_is_refused_in_a_sentence(client: TestClient, query: str) -> None:
    answer = client.get(f"/api/export?{query}")
    assert answer.status_code == 400 and answer.json()["problem"].startswith("There is no")


def test_the_forms_that_there_are_are_named(client: TestClient) -> None:
    problem = client.get("/api/export?form=fhir").json()["problem"]
    assert problem == (
        "There is no form 'fhir' for this vocabulary, only csv, tsv, documents, jsonl, jsonld, "
        "marc, marcxml, history, history-jsonl."
    )
