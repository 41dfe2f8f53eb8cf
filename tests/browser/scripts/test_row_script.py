"""What a screen reader says of a row of the tree."""

from __future__ import annotations

import shutil

import pytest

from tests.support.browser.scripts import run

pytestmark = pytest.mark.skipif(not shutil.which("node"), reason="no node to run scripts")

NAME = """
const part = { replaceChildren() {} };
const line = { querySelector: () => part, querySelectorAll: () => [] };
const item = { dataset: {}, classList: { toggle() {} }, firstChild: line, querySelector: () => null,
  setAttribute(name, value) { this[name] = value; } };
const look = { word: "unresolved", tags: ["by name"], causes: [], unresolved: true };
const row = { node: { label: "I10 Hypertension" }, probability: 0.99 };
RATING.withheld = %s;
paintItem(item, row, { lookSignature: () => "", lookOf: () => look });
return item["aria-label"];
"""


@pytest.mark.parametrize(
    ("is_withheld", "name"),
    [
        (False, "I10 Hypertension, 99 percent, by name, unresolved"),
        (True, "I10 Hypertension, by name, unresolved"),
    ],
)
def test_a_percentage_is_read_out_only_where_it_is_shown(*, is_withheld: bool, name: str) -> None:
    told = run(NAME % str(is_withheld).lower(), "tree/treerow.js", "shared/words.js")
    assert told == name
