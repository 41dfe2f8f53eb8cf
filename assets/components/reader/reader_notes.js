// The notes of an encounter: side by side where there is room, else one at a time by tabs; and the
// list of their sections. A document that is no encounter has neither.

import { element, focusedElement } from "../shared/dom.js";
import { onKeydown } from "../shared/keys.js";
import { readPreference, writePreference } from "../shared/storage.js";

const SPLIT_KEY = "strata.reader.split";
const SPLIT_LEAST_PX = 460;          // of the reader; below it, notes stand one at a time
const SPLIT_USUAL_PX = 600;          // from here on side by side, unless the reader chose
const SPLIT_USUAL_HEIGHT_PX = 400;   // and this high: below it, two notes have a few lines each
const QUIET_KINDS = new Set(["administrative", "other"]);

export class Notes {
  constructor(root, pane) {
    this.root = root;
    this.pane = pane;
    this.bar = root.querySelector(".notes");
    this.tabs = root.querySelector(".tabs");
    this.button = root.querySelector(".beside");
    this.sections = [];
    this.button.addEventListener("click", () => this.toggleSplit());
    onKeydown(this.tabs, (event) => this.onKey(event));
    this.observer = new ResizeObserver(() => this.layout());
    this.observer.observe(root);
  }

  destroy() { this.observer.disconnect(); }

  // After the text was drawn: `.clinical` elements are its notes, in the order of the parts.
  load(data) {
    this.nodes = [...this.pane.querySelectorAll(".clinical")];
    this.bar.hidden = this.nodes.length < 2;
    this.shown = [0, 1].slice(0, this.nodes.length);
    this.tabs.replaceChildren(...data.parts.slice(0, this.nodes.length).map(({ name, kind, day }, i) => {
      const attributes = { type: "button", role: "tab", id: `tab-${i}`, "aria-controls": `note-${i}`, title: name, click: () => this.show(i) };
      return element("button", "tab", attributes, element("span", "kind", { dir: "auto" }, kind), day && element("span", "day", {}, day));
    }));
    this.nodes.forEach((node, i) => {
      for (const [name, value] of Object.entries({ id: `note-${i}`, role: "tabpanel", "aria-labelledby": `tab-${i}` })) node.setAttribute(name, value);
    });
    this.active = 0;
    this.layout();
  }

  get isSplit() {
    if (!this.nodes || this.nodes.length < 2 || this.width < SPLIT_LEAST_PX) return false;
    const chosen = readPreference(SPLIT_KEY);
    if (chosen !== null) return chosen === "1";
    return this.width >= SPLIT_USUAL_PX && this.root.getBoundingClientRect().height >= SPLIT_USUAL_HEIGHT_PX;
  }

  get width() { return this.root.getBoundingClientRect().width; }

  toggleSplit() {
    writePreference(SPLIT_KEY, this.isSplit ? "0" : "1");
    this.layout();
  }

  layout() {
    if (!this.nodes) return;
    const isSplit = this.isSplit;
    const visible = isSplit ? this.shown : [this.active];
    this.pane.classList.toggle("split", isSplit);
    this.button.hidden = this.width < SPLIT_LEAST_PX;
    this.button.setAttribute("aria-pressed", String(isSplit));
    this.tabs.setAttribute("aria-multiselectable", String(isSplit));
    this.nodes.forEach((node, i) => {
      node.hidden = !visible.includes(i);
      node.tabIndex = isSplit ? 0 : -1;
      const tab = this.tabs.children[i];
      tab.setAttribute("aria-selected", String(visible.includes(i)));
      tab.tabIndex = i === this.active ? 0 : -1;
    });
  }

  // Side by side, the note takes the place of the one that was not looked at last.
  show(i) {
    if (!this.shown.includes(i)) this.shown = [this.active, i].sort((a, b) => a - b);
    this.active = i;
    this.layout();
  }

  step(by) {
    if (!this.nodes || this.nodes.length < 2) return;
    this.show((this.active + by + this.nodes.length) % this.nodes.length);
  }

  // Makes the note that holds this element the one on the page.
  reveal(node) {
    const note = node.closest(".clinical");
    if (note && note.hidden) this.show(this.nodes.indexOf(note));
  }

  // What scrolls the text around an element.
  scrollerOf(node) { return (this.isSplit && node.closest(".clinical")) || this.pane; }

  onKey(event) {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    this.step(by);
    this.tabs.children[this.active].focus();
  }
}

// The sections of all notes as a list that a button opens.
export class SectionList {
  constructor(root, reader) {
    this.root = root;
    this.reader = reader;
    this.button = root.querySelector("button");
    this.panel = root.querySelector(".panel");
    this.button.addEventListener("click", () => this.open(this.panel.hidden));
    onKeydown(root, (event) => this.onKey(event));
    root.addEventListener("focusout", (event) => { if (!root.contains(event.relatedTarget)) this.open(false); });
  }

  load(data) {
    const notes = data.parts.filter((part) => part.sections && part.sections.length);
    this.root.hidden = !notes.length;
    this.open(false);
    this.panel.replaceChildren(...notes.flatMap((part) => {
      const sections = part.sections.filter(({ kind }) => kind !== "administrative");
      return [element("p", "of", {}, part.name), element("ul", "", { role: "list" }, sections.map((section) => this.entry(section)))];
    }));
  }

  entry({ title, kind, start }) {
    const click = () => { this.open(false); this.reader.goTo(start); };
    const saysMore = !QUIET_KINDS.has(kind) && !title.toLowerCase().includes(kind);
    return element("li", "", {}, element("button", "section", { type: "button", click },
      element("span", "title", { dir: "auto" }, title), saysMore && element("span", "kind", {}, kind)));
  }

  open(isOpen) {
    this.panel.hidden = !isOpen;
    this.button.setAttribute("aria-expanded", String(isOpen));
    if (isOpen) this.panel.querySelector("button")?.focus();
  }

  onKey(event) {
    if (event.key === "Escape" && !this.panel.hidden) {
      event.preventDefault();
      this.button.focus();
      this.open(false);
      return;
    }
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const entries = [...this.panel.querySelectorAll("button")];
    const at = entries.indexOf(focusedElement());
    if (!by || at < 0) return;
    event.preventDefault();
    entries[Math.max(0, Math.min(entries.length - 1, at + by))].focus();
  }
}
