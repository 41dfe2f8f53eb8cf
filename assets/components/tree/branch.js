// Branch work: the tree shows one branch alone, in one document after another.

import { element } from "../shared/dom.js";
import { count, shownKey } from "../shared/words.js";

export class BranchWork {
  constructor(root, desk) {
    this.root = root;
    this.desk = desk;
    this.facts = null;
  }

  // facts: {id, label, others: how many other documents wait in it}; null for all branches.
  configure(facts) {
    const text = JSON.stringify(facts || null);
    if (text === this.text) return;
    this.text = text;
    this.facts = facts || null;
    this.paint();
  }

  get id() { return this.facts ? this.facts.id : null; }

  // The branch of a row: its own, or that in which it stands; null at the top.
  of(row) { return row.children ? row.node.id : this.desk.outline.placeOf(row.node.id); }

  // Whether a row leads into a branch, or out of the one that is worked on.
  hasOne(row) { return this.id !== null || this.of(row) !== null; }

  toggle(row) {
    if (this.id !== null) { this.end(); return; }
    const id = this.of(row);
    if (id === null) this.desk.tell(`${row.node.label} stands in no branch; choose what is broader than others.`);
    else this.ask(id);
  }

  end() { this.ask(""); }

  ask(branch) { this.desk.outbox.send("go", { branch, shown: this.desk.frame.limitElsewhere }); }

  paint() {
    this.root.hidden = this.id === null;
    this.root.replaceChildren();
    if (this.id === null) return;
    const { label, others } = this.facts;
    const name = element("span", "sentence");
    name.append("Only ", element("strong", "", {}, label));
    const more = others ? count(others, "other document waits", "other documents wait") : "no other document waits";
    const next = element("button", "next-in-branch", { type: "button" }, `Next (${shownKey(this.desk.keyOf("skip"))})`);
    next.addEventListener("click", () => this.desk.perform("skip"));
    const end = element("button", "end", { type: "button", "aria-label": "Show all branches", title: "Show all branches (Esc)" }, "✕");
    end.addEventListener("click", () => this.end());
    this.root.append(name, element("span", "others", {}, more), ...(others ? [next] : []), end);
  }
}
