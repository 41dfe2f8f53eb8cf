// The table of all documents: sorts, filters and selects here, and asks the server for what is done.

import { element, focusedElement, mountOnce, setChildren } from "../shared/dom.js";
import { onClick } from "../shared/events.js";
import { onKeydown } from "../shared/keys.js";
import { count } from "../shared/words.js";
import { TypedComments, limitComment, showOvertaken } from "./documents_comments.js";
import { goBack, TableKeys } from "./documents_keys.js";
import {
  bodyRow, COLLATOR, COLUMNS, FOUND_IN, headRow, inOrder, JUDGED, matching, MENTIONS, STATUS_WORDS, STATUSES, TO_ADJUDICATE, UNREAD,
} from "./documents_rows.js";
import { DocumentPeople } from "./documents_people.js";
import { DocumentSelection, LEFT_OUT, OWN_ANNOTATION } from "./documents_selection.js";
import { BIN, PAGE_SIZE, VIEW, writeView } from "./documents_view.js";

const INSTANCES = new WeakMap();
const MAX_COMMENT = 2000;   // characters
const RESEND_MS = 2000;

class DocumentsTable {
  constructor(component) {
    this.root = component.parentElement.querySelector(".shelf");
    const part = (name) => this.root.querySelector(name);
    [this.statuses, this.find, this.select, this.chosen, this.pane, this.nothing, this.pager, this.live] =
      [".statuses", ".find input", ".batches select", ".chosen", ".pane", ".nothing", ".pager", ".live"].map(part);
    this.whole = part(".whole");
    this.people = new DocumentPeople(this.root);
    this.people.whose.value = VIEW.whose;
    [this.head, this.body, this.table] = ["thead", "tbody", "table"].map(part);
    this.selection = new DocumentSelection();
    this.sorted = {};
    this.comments = new TypedComments();
    this.writing = null;         // keeps what stands in the box that is open
    this.current = null;
    this.find.value = VIEW.query;
    this.onLeave = () => this.writing?.(true);
    this.listen();
    this.keys = new TableKeys(this);
  }

  listen() {
    this.find.addEventListener("input", () => this.narrow({ query: this.find.value }));
    onKeydown(this.root, (event) => event.stopPropagation());
    this.select.addEventListener("change", () => this.narrow({ batch: this.select.value === "*" ? null : this.select.value.slice(1) }));
    this.people.whose.addEventListener("change", ({ target }) => this.narrow({ whose: target.value }));
    onClick(this.statuses, "button", (button) => this.narrow({ status: button.dataset.status }));
    onClick(this.chosen, "button", (button) => this.act(button));
    onClick(this.pager, "button", (button) => this.turn(Number(button.dataset.step)));
    onClick(this.head, "button", (button) => this.sortBy(button));
    onClick(this.head, ".all", (box) => {
      this.selection.setAll(this.selection.isWhole ? this.listed : this.shown, box.checked);
      this.selected();
    });
    this.body.addEventListener("click", (event) => this.onRow(event));
    this.body.addEventListener("dblclick", (event) => this.onDouble(event));
    onKeydown(this.body, (event) => this.onKey(event));
    this.body.addEventListener("focusin", (event) => this.enter(event.target.closest("tr")));
    addEventListener("pagehide", this.onLeave);   // nothing loses the focus at a reload
  }

  destroy() {
    this.onLeave();
    removeEventListener("pagehide", this.onLeave);
    clearTimeout(this.timer);
    this.keys.stop();
  }

  update(component) {
    const isFirst = !this.data;
    this.data = component.data;
    this.keys.configure(this.data.keys);
    this.find.placeholder = this.data.hides_titles ? "Find by id or comment" : "Find by title, id or comment";
    this.comments.mayKeep = this.data.may_keep_text;
    const overtaken = this.comments.meet([...this.data.documents, ...this.data.removed]);
    this.render();
    if (overtaken.length) this.say(showOvertaken(overtaken, this.chosen));
    if (isFirst) goBack(this);
    this.resend();
  }

  // With each go all comments that are not settled: one that could not be stored is sent again.
  send(action, ids, more = {}) {
    this.outbox.send("act", { action, ids, comments: Object.fromEntries(this.comments), ...more });
  }

  resend() {
    clearTimeout(this.timer);
    if (!this.comments.size) return;
    this.timer = setTimeout(() => {
      if (!this.comments.size || !this.root.isConnected) return;
      if (this.outbox.waiting.length) this.outbox.deliver();
      else this.send("comment", []);
    }, RESEND_MS);
  }

  // ------------------------------------------------------------------ drawing

  get inBin() { return VIEW.status === BIN; }

  render() {
    const entries = this.inBin ? this.data.removed : this.data.documents;
    this.batches = [...new Set(this.data.documents.map((entry) => entry.batch || ""))].sort(COLLATOR.compare);
    if (!this.batches.includes(VIEW.batch)) VIEW.batch = null;
    this.listed = matching(this.ordered(entries), VIEW);
    VIEW.page = Math.max(0, Math.min(VIEW.page, Math.ceil(this.listed.length / PAGE_SIZE) - 1));
    this.shown = this.listed.slice(VIEW.page * PAGE_SIZE, (VIEW.page + 1) * PAGE_SIZE);
    this.selection.keepSeen(this.listed, this.shown);
    this.renderStatuses();
    this.renderBatches();
    this.people.update(this.data.people);
    this.renderRows();
    this.renderChosen();
    this.renderPager();
    Object.assign(this.root.dataset, { ready: "true", comments: String(this.comments.size) });
  }

  // Sorting thousands takes longer than filtering, and a letter in the box does not change the order.
  ordered(entries) {
    const key = `${VIEW.field} ${VIEW.down}`;
    if (this.sorted.entries !== entries || this.sorted.key !== key) this.sorted = { entries, key, list: inOrder(entries, VIEW) };
    return this.sorted.list;
  }

  renderStatuses() {
    const number = (status) => matching(status === BIN ? this.data.removed : this.data.documents, { ...VIEW, status }).length;
    const { people, documents } = this.data;
    const isShown = (status) => status !== TO_ADJUDICATE || (people.may_review && documents.some(({ annotation }) => annotation && annotation !== OWN_ANNOTATION));
    const ofPeople = people ? [[MENTIONS, "Mentions"], [TO_ADJUDICATE, "To adjudicate"]] : [];
    const choices = [["all", "All"], ...STATUSES.filter((one) => people || !JUDGED.includes(one)).map((one) => [one, STATUS_WORDS[one]]), [UNREAD, "Not read"], ...ofPeople.filter(([status]) => isShown(status)), [BIN, "Bin"]];
    setChildren(this.statuses, choices.map(([status, words]) => element("button", status === BIN ? "bin" : "", {
      type: "button", "data-status": status, "aria-pressed": String(VIEW.status === status),
    }, words, element("span", "number", {}, number(status).toLocaleString("en")))));
  }

  renderBatches() {
    this.select.closest(".batches").hidden = this.batches.length < 2;
    const options = [["*", "all"], ...this.batches.map((batch) => [`=${batch}`, batch || "without a batch"])];
    const signature = JSON.stringify(options);
    if (this.signature !== signature) {
      this.signature = signature;
      this.select.replaceChildren(...options.map(([value, words]) => element("option", "", { value }, words.slice(0, 80))));
    }
    this.select.value = VIEW.batch === null ? "*" : `=${VIEW.batch}`;
  }

  renderRows() {
    const focused = focusedElement();
    if (this.body.contains(focused) && focused.matches(".note-box")) return;   // somebody is writing
    const hadFocus = this.body.contains(focused) && focused.closest("tr").dataset.document;
    const { shown } = this;
    const hidden = new Set([!this.batches.some(Boolean) && "batch", !this.data.people && "whose"]);
    setChildren(this.head, [headRow(VIEW, hidden)]);
    setChildren(this.body, shown.map((entry, at) => bodyRow(entry, {
      selected: this.selection.has(entry.id), removed: this.inBin, hidden, position: VIEW.page * PAGE_SIZE + at })));
    this.table.setAttribute("aria-rowcount", String(this.listed.length + 1));
    const row = this.rowOf(this.current) || this.body.rows[0];
    if (row) this.rove(row);
    if (hadFocus && row && !this.body.contains(focusedElement())) row.focus();
    this.table.hidden = shown.length === 0;
    this.nothing.hidden = shown.length > 0;
    this.nothing.textContent = this.nothingText();
    this.renderAll();
  }

  nothingText() {
    if (this.inBin && !this.data.removed.length) return "The bin is empty.";
    if (!this.inBin && !this.data.documents.length) return "There are no documents yet. Add some on the Annotate page.";
    return "No document fits. Take a filter away, or search for other words.";
  }

  renderAll() {
    const all = this.head.querySelector(".all");
    const n = this.shown.filter((entry) => this.selection.has(entry.id)).length;
    all.checked = n > 0 && n === this.shown.length;
    all.indeterminate = n > 0 && n < this.shown.length;
  }

  renderChosen() {
    const { selection } = this;
    const offered = { predict: !this.inBin, export: !this.inBin, remove: !this.inBin, reopen: !this.inBin, restore: this.inBin, none: true };
    Object.assign(offered, this.inBin ? this.people.offered([]) && {} : this.people.offered(selection.fitting("assign", this.listed)));
    this.chosen.querySelector(".chosen-count").textContent = selection.sentence();
    this.chosen.querySelector(".lost").textContent = selection.lostSentence();
    this.chosen.querySelector(".hint").hidden = selection.size > 0 || selection.lost > 0;
    for (const button of this.chosen.querySelectorAll("[data-action]")) {
      const { action } = button.dataset;
      const n = selection.fitting(action, this.listed).length;
      button.hidden = !n || !offered[action];
      if (action === "none") continue;
      const number = button.querySelector(".number");
      if (number) number.textContent = n.toLocaleString("en");
      button.title = n < selection.size ? LEFT_OUT[action] || "" : "";
    }
    this.people.offerBack(!this.chosen.querySelector("[data-action=send_back]").hidden);
    this.renderWhole();
  }

  // Where there are more pages, all of them are asked for with a button that counts them.
  renderWhole() {
    const isOffered = this.listed.length > this.shown.length && !this.selection.isWhole
      && this.shown.every((entry) => this.selection.has(entry.id));
    this.whole.hidden = !isOffered;
    this.whole.textContent = `Select all ${this.listed.length.toLocaleString("en")} that are listed`;
  }

  renderPager() {
    const [n, start] = [this.listed.length, VIEW.page * PAGE_SIZE];
    this.pager.hidden = n <= PAGE_SIZE;
    this.pager.querySelector(".where").textContent = `${(start + 1).toLocaleString("en")}–${Math.min(start + PAGE_SIZE, n).toLocaleString("en")} of ${n.toLocaleString("en")}`;
    const [previous, next] = this.pager.querySelectorAll("button");
    previous.disabled = start === 0;
    next.disabled = start + PAGE_SIZE >= n;
  }

  // ------------------------------------------------------------------ rows

  rowOf(id) { return id === null ? null : this.body.querySelector(`tr[data-document="${CSS.escape(id)}"]`); }
  entryOf(id) { return this.listed.find((entry) => entry.id === id); }
  say(sentence) { this.live.textContent = sentence; }

  // One row is a stop of the tab key, and so are its controls; the arrows move it.
  rove(row) {
    for (const old of this.body.querySelectorAll("tr[tabindex='0']")) this.setStops(old, "-1");
    this.setStops(row, "0");
    this.current = row.dataset.document;
  }

  setStops(row, stop) {
    row.setAttribute("tabindex", stop);
    for (const control of row.querySelectorAll("input, a, button")) control.setAttribute("tabindex", stop);
  }

  enter(row) { if (row && row.dataset.document !== this.current) this.rove(row); }

  go(row) {
    if (!row) return;
    this.rove(row);
    row.focus();
    row.scrollIntoView({ block: "nearest" });
  }

  toggle(id, wanted = !this.selection.has(id)) {
    this.selection.set(id, wanted);
    const row = this.rowOf(id);
    if (row) {
      row.setAttribute("aria-selected", String(wanted));
      row.querySelector("input").checked = wanted;
    }
    this.renderAll();
    this.renderChosen();
    this.saySelected();
  }

  // From the row that was touched last to this one.
  toggleTo(id) {
    this.selection.extend(id, this.shown);
    this.selected();
  }

  selected() {
    this.render();
    this.saySelected();
  }

  saySelected() { this.say(this.selection.sentence() || "Nothing selected"); }

  open(id) { if (!this.inBin) { VIEW.opened = id; this.send("open", [id]); } }

  narrow(change) {
    Object.assign(VIEW, { page: 0 }, change);
    writeView();
    this.pane.scrollTop = 0;
    this.render();
    this.sayListed(count(this.listed.length, "document listed", "documents listed"));
  }

  // What is in sight now, and that what was selected is not any more.
  sayListed(sentence) { this.say([sentence, this.selection.lostSentence()].filter(Boolean).join(". ")); }

  // ------------------------------------------------------------------ comments

  write(row) {
    const entry = this.entryOf(row.dataset.document);
    const cell = row.querySelector(".comment");
    if (this.inBin || !entry || !cell) return;
    if (this.data.people) { this.send("thread", [entry.id]); return; }
    const box = element("textarea", "note-box", { "aria-label": `Comment on ${entry.title}`, rows: "2" });
    box.value = entry.comment;
    let settled = false;
    const settle = (keep) => {
      if (settled) return;
      settled = true;
      this.writing = null;
      const text = box.value.trim();
      if (keep && text !== entry.comment) {
        const shown = this.data.documents.find(({ id }) => id === entry.id) || entry;   // of a later run, perhaps
        this.comments.send(this.data.comments_url, entry.id, text, [entry.comment, shown.comment]);
        shown.comment = text;
        this.sorted = {};
        FOUND_IN.delete(shown);
        this.send("comment", []);
      }
      box.remove();
      this.render();
    };
    this.writing = settle;
    limitComment(box, MAX_COMMENT);
    box.addEventListener("blur", () => settle(true));
    onKeydown(box, (event) => {
      event.stopPropagation();
      const done = event.key === "Escape" || (event.key === "Enter" && !event.shiftKey);
      if (!done) return;
      event.preventDefault();
      settle(event.key === "Enter");
      this.go(this.rowOf(entry.id));
    });
    cell.replaceChildren(box);
    box.focus();
  }

  // ------------------------------------------------------------------ what a person does

  act(button) {
    if (button === this.whole) { this.selection.takeWhole(this.listed); this.selected(); this.chosen.querySelector("[data-action=none]").focus(); return; }
    const { action } = button.dataset;
    const ids = this.selection.fitting(action, this.listed).map((entry) => entry.id);
    this.selection.clear();
    if (action !== "none") this.send(action, ids, this.people.more(action));
    this.render();
    this.go(this.rowOf(this.current) || this.body.rows[0]);
  }

  turn(step) {
    VIEW.page += step;
    this.pane.scrollTop = 0;
    this.current = null;
    this.render();
    this.sayListed(this.pager.querySelector(".where").textContent);
  }

  sortBy(button) {
    const { field } = button.dataset;
    const first = COLUMNS.find(([name]) => name === field)[3];
    this.narrow({ field, down: VIEW.field === field ? !VIEW.down : first });
    this.say(`Sorted by ${button.textContent}, ${VIEW.down ? "descending" : "ascending"}`);
  }

  onRow(event) {
    const row = event.target.closest("tr");
    if (!row || event.target.closest(".note-box")) return;
    const id = row.dataset.document;
    const link = event.target.closest("a");
    if (link && (event.ctrlKey || event.metaKey)) return;   // opens in a tab of its own
    if (link) { event.preventDefault(); this.open(id); return; }
    if (event.target.closest(".note")) { this.write(row); return; }
    if (event.shiftKey) this.toggleTo(id);
    else if (event.target.matches("input") || event.target.closest(".pick")) this.toggle(id, event.target.matches("input") ? event.target.checked : undefined);
  }

  onDouble(event) {
    const row = event.target.closest("tr");
    if (row && !event.target.closest("input, a, button, textarea")) this.open(row.dataset.document);
  }

  onKey(event) {
    const row = event.target.closest("tr");
    if (!row || event.target.matches("textarea")) return;
    const id = row.dataset.document;
    const rows = [...this.body.rows];
    const at = rows.indexOf(row);
    const onControl = event.target !== row;
    const moves = {
      ArrowDown: () => this.go(rows[at + 1]),
      ArrowUp: () => this.go(rows[at - 1]),
      Home: () => this.go(rows[0]),
      End: () => this.go(rows[rows.length - 1]),
      PageDown: () => this.go(rows[Math.min(at + 10, rows.length - 1)]),
      PageUp: () => this.go(rows[Math.max(at - 10, 0)]),
      F2: () => this.write(row),
    };
    if (!onControl) Object.assign(moves, { Enter: () => this.open(id), " ": () => (event.shiftKey ? this.toggleTo(id) : this.toggle(id)) });
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "a") {
      moves[event.key] = () => { this.selection.setAll(this.shown, true); this.selected(); };
    } else if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (!moves[event.key]) return;
    event.preventDefault();
    moves[event.key]();
  }
}

export default function mount(component) {
  return mountOnce(INSTANCES, component, (mounted) => new DocumentsTable(mounted));
}
