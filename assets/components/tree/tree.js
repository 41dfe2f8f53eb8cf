// The tree of concepts: a WAI-ARIA tree whose rows are decided by click or key. Rows are built
// once and painted when their state changes, so that a key is answered at once among hundreds.

import { focusedElement } from "../shared/dom.js";
import { nextOrder } from "./folding.js";
import { isDenied } from "./outline.js";
import { decisionIs, isUnresolved } from "./state.js";
import { buildItem, isFoldedInto, isMeasured, paintItem, placeItem, rowSignature } from "./treerow.js";

const FRAMES_TO_SETTLE = 3;
const EDGE = 2;                      // so many pixels of a row may be cut

export class TreeView {
  // onSelect(row), onHover(row): the row that is looked at is another.
  constructor(root, { state, say, perform, decide, mendConflict, unfold, viewChanged }, { onSelect, onHover }) {
    Object.assign(this, { root, state, say, perform, decide, mendConflict, unfold, viewChanged, onSelect, onHover });
    this.clear();
    root.addEventListener("click", (event) => this.onClick(event));
    root.addEventListener("focusin", (event) => this.onFocus(event));
    root.addEventListener("mouseover", (event) => this.onOver(event));
    root.addEventListener("mousemove", (event) => this.onMouse(event));
    root.addEventListener("mouseleave", () => this.hover(null));
    new ResizeObserver(() => this.resized()).observe(root);
  }

  // Forgets all rows, as for another document.
  clear() {
    this.rows = [];
    this.items = new Map();
    this.byKey = new Map();
    this.collapsed = new Set();
    this.current = null;
    this.conceptId = null;
    this.selectedItem = null;
    this.hovered = null;
    this.keysLead = true;            // until the mouse moves
    this.hasMoved = false;           // a key or a click since the last undo
    this.isUntouched = true;         // until a row was gone to, or a key or a click was here
    this.root.replaceChildren();
  }

  // Brings the rows up to date, and repaints those whose state has changed.
  show(rows) {
    if (rows !== this.rows) this.build(rows);
    for (const row of this.rows) paintItem(this.items.get(row.key), row, this.state);
  }

  build(rows) {
    const hadFocus = this.root.contains(focusedElement());
    const scroll = this.root.scrollTop;
    const before = this.items;
    const former = this.rows;
    this.rows = rows;
    this.byKey = new Map(rows.map((row) => [row.key, row]));
    this.root.classList.toggle("unmeasured", !rows.some(isMeasured));
    this.items = new Map();
    const places = new Map([[this.root, 0]]);
    for (const row of rows) {
      const item = this.itemFor(row, before.get(row.key));
      this.items.set(row.key, item);
      const parent = row.parent ? this.items.get(row.parent.key).lastChild : this.root;
      const place = places.get(parent) || 0;
      if (parent.children[place] !== item) parent.insertBefore(item, parent.children[place] || null);
      places.set(parent, place + 1);
      if (row.children) this.setOpen(row, !this.collapsed.has(row.key), false);
    }
    for (const [key, item] of before) if (this.items.get(key) !== item) item.remove();
    this.root.scrollTop = scroll;
    const row = this.isUntouched ? this.firstRow(rows) : this.byKey.get(this.current) || this.inPlaceOf(former) || this.firstRow(rows);
    if (row) hadFocus ? this.focus(row) : this.setCurrent(row);
    else this.current = null;
  }

  // Where one begins: at the most probable suggestion that waits, wherever it stands.
  firstRow(rows) {
    const waiting = rows.filter((row) => row.suggestion && isUnresolved(this.state, row.node.id));
    const [first] = nextOrder(waiting, "probability");
    return first || rows.find((row) => row.suggestion && !isDenied(row.node)) || rows[0];
  }

  itemFor(row, before) {
    const signature = rowSignature(row);
    let item = before;
    if (!item || item.signature !== signature) {
      item = buildItem(row, this.state);
      item.signature = signature;
    }
    placeItem(item, row);
    return item;
  }

  // What is selected where the selected row is gone: the concept under another key, as between tree
  // and flat list, or else the row that stood nearest to it.
  inPlaceOf(former) {
    const at = former.findIndex((row) => row.key === this.current);
    const near = former.map((row, place) => [Math.abs(place - at), row.key]).sort(([one], [other]) => one - other);
    const left = at < 0 ? undefined : near.find(([, key]) => this.byKey.has(key));
    return this.nearest(this.conceptId, at) || (left && this.byKey.get(left[1]));
  }

  // Of the rows of a concept, that which is nearest to a place; or the row into which it is folded.
  nearest(conceptId, place = this.rows.indexOf(this.currentRow)) {
    const away = (row) => Math.abs(this.rows.indexOf(row) - place);
    const itsRows = this.rows.filter((row) => row.node.id === conceptId).sort((one, other) => away(one) - away(other));
    return itsRows[0] || this.rows.find((row) => isFoldedInto(row, conceptId));
  }

  // Where the rows are others than before, the selected one does not stay out of sight.
  keepInSight() {
    if (!this.selectedItem) return;
    const line = this.selectedItem.firstChild;
    line.scrollIntoView({ block: "nearest" });
    // The heights of rows that come into sight were guessed until then.
    const again = (times) => requestAnimationFrame(() => {
      if (line !== (this.selectedItem && this.selectedItem.firstChild)) return;
      line.scrollIntoView({ block: "nearest" });
      if (times) again(times - 1);
    });
    again(FRAMES_TO_SETTLE);
  }

  // Where the selected row begins and ends in the pane; nothing where it is in a closed branch.
  selectedPlace() {
    const line = this.selectedItem && this.selectedItem.firstChild.getBoundingClientRect();
    if (!line || !line.height) return null;
    const top = this.root.getBoundingClientRect().top + this.root.clientTop;
    return { top: line.top - top, bottom: line.bottom - top };
  }

  // Whether the selected row is in sight, or was when the pane was last on the page.
  seesSelected() {
    const { clientHeight } = this.root;
    const place = clientHeight && this.selectedPlace();
    if (clientHeight) this.sawSelected = Boolean(place) && place.top > -EDGE && place.bottom < this.room + EDGE;
    return Boolean(this.sawSelected);
  }

  // As the document was left, with the heights of rows that were not drawn yet.
  restore(scroll, seesSelected) {
    this.root.scrollTop = scroll;
    this.height = this.room;
    if (seesSelected) this.scrollToSelected(FRAMES_TO_SETTLE);
  }

  // The height in which rows are seen.
  get room() { return this.root.clientHeight - (this.covered || 0); }

  // What is told lies over the last so many pixels.
  cover(pixels) {
    this.covered = pixels;
    this.root.style.setProperty("--covered", `${pixels}px`);
    this.resized();
  }

  // What is drawn around the tree makes the pane smaller: the selected row stays in sight if it was.
  resized() {
    const [before, height] = [this.height, this.room];
    if (!this.root.clientHeight) return;             // off the page
    this.height = height;
    const place = before > height && this.selectedPlace();
    if (place && place.top > -EDGE && place.bottom < before + EDGE) this.scrollToSelected(0);
  }

  // Nothing but the pane scrolls: it may be below a text that is being read.
  scrollToSelected(times) {
    const place = this.selectedPlace();
    if (place) this.root.scrollTop += Math.min(place.top, 0) + Math.max(place.bottom - this.room, 0);
    if (times) requestAnimationFrame(() => this.scrollToSelected(times - 1));
  }

  rowOf(key) { return this.byKey.get(key); }
  get currentRow() { return this.byKey.get(this.current); }

  setOpen(row, open, keep = true) {
    if (!row.children) return;
    const item = this.items.get(row.key);
    item.setAttribute("aria-expanded", String(open));
    item.lastChild.hidden = !open;
    if (open) this.collapsed.delete(row.key);
    else this.collapsed.add(row.key);
    if (keep) this.viewChanged();
  }

  isOpen(row) {
    return row.children > 0 && !this.collapsed.has(row.key);
  }

  setAllOpen(open) {
    for (const row of this.rows) this.setOpen(row, open, false);
    let row = this.currentRow;
    while (!open && row && row.parent) row = row.parent;
    if (row) this.setCurrent(row);
    this.viewChanged();
  }

  visibleRows() {
    const shut = new Set();
    return this.rows.filter((row) => {
      const hidden = row.parent && shut.has(row.parent);
      if (hidden || !this.isOpen(row)) shut.add(row);
      return !hidden;
    });
  }

  setCurrent(row) {
    if (this.current === row.key && this.selectedItem === this.items.get(row.key)) return;
    if (this.selectedItem) {
      this.selectedItem.tabIndex = -1;
      this.selectedItem.removeAttribute("aria-selected");
    }
    this.current = row.key;
    this.conceptId = row.node.id;
    const item = this.items.get(row.key);
    item.tabIndex = 0;
    item.setAttribute("aria-selected", "true");
    this.selectedItem = item;
    this.onSelect(row);
  }

  focus(row) {
    this.setCurrent(row);
    const item = this.items.get(row.key);
    item.focus({ preventScroll: true });
    if (row.flat) this.keepInSight();
    else item.firstChild.scrollIntoView({ block: "nearest" });
  }

  openAbove(row) {
    for (let above = row.parent; above; above = above.parent) this.setOpen(above, true, false);
  }

  // Opens what is above the nearest row of the concept, scrolls to it and, if asked, focuses it.
  reveal(conceptId, focus = false) {
    this.isUntouched = false;
    let row = this.nearest(conceptId);
    if (!row) return false;
    if (row.node.id !== conceptId) {
      this.unfold(row);
      row = this.nearest(conceptId);
    }
    this.openAbove(row);
    if (focus) { this.focus(row); return true; }
    this.setCurrent(row);
    this.items.get(row.key).firstChild.scrollIntoView({ block: "center" });
    this.flash([conceptId]);
    return true;
  }

  flash(conceptIds) {
    const wanted = new Set(conceptIds);
    for (const row of this.rows) {
      if (!wanted.has(row.node.id) && !(row.folded || []).some(({ id }) => wanted.has(id))) continue;
      const line = this.items.get(row.key).firstChild;
      line.classList.add("flash");
      setTimeout(() => line.classList.remove("flash"), 1600);
    }
  }

  // The next suggestion that waits for a decision, in the order that a person has chosen and round
  // again; after an act (`isNear`), where nothing below waits, the nearest above.
  nextUnresolved(from, isNear) {
    const { state } = this;
    const order = state.data.next_order || "branch";
    const rows = nextOrder(this.rows.filter(({ node }) => !node.isGroup), order, state.outline);
    const here = from && this.byKey.get(from.key);   // a decision may have built the rows anew
    const after = rows.indexOf(here || this.currentRow) + (here ? 1 : 0);
    const above = rows.slice(0, Math.max(after, 0));
    const isBack = isNear && order !== "probability";
    const inOrder = [...rows.slice(Math.max(after, 0)), ...(isBack ? above.reverse() : above)];
    return inOrder.find((row) => row.node.id !== (from && from.node.id) && isUnresolved(state, row.node.id));
  }

  goToNext(from, isNear = false) {
    const row = this.nextUnresolved(from, isNear);
    if (!row) {
      const last = from && isUnresolved(this.state, from.node.id);
      const { size } = this.state.weak;
      const more = size ? ` ${size} improbable ones are left out.` : "";
      this.say(`${last ? "This is the last unresolved one." : "Nothing is left unresolved."}${more}`);
      return;
    }
    this.openAbove(row);
    this.focus(row);
  }

  onClick(event) {
    const item = event.target.closest("[role=treeitem]");
    if (!item) return;
    this.hasMoved = true;
    this.isUntouched = false;
    const row = this.rowOf(item.dataset.key);
    const button = event.target.closest("button");
    if (button && button.dataset.mend) this.mendConflict(row, button.dataset.mend);
    else if (button && button.dataset.action === "down") { this.perform("down", row); return; }
    else if (button) this.toggle(row, button.dataset.action);
    else if (event.target.closest(".mark") && row.suggestion) this.toggle(row, "accept");
    else if (event.target.closest(".twisty") || row.node.isGroup) this.setOpen(row, !this.isOpen(row));
    else if (event.target.closest("[data-fold]")) { this.perform("fold", row, event.target.closest("[data-fold]").dataset.fold); return; }
    const stands = this.byKey.get(row.key) || this.currentRow;
    if (stands) this.focus(stands);
  }

  // A second click on a button takes its decision back.
  toggle(row, action) {
    const standing = decisionIs(this.state, row.node.id, action === "accept" ? "accepted" : "rejected");
    this.decide(row.node, standing ? "clear" : action);
  }

  onFocus(event) {
    const item = event.target.closest("[role=treeitem]");
    const row = item && this.rowOf(item.dataset.key);
    if (!row || row.key === this.current) return;
    this.isUntouched = false;
    this.setCurrent(row);
  }

  // Rows that scroll under a resting mouse are not looked at: the keys lead until it moves.
  onMouse(event) {
    if (!this.keysLead || !(event.movementX || event.movementY)) return;
    this.keysLead = false;
    this.onOver(event);
  }

  keysTook() {
    this.keysLead = true;
    this.hasMoved = true;
    this.isUntouched = false;
    this.hover(null);
  }

  onOver(event) {
    if (this.keysLead) return;
    const item = event.target.closest("[role=treeitem]");
    this.hover(item ? item.dataset.key : null);
  }

  hover(key) {
    if (key === this.hovered) return;
    this.hovered = key;
    this.onHover(key ? this.rowOf(key) : null);
  }
}
