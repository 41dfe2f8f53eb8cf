"""A home of the time when one project was open for all: after the upgrade all is as it was left."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import pytest
from sqlalchemy import text

from core.review.store.people import default_person, read_preferences, set_preference
from core.review.store.projects import default_project, keep_choices, list_projects, make_project
from core.review.store.store import Store
from core.serving.adoption import IN_USE, SERVED
from core.serving.caller import LAST_PROJECT
from core.serving.server import Server
from core.serving.session import Session
from core.serving.setup import WITHOUT
from core.settings import Settings
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.labels import LabelSpace
from core.vocabulary.versions.vocabulary_versions import BUNDLED, VersionKey, VocabularyVersions
from tests.support.fakes import FakePredictor, hierarchy

OLD = VersionKey("tiny", "1957")
NEW = VersionKey("tiny", "2030")
CODES = VersionKey("icd9cm", "32")


class OldHome:
    """What a server of before left in its folder."""

    def __init__(self, home: Path) -> None:
        self.home, bundle = home, home / "bundle"
        bundle.mkdir(parents=True)
        LabelSpace(hierarchy()).save(bundle / "label_space.jsonl")
        url = f"sqlite:///{home}/strata.sqlite"
        self.settings = Settings(home, url, bundle, "en", home / "shipped")
        self.versions = VocabularyVersions(home)
        self.store = Store.open(url)
        self.person_id = default_person(self.store).person_id
        for key in (OLD, NEW, CODES):
            concepts = [hierarchy()[i] for i in hierarchy()]
            kept = Hierarchy(concepts, vocabulary_id=key.vocabulary_id, version=key.version)
            self.versions.add(kept, file_name="x", sha256=key.version, report={})

    def took(self, *keys: VersionKey) -> None:
        content = json.dumps([asdict(key) for key in keys])
        (self.versions.folder / IN_USE).write_text(content, "utf-8")

    def preferred(self, name: str, value: object) -> None:
        set_preference(self.store, self.person_id, name, value)

    def upgraded(self) -> Session:
        """The server of now, on what was left: rows of before have no history."""
        with self.store.write() as connection:
            connection.execute(text("UPDATE project SET former_choices = NULL"))
        self.store.close()
        return Session(Server(self.settings, lambda _: FakePredictor(hierarchy())))


@pytest.fixture
def old(tmp_path: Path) -> Iterator[OldHome]:
    home = OldHome(tmp_path)
    default_project(home.store, "tiny")
    yield home
    home.store.close()


def test_the_open_project_keeps_its_version_and_the_ones_before(old: OldHome) -> None:
    old.took(OLD, CODES, NEW)
    after = old.upgraded()
    assert after.project.choice == NEW
    assert after.hierarchy().version == "2030"
    assert after.former() == OLD
    after.use_former()
    assert (after.project.choice, after.former()) == (OLD, BUNDLED)
    assert not (old.versions.folder / IN_USE).exists()
    after.server.close()


def test_the_project_that_was_open_is_the_one_that_was_opened_last(old: OldHome) -> None:
    ward = make_project(old.store, "Ward 7", "icd9cm")
    keep_choices(old.store, 1, bundle="mine@abc", vocabulary_choice="1957")
    old.preferred(LAST_PROJECT, ward.project_id)
    old.preferred(SERVED, {"folder": "", "hash": "", "name": "No model"})
    old.took(CODES)
    after = old.upgraded()
    assert after.project_id() == ward.project_id
    row = after.current()
    assert (row.bundle, row.vocabulary_choice, row.former_choices) == (WITHOUT, "32", ("",))
    other = list_projects(after.store())[0]  # left with this, as it stands in its row
    assert (other.bundle, other.vocabulary_choice) == ("mine@abc", "1957")
    assert other.former_choices == ()
    assert SERVED not in read_preferences(after.store(), after.person_id())
    after.server.close()


def test_the_bundle_that_served_is_the_open_projects(old: OldHome) -> None:
    old.preferred(SERVED, {"folder": "/models/second", "hash": "0123", "name": "second"})
    after = old.upgraded()
    assert after.current().bundle == "second@0123"
    assert "The model second was chosen." in after.project.fallback  # it is gone, as before
    after.server.close()


def test_choosing_the_settings_bundle_again_is_adopted_too(old: OldHome) -> None:
    keep_choices(old.store, 1, bundle="second@0123", vocabulary_choice=None)  # of an earlier leave
    after = old.upgraded()
    assert (after.current().bundle, after.project.fallback) == (None, "")
    after.server.close()


def test_what_was_adopted_once_is_left_alone(old: OldHome) -> None:
    old.took(OLD)
    first = old.upgraded()
    assert first.project.choice == OLD
    first.use(NEW)
    first.server.close()
    old.took(OLD)  # as a backup of that time brings it along with rows of now
    again = Session(Server(old.settings, lambda _: FakePredictor(hierarchy())))
    assert again.project.choice == NEW
    again.server.close()


def test_a_damaged_note_of_what_was_in_use_is_passed_over(old: OldHome) -> None:
    (old.versions.folder / IN_USE).write_text(json.dumps({"x": 1}), "utf-8")
    after = old.upgraded()
    assert (after.project.choice, after.former()) == (BUNDLED, None)
    after.server.close()


def test_a_version_that_is_gone_gives_way_to_the_bundles(old: OldHome) -> None:
    old.took(VersionKey("tiny", "gone"))
    after = old.upgraded()
    assert after.project.choice == BUNDLED
    assert len(after.hierarchy()) == len(hierarchy())
    after.server.close()
