"""The Insights page in Chromium: charts that fit, in words and as files, and nothing from afar."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from playwright.sync_api import expect

from pages.figures.reliability import COLUMNS, NAMES
from tests.browser.conftest import OpenPage
from tests.support.browser.axe import violations
from tests.support.browser.page import SETTLED, AnnotatePage
from tests.support.browser.server import Server
from tests.support.files.insights_files import invented_insights

pytestmark = pytest.mark.browser

CHART = "[data-testid=stPlotlyChart] .main-svg"
NARROW = {"width": 800, "height": 1000}
OVERHANG = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"


def ask(tab: AnnotatePage, question: str) -> None:
    tab.after_run(tab.page.get_by_role("radio", name=question).click)
    tab.page.wait_for_selector(CHART)


def test_figures_fit_are_told_in_words_and_can_be_taken_away(
    figures_server: Server, open_page: OpenPage, tmp_path: Path
) -> None:
    tab = open_page(figures_server, "insights", viewport=NARROW, color_scheme="dark")
    page = tab.page
    elsewhere: list[str] = []
    page.on("request", lambda r: r.url.startswith(("http:", "https:")) and elsewhere.append(r.url))
    ask(tab, "Models and research")
    expect(page.locator("[data-testid=stPlotlyChart]")).to_have_count(3)
    assert page.evaluate(OVERHANG) <= 0

    ask(tab, "How sure")
    figure = page.locator(".st-key-figure_reliability")
    figure.get_by_text("points before calibration").wait_for()
    assert page.evaluate(OVERHANG) <= 0
    figure.get_by_text("As a table").click()
    page.wait_for_selector(SETTLED)
    with page.expect_download() as waiting:
        # By key: figures that are still drawn above move what a click is aimed at.
        figure.get_by_role("button", name="Download as CSV", exact=True).press("Enter")
    waiting.value.save_as(tmp_path / "reliability.csv")
    with (tmp_path / "reliability.csv").open(encoding="utf-8-sig", newline="") as file:
        header, *rows = csv.reader(file)
    assert header == list(COLUMNS)
    curves = {curve.name: curve for curve in invented_insights().curves}
    shown = curves["assigned"].bins
    written = [row for row in rows if row[0] == NAMES["assigned"]]
    assert [int(row[3]) for row in written] == [each.n_pairs for each in shown]

    found = violations(page)
    assert not found, "\n".join(f"{one.rule}: {one.target}\n  {one.summary}" for one in found)
    assert all(url.startswith(figures_server.url) for url in elsewhere), elsewhere
