// What stands in place of a concept until one is chosen: what is used here, and what is not.

import { element, setChildren } from "../shared/dom.js";
import { onClick } from "../shared/events.js";

export class VocabularyOverview {
  constructor(root, onConcept) {
    this.root = root;
    onClick(root, "button", ({ dataset }) => onConcept(dataset.concept));
  }

  draw(lists) {
    setChildren(this.root, lists.map(({ heading, rows, empty }) => element("section", "overview-list", { "data-key": heading },
      element("h2", "", {}, heading),
      rows.length ? element("ul", "", {}, rows.map(overviewItem)) : element("p", "overview-empty", {}, empty))));
  }

  show(visible) { this.root.hidden = !visible; }
}

function overviewItem({ id, code, label, note }) {
  const name = code ? [element("span", "code", {}, code), ` ${label}`] : label;
  const button = element("button", "step", { type: "button", dir: "auto", "data-concept": id }, name);
  return element("li", "", {}, button, note && element("span", "overview-note", {}, note));
}
