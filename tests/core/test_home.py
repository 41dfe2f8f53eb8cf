"""The rights of a home, its lock, and what a killed program left in it."""

from __future__ import annotations

import stat
from contextlib import closing
from pathlib import Path

import pytest

from core.home import (
    HomeLock,
    clear_abandoned,
    clear_leftovers,
    leftovers,
    make_private,
    staging,
    written_whole,
)
from tests.support.killed import kill, killed_at


def rights(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_an_existing_home_is_taken_from_others_and_nothing_else_in_it(tmp_path: Path) -> None:
    home = tmp_path / "home"
    inner = home / "vocabularies" / "stw"
    inner.mkdir(parents=True)
    files = [home / "strata.sqlite", home / "strata.sqlite-wal", inner / "concepts.json"]
    outside = tmp_path / "outside"
    for file in (*files, home / "letter.txt", outside):
        file.touch()
        file.chmod(0o644)
    for folder in (home, inner):
        folder.chmod(0o755)
    (inner / "link").symlink_to(outside)
    make_private(home)
    assert [rights(path) for path in (home, inner)] == [0o700, 0o700]
    assert {rights(file) for file in files} == {0o600}
    assert rights(outside) == rights(home / "letter.txt") == 0o644


def test_a_new_home_is_private(tmp_path: Path) -> None:
    make_private(tmp_path / "new" / "home")
    assert rights(tmp_path / "new" / "home") == 0o700


def test_a_folder_for_everybody_stays_so(tmp_path: Path) -> None:
    tmp_path.chmod(0o1777)
    make_private(tmp_path)
    assert rights(tmp_path) == 0o1777


def test_leftovers_are_cleared_when_nobody_works_on_the_home(tmp_path: Path) -> None:
    left = [".staging-x", "vocabularies/stw/.new-y"]
    for name in left:
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "strata.sqlite").touch()
    (tmp_path / "backups").mkdir()
    (tmp_path / "backups" / "before-restore.zip.part").touch()
    kept = tmp_path / "backups" / "before-restore.zip"
    kept.touch()
    with closing(HomeLock.shared(tmp_path)):
        assert clear_leftovers(tmp_path) == [] and len(leftovers(tmp_path)) == 3
    assert len(clear_leftovers(tmp_path)) == 3
    assert leftovers(tmp_path) == [] and kept.exists()


def test_what_is_being_made_is_not_cleared(tmp_path: Path) -> None:
    with staging(tmp_path) as folder:
        assert clear_leftovers(tmp_path) == []
        assert rights(folder) == 0o700
    assert leftovers(tmp_path) == []


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    target = tmp_path / "backup.zip"
    with pytest.raises(TypeError), written_whole(target) as part:
        part.write_text(None, "utf-8")  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []
    with written_whole(target) as part:
        part.write_text("whole", "utf-8")
    assert [path.name for path in tmp_path.iterdir()] == ["backup.zip"]
    assert rights(target) == 0o600


def test_what_a_killed_backup_left_elsewhere_is_cleared_while_others_work(tmp_path: Path) -> None:
    home, target = tmp_path / "home", tmp_path / "backup.zip"

    def write() -> None:
        with staging(home) as folder, written_whole(target, noted_in=folder):
            kill()

    killed_at(write, lambda: None)
    part = tmp_path / "backup.zip.part"
    assert part in leftovers(home) and part.exists()
    with closing(HomeLock.shared(home)), staging(home) as folder:
        (left,) = (path for path in home.glob(".staging-*") if path != folder)
        assert clear_abandoned(home, but_with="in-use") == []
        assert clear_abandoned(home, but_with="journal.json") == [part, left]
        assert folder.exists() and not left.exists() and not part.exists()


def test_a_note_of_a_file_elsewhere_removes_nothing_but_an_unfinished_one(tmp_path: Path) -> None:
    letter = tmp_path / "letter.txt"
    letter.touch()
    left = tmp_path / "home" / ".staging-left"
    left.mkdir(parents=True)
    (left / "elsewhere").write_text(str(letter), "utf-8")
    assert clear_leftovers(tmp_path / "home") == [left]
    assert letter.exists()
