// Search inside the text, in a box of its own: Ctrl+F stays the browser's.

import { element } from "../shared/dom.js";
import { emit } from "../shared/events.js";
import { onKeydown } from "../shared/keys.js";
import { shownKey } from "../shared/words.js";

const SEARCH_WAIT_MS = 120;
const MAX_HITS_DRAWN = 300;          // around the current one; all of them are counted

export class TextSearch {
  constructor(root, reader) {
    this.reader = reader;
    this.input = root.querySelector("input");
    this.scope = root.querySelector(".scope");
    this.scope.addEventListener("change", () => this.find(true));
    this.sections = [];
    this.count = root.querySelector(".count");
    this.steps = [root.querySelector(".previous"), root.querySelector(".next")];
    this.hits = [];
    this.current = -1;
    this.input.addEventListener("input", () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.find(true), SEARCH_WAIT_MS);
    });
    onKeydown(this.input, (event) => this.onKey(event));
    this.steps.forEach((button, i) => button.addEventListener("click", () => this.step(i ? 1 : -1)));
  }

  // keys: {action: key}, of all that a key does on the page.
  configure(keys) { this.input.title = `Search in this text (${shownKey(keys.find)})`; }

  focus() {
    this.input.focus();
    this.input.select();
  }

  // Sections of a note may be searched alone, by their kinds.
  load(data) {
    const units = this.reader.text.points.text;
    this.sections = data.parts.flatMap((part) => part.sections || [])
      .map(({ kind, start, end }) => ({ kind, start: units.unit(start), end: units.unit(end) }));
    const kinds = [...new Set(this.sections.map(({ kind }) => kind))];
    this.scope.replaceChildren(element("option", "", { value: "" }, "everywhere"),
      ...kinds.map((kind) => element("option", "", { value: kind }, `in ${kind}`)));
    this.scope.hidden = !kinds.length;
  }

  isInScope({ field, start }) {
    const kind = this.scope.value;
    return !kind || (field === "text" && this.sections.some((one) => one.kind === kind && one.start <= start && start < one.end));
  }

  onKey(event) {
    if (event.key === "Enter") {
      event.preventDefault();
      if (this.query !== this.input.value) this.find(true);
      else this.step(event.shiftKey ? -1 : 1);
    } else if (event.key === "Escape") {
      event.preventDefault();
      if (!this.input.value) { emit("leave-text"); return; }
      this.input.value = "";
      this.find(false);
    }
  }

  // The same text, as after another title: whoever steps through its hits stays where they are.
  findAgain() {
    if (this.query === this.input.value) this.find(false, Math.max(this.current, 0));
  }

  // Looks anew for what is in the box; in a new document, without leaving its beginning.
  find(scroll, at = 0) {
    clearTimeout(this.timer);
    this.query = this.input.value;
    this.hits = this.query.trim() ? this.matches() : [];
    this.current = Math.min(at, this.hits.length - 1);
    this.show(scroll);
  }

  matches() {
    const literal = this.query.trim().replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/\s+/g, "\\s+");
    const pattern = new RegExp(literal, "giu");
    return ["title", "text"].flatMap((field) => [...this.reader.text.texts[field].matchAll(pattern)]
      .map((match) => ({ field, start: match.index, end: match.index + match[0].length })))
      .filter((hit) => this.isInScope(hit));
  }

  step(by) {
    if (!this.hits.length) return;
    this.current = (this.current + by + this.hits.length) % this.hits.length;
    this.show(true);
  }

  show(scroll) {
    const total = this.hits.length;
    if (!this.query || !this.query.trim()) this.count.textContent = "";
    else this.count.textContent = total ? `${this.current + 1} of ${total.toLocaleString("en")}` : "not found";
    for (const button of this.steps) button.disabled = total < 2;
    this.reader.repaint();
    if (!scroll || !total) return;
    this.reader.evidence.mayScroll = false;
    this.reader.bringIntoView(".hit.current");
  }

  marks() {
    const first = Math.max(0, Math.min(this.current - MAX_HITS_DRAWN / 2, this.hits.length - MAX_HITS_DRAWN));
    return this.hits.slice(first, first + MAX_HITS_DRAWN)
      .map((hit, i) => ({ ...hit, hit: true, current: first + i === this.current }));
  }
}
