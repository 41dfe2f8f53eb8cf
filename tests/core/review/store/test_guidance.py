"""Guidelines in versions, and notes on concepts."""

from __future__ import annotations

import pytest

from core.errors import StoreError
from core.review.guidance import (
    CHANGED,
    LONGEST_NOTE,
    guidelines_versions,
    latest_guidelines,
    read_note,
    read_notes,
    set_note,
    write_guidelines,
)
from core.review.people.accounts import add_account
from core.review.store.projects import delete_project, make_project
from core.review.store.store import Store

pytestmark = pytest.mark.usefixtures("on_both")


def test_each_change_is_a_version_with_who_wrote_it(store_of_two: Store) -> None:
    store = store_of_two
    jo = add_account(store, "jo", display_name="Jo Berg").person_id
    assert guidelines_versions(store, 1) == [] and latest_guidelines(store, 1) is None
    write_guidelines(store, 1, " Use *oil*.\n", 1, former=None)
    (first,) = guidelines_versions(store, 1)
    write_guidelines(store, 1, "Use *olive oil*.", jo, former=first.version_id)
    newest, oldest = guidelines_versions(store, 1)
    assert (newest.text, newest.person, oldest.text) == (
        "Use *olive oil*.",
        "Jo Berg",
        "Use *oil*.",
    )
    assert latest_guidelines(store, 1) == "Use *olive oil*."
    write_guidelines(store, 1, "", 1, former=newest.version_id)
    assert latest_guidelines(store, 1) is None and len(guidelines_versions(store, 1)) == 3


def test_the_same_text_is_no_version_and_a_newer_one_is_not_overwritten(
    store_of_two: Store,
) -> None:
    write_guidelines(store_of_two, 1, "One.", 1, former=None)
    (first,) = guidelines_versions(store_of_two, 1)
    write_guidelines(store_of_two, 1, "One. ", 1, former=first.version_id)
    assert guidelines_versions(store_of_two, 1) == [first]
    with pytest.raises(StoreError, match=CHANGED[:40]):
        write_guidelines(store_of_two, 1, "Two.", 1, former=None)


def test_a_note_is_of_one_project_and_an_empty_one_is_none(store_of_two: Store) -> None:
    other = make_project(store_of_two, "Other", "tiny").project_id
    set_note(store_of_two, 1, "oil", "Use this, not fat.\0", 1)
    assert read_note(store_of_two, 1, "oil") == "Use this, not fat.\N{REPLACEMENT CHARACTER}"
    assert read_note(store_of_two, other, "oil") == ""
    set_note(store_of_two, 1, "oil", "Neither.", 1)
    assert read_notes(store_of_two, 1) == {"oil": "Neither."}
    set_note(store_of_two, 1, "oil", "  ", 1)
    assert read_notes(store_of_two, 1) == {}
    with pytest.raises(StoreError, match="1,001 characters"):
        set_note(store_of_two, 1, "oil", "x" * (LONGEST_NOTE + 1), 1)


def test_they_go_with_their_project(store_of_two: Store) -> None:
    other = make_project(store_of_two, "Other", "tiny").project_id
    write_guidelines(store_of_two, other, "One.", 1, former=None)
    set_note(store_of_two, other, "oil", "Not fat.", 1)
    delete_project(store_of_two, other)
    assert guidelines_versions(store_of_two, other) == [] and read_notes(store_of_two, other) == {}
