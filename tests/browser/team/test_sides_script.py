"""Which of two people has a concept, and what their keys decide."""

from __future__ import annotations

import shutil

import pytest

from tests.support.browser.scripts import run

pytestmark = pytest.mark.skipif(not shutil.which("node"), reason="no node to run scripts")

SIDES = """
const says = (state, more = {}) => ({ state, main: false, present: "", performed_on: "", cited: "", ...more });
const sides = sidesOf({
  names: ["Jo", "Ann"], orders: [["a", "b", "d"], ["d", "c"]], principals: ["a", "d"],
  concepts: [
    { a: says("accepted"), b: says("accepted", { present: "Y", cited: "3-9 12-20" }), d: says("accepted"), e: says("rejected") },
    { a: says("rejected"), b: says("accepted", { present: "N" }), c: says("accepted", { main: true }), d: says("accepted") },
  ],
});
const nodes = new Map(["top", "a", "b", "c", "d"].map((id) => [id, { id, broader: id === "top" ? [] : ["top"] }]));
const state = { ...newState(), sides, decisions: new Map(), offered: sides.ids, conventions: { sequenced: true } };
state.outline = new Outline([...nodes.values()]);
const row = (id) => ({ node: nodes.get(id), children: id === "top" ? 4 : 0 });
const view = { state, tree: { goToNext: () => {} }, tell: () => {}, undoLink: () => null, send: (sent) => { view.sent = sent; } };
Object.setPrototypeOf(view, Sides.prototype);
const words = ({ action, concept_id: id, value }) => [action, id, value].filter((one) => one !== undefined && one !== "").join(" ");
"""
MODULES = ("tree/sides.js", "tree/state.js", "tree/outline.js")


def test_each_concept_stands_on_a_side() -> None:
    script = """return ["a", "b", "c", "d", "e"].map((id) => [sideOf(state, id), sideWords(state, id)]);"""
    assert run(SIDES + script, *MODULES) == [
        ["left", "◀ Jo, rejected by Ann"],
        ["details", "on admission ◀ Y N ▶"],
        ["right", "▶ Ann"],
        ["both", "both"],
        ["", ""],
    ]


@pytest.mark.parametrize(
    ("which", "at", "sent"),
    [
        ("left", "a", ["accept a"]),
        ("right", "a", ["reject a"]),
        ("both", "a", ["accept a"]),
        ("neither", "a", ["reject a"]),
        ("left", "b", ["accept b", "present b Y", "cite b 3-9", "cite b 12-20"]),
        ("right", "b", ["accept b", "present b N"]),
        ("both", "c", ["accept c", "mark c"]),
        ("right", "top", ["reject a", "accept b", "present b N", "accept c", "mark c"]),
    ],
)
def test_a_key_takes_a_side_and_with_the_first_step_all_that_both_have(
    which: str, at: str, sent: list[str]
) -> None:
    script = f"""view.take("{which}", row("{at}"));
    return [view.sent.map(words), new Set(view.sent.map(({{ group }}) => group)).size];"""
    assert run(SIDES + script, *MODULES) == [["accept d", *sent], 1]


def test_the_other_side_takes_the_marks_the_day_and_the_evidence_of_the_first_with_it() -> None:
    script = """state.sides = sidesOf({ names: ["Jo", "Ann"], orders: [["b"], ["b"]], principals: ["b", "b"], concepts: [
      { b: says("accepted", { present: "Y", performed_on: "2026-05-04", cited: "3-9 12-20", main: true }) },
      { b: says("accepted", { cited: "30-40" }) }] });
    const outcomes = [];
    for (const which of ["left", "right", "right", "left"]) {
      view.take(which, row("b"));
      state.decisions = decisionsNow(Object.fromEntries(state.decisions), view.sent);
      const { main, present, performed_on: day, cited } = state.decisions.get("b");
      outcomes.push([main, present, day, cited]);
    }
    return outcomes;"""
    jo, ann = [True, "Y", "2026-05-04", "3-9 12-20"], [False, "", "", "30-40"]
    assert run(SIDES + script, *MODULES, "tree/states.js") == [jo, ann, ann, jo]


def test_what_is_decided_is_not_taken_again_below_a_broader_concept() -> None:
    script = """state.decisions = new Map([["a", { state: "accepted" }], ["d", { state: "accepted" }]]);
    view.take("neither", row("top"));
    return view.sent.map(words);"""
    assert run(SIDES + script, *MODULES) == ["reject b", "reject c"]


def test_who_has_adjudicated_hears_that_another_approves() -> None:
    script = """const told = [];
approve({ state: { judged: "", data: { own_outcome: "Another does." } }, tell: (said) => told.push(said) });
return told;"""
    assert run(script, "tree/judging.js") == ["Another does."]
