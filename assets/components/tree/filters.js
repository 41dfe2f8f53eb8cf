// Which rows are shown, and in what order: filters by state, a filter by words, the sort.

import { element } from "../shared/dom.js";
import { onKeydown } from "../shared/keys.js";
import { readPreference, writePreference } from "../shared/storage.js";
import { FILTERS } from "./looks.js";
import { SORT_KEY } from "./view.js";

export class Filters {
  // onChange(): the rows have to be worked out again; onLeave(): the keys are for the tree.
  constructor(root, onChange, onLeave) {
    this.chips = root.querySelector(".chips");
    this.input = root.querySelector(".filter");
    this.sortButtons = [...root.querySelectorAll("[data-sort]")];
    Object.assign(this, { onChange, onLeave });
    this.kept = new Set();           // decided under this filter: they stay until it is changed
    this.sort = readPreference(SORT_KEY) === "probability" ? "probability" : "tree";
    this.buildChips();
    this.set({ filter: "all", text: "" });
    this.input.addEventListener("input", () => { this.kept.clear(); this.text = this.input.value; onChange(); });
    onKeydown(this.input, (event) => this.onKey(event));
    for (const button of this.sortButtons) {
      button.addEventListener("click", () => this.sortBy(button.dataset.sort));
    }
    this.paintSort();
  }

  buildChips() {
    this.buttons = new Map();
    for (const [filter, { words }] of Object.entries(FILTERS)) {
      const attributes = { type: "button", "data-filter": filter, "aria-pressed": "false", click: () => this.choose(filter) };
      const chip = element("button", "chip", attributes, element("span", "", {}, words), element("span", "number"));
      this.buttons.set(filter, chip);
      this.chips.append(chip);
    }
  }

  set({ filter, text }) {
    this.filter = FILTERS[filter] ? filter : "all";
    this.text = String(text || "");
    this.input.value = this.text;
    this.kept.clear();
    this.paint();
  }

  choose(filter) {
    this.filter = filter;
    this.kept.clear();
    this.paint();
    this.onChange();
  }

  sortBy(sort) {
    this.sort = sort;
    writePreference(SORT_KEY, sort);
    this.paintSort();
    this.onChange();
  }

  get active() { return this.filter !== "all" || this.text.trim() !== ""; }

  paint() {
    for (const [filter, chip] of this.buttons) chip.setAttribute("aria-pressed", String(filter === this.filter));
  }

  paintSort() {
    for (const button of this.sortButtons) {
      button.setAttribute("aria-pressed", String(button.dataset.sort === this.sort));
    }
  }

  // numbers: filter -> how many concepts it shows.
  showCounts(numbers, finished) {
    for (const [filter, chip] of this.buttons) {
      const text = String(numbers[filter]);
      if (chip.lastChild.textContent !== text) chip.lastChild.textContent = text;
      chip.hidden = Boolean(FILTERS[filter].isRare) && !numbers[filter] && this.filter !== filter;
    }
    const words = finished ? "Not taken" : "Unresolved";
    const first = this.buttons.get("unresolved").firstChild;
    if (first.textContent !== words) first.textContent = words;
  }

  onKey(event) {
    event.stopPropagation();
    if (event.key !== "Escape" && event.key !== "ArrowDown" && event.key !== "Enter") return;
    event.preventDefault();
    if (event.key === "Escape" && this.text) { this.input.value = ""; this.text = ""; this.onChange(); return; }
    this.onLeave();
  }
}
