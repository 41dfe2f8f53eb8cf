"""A tab of somebody who has signed in, for tests with several people."""

from __future__ import annotations

from tests.support.browser.page import AnnotatePage
from tests.support.browser.profile import Profile
from tests.support.browser.server import Server
from tests.support.people import PASSWORD


def signed_in(profile: Profile, server: Server, name: str, path: str = "") -> AnnotatePage:
    tab = AnnotatePage(profile.tab(server.url), server.url)
    page = tab.page
    page.goto(server.url + path)
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    tab.wait_until_settled()
    return tab
