"""The joined script of each component, as a module in a browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser

from pages.components.scripts import joined
from tests.support.browser.scripts import entries


@pytest.mark.parametrize("entry", entries())
def test_a_joined_script_runs_and_exports_what_streamlit_calls(
    browser: Browser, entry: str
) -> None:
    page = browser.new_page()
    page.route("**/*", lambda route: route.fulfill(body="<p>", content_type="text/html"))
    page.goto("http://localhost/")  # a page with an origin has storage
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    found = page.evaluate(
        """async (text) => {
          const address = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
          const module = await import(address);
          return [Object.keys(module), typeof module.default, module.default.length];
        }""",
        joined(entry),
    )
    page.close()
    assert (found, problems) == ([["default"], "function", 1], [])
