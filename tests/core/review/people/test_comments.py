"""Threads of comments, and who is named in them, on SQLite and PostgreSQL."""

from __future__ import annotations

import pytest

from core.errors import NotAllowedError, StoreError
from core.review.decisions.recording import Operation
from core.review.people.accounts import add_account, close_account, rename_account
from core.review.people.comments import (
    Comment,
    add_comment,
    edit_comment,
    keep_comment,
    mentions_of,
    read_thread,
    resolve_comment,
)
from core.review.people.memberships import give_role
from core.review.reports.summaries import named_documents
from core.review.store.documents import set_comment
from core.review.store.store import Store
from core.roles import Role
from tests.support.stores import send

pytestmark = pytest.mark.usefixtures("on_both")
ME, JO, ANN = 1, 2, 3


def said(store: Store, document_id: str = "a") -> list[tuple[str, str]]:
    return [(entry.author, entry.text) for entry in read_thread(store, document_id)]


def listed(store: Store) -> str:
    """What the list and exports have."""
    return named_documents(store, 1, ["a"])["a"].comment


def mentions(store: Store, person_id: int) -> set[str]:
    return set(mentions_of(store, 1, person_id))


def number(store: Store, place: int = -1) -> int:
    comment_id = read_thread(store, "a")[place].comment_id
    assert comment_id is not None
    return comment_id


def test_a_thread_begins_with_what_stood_there(shelf: Store) -> None:
    set_comment(shelf, "a", "Ask the library.")
    assert read_thread(shelf, "a") == [Comment(None, "Ask the library.")]
    add_comment(shelf, "a", " They say yes. ", JO)
    add_comment(shelf, "a", "Good.", ME)
    assert said(shelf) == [("", "Ask the library."), ("jo", "They say yes."), ("me", "Good.")]
    assert listed(shelf) == "Ask the library.\njo: They say yes.\nme: Good."
    assert said(shelf, "b") == []


def test_what_is_sent_twice_is_written_once_and_nothing_is_no_comment(shelf: Store) -> None:
    for text in ("Which year?", "Which year?", "", " \n"):
        add_comment(shelf, "a", text, JO)
    assert said(shelf) == [("jo", "Which year?")]
    with pytest.raises(StoreError, match="2000 characters"):
        add_comment(shelf, "a", "x" * 2001, JO)
    with pytest.raises(StoreError, match="no document"):
        add_comment(shelf, "none", "x", JO)


def test_only_who_wrote_a_comment_changes_it(shelf: Store) -> None:
    add_comment(shelf, "a", "Teh year.", JO)
    with pytest.raises(NotAllowedError):
        edit_comment(shelf, number(shelf), "Mine.", ANN)
    with pytest.raises(StoreError, match="at least a word"):
        edit_comment(shelf, number(shelf), " ", JO)
    edit_comment(shelf, number(shelf), "The year.", JO)
    (entry,) = read_thread(shelf, "a")
    assert (entry.text, entry.edited_at is not None, listed(shelf)) == (
        "The year.",
        True,
        "jo: The year.",
    )


def test_who_is_called_otherwise_is_so_in_what_was_said_before(shelf: Store) -> None:
    add_comment(shelf, "a", "Which year?", JO)
    add_comment(shelf, "a", "1998.", ANN)
    rename_account(shelf, "jo", "jo", "Jo Berg")
    assert listed(shelf) == "Jo Berg: Which year?\nann: 1998."
    rename_account(shelf, "jo", "joanna", "")
    assert listed(shelf) == "joanna: Which year?\nann: 1998."


def test_what_is_resolved_stays_in_the_thread_and_leaves_the_list(shelf: Store) -> None:
    add_comment(shelf, "a", "Which year?", JO)
    resolve_comment(shelf, number(shelf))
    assert (said(shelf), listed(shelf)) == ([("jo", "Which year?")], "")
    resolve_comment(shelf, number(shelf), is_resolved=False)
    assert listed(shelf) == "jo: Which year?"


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("@jo, look.", {JO}),
        ("See @Jo.", {JO}),
        ("@ann and @me: which?", {ANN, ME}),
        ("@joe @nobody jo a@b.example", set()),
        ("@closed", set()),
        ("@stranger", set()),
    ],
)
def test_a_mention_names_who_has_a_role_there(shelf: Store, text: str, named: set[int]) -> None:
    for name in ("jo", "ann"):
        give_role(shelf, name, 1, Role.INDEXER)
    for name in ("closed", "stranger"):
        add_account(shelf, name)
    give_role(shelf, "closed", 1, Role.INDEXER)
    close_account(shelf, "closed")
    add_comment(shelf, "a", text, JO)
    assert {person for person in range(1, 6) if mentions(shelf, person)} == named - {JO}
    add_comment(shelf, "a", text, ANN)
    assert bool(mentions(shelf, JO)) == (JO in named)


def test_a_document_is_on_the_list_of_who_is_named_until_they_answer_or_it_is_resolved(
    shelf: Store,
) -> None:
    give_role(shelf, "jo", 1, Role.INDEXER)
    add_comment(shelf, "a", "@jo which year?", ME)
    add_comment(shelf, "b", "@jo and here?", ME)
    assert mentions(shelf, JO) == {"a", "b"}
    add_comment(shelf, "a", "1998.", JO)
    assert mentions(shelf, JO) == {"b"}
    add_comment(shelf, "a", "@jo sure?", ME)
    assert mentions(shelf, JO) == {"a", "b"}
    resolve_comment(shelf, number(shelf))
    assert mentions(shelf, JO) == {"b"}
    assert mentions_of(shelf, 2, JO) == frozenset()


def test_a_person_alone_has_one_comment_that_is_replaced(shelf: Store) -> None:
    keep_comment(shelf, "a", "One.", person_id=None)
    keep_comment(shelf, "a", "Two.", person_id=None)
    assert read_thread(shelf, "a") == [Comment(None, "Two.")]


def test_the_note_of_what_is_sent_back_is_in_the_thread(shelf: Store) -> None:
    send(shelf, Operation(1, "finish"), document_id="a", person_id=JO)
    back = Operation(1, "send_back", value="The year is missing.")
    send(shelf, back, document_id="a", client_id="reviewer", may_review=True)
    assert said(shelf) == [("me", "The year is missing.")]
