// The accepted codes in their order, the first of them the principal one, with what belongs to
// each: present on admission, the day of a procedure, and what was found about it.

import { element, focusedElement, separated } from "../shared/dom.js";
import { keyName, onKeydown } from "../shared/keys.js";
import { readPreference, writePreference } from "../shared/storage.js";
import { shownKey } from "../shared/words.js";
import { CodeDates } from "./codedates.js";
import { codeRow, openRow, showFindings } from "./coderow.js";
import {
  codeNumbers, inCodeOrder, isProcedure, movedBy, openCategories, PRESENT_WORDS, principalName,
} from "./coding.js";
import { refuseFinished } from "./commands.js";
import { findingCounts, SEVERITIES } from "./findings.js";
import { mendFinding } from "./remedies.js";
import { Reorder } from "./reorder.js";
import { CODES_KEY } from "./view.js";

const EMPTY_CODES = "Accepted codes stand here in their order; the first is the principal one.";

const MOST_PRESSED_MS = 1500;

export class CodesPanel {
  constructor(root, desk) {
    this.root = root;
    this.desk = desk;
    this.list = root.querySelector("ol");
    this.counted = root.querySelector(".codes-count");
    this.verdict = root.querySelector(".verdict");
    this.drag = new Reorder(this.list, (ids) => this.put(ids));
    this.dates = new CodeDates(this.list, desk, () => { this.signature = null; this.paint(); });
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
    this.desk.root.classList.toggle("coded", Boolean(conventions.code_first));
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

  get order() { return inCodeOrder(this.desk.decisions, (id) => this.isDone(id)); }

  isDone(id) { return isProcedure(this.desk.outline.nodes.get(id), this.desk.conventions); }

  // Once the key is answered in the tree; at once where the key was for the codes themselves.
  paintSoon() {
    if (this.hasFocus) { this.paint(); return; }
    if (this.waits) return;
    this.waits = true;
    requestAnimationFrame(() => setTimeout(() => { this.waits = false; this.paint(); }, 0));
  }

  // Brings the rows up to date where something in them has changed.
  paint() {
    const { desk } = this;
    if (!desk.conventions.sequenced || this.drag.isMoving || this.isPressed) return;
    const { order } = this;
    const facts = order.map((id) => [id, desk.decisionOf(id), desk.outline.label(id), desk.pendingIds.has(id)]);
    const open = openCategories(desk.states);
    const signature = JSON.stringify([facts, open, desk.check.findings, desk.group.signature, desk.readOnly, desk.documentId]);
    if (signature === this.signature) return;
    this.signature = signature;
    this.build(order, open);
  }

  // What is still to be specified stands first: without it the rest cannot be finished.
  build(order, open) {
    const { desk } = this;
    const focus = this.focusPlace();
    const said = this.findingsByRow([...order, ...open]);
    const { numbers } = this;
    const rows = [
      ...open.map((id) => this.row(id, ["open"], () => openRow(desk, id))),
      ...order.map((id, at) => this.row(id, [at, numbers.get(id), desk.decisionOf(id), desk.check.proposalOf(id), desk.conventions.outpatient], () => codeRow(desk, id, at, numbers.get(id)))),
    ];
    for (const row of rows) {
      showFindings(row, said.get(row.dataset.concept) || [], desk);
      desk.group.showOn(row);
    }
    this.place(rows.length ? rows : [element("li", "hint", {}, EMPTY_CODES)]);
    this.counted.textContent = String(order.length);
    this.paintVerdict();
    this.setRoving();
    if (focus && focusedElement() !== focus.element) this.restoreFocus(focus);
  }

  // A row is built anew only where something in it is another, and not while a date is typed in it.
  row(id, facts, make) {
    const { desk } = this;
    const signature = JSON.stringify([desk.documentId, desk.readOnly, desk.outline.label(id), facts]);
    const before = this.item(id);
    const { inHand } = this.dates;
    const stays = before && before.documentId === desk.documentId && (before.signature === signature || (inHand && before.contains(inHand)));
    const item = stays ? before : make();
    if (!stays) Object.assign(item, { signature, documentId: desk.documentId });
    item.classList.toggle("pending", desk.pendingIds.has(id));
    return item;
  }

  // Rows that have their place are not touched, so that the focus stays in them.
  place(rows) {
    for (const child of [...this.list.children]) if (!rows.includes(child)) child.remove();
    rows.forEach((row, at) => { if (this.list.children[at] !== row) this.list.insertBefore(row, this.list.children[at] || null); });
  }

  get numbers() {
    return codeNumbers(this.order, (id) => this.isDone(id));
  }

  isPrincipal(id) {
    const numbered = this.numbers.get(id);
    return Boolean(numbered && numbered.principal);
  }

  paintVerdict() {
    const { findings } = this.desk.check;
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
    for (const one of this.desk.check.findings.filter((each) => this.isShown(each))) {
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
    const node = item && this.desk.outline.nodes.get(item.dataset.concept);
    if (!node) return null;
    return this.desk.tree.rows.find((row) => row.node === node) || { node, suggestion: true, key: null, children: 0 };
  }

  focusPlace() {
    if (!this.hasFocus) return null;
    const focused = focusedElement();
    const item = focused.closest("li[data-concept]");
    return item && { element: focused, id: item.dataset.concept, control: focused.dataset.control || null, at: this.items.indexOf(item) };
  }

  restoreFocus({ id, control, at }) {
    const item = this.item(id) || this.items[Math.min(at, this.items.length - 1)];
    if (!item) { this.desk.focusTree(); return; }
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
    if (this.hasFocus) { this.desk.focusTree(); return; }
    this.root.open = true;
    this.paint();      // a code that was accepted a moment ago has no row yet
    const row = this.desk.tree.currentRow;
    const item = (row && this.item(row.node.id)) || this.items[0];
    if (item) item.focus();
    else this.desk.say("No code is accepted yet.");
  }

  onFocus(event) {
    const item = event.target.closest("li[data-concept]");
    if (!item) return;
    this.current = item.dataset.concept;
    this.setRoving();
    const row = this.desk.tree.rows.find(({ node }) => node.id === this.current);
    if (!row || this.desk.tree.conceptId === this.current) return;
    this.desk.tree.openAbove(row);
    this.desk.tree.setCurrent(row);
    this.desk.tree.items.get(row.key).firstChild.scrollIntoView({ block: "nearest" });
  }

  onClick(event) {
    const button = event.target.closest("[data-code]");
    const item = event.target.closest("li[data-concept]");
    if (!button || !item) { if (item && !event.target.closest("input")) item.focus(); return; }
    const node = this.desk.outline.nodes.get(item.dataset.concept);
    const { code, mark } = button.dataset;
    if (code === "present") this.markPresent(node, (this.desk.decisionOf(node.id) || {}).present === mark ? "" : mark);
    else if (code === "clear") this.desk.decide(node, "clear");
    else if (code === "down") this.desk.lowered.open(node);
    else if (code === "mend") mendFinding(this.desk, button.finding);
    else if (code === "show") this.desk.visit(node.id, true);
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
    else if (event.key === "Escape") this.desk.focusTree();
    else if (event.key === "Enter" && event.target === item) this.desk.visit(item.dataset.concept, true);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  // Enter takes the date, Escape puts back the one before; to finish takes it too.
  onDateKey(event, item) {
    event.stopPropagation();
    const finishes = event.key.length > 1 && keyName(event) === this.desk.keyOf("finish");
    if (!finishes && event.key !== "Enter" && event.key !== "Escape") return;
    event.preventDefault();
    if (event.key === "Escape") event.target.value = event.target.defaultValue;
    else if (!this.dates.take(event.target)) return;
    item.focus();
    if (finishes) this.desk.perform("finish");
  }

  // Among the buttons of a row, which have no place in the order of Tab.
  stepInside(item, by) {
    const parts = [item, ...item.querySelectorAll("[data-control]")];
    const to = parts[parts.indexOf(focusedElement()) + by];
    if (to) to.focus();
  }

  // One place earlier or later; says whether the concept is one of the codes.
  move(id, by) {
    const { order } = this;
    if (!order.includes(id)) return false;
    if (this.desk.readOnly) { refuseFinished(this.desk); return true; }
    const moved = movedBy(order, id, by, this.numbers);
    if (moved) this.put(moved, id);
    else this.desk.say(`${this.desk.outline.label(id)} is ${by < 0 ? "the first" : "the last"} already.`);
    return true;
  }

  put(ids, id = null) {
    const { desk } = this;
    if (desk.readOnly) { refuseFinished(desk); this.signature = null; this.paint(); return; }
    if (JSON.stringify(ids) === JSON.stringify(this.order)) { this.signature = null; this.paint(); return; }
    desk.send([{ action: "order", concept_id: "", value: ids }]);
    if (id === null) return;
    const { kind, number, principal } = this.numbers.get(id);
    const alike = [...this.numbers.values()].filter((one) => one.kind === kind).length;
    desk.say(`${desk.outline.label(id)} is ${principal ? `first now, the ${principalName(kind)}` : `${number} of ${alike}`}.`);
  }

  markPresent(node, mark) {
    const { desk } = this;
    if (desk.readOnly) { refuseFinished(desk); return; }
    desk.send([{ action: "present", concept_id: node.id, value: mark }]);
    const words = (PRESENT_WORDS.find(([one]) => one === mark) || ["", "nothing said about admission"])[1];
    desk.say(`${node.label}: ${words}.`);
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
