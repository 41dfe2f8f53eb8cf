// What the notes say of codes that are suggested by their names: negated, historical, of the family.
// Asked once for a document and behind everything else, since the tree does not need it to stand.

import { askPatiently } from "../shared/server.js";

const ASSERTED_WAIT_MS = 400;
const MOST_ASSERTED = 300;         // codes of one question, as the server takes them
const NOT_THE_PATIENTS = new Set(["negated", "family"]);

export class Asserted {
  constructor(desk) {
    this.desk = desk;
    this.key = null;
    this.words = new Map();
  }

  stop() { clearTimeout(this.timer); }

  // Empty where a code is stated somewhere, or nothing is known.
  of(conceptId) { return this.words.get(conceptId) || ""; }

  // Whether the patient does not have it, as far as the notes say.
  isDenied(conceptId) {
    const said = this.of(conceptId);
    return said !== "" && said.split(", ").every((status) => NOT_THE_PATIENTS.has(status));
  }

  // Asks anew where other codes are suggested by name.
  update() {
    const { desk } = this;
    const named = desk.outline.suggested.filter(({ source }) => source === "lexical").map(({ id }) => id).slice(0, MOST_ASSERTED);
    const key = JSON.stringify([desk.documentId, named]);
    if (key === this.key) return;
    this.key = key;
    this.words = new Map();
    this.stop();
    if (named.length) this.timer = setTimeout(() => this.ask(named, key), ASSERTED_WAIT_MS);
  }

  async ask(named, key) {
    const { desk } = this;
    const { facts } = await askPatiently("api/evidence", { document: desk.documentId, concept: named.join(",") });
    if (!facts || key !== this.key) return;
    const said = Object.entries(facts.concepts || {}).map(([id, { passages }]) => [id, saidOfAll(passages)]);
    this.words = new Map(said.filter(([, words]) => words));
    if (this.words.size) desk.render();
  }
}

// "negated", where every place with the name is; empty where one of them is plainly stated.
function saidOfAll(passages) {
  const names = passages.filter((passage) => passage.is_name);
  const places = names.flatMap(({ others, assertions = [] }) => [0, ...others].map((_, at) => assertions[at]));
  if (!places.length || !places.every(Boolean)) return "";
  return [...new Set(places.map(({ status }) => status))].join(", ");
}
