// What the notes say of codes that are suggested by their names: negated, historical, of the family.
// Asked once for a document and behind everything else, since the tree does not need it to stand.

import { askPatiently, listedIds } from "../shared/server.js";

const ASSERTED_WAIT_MS = 400;
const MOST_ASSERTED = 300;         // codes of one question, as the server takes them

export class Asserted {
  constructor({ state, render }) {
    Object.assign(this, { state, render, key: null });
  }

  stop() { clearTimeout(this.timer); }

  // Asks anew where other codes are suggested by name.
  update() {
    const { state } = this;
    const named = state.outline.suggested.filter(({ source }) => source === "lexical").map(({ id }) => id).slice(0, MOST_ASSERTED);
    const key = JSON.stringify([state.documentId, named]);
    if (key === this.key) return;
    this.key = key;
    state.asserted = new Map();
    this.stop();
    if (named.length) this.timer = setTimeout(() => this.ask(named, key), ASSERTED_WAIT_MS);
  }

  async ask(named, key) {
    const { state } = this;
    const { facts } = await askPatiently("api/evidence", { document: state.documentId, concept: listedIds(named) });
    if (!facts || key !== this.key) return;
    const said = Object.entries(facts.concepts || {}).map(([id, { passages }]) => [id, saidOfAll(passages)]);
    state.asserted = new Map(said.filter(([, words]) => words));
    if (state.asserted.size) this.render();
  }
}

// "negated", where every place with the name is; empty where one of them is plainly stated.
function saidOfAll(passages) {
  const names = passages.filter((passage) => passage.is_name);
  const places = names.flatMap(({ others, assertions = [] }) => [0, ...others].map((_, at) => assertions[at]));
  if (!places.length || !places.every(Boolean)) return "";
  return [...new Set(places.map(({ status }) => status))].join(", ");
}
