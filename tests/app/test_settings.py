"""The Settings page as Streamlit runs it: keys, languages, backup, where the data lies."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core import __version__
from core.api.protection.program_keys import PROGRAM_KEYS_FILE, READ, ProgramKeys
from core.documents.document import Document
from core.home import make_private
from core.review.reports.summaries import list_documents
from core.review.store.arrivals import add_document
from core.review.store.people import read_preferences, set_preference
from core.review.store.projects import make_project
from core.serving.choosing import wait_until_loaded
from core.serving.session import Session
from tests.support.app_pages import data, errors, run, send, turn_to
from tests.support.backups import backup


def rows(page: AppTest) -> dict[str, dict[str, Any]]:
    return {row["action"]: row for row in data(page, "settings_keys")["rows"]}


def choose(page: AppTest, action: str, key: str) -> AppTest:
    return send(page, "settings_keys", "keys", {"action": action, "key": key})


def preferences(shared: Session) -> dict[str, Any]:
    return read_preferences(shared.server.store(), shared.person_id())


def test_a_run_that_leaves_the_page_out_leaves_its_tab_open(settings_page: AppTest) -> None:
    settings_page.session_state["settings_tab"] = "Projects"  # as the browser says
    run(settings_page)
    # As where a choice has the project opened anew, and the progress is drawn in the page's place.
    assert "Settings" not in [one.value for one in turn_to(settings_page, "export").title]
    (tabs,) = turn_to(settings_page, "settings").get("tab_container")
    assert tabs.proto.tab_container.default_tab_index == 2


def test_a_key_is_changed_and_only_what_differs_is_kept(
    settings_page: AppTest, shared: Session
) -> None:
    assert rows(settings_page)["accept"]["spoken"] == "A"
    assert rows(settings_page)["exclude"]["spoken"] == "Shift+R"
    assert data(settings_page, "settings_keys")["problems"] == []
    choose(settings_page, "accept", "J")
    assert rows(settings_page)["accept"]["key"] == "j"
    assert preferences(shared)["keys"] == {"accept": "j"}
    choose(settings_page, "accept", "a")
    assert "keys" not in preferences(shared)
    choose(settings_page, "accept", "j")
    send(settings_page, "settings_keys", "keys", {"reset": True})
    assert rows(settings_page)["accept"]["key"] == "a"
    assert "keys" not in preferences(shared)


def test_a_key_that_is_taken_and_junk_from_the_browser_change_no_key(
    settings_page: AppTest, shared: Session
) -> None:
    choose(settings_page, "accept", "r")
    assert "R is chosen twice" in data(settings_page, "settings_keys")["problems"][0]
    assert rows(settings_page)["accept"]["key"] == "a"
    for junk in ("accept", {"action": 1, "key": "j"}, {"action": "accept", "key": "j" * 1000}):
        send(settings_page, "settings_keys", "keys", junk)
    choose(settings_page, "format", "j")
    assert "keys" not in preferences(shared)


def test_the_label_language_is_kept_for_the_person(settings_page: AppTest, shared: Session) -> None:
    choice = settings_page.selectbox(key="label_language")
    assert choice.options == ["English (14 concepts)"]
    choice.set_value("en")
    run(settings_page)
    assert shared.language() == "en"
    set_preference(shared.server.store(), shared.person_id(), "label_language", "fr")
    assert shared.language() == "fr"


def test_hints_are_switched_off_and_on_for_the_person(
    settings_page: AppTest, shared: Session
) -> None:
    assert settings_page.toggle(key="hints").value is True
    settings_page.toggle(key="hints").set_value(False)
    page = run(settings_page)
    assert not errors(page)
    assert preferences(shared)["hints"] is False
    assert page.toggle(key="hints").value is False
    run(page.toggle(key="hints").set_value(True))
    assert "hints" not in preferences(shared)


def test_every_level_and_the_order_of_the_next_are_kept_for_the_person(
    settings_page: AppTest, shared: Session
) -> None:
    assert settings_page.toggle(key="every_level").value is False
    assert settings_page.radio(key="next_order").value == "probability"
    settings_page.toggle(key="every_level").set_value(True)
    settings_page.radio(key="next_order").set_value("branch")
    page = run(settings_page)
    assert not errors(page)
    kept = preferences(shared)
    assert (kept["every_level"], kept["next_order"]) == (True, "branch")
    page.toggle(key="every_level").set_value(False)
    run(page.radio(key="next_order").set_value("probability"))
    assert {"every_level", "next_order"}.isdisjoint(preferences(shared))


def test_the_version_where_data_lies_what_is_computed_in_and_what_is_sent_are_said(
    settings_page: AppTest, shared: Session
) -> None:
    said = privacy(settings_page)
    assert f":small[Strata {__version__}]" in said
    assert str(shared.settings.home / "strata.sqlite") in said
    assert "sends nothing anywhere" in said and "an administrator lists hosts" in said
    assert "| Suggestions are computed in | **fp32**: 32-bit numbers throughout |" in said
    assert "| Why | set by STRATA_PRECISION |" in said
    assert any("STRATA_REST=1" in info.value for info in settings_page.info)
    assert not [button for button in settings_page.button if button.label == "Make a key"]
    shared.server.settings = replace(shared.settings, fetch_hosts=("eur-lex.europa.eu",))
    said = "\n".join(element.value for element in run(settings_page).markdown)
    assert "sends nothing anywhere" not in said
    assert "asks `eur-lex.europa.eu`, and no other host" in said


def test_what_a_model_calls_itself_draws_nothing(settings_page: AppTest, shared: Session) -> None:
    assert wait_until_loaded(shared, 60) == "ready"
    assert shared.project.suggester is not None
    shared.project.suggester.name = "a|b ![x](http://x/y.png)"
    said = "\n".join(element.value for element in run(settings_page).markdown)
    assert "![x]" not in said
    assert r"a\|b" in said


def add(shared: Session, title: str) -> None:
    document = Document.from_text("", title, "")
    add_document(shared.server.store(), document, project_id=shared.project_id())


def titles(shared: Session) -> set[str]:
    return {one.title for one in list_documents(shared.server.store(), shared.project_id())}


def uploaded(page: AppTest, content: bytes) -> AppTest:
    (uploader,) = [one for one in page.file_uploader if (one.key or "").startswith("restore")]
    uploader.set_value(("backup.zip", content, "application/zip"))
    return run(page)


def privacy(page: AppTest) -> str:
    return "\n".join(element.value for element in page.markdown)


def test_a_backup_is_restored_after_a_look_and_a_tick(
    settings_page: AppTest, shared: Session
) -> None:
    add(shared, "On herring")
    content = backup(shared.server.store(), shared.settings.home)
    assert any('href="api/backup"' in drawn.proto.body for drawn in settings_page.get("html"))
    add(shared, "On honey")
    ward = make_project(shared.server.store(), "Ward 7", "tiny")
    bread = Document.from_text("bread", "On bread", "Bread.")
    add_document(shared.server.store(), bread, project_id=ward.project_id)
    uploaded(settings_page, content)
    assert any("**1 document**" in element.value for element in settings_page.markdown)
    sure = settings_page.checkbox(key="restore_sure")
    assert sure.label == "Put it in the place of what is here: 3 documents of all projects"
    assert "| Kept now | 3 documents of all projects, and 0 in bins |" in privacy(settings_page)
    assert settings_page.button(key="restore").disabled
    run(settings_page.checkbox(key="restore_sure").check())
    run(settings_page.button(key="restore").click())
    assert titles(shared) == {"On herring"}
    assert errors(settings_page) == []
    (success,) = settings_page.success
    kept = Path(success.value.split("`")[1])
    assert kept.is_file()
    assert kept.is_relative_to(shared.settings.home)
    uploaded(settings_page, kept.read_bytes())
    assert any("**3 documents**" in element.value for element in settings_page.markdown)


def test_a_file_that_is_no_backup_is_refused(settings_page: AppTest, shared: Session) -> None:
    add(shared, "On herring")
    uploaded(settings_page, b"PK\x03\x04 junk")
    assert "no backup of Strata" in errors(settings_page)[0]
    assert not [button for button in settings_page.button if button.key == "restore"]
    assert titles(shared) == {"On herring"}


def test_what_is_not_whole_is_shown_with_its_remedy(
    settings_page: AppTest, shared: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pages.components.progress.PATIENCE_SECONDS", 60.0)
    home = shared.settings.home
    make_private(home)
    run(settings_page.button(key="health_look").click())
    assert any("decision steps" in block.value for block in settings_page.markdown)
    before = len(errors(settings_page))
    (home / "strata.sqlite").chmod(0o644)
    run(settings_page.button(key="health_look").click())
    found = errors(settings_page)
    assert len(found) == before + 1
    assert any("Others can read" in error and "Start the server" in error for error in found)


def test_a_long_look_is_drawn_as_going_on(
    settings_page: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_end = threading.Event()
    monkeypatch.setattr("pages.components.progress.PATIENCE_SECONDS", 0.0)
    monkeypatch.setattr("pages.preferences.backup.examine", lambda _: may_end.wait(60) and [])
    settings_page.button(key="health_look").click()
    drawn = [progress.proto.text for progress in run(settings_page).get("progress")]
    assert "Looking …" in drawn
    monkeypatch.setattr("pages.components.progress.PATIENCE_SECONDS", 60.0)
    may_end.set()
    assert "Everything is whole." in [said.value for said in run(settings_page).success]


# ---------------------------------------------------------------------- programs


def test_a_key_for_a_program_is_shown_once_and_revoked(
    settings_page: AppTest, shared: Session
) -> None:
    shared.server.settings = replace(shared.server.settings, rest=True)
    run(settings_page)
    run(settings_page.button(key="program_make").click())
    assert "name" in errors(settings_page)[0]
    settings_page.text_input(key="program_name").set_value("OpenRefine *x*")
    run(settings_page.button(key="program_make").click())
    keys = ProgramKeys(shared.settings.home / PROGRAM_KEYS_FILE)
    (made,) = keys.listed()
    shown = settings_page.code[0].value
    assert keys.find(shown) == made and made.scopes == {READ}
    assert any("OpenRefine \\*x\\*" in line.value for line in settings_page.markdown)
    run(settings_page)
    assert not settings_page.code
    run(settings_page.button(key=f"revoke_{made.key_id}").click())
    assert keys.find(shown) is None
