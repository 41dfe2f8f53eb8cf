// Going down: the codes below a category, brought onto the tree until one of them is chosen.

import { askServer, PAGE } from "../shared/server.js";
import { count } from "../shared/words.js";
import { newState } from "./state.js";
import { own } from "./weights.js";

export class Lowered {
  constructor({ state, tree, filters, say, tell, addNodes, render }) {
    Object.assign(this, { state, tree, filters, say, tell, addNodes, render });
    this.known = new Map();          // category -> what the server said of it
  }

  // A second time takes them away again. A code goes to the others of its category.
  async toggle(row) {
    const { outline, lowered } = this.state;
    const isCode = row.node.assignable !== false;
    const category = isCode ? outline.nodes.get(row.node.broader[0]) : row.node;
    if (!category) { this.say(`Nothing is above ${row.node.label}.`); return; }
    if (lowered.category === category.id) { this.leave(); return; }
    await this.open(category, isCode ? row.node.id : null);
  }

  // Shows the codes of a category and goes to the first of them, or stays at `stay`.
  async open(category, stay = null) {
    const { state, tree } = this;
    const { documentId } = state;
    const answer = await this.ask(category);
    if (!answer || state.documentId !== documentId) return;
    if (!answer.rows.length) { this.tell(`Nothing below ${category.label} can be assigned.`); return; }
    state.lowered = { category: category.id, ids: new Set(answer.rows) };
    this.addNodes(answer.nodes);
    this.filters.set({ filter: "all", text: "" });
    this.render();
    tree.reveal(category.id, false);
    if (stay) tree.reveal(stay, true);
    else this.goToFirst(category);
    this.say(this.sentence(category, answer));
  }

  sentence(category, { complete, rows, n_codes: n }) {
    const codes = count(n, "code", "codes");
    return complete ? `${codes} below ${category.label}.`
      : `${codes} below ${category.label}: here are its ${count(rows.length, "category", "categories")}; go down again.`;
  }

  async ask(category) {
    const { language, below_url: url } = this.state.data;
    const key = `${PAGE.project} ${language} ${category.id}`;
    if (this.known.has(key)) return this.known.get(key);
    const { facts, problem } = await askServer(url, { id: category.id, lang: language });
    if (problem) { this.tell(problem); return null; }
    this.known.set(key, facts);
    return facts;
  }

  // The most probable of them, or the first.
  goToFirst(category) {
    const { tree, state: { lowered } } = this;
    const below = tree.rows.filter(({ node }) => lowered.ids.has(node.id));
    const likely = below.filter(({ node }) => own(node) !== null).sort((one, other) => own(other.node) - own(one.node));
    const row = likely[0] || below[0] || tree.rows.find(({ node }) => node.id === category.id);
    if (!row) return;
    tree.openAbove(row);
    tree.focus(row);
  }

  // One of them was chosen: the others are not looked at any more.
  chosen(conceptId) { if (this.state.lowered.ids.has(conceptId)) this.close(); }

  // Back to the category, without choosing.
  leave() {
    const { category } = this.state.lowered;
    this.close();
    if (category) this.tree.reveal(category, true);
  }

  close() {
    this.state.lowered = newState().lowered;
    this.render();
  }
}
