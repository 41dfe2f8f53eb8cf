from __future__ import annotations

import pytest

from tests.browser.conftest import OpenPage
from tests.browser.server import Server

pytestmark = pytest.mark.browser

EXAMPLE = "document=example-fishing-quotas"


def test_the_document_that_was_open_is_open_again_after_a_look_at_another_page(
    fake_server: Server, open_page: OpenPage
) -> None:
    page = open_page(fake_server)
    page.open_example("fishing-quotas")
    page.page.get_by_role("link", name="Settings").click()
    page.page.wait_for_url("**/settings")
    page.page.get_by_role("link", name="Annotate").click()
    page.page.wait_for_url(f"**/?{EXAMPLE}")
    page.wait_for_suggestions()

    # The way back through the addresses is not turned round.
    page.page.go_back()
    page.page.go_back()
    page.page.wait_for_url("**/settings")

    page.page.get_by_role("link", name="Annotate").click()
    page.page.wait_for_url(f"**/?{EXAMPLE}")
    page.page.click(".st-key-new button")
    page.page.get_by_role("link", name="Settings").click()
    page.page.wait_for_url("**/settings")
    page.page.get_by_role("link", name="Annotate").click()
    page.page.wait_for_selector(".st-key-example-fishing-quotas")
    assert EXAMPLE not in page.page.url
