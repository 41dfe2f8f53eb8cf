"""Which keys are for the page, on keyboards of several countries and systems."""

from __future__ import annotations

import shutil

import pytest

from tests.support.browser.scripts import run

pytestmark = pytest.mark.skipif(not shutil.which("node"), reason="no node to run scripts")

ASKED = """
const held = new Set("%s".split(" "));
return isCommand({ key: "%s", altKey: held.has("Alt"), ctrlKey: held.has("Control"),
  metaKey: held.has("Meta"), getModifierState: (name) => held.has(name) });
"""


@pytest.mark.parametrize(
    ("held", "key", "is_command"),
    [
        ("", "[", False),
        ("Shift", "/", False),  # German: Shift+7, French: Shift+:
        ("AltGraph", "[", False),  # German and French on Linux
        ("Alt Control AltGraph", "]", False),  # the same where AltGr is both of them
        ("Alt Control", "[", False),
        ("Alt", "]", False),  # German and French on a Mac
        ("Alt Control AltGraph", "@", False),  # a key of one's own
        ("Alt", "a", True),
        ("Control", "[", True),
        ("Meta", "[", True),
        ("Alt", "ArrowUp", True),
        ("Control Alt", "a", True),
    ],
)
def test_what_is_typed_with_altgr_is_no_command(held: str, key: str, *, is_command: bool) -> None:
    assert run(ASKED % (held, key), "shared/dom.js") is is_command
