"""Pictures of every page: `python -m tests.browser.screenshots [--only NAME] [--fake] [--small]`.

With `--docs`, those of README and docs are made anew. `docs/screenshot-adjudication.png` stays: it
takes a team and its decisions.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from itertools import product
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from core.paths import PROJECT_ROOT
from core.review.store.arrivals import add_document
from core.review.store.projects import make_project
from core.serving.choosing import wait_until_loaded
from core.serving.server import Server as ServingServer
from core.serving.session import Session
from core.settings import Settings
from pages.adding.start import CODES, ENCOUNTER_EXAMPLES, examples
from tests.browser.conftest import QUIET
from tests.support.browser.chromium import NO_BROWSER, find_chromium
from tests.support.browser.page import SUGGESTED
from tests.support.browser.screens import SCREENS, Screen, opened
from tests.support.browser.seeds import LOADING_SECONDS, READING_SECONDS, Seeder, seed
from tests.support.browser.server import Server
from tests.support.fakes import fake_session

SIZES = {"wide": {"width": 1440, "height": 900}, "narrow": {"width": 800, "height": 1000}}
SCHEMES = ("light", "dark")
NAME = "heart-failure"
CODES_SCREEN = "encounter"
FEW_COLOURS = 128
ENCOUNTER = f"example-{NAME}"
RESEARCH = Screen("research", "insights?model=eurovoc", "[data-testid=stPlotlyChart] .bars")
IN_DOCS = {
    "annotate-wide-light": "screenshot",
    "annotate-narrow-light": "screenshot-narrow",
    "documents-wide-light": "screenshot-documents",
    "encounter-wide-light": "screenshot-encounter",
    "research-wide-light": "screenshot-insights",
}


def main() -> int:
    """Seed a home, serve it, and picture each screen in each size and scheme."""
    parser = argparse.ArgumentParser(prog="python -m tests.browser.screenshots")
    parser.add_argument("--out", type=Path, default=PROJECT_ROOT / "screenshots")
    parser.add_argument("--only", nargs="*", help="names of screens")
    parser.add_argument("--fake", action="store_true", help="the fake model, which starts at once")
    parser.add_argument("--small", action="store_true", help=f"in {FEW_COLOURS} colours")
    parser.add_argument("--docs", action="store_true", help="those of the documentation, in docs")
    options = parser.parse_args()
    if options.docs:
        options.out, options.small = PROJECT_ROOT / "docs", True
        options.only = [name.partition("-")[0] for name in IN_DOCS]
    chromium = find_chromium()
    if chromium is None:
        sys.stderr.write(NO_BROWSER + "\n")
        return 2
    options.out.mkdir(parents=True, exist_ok=True)
    screens = [*SCREENS, RESEARCH]
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        home = Path(folder) / "home"
        has_codes = not options.fake and (not options.only or CODES_SCREEN in options.only)
        screens += fill(home, fake=options.fake, has_codes=has_codes)
        server = Server(home, fake=options.fake)
        server.start()
        server.wait_for_model()
        browser = playwright.chromium.launch(executable_path=chromium, args=QUIET)
        try:
            for screen, size, scheme in product(screens, SIZES, SCHEMES):
                if options.only and screen.name not in options.only:
                    continue
                name = f"{screen.name}-{size}-{scheme}"
                if options.docs and name not in IN_DOCS:
                    continue
                look = {"viewport": SIZES[size], "color_scheme": scheme}
                with opened(screen, server, browser, **look) as page:
                    path = options.out / f"{IN_DOCS[name] if options.docs else name}.png"
                    page.screenshot(path=path)
                    if options.small:
                        reduce_colours(path)
                    sys.stdout.write(f"{path}\n")
                    sys.stdout.flush()
        finally:
            browser.close()
            server.kill()
    return 0


def reduce_colours(path: Path) -> None:
    """Write a picture anew with few colours, a third as large."""
    with Image.open(path) as picture:
        few = picture.convert("RGB").quantize(FEW_COLOURS, dither=Image.Dither.NONE)
    few.save(path, optimize=True)


def fill(home: Path, *, fake: bool, has_codes: bool) -> list[Screen]:
    """Put a day's work into a home, and return the screens that only this home has.

    Args:
        has_codes: whether it gets a project of codes, which takes a minute to open.
    """
    home.mkdir(parents=True, exist_ok=True)
    settings = Settings.from_env()
    database = f"sqlite:///{home}/strata.sqlite"
    own = Settings(home, database, settings.bundle_dir, settings.language)
    place = fake_session(home) if fake else Session(ServingServer(own))
    seed(place)
    screens = [code_encounter(place)] if has_codes else []
    place.server.close()
    return screens


def code_encounter(place: Session) -> Screen:
    """Make a project of ICD-10-CM with an encounter whose first codes are accepted."""
    ward = place.elsewhere(make_project(place.server.store(), "Ward 7", "icd10cm").project_id)
    assert wait_until_loaded(ward, LOADING_SECONDS) == "ready", ward.project.problem
    (example,) = (
        example for example in examples(clinical=True) if example.document_id == ENCOUNTER
    )
    document = example.document()
    add_document(ward.server.store(), document, project_id=ward.project_id())
    assert ward.server.queue.submit(document, ward.project_id()).finished.wait(READING_SECONDS)
    seeder = Seeder(ward)
    suggested = seeder.ranked(ENCOUNTER)
    right = json.loads((ENCOUNTER_EXAMPLES / CODES).read_text("utf-8"))[NAME]["icd10cm"]
    seeder.decide(ENCOUNTER, *(("accept", code) for code in right if code in suggested))
    address = f"?project={ward.project_id()}&document={ENCOUNTER}"
    return Screen(CODES_SCREEN, address, SUGGESTED, look_at_evidence)


def look_at_evidence(page: Page) -> None:
    """Select an accepted code, and wait for what speaks for it in the text."""
    page.click("[role=treeitem][data-concept='N18.32']")
    page.wait_for_selector(".reader mark")


if __name__ == "__main__":
    sys.exit(main())
