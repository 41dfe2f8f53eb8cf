from __future__ import annotations

from core.clinical.notation import ICD10CM
from core.review.keys import (
    SHORTCUTS,
    key_table,
    normal_key,
    shortcuts,
    spoken_key,
    validate,
)
from core.vocabulary.conventions import conventions_of

ICD = conventions_of(ICD10CM)


def test_the_table_itself_can_be_used() -> None:
    assert validate({}) == []
    assert key_table()["accept"] == "a"
    assert key_table()["finish"] == "Shift+Enter"
    assert len(key_table()) == len(SHORTCUTS)


def test_a_person_chooses_some_keys_and_keeps_the_others() -> None:
    table = key_table({"accept": "Y", "exclude": "Shift+x", "dance": "d", "reject": 7})
    assert (table["accept"], table["exclude"], table["reject"]) == ("y", "Shift+X", "r")
    assert "dance" not in table


def test_two_actions_may_change_keys_with_each_other() -> None:
    assert validate({"accept": "r", "reject": "a"}) == []


def test_one_key_for_two_actions_is_refused_with_a_sentence() -> None:
    (problem,) = validate({"accept": "R"})
    assert problem.startswith("R is chosen twice, for “Accept the concept” and for “Reject the")
    assert key_table({"accept": "y", "reject": "y"})["accept"] == "a"


def test_a_letter_and_the_same_letter_with_shift_are_two_keys() -> None:
    assert validate({"accept": "y", "reject": "Shift+Y"}) == []


def test_keys_that_move_in_the_tree_are_refused() -> None:
    for key in ("ArrowUp", "Enter", " ", "*", "Home", "Shift+ArrowDown"):
        (problem,) = validate({"accept": key})
        assert "kept for moving in the tree" in problem


def test_keys_that_no_one_can_press_are_refused() -> None:
    for key in ("", "Shift+", "Shift+1", "Control", "Tab", "Escape", "ab", "\x00"):
        assert len(validate({"accept": key})) == 1, key


def test_an_unknown_action_is_refused() -> None:
    assert validate({"dance": "d"}) == ["There is no action 'dance'."]


def test_keys_are_written_and_read_alike() -> None:
    assert [normal_key(k) for k in ("A", "Shift+r", "/", "Shift+Enter")] == [
        "a",
        "Shift+R",
        "/",
        "Shift+Enter",
    ]
    assert [spoken_key(k) for k in ("a", "Shift+R", "Shift+Enter", "/")] == [
        "A",
        "Shift+R",
        "Shift+Enter",
        "/",
    ]


def test_coders_have_actions_of_their_own_and_librarians_see_none_of_them() -> None:
    librarian = {one.action for one in shortcuts()}
    coder = {one.action for one in shortcuts(ICD)}
    assert coder - librarian == {"down", "codes", "principal", "present", "remedy"}
    assert librarian - coder == {"mark"}
    assert "code" not in " ".join(one.words for one in shortcuts())
    assert validate({}, ICD) == []


def test_a_chosen_key_that_coders_need_gives_them_a_free_one() -> None:
    table = key_table({"accept": "d", "reject": "p"}, ICD)
    assert (table["accept"], table["reject"]) == ("d", "p")
    assert len(set(table.values())) == len(table)
    assert key_table({"accept": "d"})["accept"] == "d"


def test_a_coder_chooses_keys_for_the_actions_of_coders() -> None:
    assert key_table({"down": "x"}, ICD)["down"] == "x"
    assert "down" not in key_table({"down": "x"})
    assert validate({"down": "a"}, ICD)


def test_an_action_whose_key_was_chosen_for_another_one_gets_a_free_one() -> None:
    table = key_table({"accept": "k", "reject": "y"})
    assert (table["accept"], table["reject"]) == ("k", "y")
    assert table["similar"] != "k"
    assert len(set(table.values())) == len(table)
