"""What a browser reports of a page that breaks its content security policy."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import ConsoleMessage, Page


@contextmanager
def policy_reports(page: Page) -> Iterator[list[str]]:
    """The reports on this tab meanwhile."""
    reports: list[str] = []

    def note(message: ConsoleMessage) -> None:
        if is_report(message):
            reports.append(message.text)

    page.on("console", note)
    yield reports
    page.remove_listener("console", note)


def is_report(message: ConsoleMessage) -> bool:
    return "Content Security Policy" in message.text
