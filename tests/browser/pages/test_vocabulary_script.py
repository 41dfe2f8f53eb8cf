"""What the Vocabulary page keeps that a person has typed, and what it asks for again."""

from __future__ import annotations

import shutil

import pytest

from tests.support.browser.scripts import run

pytestmark = pytest.mark.skipif(not shutil.which("node"), reason="no node to run scripts")

NOTE = """
const heard = {}, sent = [];
const listens = { addEventListener(name, listener) { heard[name] = listener; }, removeEventListener() {} };
const field = { ...listens, value: "" };
let isFree = true;
const note = new ConceptNote({ ...listens, querySelector: () => field }, (id, text) => { if (isFree) sent.push([id, text]); return isFree; });
const type = (text) => { field.value = text; heard.input(); };
const save = () => heard.submit({ preventDefault() {} });
const see = (id, stored = "", vocabulary = "v1") => { note.show(vocabulary, id, stored); return field.value; };
"""


def test_a_note_that_is_typed_is_kept_concept_by_concept() -> None:
    body = """see("101"); type("Quotas of the Union only.");
    const elsewhere = [see("102", "Not sprat."), see("101", "", "v2")];
    const back = see("101");
    type("");
    return [elsewhere, back, see("101", "A colleague's.")];"""
    kept = [["Not sprat.", ""], "Quotas of the Union only.", "A colleague's."]
    assert run(NOTE + body, "vocabulary/note.js") == kept


def test_a_note_stays_in_the_field_until_it_is_saved_and_while_more_is_typed() -> None:
    body = """see("101"); type("Quotas."); isFree = false; save(); note.settle(true);   // of a rule
    isFree = true; save();
    const shown = [see("101")];                      // drawn anew before the answer
    note.settle(false); shown.push(see("101"));      // it could not be saved
    save(); type("Quotas. Not"); note.settle(true); shown.push(see("101", "Quotas."));
    save(); note.settle(true); shown.push(see("101", "Quotas, not."));   // by somebody else since
    return [sent, shown];"""
    sent, shown = run(NOTE + body, "vocabulary/note.js")
    assert sent == [["101", "Quotas."]] * 2 + [["101", "Quotas. Not"]]
    assert shown == ["Quotas.", "Quotas.", "Quotas. Not", "Quotas, not."]


def test_a_branch_of_which_nothing_came_is_asked_for_again() -> None:
    body = """
    document.createElement = () => ({ setAttribute() {}, append() {}, remove() { removed += 1; }, children: [] });
    let removed = 0;
    const coming = [null, [{ id: "101" }]], wanted = [], filled = [], seen = [];
    const item = { append() {}, setAttribute: (_, value) => seen.push(value) };
    const row = { key: "d1", concept: { id: "d1", n_narrower: 1 }, item, open: false, group: null };
    const tree = Object.assign(Object.create(VocabularyTree.prototype), {
      current: null, fill: (_, concepts) => filled.push(concepts.length), children: async (id) => { wanted.push(id); return coming.shift(); } });
    await tree.open(row);
    const away = [row.open, row.group, removed];
    await tree.open(row);
    return [away, row.open, wanted, filled, seen];
    """
    away = [False, None, 1]
    found = [away, True, ["d1", "d1"], [1], ["true", "false", "true"]]
    assert run(body, "vocabulary/vocabularytree.js") == found
