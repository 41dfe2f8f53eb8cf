"""Each route, for each role in a project and for who has none: what answers, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from core import api
from core.api.answers import OTHER_PERSON
from core.documents.document import Document
from core.errors import NotAllowedError
from core.review.decisions.recording import current
from core.review.people.accounts import add_account, close_account
from core.review.people.assignments import list_assignments
from core.review.people.comments import read_thread
from core.review.people.memberships import GIVEN, give_role
from core.review.people.sign_ins import choose_password, invite
from core.review.store.arrivals import add_document
from core.review.store.people import set_preference
from core.review.store.projects import make_project
from core.review.store.store import ReadingStore
from core.roles import Right, Role
from core.serving.caller import LAST_PROJECT, NO_ROLES
from core.serving.choosing import visible_projects
from core.serving.session import Session
from tests.support.people import PASSWORD, ROLES, client_of

# Every route of the API for the browser, and what it needs; a new one is missing here.
NEEDED = {
    "GET /api/health": Right.READ,
    "GET /api/search": Right.READ,
    "GET /api/concept": Right.READ,
    "GET /api/narrower": Right.READ,
    "GET /api/below": Right.READ,
    "GET /api/decisions": Right.READ,
    "GET /api/outline": Right.READ,
    "GET /api/check": Right.READ,
    "GET /api/drg": Right.READ,
    "GET /api/hints": Right.READ,
    "GET /api/evidence": Right.READ,
    "GET /api/without": Right.READ,
    "GET /api/support": Right.READ,
    "GET /api/export": Right.EXPORT,
    "GET /api/bundle": Right.MODELS,
    "GET /api/annotations": Right.TEAM,
    "GET /api/audit": Right.AUDIT,
    "GET /api/backup": Right.BACKUP,
    "POST /api/decisions": Right.DECIDE,
    "POST /api/comments": Right.DECIDE,
}


ACCEPT = {"sequence": 1, "action": "add", "concept_id": "102"}
BATCHES = [{"client": "tab", "document_id": "act", "operations": [ACCEPT]}]


def ask(client: TestClient, route: str, shared: Session) -> Any:
    method, path = route.split()
    project = str(shared.project_id())
    if method == "GET":
        asked = {
            "project": project,
            "document": "act",
            "q": "herring",
            "id": "102",
            "concept": "102",
        }
        return client.get(path, params=asked)
    message = {"project": project, "document": "act", "comment": "seen", "batches": BATCHES}
    return client.post(path, json=message)


def test_every_route_is_in_the_table(shared: Session) -> None:
    served = {
        f"{method} {route.path}"
        for route in api.routes(shared.server)
        if route.path.startswith("/api/")
        for method in route.methods or ()
        if method != "HEAD"
    }
    assert served == NEEDED.keys()


@pytest.mark.parametrize("route", NEEDED)
def test_a_route_answers_from_its_least_role_on(
    shared: Session, document_id: str, people: dict[Role | None, int], route: str
) -> None:
    least = NEEDED[route].least
    for role in ROLES:
        answer = ask(client_of(shared, people[role]), route, shared)
        if role is None:
            assert answer.status_code == 404, (role, answer.text)
        elif role.includes(least):
            assert answer.status_code not in (401, 403), (role, answer.text)
        else:
            is_receipt = route == "POST /api/decisions"
            assert answer.status_code == (200 if is_receipt else 403), (role, answer.text)
            assert f"That takes a{'n' if least[0] in 'aeiou' else ''} {least}" in answer.text
    is_decided = "102" in current(shared.server.store(), "act")
    assert is_decided == (route == "POST /api/decisions")


@pytest.mark.parametrize("route", ["GET /api/decisions", "GET /api/evidence", "GET /api/check"])
def test_a_document_is_not_reached_by_way_of_another_project(
    shared: Session, document_id: str, people: dict[Role | None, int], route: str
) -> None:
    client = client_of(shared, people[None])
    asked = {"document": "act", "concept": "102"}
    answer = client.get(route.split()[1], params=asked)  # in the stranger's own project
    assert answer.status_code in (400, 404) and "erring" not in answer.text


def test_decisions_are_not_written_to_another_project(
    shared: Session, document_id: str, people: dict[Role | None, int]
) -> None:
    message = {"batches": BATCHES, "document": "other"}
    answer = client_of(shared, people[None]).post("/api/decisions", json=message)
    (refusal,) = answer.json()["receipts"]["tab"]["refused"]
    assert (refusal["sequence"], refusal["code"]) == (1, "no right")
    assert not current(shared.server.store(), "act")


def test_what_is_decided_has_the_name_of_who_decided(
    shared: Session, document_id: str, people: dict[Role | None, int]
) -> None:
    ask(client_of(shared, people[Role.INDEXER]), "POST /api/decisions", shared)
    assert current(shared.server.store(), "act")["102"].person == "indexer"


def test_who_was_closed_meanwhile_writes_nothing(
    shared: Session, document_id: str, people: dict[Role | None, int]
) -> None:
    theirs = Session(shared.server, shared.project_id(), person_id=people[Role.INDEXER])
    assert theirs.may(Right.DECIDE)
    close_account(shared.server.store(), "indexer")
    with pytest.raises(NotAllowedError):
        theirs.writing(Right.DECIDE)


def test_a_role_that_was_taken_back_holds_no_more(
    shared: Session, people: dict[Role | None, int]
) -> None:
    theirs = Session(shared.server, shared.project_id(), person_id=people[Role.LEAD])
    assert theirs.writing(Right.RULES)
    give_role(shared.server.store(), "lead", shared.project_id(), Role.READER)
    with pytest.raises(NotAllowedError, match="As a reader you may not leave concepts out"):
        theirs.writing(Right.RULES)


def test_the_store_for_reading_writes_nothing(shared: Session, document_id: str) -> None:
    store = shared.store()
    assert isinstance(store, ReadingStore)
    act = Document.from_text("b", "Honey", "")
    with pytest.raises(NotAllowedError):
        add_document(store, act, project_id=shared.project_id())
    assert add_document(shared.writing(Right.ADD), act, project_id=shared.project_id()) == "b"


def test_a_person_sees_the_projects_of_their_roles(
    shared: Session, people: dict[Role | None, int]
) -> None:
    def seen(role: Role | None) -> list[str]:
        theirs = Session(shared.server, person_id=people[role])
        return [row.name for row in visible_projects(theirs)]

    first = shared.current().name
    assert seen(None) == ["Elsewhere"]
    assert [seen(role) for role in GIVEN] == [[first]] * len(GIVEN)
    assert seen(Role.ADMINISTRATOR) == [first, "Elsewhere"]


def test_a_person_begins_in_a_project_of_theirs_whatever_its_vocabulary(
    shared: Session, people: dict[Role | None, int]
) -> None:
    """The server's own vocabulary is that of a project in which this person has no role."""
    store = shared.server.store()
    wards = [make_project(store, name, "icd10cm").project_id for name in ("Ward 7", "Ward 8")]
    person_id = add_account(store, "coder").person_id
    for ward in wards:
        give_role(store, "coder", ward, Role.INDEXER)
    assert Session(shared.server, person_id=person_id).project_id() == wards[0]
    set_preference(store, person_id, LAST_PROJECT, wards[1])
    assert Session(shared.server, person_id=person_id).project_id() == wards[1]


def test_what_a_person_set_for_themselves_is_theirs(
    shared: Session, people: dict[Role | None, int]
) -> None:
    lead = Session(shared.server, shared.project_id(), person_id=people[Role.LEAD])
    reader = Session(shared.server, shared.project_id(), person_id=people[Role.READER])
    set_preference(lead.writing(Right.OWN), lead.person_id(), "label_language", "de")
    assert (lead.language(), reader.language()) == ("de", shared.settings.language)
    set_preference(reader.writing(Right.OWN), reader.person_id(), LAST_PROJECT, 1)
    assert (
        Session(shared.server, person_id=people[Role.ADMINISTRATOR]).person_id()
        == people[Role.ADMINISTRATOR]
    )


def test_who_was_alone_writes_nothing_from_when_people_sign_in(shared: Session) -> None:
    store = shared.server.store()
    assert shared.writing(Right.RULES)
    choose_password(store, invite(store, "me"), PASSWORD)
    with pytest.raises(NotAllowedError, match="Sign in first"):
        shared.writing(Right.RULES)


def test_who_has_no_role_anywhere_hears_whom_to_ask(
    shared: Session, people: dict[Role | None, int]
) -> None:
    nobody = client_of(shared, add_account(shared.server.store(), "newcomer").person_id)
    for asked in ({}, {"project": "1"}):
        answer = nobody.get("/api/search", params={"q": "herring"} | asked)
        assert (answer.status_code, answer.json()["problem"]) == (403, NO_ROLES)


def test_a_page_that_was_drawn_for_another_person_is_not_answered(
    shared: Session, document_id: str, people: dict[Role | None, int]
) -> None:
    jo, lead = people[Role.INDEXER], people[Role.LEAD]
    message = {"project": "1", "document": "act", "batches": BATCHES}
    path = f"/api/decisions?person={jo}"
    answer = client_of(shared, lead).post(path, json=message)
    assert (answer.status_code, answer.json()["problem"]) == (403, OTHER_PERSON)
    assert not current(shared.server.store(), "act")
    assert client_of(shared, jo).post(path, json=message).status_code == 200
    assert current(shared.server.store(), "act")["102"].person == "indexer"


def test_only_who_may_review_approves_and_a_person_alone_does_not(
    shared: Session, document_id: str, people: dict[Role | None, int]
) -> None:
    def judge(client: TestClient, action: str) -> list[str]:
        operations = [{"sequence": 1, "action": action}]
        batch = {"client": action, "document_id": "act", "operations": operations}
        receipt = client.post("/api/decisions", json={"document": "act", "batches": [batch]})
        return [refused["code"] for refused in receipt.json()["receipts"][action]["refused"]]

    alone = TestClient(Starlette(routes=api.routes(shared.server)))
    assert judge(alone, "finish") == []
    assert judge(alone, "approve") == ["no right"]
    assert judge(client_of(shared, people[Role.INDEXER]), "approve") == ["no right"]
    reviewer = client_of(shared, people[Role.REVIEWER])
    assert judge(reviewer, "send_back") == []
    held = list_assignments(shared.server.store(), shared.project_id())
    assert held["act"].person_id == shared.person_id()  # who had finished it


def test_comments_of_people_are_a_thread(
    shared: Session, document_id: str, people: dict[Role | None, int]
) -> None:
    for role in (Role.INDEXER, Role.INDEXER, Role.LEAD):
        ask(client_of(shared, people[role]), "POST /api/comments", shared)
    thread = read_thread(shared.server.store(), "act")
    assert [(entry.author, entry.text) for entry in thread] == [
        ("indexer", "seen"),
        ("lead", "seen"),
    ]


def test_who_has_a_document_open_is_told_to_others_who_sign_in(
    shared: Session, document_id: str, people: dict[Role | None, int]
) -> None:
    def here(client: TestClient) -> list[str]:
        asked = {"document": "act", "project": str(shared.project_id())}
        return list(client.get("/api/decisions", params=asked).json()["here"])

    indexer, lead = (client_of(shared, people[role]) for role in (Role.INDEXER, Role.LEAD))
    assert here(indexer) == []
    assert here(lead) == ["indexer"] and here(indexer) == ["lead"]
    stranger = client_of(shared, people[None])
    stranger.get("/api/decisions", params={"document": "act", "project": str(shared.project_id())})
    assert here(lead) == ["indexer"]
