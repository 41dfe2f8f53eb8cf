"""Servers with what the pages show."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page

from core.clinical.notation import ICD10CM
from core.documents.document import Document
from core.review.jobs import start_job
from core.review.store.arrivals import add_document
from core.review.store.documents import set_comment
from core.review.store.projects import keep_choices, make_project
from core.review.store.proposed_terms import propose_term
from core.serving.choosing import wait_until_loaded
from core.serving.setup import WITHOUT
from tests.browser.conftest import OpenPage
from tests.support import clinical_fakes
from tests.support.browser.documents import TABLE_ROWS, fill_with
from tests.support.browser.hostile import (
    BACKWARDS,
    FORMULA,
    HOSTILE_ACTS,
    IMAGE,
    LINK,
    LONG_WORD,
    LONG_WORDS,
    NUL,
    RUN,
    SCRIPT,
)
from tests.support.browser.seeds import Seeder
from tests.support.browser.server import Server
from tests.support.clinical_fakes import ENCOUNTER
from tests.support.fakes import fake_session
from tests.support.files.insights_files import write_figures, write_manifest
from tests.support.garden_home import finished_garden
from tests.support.models.tiny_bundle import write_tiny_bundle

PROJECT_NOTES = [
    Document.from_text(f"note-{n}", f"Visit {n}", "Lobar pneumonia.") for n in range(3)
]


@pytest.fixture
def documents_page(fake_server: Server, open_page: OpenPage) -> Callable[..., Page]:
    def open_one(*titles: str) -> Page:
        fill_with(fake_server, *titles)
        page = open_page(fake_server, "documents").page
        page.wait_for_selector(TABLE_ROWS)
        return page

    return open_one


@pytest.fixture
def figures_server(tmp_path: Path) -> Iterator[Server]:
    home = tmp_path / "home"
    place = fake_session(home)
    write_manifest(place.settings.bundle_dir)
    write_figures(place.settings.bundle_dir / "insights")
    place.server.close()
    with Server(home, fake=True) as server:
        yield server


@pytest.fixture
def bundle_server(tmp_path: Path, bundle: Path) -> Iterator[Server]:
    server = Server(tmp_path / "home", STRATA_BUNDLE=str(bundle))
    server.start(forked=True)
    server.wait_for_model()
    yield server
    server.close()


@pytest.fixture
def two_models_server(tmp_path: Path) -> Iterator[Server]:
    home, first = tmp_path / "home", tmp_path / "first"
    write_tiny_bundle(first, name="first")
    write_tiny_bundle(home / "models" / "second", name="second", seed=2)
    two_models_server = Server(home, STRATA_BUNDLE=str(first), OMP_NUM_THREADS="1")
    two_models_server.start(forked=True)
    two_models_server.wait_for_model()
    yield two_models_server
    two_models_server.close()


PROJECT_ACT = Document.from_text(
    "act", "On herring", "Herring and sole; the fishing quota for herring."
)


@pytest.fixture
def two_projects_server(tmp_path: Path) -> Iterator[Server]:
    """A thesaurus with the fake model, and codes whose names are found in the text."""
    home = tmp_path / "home"
    place = fake_session(home)
    add_document(place.server.store(), PROJECT_ACT, project_id=place.project_id())
    codes = clinical_fakes.hierarchy(ICD10CM)
    place.server.versions.add(codes, file_name="codes.csv", sha256="1", report={})
    ward = make_project(place.server.store(), "Ward 7", ICD10CM)
    keep_choices(
        place.server.store(), ward.project_id, bundle=WITHOUT, vocabulary_choice=codes.version
    )
    for document in (ENCOUNTER, *PROJECT_NOTES):
        add_document(place.server.store(), document, project_id=ward.project_id)
    start_job(
        place.server.store(),
        [note.document_id for note in PROJECT_NOTES],
        project_id=ward.project_id,
    )
    place.server.close()
    with Server(home, fake=True) as server:
        yield server


@pytest.fixture
def garden_server(tmp_path: Path) -> Iterator[Server]:
    """A real server, in whose home notes are finished, and that has no other model."""
    home = tmp_path / "home"
    settings = finished_garden(home)
    server = Server(
        home, STRATA_DATABASE_URL=settings.database_url, STRATA_BUNDLE=str(settings.bundle_dir)
    )
    server.start(forked=True)
    yield server
    server.close()


DRAWING = f'"><svg onload={RUN}>'


ATTACKING_LABELS = {
    "d1": DRAWING, "d2": LINK, "m1": LONG_WORDS, "m2": IMAGE, "m3": FORMULA,
    "101": IMAGE, "102": SCRIPT, "103": BACKWARDS, "104": LONG_WORD, "201": LONG_WORDS,
    "202": NUL, "301": FORMULA, "302": LINK, "303": "@SUM(1+1)*cmd|' /C calc'!A0",
}  # fmt: skip


@pytest.fixture(scope="module")
def attacked_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    home = tmp_path_factory.mktemp("hostile") / "home"
    keep_hostile_acts(home)
    with Server(home, fake=True, STRATA_FAKE_LABELS=json.dumps(ATTACKING_LABELS)) as server:
        server.wait_for_model()
        yield server


def keep_hostile_acts(home: Path) -> None:
    """Every act with decisions, a comment and a proposed term that attack as well."""
    place = fake_session(home, labels=ATTACKING_LABELS)
    place.server.start()
    assert wait_until_loaded(place, 60) == "ready"
    seeder, store = Seeder(place), place.server.store()
    for act in HOSTILE_ACTS:
        kept = seeder.add(act, given=2, batch=f"{IMAGE}{LONG_WORD[:300]}.csv")
        seeder.decide(kept, ("accept", "101"), ("mark", "101"), ("reject", "301"))
        seeder.decide(kept, ("exclude", "m3"), ("accept", "302"), ("accept", "202"))
        set_comment(store, kept, f"{FORMULA} {IMAGE}")
        propose_term(store, kept, f"{IMAGE}{LONG_WORD[:200]}", FORMULA, place.person_id())
    seeder.finish("tickets", shown=9)
    place.server.close()
    # A manifest comes from elsewhere as well.
    write_manifest(place.settings.bundle_dir, f"{IMAGE} {LINK} {LONG_WORD[:200]}")
