"""Similar documents beside the text, and taking their concepts over."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from core.review.decisions.recording import Operation, current, record
from core.serving.session import Session
from tests.support.app_pages import add, click, errors, fresh_page, opened

TEXT = "Vessels catch herring at sea under a fishing quota. Herring is landed in the bay."


def decide(shared: Session, document_id: str, *operations: Operation) -> None:
    record(
        shared.store(),
        document_id=document_id,
        person_id=shared.person_id(),
        client_id=f"tab-{document_id}",
        operations=operations,
    )


def indexed(shared: Session) -> str:
    """A document with two accepted concepts and a rejected one."""
    document_id = add(shared, "On herring", TEXT)
    decide(
        shared,
        document_id,
        Operation(1, "accept", "101"),
        Operation(2, "add", "102"),
        Operation(3, "reject", "201"),
    )
    return document_id


def similar_buttons(page: AppTest) -> dict[str, bool]:
    """Keys of the buttons that take concepts over, and whether they can be pressed."""
    keys = {button.key: not button.disabled for button in page.button if button.key}
    return {key: usable for key, usable in keys.items() if key.startswith("take_")}


def states(shared: Session, document_id: str) -> dict[str, str]:
    return {i: one.state for i, one in current(shared.store(), document_id).items()}


def test_a_similar_document_is_shown_with_its_accepted_concepts(shared: Session) -> None:
    indexed(shared)
    page = fresh_page(add(shared, "On herring in the bay", TEXT + " And more."))
    assert page.expander[0].label == "1 similar document indexed here"
    assert similar_buttons(page) == {"take_all_0": True, "take_0_101": True, "take_0_102": True}


def test_one_click_takes_all_over_and_one_undo_takes_them_back(shared: Session) -> None:
    indexed(shared)
    document_id = add(shared, "On herring in the bay", TEXT + " And more.")
    page = click(fresh_page(document_id), "take_all_0")
    assert states(shared, document_id) == {"101": "accepted", "102": "accepted"}
    assert similar_buttons(page) == {"take_all_0": False, "take_0_101": False, "take_0_102": False}
    decide(shared, document_id, Operation(1, "undo"))
    assert states(shared, document_id) == {}


def test_one_concept_can_be_taken_over_and_what_was_decided_stays(shared: Session) -> None:
    indexed(shared)
    document_id = add(shared, "On herring in the bay", TEXT + " And more.")
    decide(shared, document_id, Operation(1, "reject", "101"))
    page = fresh_page(document_id)
    assert similar_buttons(page) == {"take_all_0": True, "take_0_101": False, "take_0_102": True}
    click(page, "take_0_102")
    assert states(shared, document_id) == {"101": "rejected", "102": "accepted"}


def test_a_finished_document_refuses_with_a_sentence(shared: Session) -> None:
    indexed(shared)
    document_id = add(shared, "On herring in the bay", TEXT + " And more.")
    decide(shared, document_id, Operation(1, "finish"))
    page = click(fresh_page(document_id), "take_0_102")
    assert states(shared, document_id) == {}
    assert "finished" in errors(page)[0]


def test_a_document_without_similar_ones_shows_nothing_of_this(shared: Session) -> None:
    indexed(shared)
    page = fresh_page(add(shared, "Train tickets", "Passengers travel by high-speed train."))
    assert similar_buttons(page) == {}


def test_a_similar_document_can_be_opened(shared: Session) -> None:
    other = indexed(shared)
    page = fresh_page(add(shared, "On herring in the bay", TEXT + " And more."))
    assert opened(click(page, "open_similar_0")) == other


def test_what_was_rejected_since_the_page_was_drawn_is_not_taken_over(shared: Session) -> None:
    indexed(shared)
    document_id = add(shared, "On herring in the bay", TEXT + " And more.")
    page = fresh_page(document_id)
    decide(shared, document_id, Operation(1, "reject", "101"))  # in another session
    click(page, "take_all_0")
    assert states(shared, document_id) == {"101": "rejected", "102": "accepted"}
