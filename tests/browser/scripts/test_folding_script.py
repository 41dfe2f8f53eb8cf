"""The folded tree as the browser's scripts work it out: places, rows, order, the next suggestion."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.browser import scripts

NAMES = ("tree/states.js", "tree/folding.js", "tree/outline.js")
# farming > plants > cereals > wheat; farming > meat; sea > fish > cod, herring;
# regions > Europe, Union, both > France.
# Wheat, meat, cod, herring, France are suggested.
NODES = """
const node = (id, broader, branch, more = {}) => ({ id, label: id, notation: null, broader, assignable: true,
  forbidden: false, probability: null, own: null, branch, rank: null, source: null, given: false, ...more });
const hit = (id, broader, rank, probability) => node(id, broader, probability, { rank, probability, source: "x" });
const outline = new Outline([
  node("farming", [], 0.95), node("plants", ["farming"], 0.7), node("cereals", ["plants"], 0.7),
  hit("wheat", ["cereals"], 2, 0.7), hit("meat", ["farming"], 5, 0.2),
  node("sea", [], 0.9), node("fish", ["sea"], 0.9), hit("cod", ["fish"], 1, 0.8), hit("herring", ["fish"], 4, 0.3),
  node("regions", [], 0.6), node("Europe", ["regions"], 0.55), node("Union", ["regions"], 0.6),
  hit("France", ["Europe", "Union"], 3, 0.5),
]);
function rows(view = {}, decided = {}) {
  const decisions = new Map(Object.entries(decided).map(([id, state]) => [id, { state }]));
  const full = { limit: 10, sort: "tree", filter: "all", text: "", kept: new Set(), visited: new Set(),
    everyLevel: false, unfolded: new Set(), settled: new Set(), ...view };
  const offered = outline.offered(full.limit);
  const open = new Set([...offered].filter((id) => !decisions.has(id)));
  return outline.rows(full, decisions, treeStates(rule, (id) => outline.ancestorsOf(id), decisions, open));
}
const names = (found) => found.map((row) => "-".repeat(row.level - 1)
  + [...row.folded, row.node].map(({ id }) => id).join(" > "));
"""
FOLDED = [
    "sea > fish",
    "-cod",
    "-herring",
    "farming",
    "-plants > cereals > wheat",
    "-meat",
    "regions > Union > France",
]


def run(body: str) -> Any:
    return scripts.run(scripts.TREE_RULE + NODES + body, *NAMES)


def test_a_chain_is_one_row_and_every_concept_stands_once() -> None:
    assert run("return names(rows());") == FOLDED
    keys = run("return rows().map((row) => row.key);")
    assert len(set(keys)) == len(keys)


def test_a_row_says_its_level_its_place_and_how_many_stand_beside_it() -> None:
    found = run(
        "return rows().map((row) => [row.node.id, row.level, row.position, row.siblings, row.children]);"
    )
    assert found == [
        ["fish", 1, 1, 3, 2],
        ["cod", 2, 1, 2, 0],
        ["herring", 2, 2, 2, 0],
        ["farming", 1, 2, 3, 2],
        ["wheat", 2, 1, 2, 0],
        ["meat", 2, 2, 2, 0],
        ["France", 1, 3, 3, 0],
    ]


def test_what_is_decided_or_looked_up_has_a_row_of_its_own() -> None:
    decided = run('return names(rows({}, { plants: "rejected" }));')
    assert decided[4:6] == ["-plants", "--cereals > wheat"]
    visited = run('return names(rows({ visited: new Set(["cereals"]) }));')
    assert visited[4:6] == ["-plants > cereals", "--wheat"]


def test_a_chain_that_is_unfolded_has_rows_and_can_be_folded_again() -> None:
    unfolded = 'const seen = rows({ unfolded: new Set(["plants", "cereals"]) });'
    assert run(f"{unfolded} return names(seen);")[3:7] == [
        "farming",
        "-plants",
        "--cereals",
        "---wheat",
    ]
    for name in ("plants", "cereals", "wheat"):
        chain = f'return chainOf(seen.find((row) => row.node.id === "{name}"), seen);'
        assert run(unfolded + chain) == {"ids": ["plants", "cereals"], "isFolded": False}
    chain = 'const seen = rows(); return chainOf(seen.find((row) => row.node.id === "%s"), seen);'
    assert run(chain % "wheat") == {"ids": ["plants", "cereals"], "isFolded": True}
    assert run(chain % "cod") == {"ids": [], "isFolded": False}


def test_a_concept_stands_where_it_is_most_probable_and_names_the_others() -> None:
    assert run('return outline.places.of("France");') == "Union"
    assert run('return outline.places.of("sea");') is None
    assert run('return rows().find((row) => row.node.id === "France").also;') == ["Europe"]
    assert run('return rows().find((row) => row.node.id === "cod").also;') == []


def test_a_branch_that_is_worked_in_has_what_may_stand_in_it() -> None:
    both = """
      outline.merge([node("market", [], 0.1), node("prices", ["market"], 0.1), node("tariffs", ["prices"], 0.1),
        hit("dues", ["Union", "tariffs"], 6, 0.1)]);
    """
    places = 'return [outline.places.of("dues"), outline.places.of("France")];'
    assert run(both + places) == ["Union", "Union"]
    # The branch itself, and a branch further up; each changes what was known before.
    assert run(f'{both} outline.places.of("France"); outline.places.only = "Europe"; {places}') == [
        "Union",
        "Europe",
    ]
    assert run(f'{both} outline.places.of("dues"); outline.places.only = "market"; {places}') == [
        "tariffs",
        "Union",
    ]
    assert run(
        f'{both} outline.places.only = "market"; outline.places.of("dues"); outline.places.only = null; {places}'
    ) == [
        "Union",
        "Union",
    ]
    drawn = run(
        f'{both} outline.places.only = "market"; return names(rows({{}}, {{ dues: "accepted" }}));'
    )
    assert "market > prices > tariffs > dues" in drawn


def test_nodes_that_come_later_find_their_place() -> None:
    later = 'outline.places.of("hake"); outline.merge([hit("hake", ["fish"], 7, 0.1)]);'
    assert run(f'{later} return outline.places.of("hake");') == "fish"


def test_branches_are_ordered_by_what_was_undecided_at_the_opening() -> None:
    # With cod settled before, the best below sea is herring, 0.3; farming has 0.7, regions 0.5.
    tops = "return names(rows(%s)).filter((name) => !name.startsWith('-'));"
    settled = '{ settled: new Set(["cod"]) }, { cod: "accepted" }'
    assert run(tops % settled) == ["farming", "regions > Union > France", "sea > fish"]
    # What is decided after that moves nothing.
    assert run('return names(rows({}, { cod: "rejected", wheat: "accepted" }));') == FOLDED


def test_a_filter_and_words_find_what_is_folded() -> None:
    assert run('return names(rows({ text: "cereals" }));') == ["farming > plants > cereals > wheat"]
    assert run('return names(rows({ filter: "accepted" }, { herring: "accepted" }));') == [
        "sea > fish > herring"
    ]


def test_a_decision_on_a_branch_takes_all_that_is_below_it() -> None:
    assert run('return outline.below("Europe", new Set(["France", "cod"]));') == ["France"]
    assert run('return outline.below("farming", new Set(["wheat", "meat", "cod"]));') == [
        "wheat",
        "meat",
    ]


@pytest.mark.parametrize(
    ("concept", "asked"),
    [("fish", ["Accept all 1", "Reject all 1", "Nothing in this branch"]), ("cod", [])],
)
def test_of_a_branch_without_suggestions_nothing_is_asked(concept: str, asked: list[str]) -> None:
    body = """const told = [], asked = [];
      const cod = outline.nodes.get("cod"), unresolved = { word: "unresolved", causes: [], unresolved: true };
      const state = { ...newState(), outline, rows: [{ node: cod }], states: new Map([["cod", unresolved]]), keys: { exclude: "R" } };
      const context = { state, tell: (sentence) => told.push(sentence),
        prompt: { ask: (sentence, choices) => asked.push(...choices.map(({ words }) => words)) } };
      askForBranch(context, { node: outline.nodes.get("%s") }); return { asked, told };"""
    told = [] if asked else ["No unresolved suggestion is shown below cod."]
    names = (*NAMES, "tree/bulk.js", "tree/state.js")
    assert scripts.run(f"{scripts.TREE_RULE}{NODES}{body % concept}", *names) == {
        "asked": asked,
        "told": told,
    }


def test_the_next_suggestion_by_branch_by_probability_and_by_the_vocabulary() -> None:
    order = (
        'const seen = rows(); return nextOrder(seen, "%s", outline)'
        ".filter((row) => row.suggestion).map((row) => row.node.id);"
    )
    assert run(order % "branch") == ["cod", "herring", "wheat", "meat", "France"]
    assert run(order % "probability") == ["cod", "wheat", "France", "herring", "meat"]
    assert run(order % "tree") == ["meat", "wheat", "France", "cod", "herring"]


def test_notations_are_ordered_as_numbers() -> None:
    coded = """const codes = ["10", "9", "9b"].map((notation) => hit(notation, [], 1, 0.5));
      for (const one of codes) one.notation = one.id;
      const named = new Outline(codes);
      return nextOrder(codes.map((one) => ({ node: one })), "tree", named).map((row) => row.node.id);"""
    assert run(coded) == ["9", "9b", "10"]


def test_every_level_is_drawn_where_that_is_wished() -> None:
    found = run("return rows({ everyLevel: true }).map((row) => row.node.id);")
    assert found.count("France") == 2
    assert {"plants", "cereals", "fish", "Europe", "Union"} <= set(found)


def test_the_branch_that_is_worked_on_stands_at_the_top_and_nowhere_else() -> None:
    found = run(
        'outline.places.only = "fish"; return rows().map((row) => [row.node.id, row.level, row.also]);'
    )
    assert found == [["fish", 1, []], ["cod", 2, []], ["herring", 2, []]]
