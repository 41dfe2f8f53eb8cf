"""The one table of rights, and the page that shows it."""

from __future__ import annotations

import pytest

from core.errors import NotAllowedError
from core.roles import Right, Role, require
from tests.support.rights import table, written


def test_a_role_has_what_the_ones_below_it_have() -> None:
    assert list(Role) == ["reader", "indexer", "reviewer", "lead", "administrator"]
    for right in Right:
        allowed = [role for role in Role if role.includes(right.least)]
        assert allowed == list(Role)[list(Role).index(right.least) :]


@pytest.mark.parametrize(
    ("role", "right", "sentence"),
    [
        (Role.READER, Right.DECIDE, "As a reader you may not decide, .*takes an indexer; ask"),
        (Role.INDEXER, Right.MODELS, "As an indexer you may not choose.*takes a lead; ask"),
        (Role.LEAD, Right.BACKUP, "As a lead you may not write.*takes an administrator; ask"),
    ],
)
def test_who_may_not_hears_who_may(role: Role, right: Right, sentence: str) -> None:
    with pytest.raises(NotAllowedError, match=sentence):
        require(role, right)
    require(right.least, right)


def test_the_page_shows_the_table() -> None:
    assert written() == table()
