"""Whether the selected row stays in sight, and which keys are for the page, as scripts work it out."""

from __future__ import annotations

import shutil

import pytest

from tests.support.browser.scripts import run

pytestmark = pytest.mark.skipif(not shutil.which("node"), reason="no node to run scripts")

# A row of 30 pixels that begins at `top` of a pane of 300, which then has a height of `after`.
SMALLER = """
const root = { clientHeight: 300, clientTop: 1, scrollTop: 500, getBoundingClientRect: () => ({ top: 99 }) };
const line = { getBoundingClientRect: () => ({ top: 100 + %d, bottom: 130 + %d, height: 30 }) };
const tree = Object.assign(Object.create(TreeView.prototype), { root, selectedItem: { firstChild: line }, height: 300 });
root.clientHeight = %d;
tree.resized();
return root.scrollTop;
"""


@pytest.mark.parametrize(
    ("top", "after", "scroll"),
    [(270, 200, 600), (100, 200, 500), (400, 200, 500), (-50, 200, 500), (270, 350, 500)],
)
def test_a_row_that_was_in_sight_stays_there_when_the_pane_gets_smaller(
    top: int, after: int, scroll: int
) -> None:
    assert run(SMALLER % (top, top, after), "tree/tree.js") == scroll


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
    assert run(ASKED % (held, key), "shared/keys.js") is is_command
