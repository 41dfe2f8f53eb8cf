// What the keys of the workbench do. Those that move are fixed, as in every tree; the others are
// in a table that comes with the page (`core/review/keys.py`) and that a person may change.

import { emit } from "../shared/events.js";
import { SIDE_KEYS } from "./sides.js";
import { actionOf, isCommand, isField, isInOverlay, keyName, onKeydown } from "../shared/keys.js";

const MOVES = {
  ArrowDown: (tree, row) => step(tree, row, 1),
  ArrowUp: (tree, row) => step(tree, row, -1),
  ArrowRight: (tree, row) => {
    if (tree.isOpen(row)) step(tree, row, 1);
    else tree.setOpen(row, true);
  },
  ArrowLeft: (tree, row) => {
    if (tree.isOpen(row)) tree.setOpen(row, false);
    else if (row.parent) tree.focus(row.parent);
  },
  Home: (tree) => tree.focus(tree.visibleRows()[0]),
  End: (tree) => tree.focus(tree.visibleRows().at(-1)),
  Enter: (tree, row) => tree.setOpen(row, !tree.isOpen(row)),
  " ": (tree, row) => tree.setOpen(row, !tree.isOpen(row)),
  "*": (tree, row) => tree.rows.filter((one) => one.parent === row.parent).forEach((one) => tree.setOpen(one, true)),
};

const REPEATED = new Set(["next", "passage_before", "passage_after"]);
const LEAVES = new Set(["finish", "skip", "new"]);   // for another document, whose tree gets the keys

function beginsNoWord(key) { return key.length > 1 || !/[\p{L}\p{N}]/u.test(key); }

// The notes of an encounter are in the other half of the page; the hands stay here.
const NOTE_KEYS = { "[": -1, "]": 1 };

function step(tree, row, by) {
  const rows = tree.visibleRows();
  const target = rows[rows.indexOf(row) + by];
  if (target) tree.focus(target);
}

// Listens on the whole page, where nothing is typed: a key means the same in the tree, in the text, on
// its evidence, on a card and on a button that was clicked.
export class Keyboard {
  constructor(root, { state, perform, chosenRow, focusTree, tree, codes, prompt, search, lowered, branch }) {
    Object.assign(this, { root, state, perform, chosenRow, focusTree, tree, codes, prompt, search, lowered, branch });
    this.actions = new Map();
    onKeydown(root, (event) => { if (isField(event.composedPath()[0])) event.stopPropagation(); });
    this.stop = onKeydown(window, (event) => this.onKey(event), { capture: true });   // before Streamlit's own
  }

  // keys: {action: key}
  configure(keys) {
    this.keys = keys;
    this.actions = new Map(Object.entries(keys).map(([action, key]) => [key, action]));
  }

  onKey(event) {
    const origin = event.composedPath()[0];
    // Streamlit may mount the workbench a second time before it takes the first away.
    if (!this.root.isConnected || isInOverlay(event) || this.prompt.root.contains(origin)) return;
    if (isField(origin)) { this.onField(event, origin); return; }
    if (event.altKey && this.isHere(origin) && this.onOrder(event)) return;
    if (isCommand(event)) return;
    const name = keyName(event);
    const inTree = this.tree.root.contains(origin);
    const move = inTree || origin === document.body ? MOVES[name] : null;
    const action = (this.state.sides && SIDE_KEYS[name]) || actionOf(event, this.actions);
    const note = action ? undefined : NOTE_KEYS[name];
    if (note) emit("note", { by: note });
    if (inTree || action || note) event.stopImmediatePropagation();   // Streamlit listens to letters of its own
    const row = this.chosenRow();
    if (name === "Escape" && inTree && this.state.lowered.category !== null) { event.preventDefault(); this.lowered.leave(); return; }
    if (name === "Escape" && (inTree || origin === document.body) && this.state.branch) { event.preventDefault(); this.branch.end(); return; }
    if (action || move) this.tree.keysTook();
    if (action) {
      event.preventDefault();
      // A key that is held down decides once, but goes on going to the next.
      if (!event.repeat || REPEATED.has(action)) this.perform(action, row);
    } else if (move && row) {
      event.preventDefault();
      move(this.tree, row);
    }
  }

  // In the box that finds a concept, once one was added and nothing is typed yet, keys that begin no
  // word are for the page: whoever has added the last concept finishes from there.
  onField(event, origin) {
    const { search } = this;
    if (origin !== search.input || !search.isFree || event.repeat) return;
    const isUndo = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "z";
    const action = isUndo ? "undo" : !isCommand(event) && beginsNoWord(event.key) && this.actions.get(keyName(event));
    if (!action) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (action === "search") return;   // it is here already, and no name begins with such a key
    if (LEAVES.has(action)) { search.input.blur(); this.focusTree(); }
    this.perform(action);
  }

  isHere(origin) { return origin === document.body || this.root.contains(origin); }

  // Where codes have an order, Alt with an arrow moves the code that is looked at.
  onOrder(event) {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const row = this.chosenRow();
    if (!by || !row || !this.state.conventions.sequenced || !this.codes.move(row.node.id, by)) return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  }
}
