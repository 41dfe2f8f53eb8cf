"""A browser profile that the tests of one process use after each other, empty each time.

A profile of its own costs a test three seconds of a core: its cache is empty, and Streamlit's
scripts are fetched and compiled anew. What a test leaves behind is cleared away instead.
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial

from playwright.sync_api import Browser, Error, Page

from tests.support.browser.page import PATIENCE_MS, AnnotatePage
from tests.support.browser.server import Server
from tests.support.people import PASSWORD

WIDE = {"width": 1440, "height": 900}
# By default a page that is waited for is asked at each frame, and draws sixty a second to that end.
POLLING_MS = 30
# Tabs of one site share a process, which has compiled the scripts already.
SHARED_PROCESS = "--process-per-site"


class Profile:
    """Tabs of one browser profile."""

    def __init__(self, browser: Browser) -> None:
        self.context = browser.new_context(viewport=WIDE, reduced_motion="reduce")
        self.kept = self.context.new_page()  # keeps the process of the site alive
        self.origins: set[str] = set()
        self.shared: list[Page] = []  # tabs that tests of a file use after each other

    def tab(
        self,
        url: str,
        *,
        viewport: dict[str, int] | None = None,
        color_scheme: str | None = None,
        reduced_motion: str | None = None,
    ) -> Page:
        """A new tab for the server at this address, which is not opened yet.

        Args:
            reduced_motion: "no-preference" for what moves; less of it unless asked for, since each
                picture of what moves is drawn by the processor.
        """
        self._remember(url)
        page = _set_up(self.context.new_page(), viewport, color_scheme)
        if reduced_motion:
            page.emulate_media(reduced_motion=reduced_motion)  # type: ignore[arg-type]
        return page

    def same_tab(self, url: str, *, color_scheme: str | None = None) -> Page:
        """The tab that stays, emptied; for one page after the other on which nobody decides."""
        self._remember(url)
        self.kept.goto(f"{url}_stcore/health")
        self._forget()
        return _set_up(self.kept, None, color_scheme)

    def shared_tab(self, url: str) -> Page:
        """A tab that stays open, though what it stored is forgotten after each test."""
        self.shared.append(self.tab(url))
        return self.shared[-1]

    def close_shared(self) -> None:
        """Close the tabs that tests of a file have shared."""
        while self.shared:
            self.shared.pop().close()

    def clear(self) -> None:
        """Close the tabs and forget what they stored."""
        for page in self.context.pages:
            if page is not self.kept and page not in self.shared:
                page.close()
        self._forget()

    def _remember(self, url: str) -> None:
        if not self.origins:
            self.kept.goto(f"{url}_stcore/health")
        self.origins.add(url.rstrip("/"))

    def _forget(self) -> None:
        self.context.clear_cookies()
        self.context.clear_permissions()
        session = self.context.new_cdp_session(self.kept)
        for origin in self.origins:
            session.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "all"})
        with suppress(Error):
            session.detach()


def _set_up(page: Page, viewport: dict[str, int] | None, color_scheme: str | None) -> Page:
    page.set_default_timeout(PATIENCE_MS)
    asked = Page.wait_for_function.__get__(page)  # tabs are set up again
    page.wait_for_function = partial(asked, polling=POLLING_MS)  # type: ignore[method-assign]
    page.set_viewport_size(viewport or WIDE)  # type: ignore[arg-type]
    page.emulate_media(color_scheme=color_scheme or "light")  # type: ignore[arg-type]
    return page


def signed_in(profile: Profile, server: Server, name: str, path: str = "") -> AnnotatePage:
    """A tab in which a person has signed in."""
    tab = AnnotatePage(profile.tab(server.url), server.url)
    page = tab.page
    page.goto(server.url + path)
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    tab.wait_until_settled()
    return tab
