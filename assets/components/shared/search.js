// The search box: a WAI-ARIA combobox over the vocabulary, answered by a route of the server.

import { element, icon } from "./dom.js";
import { onKeydown } from "./keys.js";
import { askServer } from "./server.js";
import { withoutCode } from "./words.js";

// How long what was pressed before an answer waits for it once the person has gone on.
const PATIENCE_MS = 3000;
// How long a person pauses before the model is asked for what is related to the words.
const PAUSE_MS = 250;
const SYSTEM_NAMES = { icd10pcs: "PCS", icd10cm: "CM", icd9cm: "ICD-9-CM", cpt: "CPT" };

export class SearchBox {
  // add(hit), open(hit): goes to its place in the tree, propose(text): notes what the vocabulary lacks (these
  // two may be left out), stateWord(conceptId, nodes): what stands beside a hit, say(sentence), focusTree().
  constructor(root, { add, open, propose, stateWord, say, focusTree }) {
    Object.assign(this, { add, open, propose, stateWord, say, focusTree });
    this.input = root.querySelector("[role=combobox]");
    this.list = root.querySelector("[role=listbox]");
    this.hits = [];
    this.picks = [];          // what each option does when it is picked, in their order
    this.active = -1;
    this.isOffered = false;   // whether the active hit is so by itself, before a hand chose it
    this.asked = 0;
    this.withdrawn = null;    // the withdrawn concept that was typed, and what to use instead
    this.takes = false;       // whether the last of these takes what is active
    this.held = null;         // keys pressed before the answer to what was typed; null once it is here
    this.input.addEventListener("input", () => this.ask());
    onKeydown(this.input, (event) => this.onKey(event));
    this.input.addEventListener("focus", () => { if (!this.isWaiting) this.ask(); });
    this.input.addEventListener("blur", () => this.leave());
    this.list.addEventListener("mousedown", (event) => this.onMouseDown(event));
  }

  // divisions: whether those are found that cannot be assigned.
  configure({ url, language, placeholder, divisions }) {
    Object.assign(this, { url, language, divisions });
    this.input.disabled = !url;
    this.input.placeholder = url ? placeholder : "No vocabulary to search: the model could not be loaded";
  }

  focus() { this.input.focus(); this.input.select(); }

  // As if the words were typed.
  searchFor(words) { this.input.value = words; this.focus(); this.ask(); }

  async ask() {
    const query = this.input.value.trim();
    const number = ++this.asked;
    if (this.underway) this.underway.abort();
    this.held = null;
    clearTimeout(this.pausing);
    if (!this.url) { this.show([]); return; }
    if (!query) { this.offerUsed(number); return; }
    this.held = [];
    const answer = await this.answerTo({ q: query });
    if (number !== this.asked) return;
    const hits = answer.hits || [];
    this.withdrawn = answer.withdrawn;
    this.show(hits, answer.problem || searchNote(query, hits, this.withdrawn), answer.problem ? "" : query);
    if (answer.may_be_related) this.pausing = setTimeout(() => this.addRelated(query, number), PAUSE_MS);
    if (answer.certain) { this.activate(0); this.isOffered = true; }
    const held = this.held;
    this.held = null;
    held.forEach((move) => move());
    if (!this.input.matches(":focus")) this.close();
  }

  async answerTo(asked) {
    this.underway = new AbortController();
    const wanted = { ...asked, lang: this.language, ...(this.divisions ? { divisions: 1 } : {}) };
    const { answer, problem, status } = await askServer(this.url, wanted, { signal: this.underway.signal });
    const speaks = status < 400 || status === 409;   // what a person can understand
    return speaks ? answer || { problem } : { problem: "The search did not work." };
  }

  // The list changes under nobody's hand: not once an option was chosen, or a key waits.
  async addRelated(query, number) {
    if (number !== this.asked || !this.input.matches(":focus")) return;
    const { hits } = await this.answerTo({ q: query, related: 1 });
    if (number !== this.asked || this.active >= 0 || this.held || this.list.hidden) return;
    const ids = (some) => JSON.stringify(some.map((hit) => hit.concept_id));
    if (hits && ids(hits) !== ids(this.hits)) this.show(hits, searchNote(query, hits, this.withdrawn), query);
  }

  // What was used here recently and often, where nothing is typed.
  async offerUsed(number) {
    this.show([]);
    if (this.divisions) return;
    const { hits } = await this.answerTo({ q: "" });
    if (number !== this.asked || !hits || !hits.length || !this.input.matches(":focus")) return;
    this.show(hits, "Used here recently and often:");
  }

  // Keys pressed before the answer are not lost by going on at once.
  leave() {
    if (!this.isWaiting) { this.close(); return; }
    const { underway } = this;
    setTimeout(() => underway.abort(), PATIENCE_MS);
  }

  // Whether nothing is typed that a key could belong to: what was typed has been taken, or will be as
  // soon as its answer is here.
  get isFree() { return this.isWaiting ? this.takes : !this.input.value && this.active < 0; }

  // What was pressed for one document is not for the next, which is opened before the answer is here.
  // Returns the words that nothing was taken for.
  turned() {
    if (!this.isWaiting) return "";
    const words = this.input.value.trim();
    this.input.value = "";
    this.close();
    return words;
  }

  get isWaiting() { return Boolean(this.held && this.held.length); }

  // Does something now, or after what was pressed in the box and still waits for its answer.
  inTurn(act) {
    if (this.isWaiting) this.held.push(act);
    else act();
  }

  // note: a sentence above the hits; query: what may be noted as a proposed term.
  show(hits, note = null, query = "") {
    this.hits = hits;
    this.picks = hits.map((hit) => () => this.add(hit, query));
    const options = hits.map((hit, position) => this.option(hit, position));
    const rows = [...(note ? [element("li", "note", { role: "presentation" }, note)] : []), ...options];
    // What the vocabulary has withdrawn in favour of another concept is no term that it lacks.
    const isReplaced = Boolean(query && this.withdrawn && this.withdrawn.instead.length);
    if (query.length > 2 && this.propose && !isReplaced) {
      const propose = this.proposal(query, options.length);
      options.push(propose);
      rows.push(propose);
    }
    this.options = options;
    this.list.replaceChildren(...rows);
    this.list.hidden = rows.length === 0;
    this.input.setAttribute("aria-expanded", String(rows.length > 0));
    this.activate(-1);    // what is only near to what was typed has to be chosen
    this.list.dataset.query = this.input.value.trim();
    if (rows.length) this.say(note || `${hits.length} found`);
  }

  option(hit, position) {
    const code = hit.code || (hit.matched === hit.notation ? hit.notation : null);
    const state = this.stateWord(hit.concept_id, hit.nodes);
    const word = hit.why === "related" && (!state || state.endsWith("%")) ? "related" : state;
    const { system } = (hit.nodes || []).find((node) => node.id === hit.concept_id) || {};
    const head = element("div", "head", {},
      code && !hit.label.startsWith(code) && element("span", "code", {}, code),
      element("span", "hit", { dir: "auto" }, code ? withoutCode(hit.label, code) : hit.label), this.matched(hit),
      word && element("span", "word", {}, word),
      this.open && element("span", "place", { title: "Show its place in the tree (Ctrl+Enter)", "aria-hidden": "true" }, icon("open")),
      system && element("span", "system", { title: system }, SYSTEM_NAMES[system] || system));
    return element("li", "", { role: "option", id: `hit-${position}`, "aria-selected": "false" },
      head, element("div", "path", { dir: "auto" }, hit.path));
  }

  // Another name, by which it was found.
  matched({ matched, label, notation, language, why }) {
    if (!matched || matched === label || matched === notation) return null;
    const isForeign = language && language.split("-")[0] !== this.language.split("-")[0];
    return element("span", "matched", { dir: "auto" }, `“${matched}”`,
      isForeign && element("span", "tongue", {}, ` ${language}`), why === "withdrawn" && " (withdrawn)");
  }

  proposal(query, position) {
    this.picks.push(() => this.propose(query));
    return element("li", "propose", { role: "option", id: `hit-${position}`, "aria-selected": "false" },
      "Nothing fits? Note ", element("b", "", { dir: "auto" }, `“${query.slice(0, 80)}”`), " as a proposed term");
  }

  activate(position) {
    this.active = position;
    this.isOffered = false;
    this.options.forEach((option, at) => option.setAttribute("aria-selected", String(at === position)));
    if (position < 0) { this.input.removeAttribute("aria-activedescendant"); return; }
    this.input.setAttribute("aria-activedescendant", `hit-${position}`);
    this.options[position].scrollIntoView({ block: "nearest" });
  }

  close() {
    this.asked += 1;
    clearTimeout(this.pausing);
    this.held = null;
    if (this.underway) this.underway.abort();
    this.show([]);
  }

  pick(position, { open = false } = {}) {
    const act = this.picks[position];
    if (!act) return;
    const hit = this.hits[position];
    this.input.value = "";
    this.close();
    if (open && hit && this.open) this.open(hit);
    else act();
  }

  onMouseDown(event) {
    event.preventDefault();   // keeps the focus in the box
    const option = event.target.closest("[role=option]");
    if (option) this.pick(this.options.indexOf(option), { open: Boolean(event.target.closest(".place")) });
  }

  onKey(event) {
    event.stopPropagation();
    const moves = {
      ArrowDown: () => this.step(1),
      ArrowUp: () => this.step(-1),
      Enter: () => {
        if (this.active < 0 && this.hits.length) this.askToChoose();
        this.pick(this.active, { open: event.ctrlKey || event.metaKey || event.shiftKey });
      },
      Escape: () => {
        if (!this.input.value) this.focusTree();
        this.input.value = "";
        this.close();
      },
    };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    // A fast hand presses Enter before the answer is here: what is listed then is of fewer letters.
    if (!this.held || event.key === "Escape") { move(); return; }
    this.takes = event.key === "Enter";
    this.held.push(move);
  }

  askToChoose() {
    const note = this.list.querySelector(".note") || element("li", "note", { role: "presentation" });
    note.textContent = "Choose one with ↓ first, then press Enter.";
    this.list.prepend(note);
    this.list.scrollTop = 0;
    this.say(note.textContent);
  }

  // The first ↓ chooses the first hit, whether or not it was highlighted already: so ↓ and Enter
  // take the same everywhere. Neither end leads to the other, where the line that proposes a term is.
  step(by) {
    const last = this.options ? this.options.length - 1 : -1;
    if (last < 0 && !this.input.value) this.focusTree();
    if (last < 0) return;
    const at = this.isOffered ? -1 : this.active;
    this.activate(Math.min(Math.max(at + by, 0), last));
  }
}

// What stands above the hits: nothing where they are what was typed.
function searchNote(query, hits, withdrawn) {
  if (withdrawn) {
    const instead = withdrawn.instead.length ? `use ${withdrawn.instead.join(", ")}` : "the vocabulary names nothing to use instead";
    return `“${withdrawn.label}” is withdrawn: ${instead}.`;
  }
  const shown = query.length > 60 ? `${query.slice(0, 60)}…` : query;
  if (!hits.length) return `Nothing is called “${shown}”.`;
  return hits.every((hit) => hit.mended || hit.why === "related") ? `Nothing is called “${shown}”; this is near to it:` : null;
}
