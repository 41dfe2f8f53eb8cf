"""Who has finished and judged documents, in exports."""

from __future__ import annotations

from core.documents.document import Document
from core.export.export import Export
from core.export.gathering import Selection
from core.review.decisions.recording import Operation
from core.review.people.accounts import find_account
from core.review.store.arrivals import add_document
from core.review.store.projects import default_project
from core.review.store.store import Store
from tests.support.exports import HIERARCHY, lines, table
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
