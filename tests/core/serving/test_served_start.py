"""A server that starts again: what was chosen, moved, damaged or cannot read."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from core.errors import BundleError
from core.model.bundle.bundle import rewrite_checksums
from core.serving.session import Session
from core.suggest.opening import load_suggester
from core.suggest.protocol import Suggester
from tests.support.models.served_models import (
    opened,
    own,
    read,
    serve,
    served_name,
)

pytestmark = pytest.mark.usefixtures("single_thread")


def test_the_choice_survives_a_restart_and_choosing_the_first_one_forgets_it(
    shared: Session,
) -> None:
    serve(shared, own(shared, "second"))
    shared.server.close()
    again = opened(shared.settings)
    assert (served_name(again), again.project.fallback) == ("second", "")
    serve(again, again.settings.bundle_dir)
    again.server.close()
    assert again.current().bundle is None
    third = opened(shared.settings)
    assert served_name(third) == "first"
    third.server.close()


def test_a_chosen_bundle_that_moved_is_found_and_one_that_is_gone_is_told(
    shared: Session,
) -> None:
    serve(shared, own(shared, "second"))
    shared.server.close()
    own(shared, "second").rename(own(shared, "moved"))
    again = opened(shared.settings)
    assert (served_name(again), again.project.setup.directory.name) == ("second", "moved")
    again.server.close()
    shutil.rmtree(own(shared, "moved"))
    last = opened(shared.settings)
    assert served_name(last) == "first"
    assert "The model second was chosen." in (last.project.fallback or "")
    assert last.vocabulary() is not None
    last.server.close()


def test_a_chosen_bundle_that_was_damaged_since_gives_way_to_the_first(shared: Session) -> None:
    serve(shared, own(shared, "second"))
    shared.server.close()
    path = own(shared, "second") / "tokenizer.json"
    path.write_bytes(path.read_bytes()[::-1])  # the same length
    again = opened(shared.settings)
    assert served_name(again) == "first"
    assert "tokenizer.json is not what it was" in (again.project.fallback or "")
    again.server.close()


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
    shared: Session, error: Exception, said: str
) -> None:
    serve(shared, own(shared, "second"))
    shared.server.close()

    def load(directory: Path) -> Suggester:
        model = load_suggester(directory)
        return Unreadable(model, error) if directory.name == "second" else model

    again = opened(shared.settings, load)
    assert served_name(again) == "first" and read(again)
    assert "The model second was chosen, but could not" in (again.project.fallback or "")
    assert said in (again.project.fallback or "")
    again.server.close()


@pytest.mark.parametrize("damage", ["files", "reading", "join", "calibration"])
def test_a_chosen_bundle_that_makes_no_sense_since_gives_way_to_the_first(
    shared: Session, damage: str
) -> None:
    folder = own(shared, "second")
    serve(shared, folder)
    shared.server.close()
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
    assert "The model bundle in" in (again.project.fallback or "")
    again.server.close()
