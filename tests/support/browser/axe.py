"""axe-core on a page: what it finds that is ours, and what is Streamlit's own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from playwright.sync_api import Page

AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
OF_COLOURS = ["color-contrast", "link-in-text-block"]
"""The rules of these tags that look at colours; another colour scheme breaks no other."""
RUN = """([rules, part]) => axe.run(part ?? document, {runOnly: rules, resultTypes: ['violations']})"""


@dataclass(frozen=True, slots=True)
class Violation:
    """One node that breaks a rule.

    Attributes:
        target: its CSS selectors from the page inwards, one for each shadow root, joined by " >>> ".
    """

    rule: str
    target: str
    html: str
    summary: str


def violations(page: Page, rules: list[str] = TAGS, part: str = "") -> list[Violation]:
    """Every node of the page, shadow roots included, that breaks one of axe's rules.

    Args:
        rules: their names or tags.
        part: selector of the only part that is looked at.
    """
    if not page.evaluate("typeof axe === 'object'"):
        page.evaluate(f"() => {{ {AXE} }}")
    element = page.wait_for_selector(part) if part else None
    found: dict[str, Any] = page.evaluate(RUN, [rules, element])
    return list(_nodes(found["violations"]))


def _nodes(rules: list[dict[str, Any]]) -> Iterator[Violation]:
    for rule in rules:
        for node in rule["nodes"]:
            yield Violation(
                rule=rule["id"],
                target=" >>> ".join(_steps(node["target"])),
                html=node["html"][:300],
                summary=node["failureSummary"].replace("\n", " ")[:300],
            )


def _steps(target: list[str | list[str]]) -> Iterator[str]:
    for step in target:
        yield from step if isinstance(step, list) else [step]


# What Streamlit 1.67 draws and the project cannot: rule, part of the element's HTML, and the reason.
STREAMLITS_OWN = (
    (
        "presentation-role-conflict",
        'data-testid="stFileUploaderDropzone"',
        "the upload area is role=presentation and takes the focus; its button does what it does",
    ),
    (
        "region",
        'data-testid="stSkipToContent"',
        "a skip link that axe takes for none where the next link lies in a shadow root, as those of "
        "the sidebar do; test_navigation follows it",
    ),
)


def is_streamlits(found: Violation) -> bool:
    return any(found.rule == rule and part in found.html for rule, part, _ in STREAMLITS_OWN)


def violations_of_ours(page: Page) -> list[Violation]:
    """What axe finds on a page that is not Streamlit's."""
    return [found for found in violations(page) if not is_streamlits(found)]
