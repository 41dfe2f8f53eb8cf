"""The Settings page as Streamlit runs it: keys, languages, backup, where the data lies."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.documents.document import Document
from core.review.reports.summaries import list_documents
from core.review.store.arrivals import add_document
from core.review.store.people import read_preferences, set_preference
from core.settings import PROJECT_ROOT
from pages.backup import make_backup
from pages.serving import Workplace
from tests.app.test_annotate import data, errors, installed, run, send
from tests.support.fakes import fake_workplace


@pytest.fixture
def shared(tmp_path: Path) -> Iterator[Workplace]:
    yield from installed(fake_workplace(tmp_path))


@pytest.fixture
def page(shared: Workplace) -> AppTest:
    page = run(AppTest.from_file(str(PROJECT_ROOT / "streamlit_app.py"), default_timeout=120))
    page.switch_page(str(PROJECT_ROOT / "pages" / "settings.py"))
    return run(page)


def rows(page: AppTest) -> dict[str, dict[str, Any]]:
    return {row["action"]: row for row in data(page, "settings_keys")["rows"]}


def choose(page: AppTest, action: str, key: str) -> AppTest:
    return send(page, "settings_keys", "keys", {"action": action, "key": key})


def preferences(shared: Workplace) -> dict[str, Any]:
    return read_preferences(shared.store(), shared.person_id())


def test_every_action_has_a_key(page: AppTest) -> None:
    assert rows(page)["accept"]["spoken"] == "A"
    assert rows(page)["exclude"]["spoken"] == "Shift+R"
    assert data(page, "settings_keys")["problems"] == []


def test_a_key_is_changed_and_only_what_differs_is_kept(page: AppTest, shared: Workplace) -> None:
    choose(page, "accept", "J")
    assert rows(page)["accept"]["key"] == "j"
    assert preferences(shared)["keys"] == {"accept": "j"}
    choose(page, "accept", "a")
    assert "keys" not in preferences(shared)


def test_a_key_that_is_taken_is_refused_with_a_sentence(page: AppTest, shared: Workplace) -> None:
    choose(page, "accept", "r")
    assert "R is chosen twice" in data(page, "settings_keys")["problems"][0]
    assert rows(page)["accept"]["key"] == "a"
    assert "keys" not in preferences(shared)


def test_all_keys_are_reset(page: AppTest, shared: Workplace) -> None:
    choose(page, "accept", "j")
    send(page, "settings_keys", "keys", {"reset": True})
    assert rows(page)["accept"]["key"] == "a"
    assert "keys" not in preferences(shared)


def test_junk_from_the_browser_changes_no_key(page: AppTest, shared: Workplace) -> None:
    for junk in ("accept", {"action": 1, "key": "j"}, {"action": "accept", "key": "j" * 1000}):
        send(page, "settings_keys", "keys", junk)
    choose(page, "format", "j")
    assert "keys" not in preferences(shared)


def test_the_label_language_is_kept_for_the_person(page: AppTest, shared: Workplace) -> None:
    choice = page.selectbox(key="label_language")
    assert choice.options == ["English (14 concepts)"]
    choice.set_value("en")
    run(page)
    assert shared.language() == "en"
    set_preference(shared.store(), shared.person_id(), "label_language", "fr")
    assert shared.language() == "fr"


def test_where_the_data_lies_is_said(page: AppTest, shared: Workplace) -> None:
    said = "\n".join(element.value for element in page.markdown)
    assert str(shared.settings.home / "strata.sqlite") in said
    assert "sends nothing anywhere" in said


def test_what_a_model_calls_itself_draws_nothing(page: AppTest, shared: Workplace) -> None:
    assert shared.service.wait_until_loaded(60) == "ready"
    assert shared.service.model is not None
    shared.service.model.name = "a|b ![x](http://x/y.png)"
    said = "\n".join(element.value for element in run(page).markdown)
    assert "![x]" not in said
    assert r"a\|b" in said


def add(shared: Workplace, title: str) -> None:
    document = Document.from_text("", title, "")
    add_document(shared.store(), document, project_id=shared.project_id())


def titles(shared: Workplace) -> set[str]:
    return {one.title for one in list_documents(shared.store(), shared.project_id())}


def uploaded(page: AppTest, content: bytes) -> AppTest:
    (uploader,) = [one for one in page.file_uploader if (one.key or "").startswith("restore")]
    uploader.set_value(("backup.zip", content, "application/zip"))
    return run(page)


def test_a_backup_is_restored_after_a_look_and_a_tick(page: AppTest, shared: Workplace) -> None:
    add(shared, "On herring")
    content = make_backup()
    add(shared, "On honey")
    uploaded(page, content)
    assert any("**1 document**" in element.value for element in page.markdown)
    assert page.button(key="restore").disabled
    page.checkbox(key="restore_sure").check()
    run(page)
    page.button(key="restore").click()
    run(page)
    assert titles(shared) == {"On herring"}
    assert errors(page) == []
    (success,) = page.success
    kept = Path(success.value.split("`")[1])
    assert kept.is_file()
    assert kept.is_relative_to(shared.settings.home)
    uploaded(page, kept.read_bytes())
    assert any("**2 documents**" in element.value for element in page.markdown)


def test_a_file_that_is_no_backup_is_refused(page: AppTest, shared: Workplace) -> None:
    add(shared, "On herring")
    uploaded(page, b"PK\x03\x04 junk")
    assert "no backup of Strata" in errors(page)[0]
    assert not [button for button in page.button if button.key == "restore"]
    assert titles(shared) == {"On herring"}
