"""Quality against time in Chromium: it fits, each point tells its command, and it can be copied."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pages.insights_costs import OWN_PLACE
from tests.browser.axe import violations
from tests.browser.conftest import OpenPage
from tests.browser.server import Server
from tests.browser.test_insights import CHART, NARROW, OVERHANG, ask
from tests.costs_files import write_costs
from tests.fakes import fake_workplace
from tests.insights_files import write_manifest

pytestmark = pytest.mark.browser


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    home = tmp_path / "home"
    place = fake_workplace(home)
    write_manifest(place.settings.bundle_dir)
    place.close()
    write_costs(tmp_path / "own")
    server = Server(home, fake=True, **{OWN_PLACE: str(tmp_path / "own")})
    server.start()
    yield server
    server.kill()


def test_a_point_tells_its_command_and_a_button_copies_it(
    server: Server, open_page: OpenPage, tmp_path: Path
) -> None:
    page = open_page(server, "insights", viewport=NARROW, color_scheme="dark").page
    page.wait_for_selector(".st-key-insights_page h1")
    page.get_by_role("radio", name="Smaller models").click()
    page.wait_for_selector(CHART)
    # The folder of one's own comes after those of the project.
    page.get_by_role("combobox", name="Folder of results or runs").click()
    page.get_by_role("option", name=str(tmp_path / "own")).click()
    ask(page, "In batches")
    page.get_by_text("from lr to docbert quality rises by 14.2 points").wait_for()
    assert page.evaluate(OVERHANG) <= 0

    points = page.locator(f"{CHART} .points path.point")
    assert points.count() == 4
    points.nth(1).hover(force=True)
    page.get_by_text("python -m training train lstm_reg.toml").first.wait_for()
    page.get_by_text("Commands", exact=True).click()
    commands = page.locator("[data-testid=stCode]")
    commands.first.wait_for()
    assert commands.count() == 4
    assert commands.first.inner_text().strip() == "python -m training train lr.toml"

    found = violations(page)
    assert not found, "\n".join(f"{one.rule}: {one.target}\n  {one.summary}" for one in found)
