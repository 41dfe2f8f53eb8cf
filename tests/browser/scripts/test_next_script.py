"""Where the key for the next suggestion goes."""

from __future__ import annotations

import shutil

import pytest

from tests.support.browser.scripts import run

pytestmark = pytest.mark.skipif(not shutil.which("node"), reason="no node to run scripts")

NEXT = """
const row = (id) => ({ key: id, node: { id } });
const rows = ["J18.9", "R05.9", "R50.9"].map(row);
const waiting = new Set(%s);
const unresolved = { word: "unresolved", causes: [], unresolved: true };
const state = { ...newState(), asserted: new Map([["J18.9", "negated"]]), states: new Map([...waiting].map((id) => [id, unresolved])) };
const view = { rows, byKey: new Map(rows.map((of) => [of.key, of])), state };
const found = TreeView.prototype.nextUnresolved.call(view, %s, true);
return found ? found.node.id : null;
"""


@pytest.mark.parametrize(
    ("waiting", "after", "found"),
    [
        (["J18.9", "R05.9", "R50.9"], "null", "R05.9"),
        (["J18.9", "R50.9"], "rows[1]", "R50.9"),
        (["J18.9", "R05.9"], "rows[2]", "R05.9"),
        (["J18.9"], "rows[2]", "J18.9"),
        ([], "rows[2]", None),
    ],
)
def test_what_the_notes_deny_is_gone_to_last(
    waiting: list[str], after: str, found: str | None
) -> None:
    assert run(NEXT % (waiting, after), "tree/tree.js", "tree/state.js") == found


@pytest.mark.parametrize(
    ("said", "is_denied"),
    [
        ("negated", True),
        ("family, negated", True),
        ("historical", False),
        ("negated, hypothetical", False),
        ("", False),
    ],
)
def test_what_is_of_the_family_counts_as_denied(said: str, *, is_denied: bool) -> None:
    body = f'return isDenied({{ asserted: new Map([["I63.9", "{said}"]]) }}, "I63.9");'
    assert run(body, "tree/state.js") is is_denied
