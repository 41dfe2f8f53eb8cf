from __future__ import annotations

from contextlib import closing
from http.client import HTTPConnection

import pytest

from tests.browser.conftest import OpenPage
from tests.support.browser.connection import Connection
from tests.support.browser.page import SETTLED
from tests.support.browser.server import Server

pytestmark = pytest.mark.browser

EXAMPLE = "document=example-fishing-quotas"


def test_the_document_that_was_open_is_open_again_after_a_look_at_another_page(
    fake_server: Server, open_page: OpenPage
) -> None:
    page = open_page(fake_server)
    page.open_example("fishing-quotas")
    page.page.get_by_role("link", name="Settings").click()
    page.page.wait_for_url("**/settings?project=1*")
    page.page.get_by_role("link", name="Annotate").click()
    page.page.wait_for_url(f"**/?project=1&{EXAMPLE}")
    page.wait_for_suggestions()

    # The way back through the addresses is not turned round.
    for _ in range(3):  # Streamlit may have put an address of its own in between
        if "/settings" not in (left := page.page.url):
            page.page.go_back()
            page.page.wait_for_url(lambda url, left=left: url != left)
            page.page.wait_for_selector(SETTLED)
    page.page.wait_for_url("**/settings?project=1*")
    page.page.wait_for_selector(SETTLED)

    page.page.get_by_role("link", name="Annotate").click()
    page.page.wait_for_url(f"**/?project=1&{EXAMPLE}")
    page.wait_for_suggestions()
    page.page.wait_for_selector(SETTLED)
    page.page.click(".st-key-new button")
    page.page.wait_for_selector(".st-key-example-fishing-quotas")
    page.page.get_by_role("link", name="Settings").click()
    page.page.wait_for_url("**/settings?project=1*")
    page.page.wait_for_selector(SETTLED)
    page.page.get_by_role("link", name="Annotate").click()
    page.page.wait_for_selector(".st-key-example-fishing-quotas")
    assert EXAMPLE not in page.page.url


def test_a_page_lives_on_when_its_answers_come_after_many_others(
    fake_server: Server, open_page: OpenPage
) -> None:
    tab = open_page(fake_server)
    connection = Connection(tab.page)
    tab.open()
    tab.open_example("fishing-quotas")
    tab.page.wait_for_selector(SETTLED)
    connection.holds_answers = True
    # Each is asked for before the answer to the one before is here, as on a slow network.
    for n_runs, name in enumerate(("Settings", "Export", "Models", "Settings", "Annotate"), 1):
        tab.page.get_by_role("link", name=name).click()
        connection.wait_for_whole_runs(n_runs)
    connection.release()
    tab.page.wait_for_url(f"**/?project=1&{EXAMPLE}")
    tab.wait_for_suggestions()
    tab.page.click(".st-key-new button")
    tab.page.wait_for_selector(".st-key-example-fishing-quotas")


def test_every_page_delivers_what_was_decided_while_the_server_was_away(
    fake_server: Server, open_page: OpenPage
) -> None:
    tab = open_page(fake_server)
    tab.open_example("fishing-quotas")
    fake_server.kill()
    tab.decide("101", "accept")
    tab.page.wait_for_selector(".badge[data-status=away]")
    context = tab.page.context
    tab.page.close(run_before_unload=False)
    fake_server.start()
    export = context.new_page()
    export.goto(fake_server.url + "export")
    export.wait_for_function(
        "() => !Object.keys(localStorage).some((key) => key.startsWith('strata.decision.'))"
    )
    assert [(a, c) for _, _, a, c in fake_server.events()] == [("accept", "101")]


@pytest.mark.parametrize("path", ["api/health", "api/decisions?document=x", ""])
def test_the_server_answers_to_no_other_name(fake_server: Server, path: str) -> None:
    with closing(HTTPConnection("localhost", fake_server.port, timeout=30)) as connection:
        connection.request("GET", f"/{path}", headers={"Host": f"evil.example:{fake_server.port}"})
        assert connection.getresponse().status == 400
