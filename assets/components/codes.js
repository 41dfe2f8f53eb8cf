// The accepted codes in their order, the first of them the principal one, with what belongs to
// each: present on admission, the day of a procedure, and what was found about it.

class CodesPanel {
  constructor(root, desk) {
    this.root = root;
    this.desk = desk;
    this.list = root.querySelector("ol");
    this.counted = root.querySelector(".codes-count");
    this.verdict = root.querySelector(".verdict");
    this.drag = new Reorder(this.list, (ids) => this.put(ids));
    root.addEventListener("click", (event) => this.onClick(event));
    root.addEventListener("keydown", (event) => this.onKey(event));
    this.list.addEventListener("focusin", (event) => this.onFocus(event));
    this.list.addEventListener("focusout", (event) => this.takeDate(event.target));
    root.addEventListener("toggle", () => writePreference(CODES_KEY, root.open ? "open" : "closed"));
    root.open = readPreference(CODES_KEY) !== "closed";
  }

  configure(conventions, keys) {
    this.root.hidden = !conventions.sequenced;
    this.desk.root.classList.toggle("coded", Boolean(conventions.code_first));
    this.root.querySelector("summary kbd").textContent = keys.codes ? shownKey(keys.codes) : "";
  }

  get order() { return inCodeOrder(this.desk.decisions); }

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
    if (!desk.conventions.sequenced || this.drag.isMoving) return;
    const { order } = this;
    const facts = order.map((id) => [id, desk.decisionOf(id), desk.outline.label(id), desk.pendingIds.has(id)]);
    const open = openCategories(desk.states);
    const signature = JSON.stringify([facts, open, desk.check.findings, desk.readOnly, desk.keyOf("present"), desk.documentId]);
    if (signature === this.signature) return;
    this.signature = signature;
    this.build(order, open);
  }

  build(order, open) {
    const { desk } = this;
    const focus = this.focusPlace();
    const unmarked = new Set(desk.check.findings.filter(({ kind }) => kind === "unmarked").flatMap((one) => one.concept_ids));
    const said = this.findingsByRow([...order, ...open]);
    const rows = [
      ...order.map((id, at) => codeRow(desk, id, at, said.get(id) || [])),
      ...open.map((id) => openRow(desk, id, said.get(id) || [])),
    ];
    const empty = element("li", "hint", {}, "Accepted codes stand here in their order; the first is the principal one.");
    this.list.replaceChildren(...(rows.length ? rows : [empty]));
    this.counted.textContent = String(order.length);
    const found = desk.check.findings.filter((one) => this.isShown(one));
    const left = unmarked.size ? `${unmarked.size} without a mark for admission` : "";
    this.verdict.textContent = [findingCounts(found), left].filter(Boolean).join(", ");
    this.verdict.dataset.severity = found.length ? found[0].severity : "";
    this.setRoving();
    if (focus) this.restoreFocus(focus);
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
    return item && { id: item.dataset.concept, control: focused.dataset.control || null, at: this.items.indexOf(item) };
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
    else if (code === "show") this.desk.visit(node.id, true);
  }

  onKey(event) {
    const item = event.target.closest("li[data-concept]");
    if (!item || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (event.target.matches("input")) {
      event.stopPropagation();
      if (event.key !== "Enter" && event.key !== "Escape") return;
      event.preventDefault();
      item.focus();
      return;
    }
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
    const moved = movedBy(order, id, by);
    if (moved) this.put(moved, id);
    else this.desk.say(`${this.desk.outline.label(id)} is ${by < 0 ? "the first" : "the last"} already.`);
    return true;
  }

  put(ids, id = null) {
    const { desk } = this;
    if (desk.readOnly) { refuseFinished(desk); this.signature = null; this.paint(); return; }
    if (JSON.stringify(ids) === JSON.stringify(this.order)) { this.signature = null; this.paint(); return; }
    desk.send([{ action: "order", concept_id: "", value: ids }]);
    const at = id === null ? -1 : ids.indexOf(id);
    if (at >= 0) desk.say(`${desk.outline.label(id)} is ${at ? `${at + 1} of ${ids.length}` : "first now, the principal code"}.`);
  }

  markPresent(node, mark) {
    const { desk } = this;
    if (desk.readOnly) { refuseFinished(desk); return; }
    desk.send([{ action: "present", concept_id: node.id, value: mark }]);
    const words = (PRESENT_WORDS.find(([one]) => one === mark) || ["", "nothing said about admission"])[1];
    desk.say(`${node.label}: ${words}.`);
  }

  takeDate(input) {
    if (!input.matches || !input.matches("input[type=date]")) return;
    const item = input.closest("li[data-concept]");
    const before = (this.desk.decisionOf(item.dataset.concept) || {}).performed_on || "";
    if (input.value === before || this.desk.readOnly) return;
    this.desk.send([{ action: "performed", concept_id: item.dataset.concept, value: input.value }]);
  }

  // The date of a procedure, by key.
  askForDate(id) {
    const input = this.item(id) && this.item(id).querySelector("input[type=date]");
    if (!input) return false;
    this.root.open = true;
    input.focus();
    return true;
  }
}
