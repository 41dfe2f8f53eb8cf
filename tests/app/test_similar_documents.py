"""Similar finished documents beside the text, and what was assigned to them."""

from __future__ import annotations

from typing import Any

from streamlit.testing.v1 import AppTest

from core.review.decisions.recording import Operation, record
from core.serving.session import Session
from pages.annotation.similar import are_enough
from tests.support.app_pages import add, data, fresh_page, opened, send

TEXT = "Vessels catch herring at sea under a fishing quota. Herring is landed in the bay."


def decide(shared: Session, document_id: str, *operations: Operation) -> None:
    record(
        shared.server.store(),
        document_id=document_id,
        person_id=shared.person_id(),
        client_id=f"tab-{document_id}",
        operations=operations,
    )


def indexed(shared: Session, title: str = "On herring", *more: str) -> str:
    """A finished document with two accepted concepts, and more, and a rejected one."""
    document_id = add(shared, title, f"{TEXT} {title}")
    actions = [("accept", "101"), ("add", "102"), ("reject", "201")]
    actions += [("add", concept_id) for concept_id in more] + [("finish", "")]
    decide(shared, document_id, *(Operation(n, *one) for n, one in enumerate(actions, start=1)))
    return document_id


def counted(page: AppTest) -> dict[str, int]:
    """To how many of the similar documents each concept was assigned."""
    return {one["id"]: one["number"] for one in data(page, "similar")["concepts"]}


def has_panel(page: AppTest) -> bool:
    names: list[Any] = [one.proto.component_name for one in page.get("bidi_component")]
    return "strata_similar" in names


def test_similar_documents_are_listed_with_how_many_have_each_concept(shared: Session) -> None:
    indexed(shared)
    indexed(shared, "On more herring", "301")
    page = fresh_page(add(shared, "On herring in the bay", TEXT + " And more."))
    given = data(page, "similar")
    assert {one["title"] for one in given["documents"]} == {"On herring", "On more herring"}
    assert counted(page) == {"101": 2, "102": 2, "301": 1}
    assert given["concepts"][-1]["id"] == "301"
    assert given["key"] == "k"
    assert {"101", "102", "301"} < {node["id"] for node in given["nodes"]}


def test_one_or_two_patients_say_nothing_of_another_one() -> None:
    assert [are_enough(n, clinical=True) for n in range(5)] == [False, False, False, True, True]
    assert [are_enough(n, clinical=False) for n in range(3)] == [False, True, True]


def test_a_document_that_is_not_finished_lends_nothing(shared: Session) -> None:
    document_id = indexed(shared)
    decide(shared, document_id, Operation(9, "reopen"))
    assert not has_panel(fresh_page(add(shared, "On herring in the bay", TEXT + " And more.")))


def test_a_document_without_similar_ones_shows_nothing_of_this(shared: Session) -> None:
    indexed(shared)
    page = fresh_page(add(shared, "Train tickets", "Passengers travel by high-speed train."))
    assert not has_panel(page)


def test_a_similar_document_can_be_opened(shared: Session) -> None:
    other = indexed(shared)
    page = fresh_page(add(shared, "On herring in the bay", TEXT + " And more."))
    assert opened(send(page, "similar", "open", {"id": other})) == other
