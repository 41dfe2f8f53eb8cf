"""What was begun on one document and is not over when the page turns to the next."""

from __future__ import annotations

import shutil

import pytest

from tests.support.browser.scripts import run

pytestmark = pytest.mark.skipif(not shutil.which("node"), reason="no node to run scripts")

SEARCHED = """
const said = [], added = [], sleep = () => new Promise((done) => { setTimeout(done, 5); });
let answer;
globalThis.fetch = (address, { signal }) => new Promise((done, fail) => {
  answer = () => done({ ok: true, status: 200, headers: { get: () => null }, json: async () => ({ hits: [{ concept_id: "201", label: "honey" }], certain: true }) });
  signal.addEventListener("abort", () => fail(new Error("aborted")));
});
const input = { value: "honey", matches: () => false, setAttribute() {}, removeAttribute() {} };
const search = Object.assign(Object.create(SearchBox.prototype), { input, url: "api/search", language: "en", asked: 0, held: null, active: -1, hits: [],
  list: { replaceChildren() {}, dataset: {} }, say() {}, option: () => ({ setAttribute() {}, scrollIntoView() {} }) });
const page = Object.assign(Object.create(Workbench.prototype), { state: { ...newState(), documentId: "a" }, root: { contains: () => false },
  toast: { turned: () => said.push("turned"), add: (sentence) => said.push(sentence) },
  view: { open: () => ({ unfolded: [], opened: [], collapsed: [] }) },
  context: { search, tree: { clear() {} }, filters: { set() {} }, frame: {}, codes: { dates: { take() {} } }, prompt: { close() {} }, hints: {} } });
search.add = (hit) => added.push([page.state.documentId, hit.label]);
"""
MODULES = ("tree/workbench.js", "tree/state.js", "shared/search.js")
PRESS_ENTER = """search.onKey({ key: "Enter", stopPropagation() {}, preventDefault() {} });"""


def test_what_was_pressed_in_the_search_box_is_not_taken_on_the_next_document() -> None:
    body = f"""search.ask(); await sleep(); {PRESS_ENTER}
    page.openDocument("b"); answer(); await sleep();
    return [added, input.value, search.isFree, said];"""
    told = "Nothing was added for “honey”: the page had turned before it was found."
    assert run(SEARCHED + body, *MODULES) == [[], "", True, ["turned", told]]


def test_whoever_types_while_the_page_turns_goes_on_typing() -> None:
    body = f"""search.ask(); await sleep();
    page.openDocument("b"); {PRESS_ENTER} answer(); await sleep();
    return [added, said];"""
    assert run(SEARCHED + body, *MODULES) == [[["b", "honey"]], ["turned"]]


def test_a_term_is_told_to_be_noted_where_its_own_document_has_it() -> None:
    body = """
    const told = [], sent = [], state = { documentId: "a" };
    const proposals = Object.assign(Object.create(Proposals.prototype), { state, tell: (sentence) => told.push(sentence), send: (value) => sent.push(value), show() {} });
    proposals.propose("seaweed farm");
    proposals.answered([]);
    state.documentId = "b";
    proposals.answered([{ id: 1, text: "seaweed farm" }]);   // which b had before
    proposals.propose("Weir");
    proposals.answered([{ id: 1, text: "seaweed farm" }, { id: 2, text: "weir" }]);
    return [sent, told];
    """
    sent = [{"text": "seaweed farm", "document": "a"}, {"text": "Weir", "document": "b"}]
    told = ["Noted “Weir” as a proposed term of this document."]
    assert run(body, "tree/proposals.js") == [sent, told]
