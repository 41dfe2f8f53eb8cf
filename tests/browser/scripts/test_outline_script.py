"""The rows of the tree with every level, and what is on its way to the store, as the browser's scripts work them out."""

from __future__ import annotations

import shutil
from typing import Any

import pytest

from tests.support.browser.scripts import TREE_RULE
from tests.support.browser.scripts import run as run_scripts

SCRIPTS = (
    "tree/states.js",
    "tree/weights.js",
    "tree/outline.js",
    "shared/queue.js",
    "shared/words.js",
)
pytestmark = pytest.mark.skipif(not shutil.which("node"), reason="no node to run scripts")

# food > fish > cod, herring; sea > fish; food > bread. Fish may be assigned, food and sea not.
NODES = """
const node = (id, broader, probability, rank, more = {}) => ({ id, label: id, notation: null, broader,
  assignable: true, forbidden: false, probability, own: null, branch: probability, rank, source: "x", given: false, ...more });
const outline = new Outline([
  node("food", [], null, null, { branch: 0.9, assignable: false }),
  node("sea", [], null, null, { branch: 0.8, assignable: false }),
  node("fish", ["food", "sea"], null, null, { branch: 0.8, own: 0.4 }),
  node("cod", ["fish"], 0.8, 1), node("herring", ["fish"], 0.3, 3), node("bread", ["food"], 0.5, 2),
]);
const above = (id) => outline.ancestorsOf(id);
function look(decided, view = {}) {
  const decisions = new Map(Object.entries(decided).map(([id, state]) => [id, { state }]));
  const full = { limit: 10, sort: "tree", filter: "all", text: "", kept: new Set(), visited: new Set(),
    everyLevel: true, ...view };
  const offered = outline.offered(full.limit);
  const open = new Set([...offered].filter((id) => !decisions.has(id)));
  const states = treeStates(rule, above, decisions, open);
  return { rows: outline.rows(full, decisions, states), counts: outline.summary(offered, decisions, states),
    chips: outline.filterCounts(full, decisions, states) };
}
const names = ({ rows }) => rows.map((row) => `${"-".repeat(row.level - 1)}${row.node.id}`);
"""


def run(expression: str) -> Any:
    return run_scripts(f"{TREE_RULE}{NODES} return {expression};", *SCRIPTS)


def test_a_concept_stands_under_each_of_its_broader_ones() -> None:
    assert run("names(look({}))") == [
        "food",
        "-fish",
        "--cod",
        "--herring",
        "-bread",
        "sea",
        "-fish",
        "--cod",
        "--herring",
    ]


def test_the_slider_takes_the_most_probable_and_keeps_what_was_decided() -> None:
    assert run("names(look({}, { limit: 1 }))") == [
        "food",
        "-fish",
        "--cod",
        "sea",
        "-fish",
        "--cod",
    ]
    assert "-bread" in run('names(look({ bread: "rejected" }, { limit: 1 }))')
    assert run("outline.lastRank(2)") == 2


def test_a_filter_keeps_what_is_above() -> None:
    assert run('names(look({ bread: "accepted" }, { filter: "accepted" }))') == ["food", "-bread"]
    assert run('names(look({ bread: "accepted" }, { filter: "conflict" }))') == []
    kept = 'names(look({ bread: "accepted" }, { filter: "unresolved", kept: new Set(["bread"]) }))'
    assert "-bread" in run(kept)


def test_words_find_concepts_and_all_below_a_heading() -> None:
    assert run('names(look({}, { text: "HERRI" }))') == [
        "food",
        "-fish",
        "--herring",
        "sea",
        "-fish",
        "--herring",
    ]
    assert run('names(look({}, { text: "sea" })).includes("--cod")')
    assert not run('names(look({}, { text: "sea" })).includes("-bread")')


def test_by_probability_there_is_one_row_for_each_concept_with_its_way() -> None:
    flat = 'look({}, { sort: "probability" }).rows.map((row) => [row.node.id, row.path])'
    assert run(flat) == [["cod", "food › fish"], ["bread", "food"], ["herring", "food › fish"]]


def test_counts_tell_conflicts_and_what_a_finish_leaves_untouched() -> None:
    assert run('look({ cod: "accepted", fish: "excluded" }).counts') == {
        "accepted": 1,
        "rejected": 1,
        "unresolved": 1,
        "conflicts": 1,
        "untouched": 1,
    }


DENIED = NODES.replace('["fish"], 0.3, 3)', '["fish"], 0.3, 3, { denied: "negated" })')
ROWS = "map(({ node, level, position, siblings }) => [node.label, level, position, siblings])"


@pytest.mark.parametrize(
    ("decided", "view", "last"),
    [
        ("{}", "{}", [["Denied or over: 1", 1, 3, 3], ["herring", 2, 1, 1]]),
        ("{}", '{ sort: "probability" }', [["Denied or over: 1", 1, 3, 3], ["herring", 2, 1, 1]]),
        ("{}", '{ text: "herr" }', [["Denied or over: 1", 1, 1, 1], ["herring", 2, 1, 1]]),
        ("{}", '{ text: "cod" }', [["fish", 2, 1, 1], ["cod", 3, 1, 1]]),
        ("{}", '{ filter: "unresolved" }', [["fish", 2, 1, 1], ["cod", 3, 1, 1]]),
        ('{ herring: "accepted" }', "{}", [["cod", 3, 1, 2], ["herring", 3, 2, 2]]),
    ],
)
def test_what_is_denied_stands_in_one_group_at_the_end(
    decided: str, view: str, last: list[list[Any]]
) -> None:
    code = f"{TREE_RULE}{DENIED} return look({decided}, {view}).rows.slice(-2).{ROWS};"
    assert run_scripts(code, *SCRIPTS) == last


@pytest.mark.parametrize(
    ("decided", "accepted", "unresolved"), [("{}", 0, 2), ('{ herring: "accepted" }', 1, 2)]
)
def test_what_is_denied_waits_for_nobody_and_counts_once_accepted(
    decided: str, accepted: int, unresolved: int
) -> None:
    code = f"{TREE_RULE}{DENIED} const {{ counts, chips }} = look({decided});"
    found = run_scripts(f"{code} return [counts, chips, outline.lastRank(9)];", *SCRIPTS)
    counts = {"accepted": accepted, "rejected": 0, "unresolved": unresolved, "conflicts": 0}
    chips = {"all": accepted + 2, "unresolved": unresolved, "accepted": accepted}
    assert found == [counts | {"untouched": 2}, chips | {"rejected": 0, "conflict": 0}, 2]


FILTERED = """["all", "unresolved", "accepted", "rejected", "conflict"].map((filter) => {
  const { rows, chips } = look(%s, { filter, sort: "probability", ...%s });
  return [chips[filter], rows.length];
})"""


@pytest.mark.parametrize(
    ("decided", "view", "numbers"),
    [
        ("{}", "{}", [3, 3, 0, 0, 0]),
        ("{ cod: 'accepted', fish: 'excluded', gone: 'accepted' }", "{}", [4, 1, 1, 1, 1]),
        ("{ bread: 'accepted', herring: 'rejected' }", "{ limit: 1 }", [3, 1, 1, 1, 0]),
        ("{ bread: 'accepted' }", "{ text: 'HERR' }", [1, 1, 0, 0, 0]),
        ("{ bread: 'rejected' }", "{ text: 'food' }", [3, 2, 0, 1, 0]),
        ("{}", "{ visited: new Set(['fish']) }", [4, 3, 0, 0, 0]),
        ("{ cod: 'accepted' }", "{ weak: new Set(['herring', 'cod']) }", [2, 1, 1, 0, 0]),
    ],
)
def test_a_chip_counts_what_its_filter_shows(decided: str, view: str, numbers: list[int]) -> None:
    assert run(FILTERED % (decided, view)) == [[number, number] for number in numbers]


@pytest.mark.parametrize("is_chosen", [False, True])
def test_a_chip_counts_only_the_branch_that_is_looked_at(*, is_chosen: bool) -> None:
    only = '(() => { outline.places.only = "fish"; return %s; })()' % (FILTERED % ("{}", "{}"))
    assert run(only if is_chosen else FILTERED % ("{}", "{}"))[0] == (
        [2, 2] if is_chosen else [3, 3]
    )


WEAK = """(() => {
  const many = new Outline(%s.map((probability, at) => node(`c${at}`, [], probability, at + 1, { given: at === 6 })));
  return [...many.weak(%d)];
})()"""


@pytest.mark.parametrize(
    ("probabilities", "limit", "weak"),
    [
        ("[0.9, 0.5, 0.2, 0.1, 0.06, 0.05, 0.01, 0.04, 0.01]", 25, ["c7", "c8"]),  # c6 was given
        ("[0.9, 0.5, 0.2, 0.1, 0.06, 0.05, 0.01, 0.04, 0.01]", 8, ["c7"]),
        ("[0.04, 0.03, 0.02, 0.01, 0.01, 0.01]", 25, ["c5"]),  # the first five stay
        ("[0.9, 0.8]", 25, []),
        ("[0.9, 0.8, 0.7, 0.6, 0.5, null]", 25, []),  # not known: not improbable
    ],
)
def test_what_is_improbable_is_left_out(probabilities: str, limit: int, weak: list[str]) -> None:
    assert run(WEAK % (probabilities, limit)) == weak


def test_what_is_improbable_is_left_out_where_percentages_are_withheld_as_well() -> None:
    of_nine = WEAK % ("Array(9).fill(0.01)", 25)
    withheld = run(f"(() => {{ RATING.withheld = true; return {of_nine}; }})()")
    assert withheld == run(of_nine) != []


def test_what_is_left_out_and_stands_above_another_is_a_heading() -> None:
    parent = """(() => {
      const outline = new Outline([node("fish", [], 0.01, 2, { branch: 0.8 }), node("cod", ["fish"], 0.8, 1)]);
      const view = { limit: 9, sort: "tree", filter: "all", text: "", kept: new Set(), weak: new Set(["fish"]), everyLevel: true };
      return [{}, { fish: { state: "accepted" } }].map((decided) =>
        outline.rows(view, new Map(Object.entries(decided)), new Map()).map(({ node, suggestion, probability }) => [node.id, suggestion, probability]));
    })()"""
    assert run(parent) == [
        [["fish", False, 0.8], ["cod", True, 0.8]],
        [["fish", True, 0.8], ["cod", True, 0.8]],
    ]


def test_what_was_added_by_search_shows_its_own_number() -> None:
    added = """(() => {
      const outline = new Outline([node("cod", [], null, null, { own: 0.01, branch: 0.09 })]);
      const view = { limit: 9, sort: "tree", filter: "all", text: "", kept: new Set(), everyLevel: true };
      return outline.rows(view, new Map([["cod", { state: "accepted" }]]), new Map()).map((row) => [row.probability, row.ofBranch]);
    })()"""
    assert run(added) == [[0.01, False]]


def test_backing_off_offers_the_nearest_that_can_be_assigned() -> None:
    assert run('outline.assignableAbove("cod").map((one) => [one.id, own(one)])') == [["fish", 0.4]]
    assert run('outline.assignableAbove("bread")') == []


def test_an_undo_takes_back_a_whole_group_that_waits() -> None:
    operations = """[
        { action: "accept", concept_id: "cod", document_id: "a" },
        { action: "back_off", concept_id: "herring", group: "g", document_id: "a" },
        { action: "add", concept_id: "fish", group: "g", document_id: "a" },
        { action: "undo", concept_id: "", document_id: "a" }]"""
    assert run(f"notUndone({operations}).map((one) => one.concept_id)") == ["cod"]
    assert run(f"[...decisionsNow({{}}, notUndone({operations})).keys()]") == ["cod"]


def test_a_mark_holds_while_its_concept_is_accepted() -> None:
    marked = '[{ action: "accept", concept_id: "cod" }, { action: "mark", concept_id: "cod" }'
    main = "[...decisionsNow({}, %s])].map(([, one]) => one.main)"
    assert run(main % marked) == [True]
    assert run(main % (marked + ', { action: "reject", concept_id: "cod" }')) == [False]
    assert run('[...decisionsNow({}, [{ action: "mark", concept_id: "cod" }]).keys()]') == []


def test_a_finish_on_its_way_closes_the_document() -> None:
    assert run('statusNow("in progress", [{ action: "finish" }])') == "finished"
    assert run('statusNow("finished", [{ action: "reopen" }])') == "in progress"


def test_decisions_are_sent_in_their_order_over_all_documents() -> None:
    script = """(() => { const queue = new DecisionQueue(); queue.retryAfter = () => {};
        queue.add("a", "accept", "cod"); queue.add("b", "accept", "bread");
        queue.add("a", "finish", "", { shown: 3 }); queue.add("b", "undo", "");
        return [queue.message().map((batch) => [batch.document_id, batch.operations.map((one) => one.action)]),
            queue.pending("a").map((one) => one.action), queue.message()[0].operations[0].at === undefined];
    })()"""
    assert run(script) == [
        [["a", ["accept"]], ["b", ["accept"]], ["a", ["finish"]], ["b", ["undo"]]],
        ["accept"],
        True,
    ]


def test_deciding_changes_no_number() -> None:
    """A heading showed 94 % of its branch, and below 1 %, its own, as soon as it was accepted."""
    numbers = "({ rows }) => rows.map((row) => [row.key, row.probability, row.ofBranch])"
    untouched = run(f"({numbers})(look({{}}))")
    assert untouched[1] == ["food\nfish", 0.8, True]
    assert run(f'({numbers})(look({{ fish: "accepted", cod: "rejected" }}))') == untouched
    few = run(f"({numbers})(look({{}}, {{ limit: 1 }}))")
    assert run(f'({numbers})(look({{ fish: "accepted" }}, {{ limit: 1 }}))') == few


def test_what_the_shown_suggestions_are_worth() -> None:
    # Cod 0.8, bread 0.5 and herring 0.3 are 1.6 together.
    said = "[0, 1, 2, 3].map((limit) => shownMeaning(outline.suggested, outline.suggested.slice(0, limit), {}))"
    # Of ten concepts, nine are among the suggestions.
    assert run(said.format("0.9")) == [
        "",
        "about 80% right, 45% found",
        "about 65% right, 73% found",
        "about 53% right, 90% found",
    ]
    assert run(said.format("null"))[1:] == ["about 80% right", "about 65% right", "about 53% right"]


def test_symptoms_stand_behind_what_is_likely_and_before_what_is_not() -> None:
    chapters = """names({ rows: (() => {
      const chapter = (id, branch, more = {}) => node(id, [], null, null, { branch, assignable: false, ...more });
      const codes = new Outline([chapter("symptoms", 0.97, { symptoms: true }), chapter("likely", 0.5), chapter("weak", 0.3),
        node("fever", ["symptoms"], 0.97, 1), node("flu", ["likely"], 0.5, 2), node("gout", ["weak"], 0.3, 3)]);
      const view = { limit: 10, sort: "tree", filter: "all", text: "", kept: new Set(), visited: new Set(), everyLevel: true };
      return codes.rows(view, new Map(), new Map());
    })() })"""
    assert run(chapters) == ["likely", "-flu", "symptoms", "-fever", "weak", "-gout"]
