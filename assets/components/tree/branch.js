// Branch work: the tree shows one branch alone, in one document after another.

import { element } from "../shared/dom.js";
import { count, shownKey } from "../shared/words.js";

// The branch of a row: its own, or that in which it stands; null at the top.
export function branchOf({ outline }, row) { return row.children ? row.node.id : outline.places.of(row.node.id); }

export class BranchWork {
  constructor(root, { state, perform, go, tell }) {
    Object.assign(this, { root, state, perform, go, tell });
  }

  // facts: {id, label, others: how many other documents wait in it}; null for all branches.
  configure(facts) {
    const text = JSON.stringify(facts || null);
    if (text === this.text) return;
    this.text = text;
    this.state.branch = facts || null;
    this.paint();
  }

  toggle(row) {
    if (this.state.branch) { this.end(); return; }
    const id = branchOf(this.state, row);
    if (id === null) this.tell(`${row.node.label} stands in no branch; choose what is broader than others.`);
    else this.go({ branch: id });
  }

  end() { this.go({ branch: "" }); }

  paint() {
    const { branch, keys } = this.state;
    this.root.hidden = !branch;
    if (!branch) return;
    const { label, others } = branch;
    const more = others ? count(others, "other document waits", "other documents wait") : "no other document waits";
    const next = element("button", "next-in-branch", { type: "button", click: () => this.perform("skip") }, `Next (${shownKey(keys.skip)})`);
    const end = element("button", "end", {
      type: "button", "aria-label": "Show all branches", title: "Show all branches (Esc)", click: () => this.end(),
    }, "✕");
    this.root.replaceChildren(element("span", "sentence", {}, "Only ", element("strong", "", {}, label)),
      element("span", "others", {}, more), ...(others ? [next] : []), end);
  }
}
