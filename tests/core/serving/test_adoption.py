"""A home of the time when one project was open for all: after the upgrade all is as it was left."""

from __future__ import annotations

import json

from core.review.store.people import read_preferences
from core.review.store.projects import keep_choices, list_projects, make_project
from core.serving.adoption import IN_USE, SERVED
from core.serving.caller import LAST_PROJECT
from core.serving.server import Server
from core.serving.session import Session
from core.serving.setup import WITHOUT
from core.vocabulary.versions.vocabulary_versions import BUNDLED, VersionKey
from tests.support.fakes import FakePredictor, hierarchy
from tests.support.old_home import CODES, NEW, OLD, OldHome


def test_the_open_project_keeps_its_version_and_the_ones_before(old_home: OldHome) -> None:
    old_home.took(OLD, CODES, NEW)
    after = old_home.upgraded()
    assert after.project.choice == NEW
    assert after.hierarchy().version == "2030"
    assert after.former() == OLD
    after.use_former()
    assert (after.project.choice, after.former()) == (OLD, BUNDLED)
    assert not (old_home.versions.folder / IN_USE).exists()
    after.server.close()


def test_the_project_that_was_open_is_the_one_that_was_opened_last(old_home: OldHome) -> None:
    ward = make_project(old_home.store, "Ward 7", "icd9cm")
    keep_choices(old_home.store, 1, bundle="mine@abc", vocabulary_choice="1957")
    old_home.preferred(LAST_PROJECT, ward.project_id)
    old_home.preferred(SERVED, {"folder": "", "hash": "", "name": "No model"})
    old_home.took(CODES)
    after = old_home.upgraded()
    assert after.project_id() == ward.project_id
    row = after.current()
    assert (row.bundle, row.vocabulary_choice, row.former_choices) == (WITHOUT, "32", ("",))
    other = list_projects(after.store())[0]  # left with this, as it stands in its row
    assert (other.bundle, other.vocabulary_choice) == ("mine@abc", "1957")
    assert other.former_choices == ()
    assert SERVED not in read_preferences(after.store(), after.person_id())
    after.server.close()


def test_the_bundle_that_served_is_the_open_projects(old_home: OldHome) -> None:
    old_home.preferred(SERVED, {"folder": "/models/second", "hash": "0123", "name": "second"})
    after = old_home.upgraded()
    assert after.current().bundle == "second@0123"
    assert "The model second was chosen." in after.project.fallback  # it is gone, as before
    after.server.close()


def test_choosing_the_settings_bundle_again_is_adopted_too(old_home: OldHome) -> None:
    keep_choices(
        old_home.store, 1, bundle="second@0123", vocabulary_choice=None
    )  # of an earlier leave
    after = old_home.upgraded()
    assert (after.current().bundle, after.project.fallback) == (None, "")
    after.server.close()


def test_what_was_adopted_once_is_left_alone(old_home: OldHome) -> None:
    old_home.took(OLD)
    first = old_home.upgraded()
    assert first.project.choice == OLD
    first.use(NEW)
    first.server.close()
    old_home.took(OLD)  # as a backup of that time brings it along with rows of now
    again = Session(Server(old_home.settings, lambda _: FakePredictor(hierarchy())))
    assert again.project.choice == NEW
    again.server.close()


def test_a_damaged_note_of_what_was_in_use_is_passed_over(old_home: OldHome) -> None:
    (old_home.versions.folder / IN_USE).write_text(json.dumps({"x": 1}), "utf-8")
    after = old_home.upgraded()
    assert (after.project.choice, after.former()) == (BUNDLED, None)
    after.server.close()


def test_a_version_that_is_gone_gives_way_to_the_bundles(old_home: OldHome) -> None:
    old_home.took(VersionKey("tiny", "gone"))
    after = old_home.upgraded()
    assert after.project.choice == BUNDLED
    assert len(after.hierarchy()) == len(hierarchy())
    after.server.close()
