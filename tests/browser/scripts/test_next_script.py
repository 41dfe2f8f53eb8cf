"""Where the key for the next suggestion goes."""

from __future__ import annotations

import shutil

import pytest

from tests.support.browser.scripts import run

pytestmark = pytest.mark.skipif(not shutil.which("node"), reason="no node to run scripts")

NEXT = """
const row = (id) => ({ key: id, node: { id } });
const rows = ["J18.9", "R05.9", "R50.9"].map(row);
rows.push({ key: "denied", node: { id: "", isGroup: true } });
const waiting = new Set(%s);
const unresolved = { word: "unresolved", causes: [], unresolved: true };
const state = { ...newState(), states: new Map([...waiting].map((id) => [id, unresolved])) };
const view = { rows, byKey: new Map(rows.map((of) => [of.key, of])), state };
const found = TreeView.prototype.nextUnresolved.call(view, %s, true);
return found ? found.node.id : null;
"""


@pytest.mark.parametrize(
    ("waiting", "after", "found"),
    [
        (["J18.9", "R05.9", "R50.9"], "null", "J18.9"),
        (["J18.9", "R50.9"], "rows[1]", "R50.9"),
        (["J18.9", "R05.9"], "rows[2]", "R05.9"),
        (["J18.9"], "rows[2]", "J18.9"),
        (["R05.9"], "rows[3]", "R05.9"),
        ([], "rows[2]", None),
    ],
)
def test_the_next_is_below_or_else_above_and_never_the_group_of_what_is_denied(
    waiting: list[str], after: str, found: str | None
) -> None:
    assert run(NEXT % (waiting, after), "tree/tree.js", "tree/state.js") == found
