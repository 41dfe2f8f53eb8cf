"""Servers of a few vocabularies, with documents to annotate."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from core.clinical.notation import ICD10CM
from core.documents.document import Document
from core.documents.intake import read_text
from pages.adding.start import examples
from tests.support.browser import tree
from tests.support.browser.documents import keep
from tests.support.browser.profile import Profile
from tests.support.browser.reading import READ_TITLE, Reading
from tests.support.browser.server import Server
from tests.support.clinical_fakes import ENCOUNTER


@pytest.fixture
def hints_server(tmp_path: Path) -> Iterator[Server]:
    """A server that points out what may be missed or doubtful, and suggests few concepts."""
    with Server(
        tmp_path / "home", fake=True, STRATA_FAKE_HINTS="1", STRATA_FAKE_LIMIT="7"
    ) as server:
        yield server


@pytest.fixture
def coding_server(tmp_path: Path) -> Iterator[Server]:
    with Server(tmp_path / "home", fake=True, STRATA_FAKE_VOCABULARY="icd10cm") as server:
        yield server


@pytest.fixture(scope="module")
def reading_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server whose model takes its time, so that the list follows it for a while."""
    home = tmp_path_factory.mktemp("reading") / "home"
    with Server(home, fake=True, STRATA_FAKE_SECONDS="3") as server:
        server.wait_for_model()
        yield server


@pytest.fixture
def icd9_server(tmp_path: Path) -> Iterator[Server]:
    with Server(tmp_path / "home", fake=True, STRATA_FAKE_VOCABULARY="icd9cm") as server:
        yield server


@pytest.fixture(scope="module")
def kept_act_tab(
    tmp_path_factory: pytest.TempPathFactory, kept_profiles: tuple[Profile, Profile]
) -> Iterator[tree.ActTab]:
    """A tab that a file's tests share, as `reading_tab`."""
    with Server(tmp_path_factory.mktemp("acts") / "home", fake=True) as server:
        yield from shared_tab(kept_profiles[0], server, example("fishing-quotas"))


@pytest.fixture
def act_tab(
    kept_act_tab: tree.ActTab, profile: Profile, request: pytest.FixtureRequest
) -> tree.ActTab:
    """An act on which nothing is decided; nothing is remembered of what the test before did."""
    return opened_anew(kept_act_tab, request)


@pytest.fixture(scope="module")
def kept_ward_tab(
    tmp_path_factory: pytest.TempPathFactory, kept_profiles: tuple[Profile, Profile]
) -> Iterator[tree.ActTab]:
    home = tmp_path_factory.mktemp("ward") / "home"
    with Server(home, fake=True, STRATA_FAKE_VOCABULARY=ICD10CM) as server:
        yield from shared_tab(kept_profiles[0], server, ENCOUNTER, vocabulary=ICD10CM)


@pytest.fixture
def stay_tab(
    kept_ward_tab: tree.ActTab, profile: Profile, request: pytest.FixtureRequest
) -> tree.ActTab:
    """An encounter of two notes on which nothing is decided, as `act_tab`."""
    kept_ward_tab.document = ENCOUNTER
    return opened_anew(kept_ward_tab, request)


@pytest.fixture
def encounter_tab(
    kept_ward_tab: tree.ActTab, profile: Profile, request: pytest.FixtureRequest
) -> tree.ActTab:
    """One of three notes."""
    kept_ward_tab.document = example("broken-hip", clinical=True)
    tab = opened_anew(kept_ward_tab, request)
    expect(tab.page.locator(".reader .tab")).to_have_count(3)
    return tab


def example(name: str, *, clinical: bool = False) -> Document:
    found = {each.document_id: each for each in examples(clinical=clinical)}
    return found[f"example-{name}"].document()


def shared_tab(
    profile: Profile, server: Server, document: Document, *, vocabulary: str = "tiny"
) -> Iterator[tree.ActTab]:
    tab = tree.ActTab(profile.shared_tab(server.url), server, document, vocabulary)
    tab.open()
    yield tab
    profile.close_shared()


def opened_anew(tab: tree.ActTab, request: pytest.FixtureRequest) -> tree.ActTab:
    if getattr(request.node, "execution_count", 1) > 1:
        tab.open()  # it failed before, and nothing of that is to stay
    tab.open_anew()
    return tab


N_SUGGESTED = 5  # so that there is something left to be added by search


@pytest.fixture
def hundreds_server(tmp_path: Path) -> Iterator[Server]:
    with Server(tmp_path / "home", fake=True, STRATA_FAKE_LIMIT=str(N_SUGGESTED)) as server:
        server.wait_for_model()
        yield server


FILLER = "\n\n".join(f"{n}. The parties meet once a year 😀 and keep a record." for n in range(80))


READ_TEXT = (
    f"HAVE AGREED:\n\nArticle 1\n\nThe quota for herring is nil.\n\n{FILLER}\n\nHerring and sole."
)


@pytest.fixture(scope="module")
def text_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with a document to read, on which nothing is decided."""
    with Server(tmp_path_factory.mktemp("text") / "home", fake=True) as server:
        uploaded = read_text("act.txt", f"{READ_TITLE}\n\n{READ_TEXT}".encode())
        keep(server, uploaded.document("act"))
        yield server


@pytest.fixture(scope="module")
def reading_tab(text_server: Server, kept_profiles: tuple[Profile, Profile]) -> Iterator[Reading]:
    """A tab that a file's tests share, since loading the page takes most of the time of each."""
    tab = Reading(kept_profiles[0].shared_tab(text_server.url), text_server.url)
    tab.open()
    yield tab
    kept_profiles[0].close_shared()


@pytest.fixture
def reading(reading_tab: Reading, profile: Profile, request: pytest.FixtureRequest) -> Reading:
    """The document to read, opened anew: nothing is remembered of what the test before did."""
    if getattr(request.node, "execution_count", 1) > 1:
        reading_tab.open()  # it failed before, and nothing of that is to stay
    reading_tab.open_anew("act")
    return reading_tab
