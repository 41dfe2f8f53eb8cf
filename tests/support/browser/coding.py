"""What a coder sees of the codes of an encounter, and the file that they are exported to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from fhir.resources.R4B.bundle import Bundle

from tests.support.browser.keyboard_user import FOCUSED_NAME, KeyboardUser
from tests.support.browser.page import SETTLED, AnnotatePage
from tests.support.waiting import wait_until


def codes(tab: AnnotatePage) -> list[str]:
    """The codes of the panel, in their order."""
    return tab.page.eval_on_selector_all(
        ".codes li[data-place]", "(rows) => rows.map((row) => row.dataset.concept)"
    )


def wait_for_codes(tab: AnnotatePage, expected: list[str]) -> None:
    """Wait until the panel has these codes, in this order: it is drawn after the tree."""
    wait_until(lambda: codes(tab) == expected, what=f"the panel does not come to {expected}")


def wait_for_focus(user: KeyboardUser, name: str) -> None:
    """Wait until what has the focus is called so."""
    user.page.wait_for_function(f"(name) => ({FOCUSED_NAME})().includes(name)", arg=name)


def exported(tab: AnnotatePage) -> dict[str, Any]:
    """The FHIR file of the Export page, found valid."""
    tab.open("export")
    tab.page.click(".st-key-export_form button:has-text('FHIR')")
    tab.page.wait_for_selector(SETTLED)
    with tab.page.expect_download() as download:
        tab.page.click(".st-key-export_download button:has-text('FHIR')")
    text = Path(download.value.path()).read_text("utf-8")
    Bundle.model_validate_json(text)
    found: dict[str, Any] = json.loads(text)
    return found


def resources(content: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    """The resources of a kind, in their order."""
    listed = (entry["resource"] for entry in content["entry"])
    return [one for one in listed if one["resourceType"] == kind]
