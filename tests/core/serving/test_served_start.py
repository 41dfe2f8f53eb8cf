"""A server that starts again: what was chosen, moved, damaged or cannot read."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from core.errors import BundleError
from core.model.bundle import rewrite_checksums
from core.review.store.people import read_preferences
from core.suggest.opening import load_suggester
from core.suggest.protocol import Suggester
from pages.serving import Workplace
from tests.support.models.served_models import (
    opened,
    own,
    read,
    serve,
    served_name,
)

pytestmark = pytest.mark.usefixtures("single_thread")


def test_the_choice_survives_a_restart_and_choosing_the_first_one_forgets_it(
    shared: Workplace,
) -> None:
    serve(shared, own(shared, "second"))
    shared.close()
    again = opened(shared.settings)
    assert (served_name(again), again.served.fallback) == ("second", None)
    serve(again, again.settings.bundle_dir)
    again.close()
    assert "served_bundle" not in read_preferences(again.store(), again.person_id())
    third = opened(shared.settings)
    assert served_name(third) == "first"
    third.close()


def test_a_chosen_bundle_that_moved_is_found_and_one_that_is_gone_is_told(
    shared: Workplace,
) -> None:
    serve(shared, own(shared, "second"))
    shared.close()
    own(shared, "second").rename(own(shared, "moved"))
    again = opened(shared.settings)
    assert (served_name(again), again.served.directory.name) == ("second", "moved")
    again.close()
    shutil.rmtree(own(shared, "moved"))
    last = opened(shared.settings)
    assert served_name(last) == "first"
    assert "The model second was chosen." in (last.served.fallback or "")
    assert last.vocabulary() is not None
    last.close()


def test_a_chosen_bundle_that_was_damaged_since_gives_way_to_the_first(shared: Workplace) -> None:
    serve(shared, own(shared, "second"))
    shared.close()
    path = own(shared, "second") / "tokenizer.json"
    path.write_bytes(path.read_bytes()[::-1])  # the same length
    again = opened(shared.settings)
    assert served_name(again) == "first"
    assert "tokenizer.json is not what it was" in (again.served.fallback or "")
    again.close()


class Unreadable:
    """A model that loads, and fails on every text."""

    def __init__(self, model: Suggester, error: Exception) -> None:
        self.model, self.error = model, error

    def __getattr__(self, name: str) -> object:
        return getattr(self.model, name)

    def suggest(self, *_: object, **__: object) -> None:
        raise self.error


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (BundleError("The model gives values that are no numbers."), "no numbers"),
        (IndexError("index out of range in self"), "IndexError: index out of range"),
        (RuntimeError("mat1 and mat2 shapes"), "is damaged: RuntimeError: mat1"),
    ],
)
def test_a_chosen_bundle_that_cannot_read_a_text_gives_way_to_the_first(
    shared: Workplace, error: Exception, said: str
) -> None:
    serve(shared, own(shared, "second"))
    shared.close()

    def load(directory: Path) -> Suggester:
        model = load_suggester(directory)
        return Unreadable(model, error) if directory.name == "second" else model

    again = opened(shared.settings, load)
    assert served_name(again) == "first" and read(again)
    assert "The model second was chosen, but could not" in (again.served.fallback or "")
    assert said in (again.served.fallback or "")
    again.close()


@pytest.mark.parametrize("damage", ["files", "reading", "join", "calibration"])
def test_a_chosen_bundle_that_makes_no_sense_since_gives_way_to_the_first(
    shared: Workplace, damage: str
) -> None:
    folder = own(shared, "second")
    serve(shared, folder)
    shared.close()
    if damage == "calibration":
        (folder / "calibration.json").write_text("{}")
        rewrite_checksums(folder)
    manifest = json.loads((folder / "bundle.json").read_text())
    if damage == "files":
        for facts in manifest["files"].values():
            del facts["sha256"]
    elif damage in manifest:
        manifest[damage]["invented"] = 1
    (folder / "bundle.json").write_text(json.dumps(manifest))
    again = opened(shared.settings)
    assert served_name(again) == "first"
    assert "The model bundle in" in (again.served.fallback or "")
    again.close()
