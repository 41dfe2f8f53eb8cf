"""`python -m core person`: who works here, by the command line."""

from __future__ import annotations

import re

import pytest

from core.__main__ import main
from core.review.people.accounts import has_accounts
from core.review.people.memberships import read_roles
from core.review.people.sign_ins import choose_password
from core.review.store.projects import make_project
from core.review.store.store import Store
from core.roles import Role

PASSWORD = "a herring in the library"


def said(capsys: pytest.CaptureFixture[str], *argv: str) -> str:
    assert main(["person", *argv]) == 0, capsys.readouterr().err
    return capsys.readouterr().out


def refused(capsys: pytest.CaptureFixture[str], *argv: str) -> str:
    assert main(["person", *argv]) == 1
    return capsys.readouterr().err


def links(out: str) -> dict[str, str]:
    return dict(re.findall(r"(\S+): http://localhost:8501/sign-in\?link=(\S+)", out))


def test_the_first_administrator_and_an_indexer(
    empty_store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    make_project(empty_store, "Acts", "eurovoc")
    by_name = links(said(capsys, "add", "Jo", "--shown", "Jo Berg", "--role", "indexer"))
    assert by_name.keys() == {"me", "jo"}
    said(capsys, "rename", "me", "maria", "--shown", "Maria Lund")
    with empty_store.read() as connection:
        assert not has_accounts(connection)
    assert choose_password(empty_store, by_name["me"], PASSWORD) == 1
    with empty_store.read() as connection:
        assert has_accounts(connection)
    assert said(capsys, "list").splitlines() == [
        "maria (Maria Lund): administrator",
        "jo (Jo Berg): indexer of Acts, no password",
    ]
    assert (read_roles(empty_store, 1).role_in(1), read_roles(empty_store, 2).role_in(1)) == (
        Role.ADMINISTRATOR,
        Role.INDEXER,
    )


def test_roles_are_given_and_taken_back(
    empty_store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    make_project(empty_store, "Acts", "eurovoc")
    make_project(empty_store, "Ward", "icd10cm")
    said(capsys, "add", "jo")
    sentence = refused(capsys, "role", "jo", "lead")
    assert "1 (Acts), 2 (Ward)" in sentence
    said(capsys, "role", "jo", "lead", "--project", "Ward")
    said(capsys, "role", "jo", "reader", "--project", "1")
    assert "jo: reader of Acts, lead of Ward" in said(capsys, "list")
    said(capsys, "role", "jo", "none", "--project", "2")
    assert (read_roles(empty_store, 2).role_in(1), read_roles(empty_store, 2).role_in(2)) == (
        Role.READER,
        None,
    )


def test_an_administrator_has_no_other_role_until_that_is_taken_back(
    empty_store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    make_project(empty_store, "Acts", "eurovoc")
    said(capsys, "add", "jo", "--role", "admin")
    for role in ("reader", "none"):
        sentence = refused(capsys, "role", "jo", role, "--project", "Acts")
        assert "jo is an administrator" in sentence
        assert "python -m core person role jo none" in sentence
    said(capsys, "role", "jo", "none")
    assert "jo: no role" in said(capsys, "list")
    said(capsys, "role", "jo", "reader", "--project", "Acts")
    assert "jo: reader of Acts" in said(capsys, "list")
    assert "'me' is the only administrator" in refused(capsys, "role", "me", "none")


def test_the_last_administrator_stays(
    empty_store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    said(capsys, "add", "jo")
    assert "'me' is the only administrator" in refused(capsys, "close", "me")
    said(capsys, "role", "jo", "admin")
    said(capsys, "close", "me")
    assert "me: administrator, no password, closed" in said(capsys, "list")
    said(capsys, "reopen", "me")
    assert "closed" not in said(capsys, "list")


@pytest.mark.parametrize("name", ["", " ", "Jo Berg", "jo/berg", "-jo", "j" * 65, "jö"])
def test_a_name_that_nobody_can_type_is_refused(
    empty_store: Store, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    assert "small letters" in refused(capsys, "add", "--", name)


def test_two_have_no_name_together(empty_store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    said(capsys, "add", "jo")
    assert "There is an account named 'jo' already" in refused(capsys, "add", "JO")
    assert "There is an account named 'me' already" in refused(capsys, "rename", "jo", "me")
    assert "There is no account named 'ann'" in refused(capsys, "link", "ann")
