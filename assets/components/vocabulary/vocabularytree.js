// The whole tree of a vocabulary, fetched branch by branch as it is opened: a WAI-ARIA tree.

import { element, icon } from "../shared/dom.js";
import { onKeydown } from "../shared/keys.js";
import { count } from "../shared/words.js";

const TREE_AT_ONCE = 400;          // rows of one branch that are drawn before more are asked for
const TREE_TYPED_MS = 700;         // letters typed within this belong to one word

export class VocabularyTree {
  // children(conceptId, anew) -> Promise of rows, or of null where they cannot be had now; chosen(row): another is looked at.
  constructor(root, { children, chosen, focusSearch, say }) {
    Object.assign(this, { root, children, chosen, focusSearch, say });
    this.rows = new Map();         // key ("a/b/c") -> row
    this.current = null;
    this.typed = "";
    this.typedAt = 0;
    this.keys = [];                // pressed, and not followed yet
    // Whoever comes to the first row by keyboard sees its card.
    root.addEventListener("focusin", (event) => {
      const isFirst = this.current && event.target === this.current.item && !event.target.hasAttribute("aria-selected");
      if (isFirst) this.setCurrent(this.current);
    });
    onKeydown(root, (event) => this.onKey(event));
    root.addEventListener("click", (event) => this.onClick(event));
  }

  // Tab leads to the first row, which is chosen by that: until then an overview stands in place of its card.
  async load() {
    this.rows.clear();
    this.current = null;
    const concepts = await this.children("");
    this.root.replaceChildren();
    this.fill(null, concepts || []);
    this.current = this.rows.values().next().value || null;
    if (this.current) this.current.item.tabIndex = 0;
  }

  // Draws the next rows of a branch, and a row that draws more where there are many.
  fill(parent, concepts, from = 0) {
    const list = parent ? parent.group : this.root;
    const till = Math.min(concepts.length, from + TREE_AT_ONCE);
    for (let at = from; at < till; at++) list.append(this.build(parent, concepts[at], at + 1, concepts.length).item);
    if (till === concepts.length) return;
    const click = () => { more.remove(); this.fill(parent, concepts, till); };
    const button = element("button", "", { type: "button", click }, `Show more of these ${concepts.length.toLocaleString("en")}`);
    const more = element("li", "more", { role: "none" }, button);
    list.append(more);
  }

  build(parent, concept, position, siblings) {
    const key = parent ? `${parent.key}/${concept.id}` : concept.id;
    const level = parent ? parent.level + 1 : 1;
    const { id, label, notation, assignable, n_narrower: narrower } = concept;
    const line = element("div", "row", { title: label.length > 60 ? label.slice(0, 1000) : "" },
      element("span", "twisty", { "aria-hidden": "true" }, narrower && icon("open")),
      element("span", "label", { dir: "auto" }, notation && !label.startsWith(notation) && element("span", "code", {}, `${notation} `), label),
      element("span", "ruled"), element("span", "number"), element("span", "number branch"));
    line.style.setProperty("--level", level - 1);
    const item = element("li", assignable ? "" : "division", {
      role: "treeitem", tabindex: "-1", "aria-level": level, "aria-setsize": siblings,
      "aria-posinset": position, "data-key": key, "data-concept": id, ...(narrower ? { "aria-expanded": "false" } : {}),
    }, line);
    const row = { key, concept, parent, level, item, open: false, group: null };
    this.rows.set(key, row);
    this.paint(row);
    return row;
  }

  // What may change while the row stands: counts and rules.
  paint(row) {
    const { concept, item } = row;
    const [ruled, own, branch] = ["ruled", "number", "branch"].map((name) => item.querySelector(`:scope > .row .${name}`));
    const rules = concept.rules || [];
    ruled.textContent = vocabularyRuleWord(rules);
    item.classList.toggle("barred", rules.some((rule) => rule.includes("never_assigned")));
    own.textContent = concept.n_documents ? concept.n_documents.toLocaleString("en") : "";
    branch.textContent = concept.n_narrower && concept.n_branch ? concept.n_branch.toLocaleString("en") : "";
    const says = [concept.label, concept.notation, ruled.textContent,
      concept.n_documents ? `on ${count(concept.n_documents, "document", "documents")}` : "",
      branch.textContent ? `${branch.textContent} in the branch` : "",
      concept.n_narrower ? `${concept.n_narrower} narrower` : ""];
    item.setAttribute("aria-label", says.filter(Boolean).join(", "));
  }

  async open(row) {
    if (!row.concept.n_narrower || row.open) return;
    row.open = true;
    row.item.setAttribute("aria-expanded", "true");
    if (row.group) { row.group.hidden = false; return; }
    row.group = element("ul", "", { role: "group" });
    row.item.append(row.group);
    row.loading = this.children(row.concept.id);
    const concepts = await row.loading;
    row.loading = null;
    if (!concepts) { this.forget(row); return; }
    if (!row.group.children.length) this.fill(row, concepts);
  }

  // A branch of which nothing came is closed, and asked for when it is opened again.
  forget(row) {
    row.group.remove();
    row.group = null;
    this.close(row);
  }

  close(row) {
    if (!row.open) return;
    row.open = false;
    row.item.setAttribute("aria-expanded", "false");
    if (row.group) row.group.hidden = true;
    if (this.current && this.current !== row && this.current.key.startsWith(`${row.key}/`)) this.setCurrent(row);
  }

  // Opens what is above a concept, along one of its paths, and goes to it.
  async reveal(path, focus = true) {
    let key = "";
    let row = null;
    for (const conceptId of path) {
      if (row) { await this.open(row); if (row.loading) await row.loading; }
      key = key ? `${key}/${conceptId}` : conceptId;
      while (!this.rows.has(key) && this.moreIn(row)) this.moreIn(row).click();
      row = this.rows.get(key);
      if (!row) return;
    }
    if (!row) return;
    this.setCurrent(row);
    if (focus) row.item.focus({ preventScroll: true });
    row.item.firstChild.scrollIntoView({ block: "center" });
  }

  moreIn(row) {
    const list = row ? row.group : this.root;
    return list && list.querySelector(":scope > .more button");
  }

  // Fetches counts and rules of all branches that are open again.
  async refresh() {
    const parents = [null, ...[...this.rows.values()].filter((row) => row.group)];
    await Promise.all(parents.map(async (parent) => {
      const concepts = await this.children(parent ? parent.concept.id : "", true);
      for (const concept of concepts || []) {
        const row = this.rows.get(parent ? `${parent.key}/${concept.id}` : concept.id);
        if (row) { row.concept = concept; this.paint(row); }
      }
    }));
  }

  visible() {
    const hidden = (row) => row.parent && (!row.parent.open || hidden(row.parent));
    return [...this.root.querySelectorAll("[role=treeitem]")]
      .map((item) => this.rows.get(item.dataset.key)).filter((row) => !hidden(row));
  }

  setCurrent(row) {
    if (this.current) {
      this.current.item.tabIndex = -1;
      this.current.item.removeAttribute("aria-selected");
    }
    this.current = row;
    row.item.tabIndex = 0;
    row.item.setAttribute("aria-selected", "true");
    this.chosen(row);
  }

  focus(row) {
    if (!row) return;
    this.setCurrent(row);
    row.item.focus({ preventScroll: true });
    row.item.firstChild.scrollIntoView({ block: "nearest" });
  }

  step(by) {
    const rows = this.visible();
    this.focus(rows[Math.max(0, Math.min(rows.length - 1, rows.indexOf(this.current) + by))]);
  }

  async openSiblings() {
    const { parent } = this.current;
    const siblings = [...this.rows.values()].filter((row) => row.parent === parent && row.concept.n_narrower);
    if (siblings.length > 60) { this.say("Too many branches to open at once."); return; }
    await Promise.all(siblings.map((row) => this.open(row)));
  }

  // Jumps to the next row whose code or label begins with what is typed.
  jump(letter) {
    const now = Date.now();
    this.typed = now - this.typedAt < TREE_TYPED_MS ? this.typed + letter : letter;
    this.typedAt = now;
    const rows = this.visible();
    const at = rows.indexOf(this.current) + (this.typed.length === 1 ? 1 : 0);
    const ahead = [...rows.slice(at), ...rows.slice(0, at)];
    const begins = (text) => (text || "").toLowerCase().startsWith(this.typed);
    this.focus(ahead.find(({ concept }) => begins(concept.notation) || begins(concept.label)));
  }

  // Keys are followed in their order, and wait for the rows of a branch that one of them has opened:
  // who opens it and goes down means the first of these, however slow the server is.
  async onKey(event) {
    event.stopPropagation();
    if (!this.current || event.ctrlKey || event.metaKey || event.altKey || event.target.closest("button")) return;
    if (!this.moveOf(event.key)) return;
    event.preventDefault();
    if (this.keys.push(event.key) > 1) return;
    try {
      for (; this.keys.length; this.keys.shift()) {
        if (this.current.loading) await this.current.loading.catch(() => {});
        if (!this.current) return; // the tree is being fetched anew
        this.moveOf(this.keys[0])();
      }
    } finally {
      this.keys.length = 0;        // also after an error: the next key starts afresh
    }
  }

  moveOf(key) {
    const row = this.current;
    const moves = {
      ArrowDown: () => this.step(1), ArrowUp: () => this.step(-1),
      PageDown: () => this.step(12), PageUp: () => this.step(-12),
      Home: () => this.focus(this.visible()[0]), End: () => this.focus(this.visible().at(-1)),
      ArrowRight: () => (row.open ? this.step(1) : this.open(row)),
      ArrowLeft: () => (row.open ? this.close(row) : this.focus(row.parent)),
      Enter: () => (row.open ? this.close(row) : this.open(row)),
      "*": () => this.openSiblings(), "/": () => this.focusSearch(),
    };
    return moves[key] || (key.length === 1 && key !== " " && (() => this.jump(key.toLowerCase())));
  }

  onClick(event) {
    const item = event.target.closest("[role=treeitem]");
    if (!item || event.target.closest("button")) return;
    const row = this.rows.get(item.dataset.key);
    const again = row === this.current;
    if (event.target.closest(".twisty") || again) row.open ? this.close(row) : this.open(row);
    this.focus(row);
  }
}

export function vocabularyRuleWord(rules) {
  if (rules.includes("never_assigned")) return "never assigned";
  if (rules.includes("below_never_assigned")) return "in a branch never assigned";
  return rules.includes("never_suggested") ? "never suggested" : "";
}
