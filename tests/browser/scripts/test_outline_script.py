"""The rows of the tree with every level, and what is on its way to the store, as the browser's scripts work them out."""

from __future__ import annotations

import shutil
from typing import Any

import pytest

from tests.support.browser.scripts import run as run_scripts

SCRIPTS = ("tree/states.js", "tree/weights.js", "tree/outline.js", "shared/queue.js")
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
  const states = treeStates(above, decisions, open);
  return { rows: outline.rows(full, decisions, states), counts: outline.summary(offered, decisions, states) };
}
const names = ({ rows }) => rows.map((row) => `${"-".repeat(row.level - 1)}${row.node.id}`);
"""


def run(expression: str) -> Any:
    return run_scripts(f"{NODES} return {expression};", *SCRIPTS)


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
        "shown": 4,
    }


def test_all_counts_what_stands_there_without_a_filter() -> None:
    added = 'look({ fish: "accepted", gone: "accepted" }, { sort: "probability" })'
    assert run(f"[{added}.counts.shown, {added}.rows.length]") == [4, 4]
    few = 'look({ bread: "accepted", herring: "accepted" }, { limit: 1, sort: "probability" })'
    assert run(f"[{few}.counts.shown, {few}.counts.accepted]") == [3, 2]


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
    said = "[0, 1, 2, 3].map((limit) => shownMeaning(outline.suggested, limit))"
    assert run(said) == [
        "",
        "about 80% right, 50% found",
        "about 65% right, 81% found",
        "about 53% right, 100% found",
    ]


def test_symptoms_stand_behind_what_is_likely_and_before_what_is_not() -> None:
    chapters = """names({ rows: (() => {
      const chapter = (id, branch, more = {}) => node(id, [], null, null, { branch, assignable: false, ...more });
      const codes = new Outline([chapter("symptoms", 0.97, { symptoms: true }), chapter("likely", 0.5), chapter("weak", 0.3),
        node("fever", ["symptoms"], 0.97, 1), node("flu", ["likely"], 0.5, 2), node("gout", ["weak"], 0.3, 3)]);
      const view = { limit: 10, sort: "tree", filter: "all", text: "", kept: new Set(), visited: new Set(), everyLevel: true };
      return codes.rows(view, new Map(), new Map());
    })() })"""
    assert run(chapters) == ["likely", "-flu", "symptoms", "-fever", "weak", "-gout"]
