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
const unresolved = { word: "unresolved", causes: [], unresolved: true };
const row = { node: { id: "I10", ...%s }, probability: 0.99, suggestion: true };
RATING.withheld = %s;
paintItem(item, row, { ...newState(), states: new Map([["I10", unresolved]]) });
return item["aria-label"];
"""


HYPERTENSION = '{ label: "I10 Hypertension", source: "lexical" }'
ANNIF = "yso at annif.example"
SOLE = f'{{ label: "sole", source: "elsewhere: {ANNIF}", elsewhere: "{ANNIF}" }}'


@pytest.mark.parametrize(
    ("node", "is_withheld", "name"),
    [
        (HYPERTENSION, "false", "I10 Hypertension, 99 percent, by name, unresolved"),
        (HYPERTENSION, "true", "I10 Hypertension, by name, unresolved"),
        (SOLE, "false", f"sole, 99 percent, suggested by {ANNIF}, elsewhere, unresolved"),
    ],
)
def test_a_percentage_is_read_out_where_it_is_shown_and_who_suggested_it(
    node: str, is_withheld: str, name: str
) -> None:
    scripts = ("tree/treerow.js", "tree/state.js", "shared/words.js")
    assert run(NAME % (node, is_withheld), *scripts) == name


def test_the_card_says_that_a_suggester_is_elsewhere() -> None:
    body = f'return sourceName("elsewhere: {ANNIF}");'
    assert run(body, "shared/sources.js") == f"by {ANNIF}, elsewhere"


SAID = """
const node = { id: "I10", label: "I10", rank: 1, probability: 0.99, branch: 0.99, assignable: true };
const division = { ...node, probability: null };
const state = { ...newState(), outline: { nodes: new Map([["I10", node]]) }, offered: new Set(["I10"]) };
RATING.withheld = %s;
return [stateWord(state, "I10"), ...HINT_KINDS.map(([, , said]) => said(node)),
  ActionBar.prototype.factsOf.call({ state }, { node: division, probability: 0.99, ofBranch: true }, { word: "rejected", causes: [] })];
"""


def test_no_sentence_has_a_gap_where_percentages_are_withheld() -> None:
    scripts = ("tree/state.js", "tree/hints.js", "tree/actions.js", "shared/words.js")
    said = run(SAID % "false", *scripts)
    assert said[:2] == ["suggested, 99%", "I10, 99% probable and not decided: go to it"]
    said = run(SAID % "true", *scripts)
    assert said[:3] == [
        "suggested",
        "I10, probable and not decided: go to it",
        "I10, accepted, though improbable: go to it",
    ]
    assert said[3] == "rejected"
