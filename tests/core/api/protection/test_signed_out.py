"""Cookies that were signed out stay so, over restarts and in two servers of one home."""

from __future__ import annotations

import stat
import time
from pathlib import Path

import pytest

from core.api.protection import signed_out
from core.api.protection.signed_out import SIGNED_IN_SECONDS, SIGNED_OUT_FILE, SignedOutCookies

SOON = int(time.time()) + 3600


def test_what_was_signed_out_stays_so_after_a_restart(tmp_path: Path) -> None:
    file = tmp_path / SIGNED_OUT_FILE
    before, beside = SignedOutCookies(file), SignedOutCookies(file)
    for cookie in (f"{SOON}-a", f"{SOON}-b"):
        before.add(cookie)
        assert cookie in before
        assert cookie in beside, "another server of this home"
        assert cookie in SignedOutCookies(file)
        assert f"{SOON}-c" not in SignedOutCookies(file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == [SIGNED_OUT_FILE]


def test_what_two_servers_have_signed_out_adds_up(tmp_path: Path) -> None:
    file = tmp_path / SIGNED_OUT_FILE
    for name in "ab":
        SignedOutCookies(file).add(f"{SOON}-{name}")
    assert all(f"{SOON}-{name}" in SignedOutCookies(file) for name in "ab")


def test_expired_cookies_are_forgotten(tmp_path: Path) -> None:
    file = tmp_path / SIGNED_OUT_FILE
    cookies = SignedOutCookies(file)
    cookies.add(f"{int(time.time()) - 1}-old")
    cookies.add(f"{SOON}-new")
    assert "old" not in file.read_text() and "new" in file.read_text()


def test_of_too_many_the_first_to_expire_end_all_that_expire_no_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(signed_out, "MOST_SIGNED_OUT", 2)
    file = tmp_path / SIGNED_OUT_FILE
    for n in (3, 1, 2):
        SignedOutCookies(file).add(f"{SOON + n}-left")
    assert f"{SOON + 1}-left" not in file.read_text()
    for cookies in (SignedOutCookies(file), SignedOutCookies(file)):
        assert f"{SOON + 1}-left" in cookies and f"{SOON + 1}-other" in cookies
        assert f"{SOON + 2}-left" in cookies and f"{SOON + 2}-other" not in cookies


@pytest.mark.parametrize("damage", ["", "[]", "{", '{"until": 1, "contents": ["x"]}', "\ud800"])
def test_a_damaged_file_ends_the_cookies_given_out_before(tmp_path: Path, damage: str) -> None:
    file = tmp_path / SIGNED_OUT_FILE
    file.write_bytes(damage.encode("utf-8", "surrogatepass"))
    cookies, now = SignedOutCookies(file), int(time.time())
    assert f"{now + SIGNED_IN_SECONDS - 60}-before" in cookies
    assert f"{now + SIGNED_IN_SECONDS + 60}-after" not in cookies
    cookies.add(f"{SOON}-a")
    assert f"{SOON}-b" in SignedOutCookies(file)


def test_where_nothing_can_be_written_signing_out_still_holds(tmp_path: Path) -> None:
    cookies = SignedOutCookies(tmp_path / "nowhere" / SIGNED_OUT_FILE)
    cookies.add(f"{SOON}-a")
    assert f"{SOON}-a" in cookies and f"{SOON}-b" not in cookies
