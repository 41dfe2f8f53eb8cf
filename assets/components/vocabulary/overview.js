// What stands in place of a concept until one is chosen: what is used here, and what is not.

import { element, setChildren } from "../shared/dom.js";

export class VocabularyOverview {
  constructor(root, onConcept) {
    this.root = root;
    root.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (button) onConcept(button.dataset.concept);
    });
  }

  draw(lists) {
    setChildren(this.root, lists.map((list) => {
      const part = element("section", "overview-list", { "data-key": list.heading });
      part.append(element("h2", "", {}, list.heading));
      if (!list.rows.length) part.append(element("p", "overview-empty", {}, list.empty));
      const rows = element("ul", "");
      for (const row of list.rows) {
        const item = element("li", "");
        const button = element("button", "step", { type: "button", dir: "auto", "data-concept": row.id });
        if (row.code) button.append(element("span", "code", {}, row.code), " ");
        button.append(row.label);
        item.append(button);
        if (row.note) item.append(element("span", "overview-note", {}, row.note));
        rows.append(item);
      }
      if (list.rows.length) part.append(rows);
      return part;
    }));
  }

  show(visible) { this.root.hidden = !visible; }
}
