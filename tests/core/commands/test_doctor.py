"""What the doctor finds in an installation, and what it says to do."""

from __future__ import annotations

import json
import pwd
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import create_engine

from core.__main__ import main
from core.commands import doctor
from core.home import HomeLock, make_private, open_private
from core.review.people.accounts import add_account
from core.review.store.database import HEAD
from core.review.store.store import Store
from core.settings import Settings
from tests.support.people import two_people

LOGIN_USERS = doctor.login_users


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


def set_back(home: Path) -> None:
    with closing(sqlite3.connect(home / "strata.sqlite")) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '0011'")


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
        (set_back, "Database", "has schema 0011", "name another database"),
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


@contextmanager
def changed(url: str, harm: str, mend: str) -> Iterator[None]:
    """A database on a server with something wrong, which is as before afterwards."""
    engine = create_engine(url, isolation_level="AUTOCOMMIT")
    try:
        with engine.connect() as connection:
            connection.exec_driver_sql(harm)
        yield
    finally:
        with engine.connect() as connection:
            connection.exec_driver_sql(mend)
        engine.dispose()


def database_finding(url: str, home: Path) -> doctor.HealthFinding:
    (found,) = doctor._database(replace(of(home), database_url=url))
    return found


def log_findings(url: str, home: Path) -> list[doctor.HealthFinding]:
    return list(doctor._log(replace(of(home), database_url=url)))


@pytest.mark.parametrize("place", ["file", "server"])
def test_the_audit_log_is_computed_anew(
    request: pytest.FixtureRequest, whole: Path, place: str
) -> None:
    file = f"sqlite:///{whole}/strata.sqlite"
    url = request.getfixturevalue("on_server") if place == "server" else file
    assert log_findings(url, whole) == []  # a person alone has none
    with closing(Store.open(url)) as store:
        for name in ("jo", "kim"):
            add_account(store, name)
        (found,) = log_findings(url, whole)
        assert found.is_well and found.sentence.startswith("All 2 events fit. The newest has")
        with store.write() as connection:
            connection.exec_driver_sql("UPDATE audit_event SET person_id = 1 WHERE event_id = 2")
    (found,) = log_findings(url, whole)
    assert "Event 2 does not fit" in found.sentence and "log in a backup" in found.remedy


def test_a_whole_database_on_a_server_is_well(on_server: str, tmp_path: Path) -> None:
    found = database_finding(on_server, tmp_path)
    assert found.is_well and "is whole, with 1 decision steps" in found.sentence


@pytest.mark.parametrize(
    ("harm", "mend", "sentence"),
    [
        (
            "CREATE TRIGGER spy BEFORE UPDATE ON job FOR EACH ROW "
            "EXECUTE FUNCTION suppress_redundant_updates_trigger()",
            "DROP TRIGGER spy ON job",
            "has a trigger 'spy'",
        ),
        (
            "ALTER TABLE job RENAME COLUMN kind TO other",
            "ALTER TABLE job RENAME COLUMN other TO kind",
            "has the column 'other' of 'job'; lacks the column 'kind' of 'job'",
        ),
        (
            "ALTER TABLE decision RENAME TO other",
            "ALTER TABLE other RENAME TO decision",
            "lacks a table 'decision'",
        ),
        (
            "SET session_replication_role = replica; "
            "DELETE FROM document WHERE document_id = 'act'",
            "SET session_replication_role = origin",
            "rows of decision_event name a missing row of document",
        ),
        (
            "UPDATE alembic_version SET version_num = '9999'",
            f"UPDATE alembic_version SET version_num = '{HEAD}'",
            "written by a newer Strata",
        ),
        (
            "UPDATE alembic_version SET version_num = '0011'",
            f"UPDATE alembic_version SET version_num = '{HEAD}'",
            "has schema 0011",
        ),
    ],
)
def test_what_is_wrong_on_a_server_is_named(
    on_server: str, tmp_path: Path, harm: str, mend: str, sentence: str
) -> None:
    with changed(on_server, harm, mend):
        found = database_finding(on_server, tmp_path)
    assert sentence in found.sentence and found.remedy


def test_a_server_that_does_not_answer_is_said_so(tmp_path: Path) -> None:
    url = f"postgresql+psycopg://strata@/none?host={tmp_path}"
    found = database_finding(url, tmp_path)
    assert "does not answer" in found.sentence and "STRATA_DATABASE_URL" in found.remedy


def test_others_on_the_machine_are_named_where_no_key_keeps_them_out(
    whole: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "login_users", lambda: ["ada", "grace"])
    found = findings(whole)["Access"]
    assert "2 others can sign in here, such as ada" in found.sentence
    assert "access-key" in found.remedy
    with open_private(whole / "access-key") as file:
        file.write(b"correct horse battery staple")
    assert findings(whole)["Access"].is_well


def test_where_people_sign_in_nobody_else_is_answered(
    whole: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "login_users", lambda: ["ada"])
    with closing(Store.open(of(whole).database_url)) as store:
        add_account(store, "ann")
        assert not findings(whole)["Access"].is_well  # nobody has a password yet
        two_people(store)
    found = findings(whole)["Access"]
    assert found.is_well and "signs in by name" in found.sentence


def test_where_a_proxy_signs_people_in_nobody_else_is_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "login_users", lambda: ["ada"])
    settings = replace(of(tmp_path), user_header="x-forwarded-user")
    (found,) = (one for one in doctor.examine(settings) if one.subject == "Access")
    assert found.is_well and "signs in by name" in found.sentence


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "is shorter than 16 characters"),
        (b"secret\n", "is shorter than 16 characters"),
        (b"\xff" * 20, "cannot be read"),
    ],
)
def test_a_key_that_keeps_a_server_from_starting_is_named(
    whole: Path, content: bytes, sentence: str
) -> None:
    with open_private(whole / "access-key") as file:
        file.write(content)
    found = findings(whole)["Access"]
    assert sentence in found.sentence and "access-key" in found.sentence
    assert "at least 16 characters" in found.remedy


def test_the_hosts_that_may_be_asked_are_named(whole: Path) -> None:
    assert "Off" in findings(whole)["Fetching"].sentence
    settings = replace(of(whole), fetch_hosts=("eur-lex.europa.eu",))
    (found,) = (one for one in doctor.examine(settings) if one.subject == "Fetching")
    assert found.is_well and "from eur-lex.europa.eu, and nothing else" in found.sentence
    assert "Off" in findings(whole)["Suggesters elsewhere"].sentence
    settings = replace(of(whole), suggester_hosts=("annif.example",))
    (found,) = (one for one in doctor.examine(settings) if one.subject == "Suggesters elsewhere")
    assert found.is_well and "texts of documents are sent there" in found.sentence


def test_whether_programs_are_answered_is_said(whole: Path) -> None:
    assert "Off" in findings(whole)["Programs"].sentence
    settings = replace(of(whole), rest=True, rest_origins=("http://127.0.0.1:3333",))
    (found,) = (one for one in doctor.examine(settings) if one.subject == "Programs")
    assert found.is_well and "pages of http://127.0.0.1:3333" in found.sentence


def test_who_can_sign_in_has_a_shell_and_a_number_of_people(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shells = {"ada": (1001, "/bin/bash"), "www": (33, "/bin/bash"), "x": (1002, "/bin/false")}
    entries = [(name, "x", uid, uid, "", "/", shell) for name, (uid, shell) in shells.items()]
    monkeypatch.setattr("pwd.getpwall", lambda: [pwd.struct_passwd(entry) for entry in entries])
    assert LOGIN_USERS() == ["ada"]


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
