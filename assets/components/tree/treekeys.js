// What the keys of the workbench do. Those that move are fixed, as in every tree; the others are
// in a table that comes with the page (`core/review/keys.py`) and that a person may change.

import { isCommand, keyName } from "../shared/dom.js";

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

// The notes of an encounter are in the other half of the page; the hands stay here.
const NOTE_KEYS = { "[": -1, "]": 1 };

function step(tree, row, by) {
  const rows = tree.visibleRows();
  const target = rows[rows.indexOf(row) + by];
  if (target) tree.focus(target);
}

// Listens in the whole workbench, and on the page while nothing else has the focus, so that a
// button that was clicked does not keep the next key from the tree.
export class Keyboard {
  constructor(root, desk) {
    this.root = root;
    this.desk = desk;
    this.actions = new Map();
    root.addEventListener("keydown", (event) => this.onKey(event));
    this.onBody = (event) => { if (event.composedPath()[0] === document.body) this.onKey(event); };
    window.addEventListener("keydown", this.onBody, true);   // before Streamlit's own keys
  }

  stop() {
    window.removeEventListener("keydown", this.onBody, true);
  }

  // keys: {action: key}
  configure(keys) {
    this.keys = keys;
    this.actions = new Map(Object.entries(keys).map(([action, key]) => [key, action]));
  }

  onKey(event) {
    const origin = event.composedPath()[0];
    if (origin.closest && origin.closest("[role=dialog], [role=menu], .prompt")) return;
    if (event.altKey && this.onOrder(event)) return;
    if (isCommand(event) || event.isComposing) return;
    if (origin.matches && origin.matches("input, textarea, select")) { event.stopPropagation(); return; }
    const name = keyName(event);
    const inTree = this.desk.tree.root.contains(origin);
    const move = inTree || origin === document.body ? MOVES[name] : null;
    const action = this.actions.get(name);
    const note = action ? undefined : NOTE_KEYS[name];
    if (note) this.desk.links.turnNote(note);
    if (inTree || action || note) event.stopPropagation();   // Streamlit listens to letters of its own
    const row = this.desk.chosenRow();
    if (name === "Escape" && inTree && this.desk.lowered.isOpen) { event.preventDefault(); this.desk.lowered.leave(); return; }
    if (name === "Escape" && (inTree || origin === document.body) && this.desk.branch.id !== null) { event.preventDefault(); this.desk.branch.end(); return; }
    if (action || move) this.desk.tree.keysTook();
    if (action) {
      event.preventDefault();
      // A key that is held down decides once, but goes on going to the next.
      if (!event.repeat || action === "next") this.desk.perform(action, row);
    } else if (move && row) {
      event.preventDefault();
      move(this.desk.tree, row);
    }
  }

  // Where codes have an order, Alt with an arrow moves the code that is looked at.
  onOrder(event) {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const row = this.desk.chosenRow();
    if (!by || !row || !this.desk.conventions.sequenced || !this.desk.codes.move(row.node.id, by)) return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  }
}
