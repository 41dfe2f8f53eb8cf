// The accepted codes in their order, the first of them the principal one, with what belongs to
// each: present on admission, the day of a procedure, and what was found about it.

import { element, focusedElement, separated } from "../shared/dom.js";
import { keyName, onKeydown } from "../shared/keys.js";
import { readPreference, writePreference } from "../shared/storage.js";
import { shownKey } from "../shared/words.js";
import { CodeDates } from "./codedates.js";
import { codeNode, codeRow, openRow, showFindings } from "./coderow.js";
import {
  codeOrder, movedBy, numbersOf, openCategories, PRESENT_WORDS, principalName,
} from "./coding.js";
import { findingCounts, SEVERITIES } from "./findings.js";
import { Reorder } from "./reorder.js";
import { proposalOf } from "./state.js";
import { showEffect } from "./staygroup.js";
import { CODES_KEY } from "./view.js";

const EMPTY_CODES = "Accepted codes stand here in their order; the first is the principal one.";

const MOST_PRESSED_MS = 1500;

export class CodesPanel {
  constructor(root, context) {
    const { state, send, say, decide, perform, refuse, mendFinding, openBelow, visit, focusTree, tree } = context;
    Object.assign(this, { root, state, send, say, decide, perform, refuse, mendFinding, openBelow, visit, focusTree, tree });
    this.list = root.querySelector("ol");
    this.counted = root.querySelector(".codes-count");
    this.verdict = root.querySelector(".verdict");
    this.drag = new Reorder(this.list, (ids) => this.put(ids));
    this.dates = new CodeDates(this.list, context, () => { this.signature = null; this.paint(); });
    root.addEventListener("click", (event) => this.onClick(event));
    onKeydown(root, (event) => this.onKey(event));
    this.list.addEventListener("focusin", (event) => this.onFocus(event));
    this.list.addEventListener("pointerdown", () => this.press());
    this.verdict.addEventListener("click", (event) => this.goToFinding(event));
    root.addEventListener("toggle", () => writePreference(CODES_KEY, root.open ? "open" : "closed"));
    root.open = readPreference(CODES_KEY) !== "closed";
  }

  configure(conventions, keys) {
    this.root.hidden = !conventions.sequenced;
    this.root.querySelector("summary kbd").textContent = keys.codes ? shownKey(keys.codes) : "";
  }

  stop() { this.dates.stop(); }

  // A row stays the same between the press and the release of a button on it.
  press() {
    this.isPressed = true;
    const release = () => setTimeout(() => {
      if (!this.isPressed) return;
      this.isPressed = false;
      this.paint();
    }, 0);
    for (const name of ["pointerup", "pointercancel"]) window.addEventListener(name, release, { once: true, capture: true });
    setTimeout(release, MOST_PRESSED_MS);     // released outside of the window
  }

  // Once the key is answered in the tree; at once where the key was for the codes themselves.
  paintSoon() {
    if (this.hasFocus) { this.paint(); return; }
    if (this.waits) return;
    this.waits = true;
    requestAnimationFrame(() => setTimeout(() => { this.waits = false; this.paint(); }, 0));
  }

  // Brings the rows up to date where something in them has changed.
  paint() {
    const { state } = this;
    if (!state.conventions.sequenced || this.drag.isMoving || this.isPressed) return;
    const order = codeOrder(state);
    const facts = order.map((id) => [id, state.decisions.get(id), state.outline.label(id), state.pendingIds.has(id)]);
    const open = openCategories(state.states);
    const signature = JSON.stringify([facts, open, state.findings, state.effects, state.readOnly, state.documentId]);
    if (signature === this.signature) return;
    this.signature = signature;
    this.build(order, open);
  }

  // What is still to be specified stands first: without it the rest cannot be finished.
  build(order, open) {
    const { state } = this;
    const focus = this.focusPlace();
    const said = this.findingsByRow([...order, ...open]);
    const numbers = numbersOf(state);
    const rows = [
      ...open.map((id) => this.row(id, ["open"], () => openRow(state, id))),
      ...order.map((id, at) => this.row(id, [at, numbers.get(id), state.decisions.get(id), proposalOf(state, id), state.conventions.outpatient], () => codeRow(state, id, at, numbers.get(id)))),
    ];
    for (const row of rows) {
      showFindings(row, said.get(row.dataset.concept) || [], state);
      showEffect(row, state.effects);
    }
    this.place(rows.length ? rows : [element("li", "hint", {}, EMPTY_CODES)]);
    this.counted.textContent = String(order.length);
    this.paintVerdict();
    this.setRoving();
    if (focus && focusedElement() !== focus.element) this.restoreFocus(focus);
  }

  // A row is built anew only where something in it is another, and not while a date is typed in it.
  row(id, facts, make) {
    const { documentId, readOnly, outline, pendingIds } = this.state;
    const signature = JSON.stringify([documentId, readOnly, outline.label(id), facts]);
    const before = this.item(id);
    const { inHand } = this.dates;
    const stays = before && before.documentId === documentId && (before.signature === signature || (inHand && before.contains(inHand)));
    const item = stays ? before : make();
    if (!stays) Object.assign(item, { signature, documentId });
    item.classList.toggle("pending", pendingIds.has(id));
    return item;
  }

  // Rows that have their place are not touched, so that the focus stays in them.
  place(rows) {
    for (const child of [...this.list.children]) if (!rows.includes(child)) child.remove();
    rows.forEach((row, at) => { if (this.list.children[at] !== row) this.list.insertBefore(row, this.list.children[at] || null); });
  }

  paintVerdict() {
    const { findings } = this.state;
    const found = findings.filter((one) => this.isShown(one));
    const unmarked = new Set(findings.filter(({ kind }) => kind === "unmarked").flatMap((one) => one.concept_ids));
    const parts = SEVERITIES.map((severity) => [severity, findingCounts(found.filter((one) => one.severity === severity))]).filter(([, words]) => words);
    if (unmarked.size) parts.push(["", `${unmarked.size} without a mark for admission`]);
    const key = JSON.stringify(parts);
    if (key === this.verdictKey) return;     // it is read out where it is another
    this.verdictKey = key;
    this.verdict.dataset.severity = found.length ? found[0].severity : "";
    this.verdict.replaceChildren(...separated(parts.map(([severity, words]) => element("span", "", { "data-severity": severity }, words))));
  }

  // A click on what was found goes to the first of it, and leaves the panel open.
  goToFinding(event) {
    const row = this.list.querySelector(".finding.error, .finding.warning, .finding");
    if (!row) return;
    event.preventDefault();
    this.root.open = true;
    row.closest("li").focus();
    row.scrollIntoView({ block: "nearest" });
  }

  // Each finding stands once, with the last code that it is about.
  findingsByRow(ids) {
    const found = new Map();
    for (const one of this.state.findings.filter((each) => this.isShown(each))) {
      const id = ids.filter((known) => one.concept_ids.includes(known)).at(-1);
      if (id) found.set(id, [...(found.get(id) || []), one]);
    }
    return found;
  }

  // The buttons show where a mark is missing, and an empty panel that nothing is accepted.
  isShown({ kind }) { return kind !== "unmarked" && kind !== "empty"; }

  get items() { return [...this.list.querySelectorAll("li[data-concept]")]; }
  item(id) { return this.items.find((one) => one.dataset.concept === id); }
  get hasFocus() { return this.list.contains(focusedElement()); }

  // The concept of the row that has the focus, as the tree's keys need it.
  get focusedRow() {
    const item = this.hasFocus && focusedElement().closest("li[data-concept]");
    const node = item && this.state.outline.nodes.get(item.dataset.concept);
    if (!node) return null;
    return this.tree.rows.find((row) => row.node === node) || { node, suggestion: true, key: null, children: 0 };
  }

  focusPlace() {
    if (!this.hasFocus) return null;
    const focused = focusedElement();
    const item = focused.closest("li[data-concept]");
    return item && { element: focused, id: item.dataset.concept, control: focused.dataset.control || null, at: this.items.indexOf(item) };
  }

  restoreFocus({ id, control, at }) {
    const item = this.item(id) || this.items[Math.min(at, this.items.length - 1)];
    if (!item) { this.focusTree(); return; }
    const inside = control && item.dataset.concept === id && item.querySelector(`[data-control="${control}"]`);
    (inside || item).focus({ preventScroll: true });
    item.scrollIntoView({ block: "nearest" });
  }

  setRoving() {
    const current = this.item(this.current) || this.items[0];
    for (const item of this.items) item.tabIndex = item === current ? 0 : -1;
  }

  // Between the tree and the codes; the concept of the tree is gone to where it is one of them.
  toggleFocus() {
    if (this.hasFocus) { this.focusTree(); return; }
    this.root.open = true;
    this.paint();      // a code that was accepted a moment ago has no row yet
    const row = this.tree.currentRow;
    const item = (row && this.item(row.node.id)) || this.items[0];
    if (item) item.focus();
    else this.say("No code is accepted yet.");
  }

  onFocus(event) {
    const item = event.target.closest("li[data-concept]");
    if (!item) return;
    this.current = item.dataset.concept;
    this.setRoving();
    const { tree } = this;
    const row = tree.rows.find(({ node }) => node.id === this.current);
    if (!row || tree.conceptId === this.current) return;
    tree.openAbove(row);
    tree.setCurrent(row);
    tree.items.get(row.key).firstChild.scrollIntoView({ block: "nearest" });
  }

  onClick(event) {
    const button = event.target.closest("[data-code]");
    const item = event.target.closest("li[data-concept]");
    if (!button || !item) { if (item && !event.target.closest("input")) item.focus(); return; }
    const node = codeNode(this.state.outline, item.dataset.concept);
    const { code, mark } = button.dataset;
    if (code === "present") this.markPresent(node, this.state.decisions.get(node.id)?.present === mark ? "" : mark);
    else if (code === "clear") this.decide(node, "clear");
    else if (code === "down") this.openBelow(node);
    else if (code === "mend") this.mendFinding(button.finding);
    else if (code === "show") this.visit(node.id, true);
  }

  onKey(event) {
    const item = event.target.closest("li[data-concept]");
    if (!item || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.target.matches("input")) { this.onDateKey(event, item); return; }
    if (event.shiftKey) return;
    const { items } = this;
    const at = items.indexOf(item);
    if (event.key === "ArrowRight" || event.key === "ArrowLeft") { this.stepInside(item, event.key === "ArrowRight" ? 1 : -1); event.preventDefault(); event.stopPropagation(); return; }
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
    if (to !== undefined) { if (items[to]) items[to].focus(); }
    else if (event.key === "Escape") this.focusTree();
    else if (event.key === "Enter" && event.target === item) this.visit(item.dataset.concept, true);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  // Enter takes the date, Escape puts back the one before; to finish takes it too.
  onDateKey(event, item) {
    event.stopPropagation();
    const finishes = event.key.length > 1 && keyName(event) === this.state.keys.finish;
    if (!finishes && event.key !== "Enter" && event.key !== "Escape") return;
    event.preventDefault();
    if (event.key === "Escape") event.target.value = event.target.defaultValue;
    else if (!this.dates.take(event.target)) return;
    item.focus();
    if (finishes) this.perform("finish");
  }

  // Among the buttons of a row, which have no place in the order of Tab.
  stepInside(item, by) {
    const parts = [item, ...item.querySelectorAll("[data-control]")];
    const to = parts[parts.indexOf(focusedElement()) + by];
    if (to) to.focus();
  }

  // One place earlier or later; says whether the concept is one of the codes.
  move(id, by) {
    const { state } = this;
    const order = codeOrder(state);
    if (!order.includes(id)) return false;
    if (state.readOnly) { this.refuse(); return true; }
    const moved = movedBy(order, id, by, numbersOf(state));
    if (moved) this.put(moved, id);
    else this.say(`${state.outline.label(id)} is ${by < 0 ? "the first" : "the last"} already.`);
    return true;
  }

  put(ids, id = null) {
    const { state } = this;
    if (state.readOnly) this.refuse();
    if (state.readOnly || JSON.stringify(ids) === JSON.stringify(codeOrder(state))) { this.signature = null; this.paint(); return; }
    this.send([{ action: "order", concept_id: "", value: ids }]);
    if (id === null) return;
    const numbers = numbersOf(state);
    const { kind, number, principal } = numbers.get(id);
    const alike = [...numbers.values()].filter((one) => one.kind === kind).length;
    this.say(`${state.outline.label(id)} is ${principal ? `first now, the ${principalName(kind)}` : `${number} of ${alike}`}.`);
  }

  markPresent(node, mark) {
    if (this.state.readOnly) { this.refuse(); return; }
    this.send([{ action: "present", concept_id: node.id, value: mark }]);
    const words = (PRESENT_WORDS.find(([one]) => one === mark) || ["", "nothing said about admission"])[1];
    this.say(`${node.label}: ${words}.`);
  }

  // The date of a procedure, by key.
  askForDate(id) {
    this.paint();
    const input = this.item(id) && this.item(id).querySelector("input[type=date]");
    if (!input) return false;
    this.root.open = true;
    input.focus();
    return true;
  }
}
