"""What the database keeps of people, on SQLite and PostgreSQL."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import select

from core.errors import StoreError
from core.review.people import passwords
from core.review.people.accounts import (
    add_account,
    close_account,
    find_account,
    has_accounts,
    list_accounts,
    make_administrator,
    rename_account,
)
from core.review.people.memberships import give_role, list_members, read_roles
from core.review.people.passwords import LEAST_CHARACTERS, MOST_CHARACTERS, hashed, is_password
from core.review.people.sign_ins import (
    begin_sign_in,
    choose_password,
    invite,
    invited,
    sign_in_with,
    signed_in,
)
from core.review.store.backup import write_backup
from core.review.store.copying import copy_store
from core.review.store.people import default_person
from core.review.store.projects import delete_project, make_project
from core.review.store.restore import read_backup
from core.review.store.store import Store
from core.review.store.tables import invitation, person, sign_in
from core.roles import Role
from tests.support.people import PASSWORD, two_people


def test_argon2id_keeps_the_password(store: Store) -> None:
    kept = hashed(PASSWORD)
    assert kept.startswith("$argon2id$v=19$m=65536,t=3,p=4$")  # RFC 9106, section 4, second choice
    assert is_password(kept, PASSWORD) and not is_password(kept, PASSWORD + " ")
    assert not is_password(None, PASSWORD) and not is_password("damaged", PASSWORD)
    assert not is_password(None, "nobody has this one")


@pytest.mark.parametrize("length", [0, LEAST_CHARACTERS - 1, MOST_CHARACTERS + 1])
def test_a_password_has_a_length(length: int) -> None:
    with pytest.raises(StoreError, match="12 to 200 characters"):
        hashed("a" * length)


@pytest.mark.usefixtures("on_both")
def test_who_was_alone_stays_the_first_and_administers(store: Store) -> None:
    me = default_person(store)
    assert list_accounts(store)[0].is_administrator
    add_account(store, "jo")
    rename_account(store, "me", "Maria")
    assert default_person(store).person_id == me.person_id
    assert [account.name for account in list_accounts(store)] == ["maria", "jo"]


@pytest.mark.usefixtures("on_both")
def test_no_two_people_are_seen_by_one_name(store: Store) -> None:
    add_account(store, "jo", display_name="Jo Berg")
    for name, shown in (("kim", "jo  BERG"), ("kim", "me"), ("jo berg", ""), ("me", "")):
        with pytest.raises(StoreError):
            add_account(store, name, display_name=shown)
    add_account(store, "kim", display_name="Kim")
    with pytest.raises(StoreError, match="'Jo Berg' already"):
        rename_account(store, "kim", "kim", "Jo Berg")
    rename_account(store, "kim", "kim", "KIM")  # one's own, in other letters
    rename_account(store, "kim", "kimmy")
    assert [account.shown for account in list_accounts(store)] == ["me", "Jo Berg", "KIM"]


@pytest.mark.usefixtures("on_both")
def test_people_sign_in_from_when_an_administrator_can(store: Store) -> None:
    add_account(store, "jo")

    def are_on() -> bool:
        with store.read() as connection:
            return has_accounts(connection)

    link = invite(store, "jo")
    with pytest.raises(StoreError, match="Nobody signs in here yet"):
        choose_password(store, link, PASSWORD)
    assert not are_on()
    choose_password(store, invite(store, "me"), PASSWORD)
    assert are_on()
    choose_password(store, link, PASSWORD)
    # Whoever was first may go: that people sign in does not end with that.
    make_administrator(store, "jo", is_administrator=True)
    make_administrator(store, "me", is_administrator=False)
    close_account(store, "me")
    assert are_on()


@pytest.mark.usefixtures("on_both")
def test_tokens_are_kept_as_checksums_alone(store: Store) -> None:
    two_people(store)
    token, link = begin_sign_in(store, 2), invite(store, "jo")
    with store.read() as connection:
        kept = [*connection.scalars(select(sign_in.c.digest))]
        kept += connection.scalars(select(invitation.c.digest))
        password = connection.scalar(select(person.c.password).where(person.c.name == "jo"))
    assert kept == [hashlib.sha256(text.encode()).hexdigest() for text in (token, link)]
    assert PASSWORD not in str(password)
    assert signed_in(store, token) == find_account(store, "JO")
    assert signed_in(store, link) is None and invited(store, token) is None


@pytest.mark.usefixtures("on_both")
def test_a_closed_account_has_nothing_open(store: Store) -> None:
    two_people(store)
    token, link = begin_sign_in(store, 2), invite(store, "jo")
    close_account(store, "jo")
    assert signed_in(store, token) is None and invited(store, link) is None
    assert sign_in_with(store, "jo", PASSWORD) is None
    with pytest.raises(StoreError, match="This link has been used"):
        choose_password(store, link, PASSWORD)
    assert read_roles(store, 2).role_in(1) is None


@pytest.mark.usefixtures("on_both")
def test_old_sign_ins_are_cleared_with_the_next(store: Store) -> None:
    two_people(store)
    begin_sign_in(store, 2)
    with store.write() as connection:
        past = datetime.now(UTC) - timedelta(seconds=1)
        connection.execute(sign_in.update().values(ends_at=past))
    begin_sign_in(store, 1)
    with store.read() as connection:
        assert [*connection.scalars(select(sign_in.c.person_id))] == [1]


@pytest.mark.usefixtures("on_both")
def test_a_role_is_one_and_goes_with_its_project(store: Store) -> None:
    two_people(store)
    acts, ward = make_project(store, "Acts", "a"), make_project(store, "Ward", "b")
    give_role(store, "jo", acts.project_id, Role.LEAD)
    give_role(store, "jo", acts.project_id, Role.READER)
    give_role(store, "jo", ward.project_id, Role.INDEXER)
    assert list_members(store, acts.project_id) == {2: Role.READER}
    delete_project(store, acts.project_id)
    assert read_roles(store, 2).role_in(acts.project_id) is None
    assert read_roles(store, 2).role_in(ward.project_id) is Role.INDEXER
    assert read_roles(store, 1).role_in(ward.project_id) is Role.ADMINISTRATOR
    with pytest.raises(StoreError, match="no role in a project"):
        give_role(store, "jo", ward.project_id, Role.ADMINISTRATOR)


@pytest.mark.usefixtures("on_both")
def test_somebody_can_always_administer(store: Store) -> None:
    two_people(store)
    for act in (
        lambda: close_account(store, "me"),
        lambda: make_administrator(store, "me", is_administrator=False),
    ):
        with pytest.raises(StoreError, match="the only administrator"):
            act()
    add_account(store, "ann", is_administrator=True)  # and has no password yet
    with pytest.raises(StoreError, match="the only administrator"):
        close_account(store, "me")
    make_administrator(store, "jo", is_administrator=True)
    make_administrator(store, "me", is_administrator=False)
    assert [account.is_administrator for account in list_accounts(store)] == [False, True, True]


def test_a_backup_brings_people_and_no_sign_ins(store: Store, tmp_path: Path) -> None:
    two_people(store)
    token, link = begin_sign_in(store, 2), invite(store, "me")
    write_backup(store, tmp_path, tmp_path / "b.zip")
    other = tmp_path / "other"
    other.mkdir()
    url = f"sqlite:///{other}/strata.sqlite"
    Store.open(url).close()
    read_backup(tmp_path / "b.zip", database_url=url, home=other)
    restored = Store.open(url)
    assert [account.shown for account in list_accounts(restored)] == ["me", "Jo Berg"]
    assert signed_in(restored, token) is None and invited(restored, link) is None
    assert sign_in_with(restored, "jo", PASSWORD)
    restored.close()


def test_migrating_to_another_database_takes_people_along(store: Store, tmp_path: Path) -> None:
    two_people(store)
    make_project(store, "Acts", "a")
    give_role(store, "jo", 1, Role.REVIEWER)
    target = f"sqlite:///{tmp_path}/copy.sqlite"
    sums = copy_store(str(store.engine.url), target)
    assert (sums["person"].n_rows, sums["membership"].n_rows) == (2, 1)


def test_the_time_of_a_refusal_does_not_tell_which_names_there_are(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    two_people(store)
    verified: list[str] = []

    class Counting:
        def verify(self, kept: str, given: str) -> bool:
            verified.append(kept[:10])
            return True

        def hash(self, given: str) -> str:
            return "$argon2id$ of nobody"

    monkeypatch.setattr(passwords, "_HASHER", Counting())
    passwords._of_nobody.cache_clear()
    sign_in_with(store, "nobody", "x")
    sign_in_with(store, "jo", "x")
    passwords._of_nobody.cache_clear()
    assert verified == ["$argon2id$"] * 2
