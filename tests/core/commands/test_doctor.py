"""What the doctor finds in an installation, and what it says to do."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from core.__main__ import main
from core.commands import doctor
from core.home import HomeLock, make_private
from core.settings import Settings


def of(home: Path) -> Settings:
    """The settings of an installation without models."""
    url = f"sqlite:///{home}/strata.sqlite"
    return Settings(home, url, home / "models" / "none", "en", home / "shipped")


def findings(home: Path) -> dict[str, doctor.HealthFinding]:
    """What is found, by subject."""
    return {finding.subject: finding for finding in doctor.examine(of(home))}


def damage(home: Path) -> None:
    (home / "strata.sqlite").write_bytes(b"This is a letter to my aunt.\n" * 100)


def add_trigger(home: Path) -> None:
    with closing(sqlite3.connect(home / "strata.sqlite")) as connection:
        connection.execute("CREATE TRIGGER spy AFTER INSERT ON job BEGIN SELECT 1; END")


def lose_a_document(home: Path) -> None:
    with closing(sqlite3.connect(home / "strata.sqlite")) as connection:
        connection.execute("DELETE FROM document WHERE document_id = 'act'")
        connection.commit()


def damage_vocabulary(home: Path) -> None:
    next((home / "vocabularies").rglob("concepts.json")).write_text("{", "utf-8")


def damage_record(home: Path) -> None:
    next((home / "vocabularies").rglob("about.json")).write_text("{", "utf-8")


def add_bundle(home: Path) -> None:
    (home / "models" / "broken").mkdir(parents=True)


def let_others_read(home: Path) -> None:
    (home / "strata.sqlite").chmod(0o644)


def leave_a_copy(home: Path) -> None:
    (home / ".staging-left").mkdir()


def test_a_whole_installation_is_well(whole: Path) -> None:
    found = findings(whole)
    assert [finding.sentence for finding in found.values() if not finding.is_well] == []
    assert "with 1 decision steps" in found["Database"].sentence
    assert "concepts" in found["Vocabulary"].sentence


@pytest.mark.parametrize(
    ("harm", "subject", "sentence", "remedy"),
    [
        (damage, "Database", "not a database", "core restore"),
        (add_trigger, "Database", "has a trigger 'spy'", "core restore"),
        (lose_a_document, "Database", "name a missing row of document", "core restore"),
        (damage_vocabulary, "Vocabulary", "damaged", "Import its file again"),
        (damage_record, "Vocabulary", "cannot be read", "Import its file again"),
        (add_bundle, "Model bundle", "broken", "Get the bundle broken again"),
        (let_others_read, "Rights", "strata.sqlite", "Start the server"),
        (leave_a_copy, "Leftovers", ".staging-left", "Start the server"),
    ],
)
def test_each_problem_is_named_with_its_remedy(
    whole: Path, harm: Callable[[Path], None], subject: str, sentence: str, remedy: str
) -> None:
    harm(whole)
    make_private(whole) if harm is not let_others_read else None
    found = findings(whole)
    bad = {name: finding for name, finding in found.items() if not finding.is_well}
    assert list(bad) == [subject]
    assert sentence in bad[subject].sentence and remedy in bad[subject].remedy


def test_a_full_disk_is_named(whole: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "LEAST_FREE_BYTES", 10**18)
    assert "free some space" in findings(whole)["Disk"].remedy


def test_what_a_server_is_writing_is_no_leftover(whole: Path) -> None:
    leave_a_copy(whole)
    with closing(HomeLock.shared(whole)):
        assert findings(whole)["Leftovers"].is_well


def test_a_new_installation_is_well(tmp_path: Path) -> None:
    found = findings(tmp_path / "nowhere")
    assert "There is none yet" in found["Database"].sentence
    assert not (tmp_path / "nowhere").exists()


def test_the_command_says_by_its_status_whether_something_is_wrong(
    whole: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.settings.Settings.from_env", lambda: of(whole))
    assert main(["doctor"]) == 0
    assert "ok   Database" in capsys.readouterr().out
    damage(whole)
    assert main(["doctor", "--json"]) == 1
    said = json.loads(capsys.readouterr().out)
    assert said["is_well"] is False
    assert [row["subject"] for row in said["findings"] if not row["is_well"]] == ["Database"]
