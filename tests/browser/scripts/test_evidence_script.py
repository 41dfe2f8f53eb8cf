"""What the scripts of the text decide: whether evidence may scroll it, and what a paste beside it is."""

from __future__ import annotations

import json
import shutil

import pytest

from tests.support.browser.scripts import run

pytestmark = pytest.mark.skipif(not shutil.which("node"), reason="no node to run scripts")

LATE_EVIDENCE = """
const moves = [];
const reader = { repaint() {}, bringIntoView: (selector) => moves.push(selector),
  text: { range: (place) => place } };
const part = () => ({});
const passages = [{ text: "quota", field: "text", start: 0, end: 5 }];
const evidence = Object.assign(Object.create(EvidencePanel.prototype), { reader, part, root: {}, documentId: "act",
  known: new Map(), head() {}, drawList() {}, drawTools() {} });
const search = Object.assign(Object.create(TextSearch.prototype), { reader: { ...reader, evidence },
  query: "sole", hits: %s, current: 0, count: {}, steps: [] });
const target = { documentId: "act", conceptId: "101", conceptIds: ["101"], hover: false };
evidence.select(target);
search.show(true);
evidence.known.set("101", { passages });
evidence.show(target, true);
return moves;
"""


@pytest.mark.parametrize(
    ("hits", "moves"),
    [("[]", ["mark"]), ("[{}]", [".hit.current"])],
)
def test_late_evidence_leaves_the_text_at_what_was_searched_for(
    hits: str, moves: list[str]
) -> None:
    body = LATE_EVIDENCE % hits
    assert run(body, "reader/reader_evidence.js", "reader/reader_search.js") == moves


UNKNOWN = """
answers = [];
globalThis.fetch = async () => ({ ok: false, status: 404, headers: { get: () => null },
  json: async () => ({ problem: "The model does not know it." }) });
const said = [];
const evidence = Object.assign(Object.create(EvidencePanel.prototype), { documentId: "act",
  known: new Map(), say: (target, sentence) => said.push(sentence) });
const target = { documentId: "act", conceptId: "0B", conceptIds: ["0B"] };
evidence.wanted = target;
await evidence.ask(target, false);
evidence.select(target);
return said;
"""


def test_why_there_is_no_evidence_is_said_the_second_time_as_well() -> None:
    assert run(UNKNOWN, "reader/reader_evidence.js") == ["The model does not know it."] * 2


SELECTED = """
const text = "CT: no pulmonary embolism. Later: acute pulmonary embolism of the left lower lobe. Plan.\\n\\nFever.";
const ends = text.indexOf("\\n");
const blocks = [[0, ends], [ends + 2, text.length]].map(([start, end]) => ({ start, end, node: { start, contains: (one) => one === start } }));
document.createRange = () => ({ setStart({ start }) { this.start = start; }, setEnd(_, offset) { this.end = this.start + offset; },
  toString() { return text.slice(this.start, this.end); } });
const cited = (selected, block, offset) => {
  const selection = { rangeCount: 1, toString: () => selected, getRangeAt: () => ({ startContainer: blocks[block].start, startOffset: offset }) };
  const reader = { pane: { getRootNode: () => ({ getSelection: () => selection }) }, text: { texts: { text }, blocks: { text: blocks } } };
  return Object.assign(Object.create(SelectedWords.prototype), { reader }).place()?.start ?? null;
};
const [first, second] = [text.indexOf("pulmonary"), text.lastIndexOf("pulmonary")];
return [
  cited("pulmonary embolism", 0, first) === first,
  cited("pulmonary embolism", 0, second) === second,
  cited(" pulmonary embolism ", 0, second - 1) === second,
  cited("\\nFever", 1, 0) === ends + 2,
  cited("Fever", 0, ends) === ends + 2,        // from the end of the paragraph before
  cited("CT: no", 1, 0),                       // of another block, and far from here
];
"""


def test_selected_words_are_taken_from_where_they_are_selected() -> None:
    assert run(SELECTED, "reader/reader_selection.js") == [True] * 5 + [None]


READ_AGAIN = """
answers = [{ concepts: { "101": { passages: [{ text: "quota" }] } } }];
const shown = [];
const reader = { repaint() {} };
const evidence = Object.assign(Object.create(EvidencePanel.prototype), { documentId: "act", reader,
  root: {}, known: new Map(), tested: new Map(), show: (target, jump) => shown.push([target.conceptId, jump]) });
evidence.known.set("101", { passages: [] });
evidence.select({ documentId: "act", conceptId: "101", conceptIds: ["101"] });
evidence.reset(%s);
await new Promise((done) => { setTimeout(done, 300); });
return [shown, asked.length];
"""


@pytest.mark.parametrize(
    ("document_id", "asked_anew"), [("act", [["101", False]]), ("another", [])]
)
def test_what_is_selected_is_asked_anew_of_another_reading_of_the_same_document(
    document_id: str, asked_anew: list[object]
) -> None:
    found = run(READ_AGAIN % repr(document_id), "reader/reader_evidence.js")
    assert found == [[["101", True], *asked_anew], len(asked_anew)]


def test_commas_in_ids_are_told_from_those_between_them() -> None:
    body = 'return listedIds(["herring,_salted", "sole%2C", "quota"]);'
    assert run(body, "shared/server.js") == "herring%2C_salted,sole%252C,quota"


PASTED = """
const node = (name) => ({ matches: (selector) => selector.includes(name) });
return pastedText({ composedPath: () => [node("%s")], defaultPrevented: false,
  clipboardData: { getData: () => %s } });
"""


@pytest.mark.parametrize(
    ("place", "text", "taken"),
    [
        ("span", "An act. " * 100, True),
        ("span", "Some words\nof an act", False),
        ("input", "An act. " * 100, False),
        ("dialog", "An act. " * 100, False),
    ],
)
def test_only_a_long_text_where_nothing_is_typed_is_another_document(
    place: str, text: str, *, taken: bool
) -> None:
    found = run(PASTED % (place, json.dumps(text)), "reader/reader_title.js")
    assert found == (text if taken else "")
