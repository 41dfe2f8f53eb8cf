// Going down: the codes below a category, brought onto the tree until one of them is chosen.

import { askServer, PAGE } from "../shared/server.js";
import { count } from "../shared/words.js";
import { own } from "./weights.js";

export class Lowered {
  constructor(desk) {
    this.desk = desk;
    this.known = new Map();          // category -> what the server said of it
    this.close();
  }

  get isOpen() { return this.category !== null; }

  // A second time takes them away again. A code goes to the others of its category.
  async toggle(row) {
    const { desk } = this;
    const isCode = row.node.assignable !== false;
    const category = isCode ? desk.outline.nodes.get(row.node.broader[0]) : row.node;
    if (!category) { desk.say(`Nothing is above ${row.node.label}.`); return; }
    if (this.category === category.id) { this.leave(); return; }
    await this.open(category, isCode ? row.node.id : null);
  }

  // Shows the codes of a category and goes to the first of them, or stays at `stay`.
  async open(category, stay = null) {
    const { desk } = this;
    const { documentId } = desk;
    const answer = await this.ask(category);
    if (!answer || desk.documentId !== documentId) return;
    if (!answer.rows.length) { desk.tell(`Nothing below ${category.label} can be assigned.`); return; }
    this.category = category.id;
    this.ids = new Set(answer.rows);
    desk.addNodes(answer.nodes);
    desk.filters.set({ filter: "all", text: "" });
    desk.render();
    desk.tree.reveal(category.id, false);
    if (stay) desk.tree.reveal(stay, true);
    else this.goToFirst(category);
    desk.say(this.sentence(category, answer));
  }

  sentence(category, { complete, rows, n_codes: n }) {
    const codes = count(n, "code", "codes");
    return complete ? `${codes} below ${category.label}.`
      : `${codes} below ${category.label}: here are its ${count(rows.length, "category", "categories")}; go down again.`;
  }

  async ask(category) {
    const { desk } = this;
    const key = `${PAGE.project} ${desk.language} ${category.id}`;
    if (this.known.has(key)) return this.known.get(key);
    const { facts, problem } = await askServer(desk.data.below_url, { id: category.id, lang: desk.language });
    if (problem) { desk.tell(problem); return null; }
    this.known.set(key, facts);
    return facts;
  }

  // The most probable of them, or the first.
  goToFirst(category) {
    const { tree } = this.desk;
    const below = tree.rows.filter(({ node }) => this.ids.has(node.id));
    const likely = below.filter(({ node }) => own(node) !== null).sort((one, other) => own(other.node) - own(one.node));
    const row = likely[0] || below[0] || tree.rows.find(({ node }) => node.id === category.id);
    if (!row) return;
    tree.openAbove(row);
    tree.focus(row);
  }

  // One of them was chosen: the others are not looked at any more.
  chosen(conceptId) {
    if (!this.ids.has(conceptId)) return;
    this.close();
    this.desk.render();
  }

  // Back to the category, without choosing.
  leave() {
    const { category } = this;
    this.close();
    this.desk.render();
    if (category) this.desk.tree.reveal(category, true);
  }

  close() {
    this.category = null;
    this.ids = new Set();
  }
}
