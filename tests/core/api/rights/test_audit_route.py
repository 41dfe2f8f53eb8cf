"""The audit log as a table, and the events that routes and pages leave in it."""

from __future__ import annotations

import csv
import hashlib
import io
import json

import pytest

from core.export.gathering import Selection
from core.review.audit.log import BEGINNING
from core.review.audit.search import AuditSearch, search_log
from core.roles import Role
from core.serving.session import Session, note_seen
from pages.components.downloads import Wanted, make_file
from tests.support.people import client_of

People = dict[Role | None, int]


def table(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline="")))


def events_of(shared: Session, person_id: int) -> list[tuple[str, object]]:
    events = search_log(shared.server.store(), AuditSearch(person_id=person_id))
    return [(event.row["kind"], event.row["detail"]) for event in events]


def test_the_table_has_what_the_hashes_are_computed_from(shared: Session, people: People) -> None:
    answer = client_of(shared, people[Role.ADMINISTRATOR]).get("/api/audit")
    rows = table(answer.text)
    assert rows[-1]["kind"] == "exported" and rows[-1]["person"] == "administrator"
    assert json.loads(rows[-1]["detail"]) == {"form": "audit log", "n_documents": len(rows) - 1}
    previous = BEGINNING
    for row in rows:
        detail = json.loads(row["detail"] or "null")
        numbers = [int(row[name]) if row[name] else None for name in ("person_id", "project_id")]
        content = [int(row["event"]), row["at"], numbers[0], row["kind"], numbers[1]]
        content += [row["document_id"] or None, detail]
        written = json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        assert row["previous"] == previous
        previous = row["hash"]
        assert previous == hashlib.sha256((row["previous"] + written).encode()).hexdigest()


def test_the_table_is_asked_for_by_person_kind_and_day(shared: Session, people: People) -> None:
    client, lead = client_of(shared, people[Role.ADMINISTRATOR]), people[Role.LEAD]
    client_of(shared, lead).get("/api/export")
    asked = {
        "person_id": str(lead),
        "kind": "exported",
        "since": "2020-01-01",
        "until": "2999-01-01",
    }
    (row,) = table(client.get("/api/audit", params=asked).text)
    assert (row["person"], row["kind"]) == ("lead", "exported")
    assert table(client.get("/api/audit", params={"document_id": "nothing"}).text) == []
    for wrong in ({"person_id": "jo"}, {"kind": "dreamt"}, {"since": "yesterday"}):
        assert client.get("/api/audit", params=wrong).status_code == 400


def test_exports_are_noted_with_form_and_number(
    shared: Session, document_id: str, people: People
) -> None:
    reader = people[Role.READER]
    asked = {"form": "jsonl", "status": "new"}
    assert client_of(shared, reader).get("/api/export", params=asked).status_code == 200
    theirs = Session(shared.server, shared.project_id(), person_id=reader)
    make_file(theirs, Wanted(Selection(document_ids=("act", "lost")), "csv"))
    assert events_of(shared, reader) == [
        ("exported", {"form": "jsonl", "n_documents": 1}),
        ("exported", {"form": "csv", "n_documents": 1}),
    ]


def test_a_backup_is_noted(shared: Session, people: People) -> None:
    who = people[Role.ADMINISTRATOR]
    assert client_of(shared, who).get("/api/backup").status_code == 200
    assert events_of(shared, who) == [("backup written", None)]


@pytest.mark.usefixtures("document_id")
def test_a_document_without_patients_is_not_noted(shared: Session, people: People) -> None:
    client = client_of(shared, people[Role.READER])
    client.get("/api/evidence", params={"document": "act", "concept": "102"})
    theirs = Session(shared.server, shared.project_id(), person_id=people[Role.READER])
    note_seen(theirs, "act")
    assert events_of(shared, people[Role.READER]) == []
