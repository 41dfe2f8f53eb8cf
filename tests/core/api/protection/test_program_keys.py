"""The keys of programs: kept as checksums, for their owner's eyes, known to other servers."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from core.api.protection import program_keys
from core.api.protection.program_keys import LEARN, READ, ProgramKeys
from core.errors import StoreError


def test_a_key_is_known_and_kept_as_a_checksum(tmp_path: Path) -> None:
    file = tmp_path / "home" / "keys.json"
    keys = ProgramKeys(file)
    key = keys.make("  OpenRefine\n", [READ])
    found = keys.find(key)
    assert found is not None and (found.name, found.scopes) == ("OpenRefine", {READ})
    assert key not in file.read_text() and len(key) > 40
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert keys.find(key[:-1]) is None and keys.find("") is None


def test_another_server_knows_what_was_made_and_revoked(tmp_path: Path) -> None:
    one, other = ProgramKeys(tmp_path / "keys.json"), ProgramKeys(tmp_path / "keys.json")
    assert other.listed() == []
    first, second = one.make("a", [READ]), other.make("b", [READ, LEARN])
    assert [key.name for key in one.listed()] == ["a", "b"]
    one.revoke(one.listed()[0].key_id)
    assert other.find(first) is None and other.find(second) is not None


@pytest.mark.parametrize("name", ["", "  ", "a" * 61, "a\x00b"])
def test_a_name_that_says_nothing_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(StoreError, match="name"):
        ProgramKeys(tmp_path / "keys.json").make(name, [READ])


@pytest.mark.parametrize("scopes", [[], ["write"], [READ, "write"]])
def test_a_key_allows_what_there_is(tmp_path: Path, scopes: list[str]) -> None:
    with pytest.raises(StoreError, match="read or learn"):
        ProgramKeys(tmp_path / "keys.json").make("a", scopes)


def test_so_many_keys_there_may_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program_keys, "MOST_KEYS", 1)
    keys = ProgramKeys(tmp_path / "keys.json")
    keys.make("a", [READ])
    with pytest.raises(StoreError, match="revoke one"):
        keys.make("b", [READ])


@pytest.mark.parametrize("content", ["{", "{}x", '[{"key_id": 1}]', "[1]", '{"a": 1}'])
def test_a_damaged_file_opens_nothing_and_is_not_written_over(tmp_path: Path, content: str) -> None:
    file = tmp_path / "keys.json"
    key = ProgramKeys(file).make("a", [READ])
    file.write_text(content)
    damaged = ProgramKeys(file)
    assert damaged.find(key) is None
    with pytest.raises(StoreError, match="cannot be read"):
        damaged.make("b", [READ])
    assert file.read_text() == content


def test_a_key_that_cannot_be_kept_is_not_given_out(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    with pytest.raises(StoreError, match="cannot be stored"):
        ProgramKeys(blocked / "keys.json").make("a", [READ])
    with pytest.raises(StoreError, match="keeps no keys"):
        ProgramKeys().make("a", [READ])
