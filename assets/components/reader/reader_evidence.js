// The passages that speak for the concept that is selected on the tree, or looked at.

import { element, focusedElement } from "../shared/dom.js";
import { emit } from "../shared/events.js";
import { askPatiently, listedIds } from "../shared/server.js";
import { isByName } from "../shared/sources.js";
import { count, shortened, shownKey } from "../shared/words.js";

const HOVER_WAIT_MS = 140;
const MAX_UNION = 5;
const NARROW = "(max-width: 1100px)";

const STEPS = [["before", "passage_before", "Previous place of the evidence"], ["after", "passage_after", "Next place of the evidence"]];

const NOTHING_STANDS_OUT = "No passage stands out: the text as a whole speaks for it, or nothing does.";

export class EvidencePanel {
  constructor(root, reader) {
    this.root = root;
    this.reader = reader;
    this.part = (name) => root.querySelector(`.${name}`);
    this.known = new Map();          // concept id -> what the server said of it, for this document
    this.tested = new Map();         // what a passage is worth, once asked
    this.shown = null;
    this.part("fold").addEventListener("click", () => this.fold());
    if (matchMedia(NARROW).matches) this.fold();   // a line that opens: the text needs the room
    this.part("before").addEventListener("click", () => this.step(-1));
    this.part("after").addEventListener("click", () => this.step(1));
    this.part("test").addEventListener("click", () => this.test());
  }

  // keys: {action: key}, of all that a key does on the page.
  configure(keys) {
    for (const [name, action, words] of STEPS) {
      const button = this.part(name);
      button.title = `${words} (${shownKey(keys[action])})`;
      button.querySelector("kbd").textContent = shownKey(keys[action]);
      button.setAttribute("aria-keyshortcuts", keys[action]);
    }
  }

  // Another document, or another model's reading of it: what is selected is asked for anew, and the
  // text stays where it is.
  reset(documentId) {
    const selected = documentId === this.documentId ? this.selected : null;
    this.documentId = documentId;
    this.known.clear();
    this.tested.clear();
    this.selected = selected;
    this.clear();
    if (selected) this.select({ ...selected, hover: true });
  }

  clear() {
    clearTimeout(this.timer);
    this.wanted = null;
    this.shown = null;
    this.root.hidden = true;
    this.reader.repaint();
  }

  // What is looked at passes; what is selected stays.
  select(detail) {
    if (detail.documentId !== this.documentId) return;
    if (!detail.hover) {
      this.selected = detail.conceptId ? detail : null;
      this.mayScroll = true;         // until a search goes elsewhere, however late the evidence is
    }
    const target = detail.conceptId ? detail : this.selected;
    clearTimeout(this.timer);
    if (!target || !target.conceptIds.length) { this.clear(); return; }
    this.wanted = target;
    const isKnown = target.conceptIds.every((id) => this.known.has(id));
    const wait = isKnown ? 0 : HOVER_WAIT_MS;
    const jump = !detail.hover;
    if (wait) this.timer = setTimeout(() => this.ask(target, jump), wait);
    else this.show(target, jump);
  }

  async ask(target, jump) {
    const documentId = this.documentId;
    const unknown = target.conceptIds.filter((id) => !this.known.has(id));
    if (!unknown.length) { this.show(target, jump); return; }   // answered since it was looked at
    const slow = setTimeout(() => this.say(target, "Reading the text once more to find the evidence …"), 300);
    const isWanted = () => documentId === this.documentId && this.wanted === target;
    const { answer = {}, problem, status } = await askPatiently("api/evidence", { document: documentId, concept: listedIds(unknown) }, isWanted);
    clearTimeout(slow);
    if (documentId !== this.documentId) return;
    const concepts = answer.concepts || {};
    // A concept without an answer is not asked for again, unless the server was away.
    if (answer.concepts || status === 404) for (const id of unknown) this.known.set(id, concepts[id] || { passages: [], problem });
    if (this.wanted !== target) return;
    if (problem) this.say(target, problem);
    else this.show(target, jump);
  }

  say(target, sentence) {
    this.shown = null;
    this.root.hidden = false;
    this.head(target, 0);
    this.part("note").textContent = sentence;
    this.part("note").hidden = false;
    this.part("list").replaceChildren();
    this.part("tools").hidden = true;
    this.reader.repaint();
  }

  show(target, jump) {
    const passages = target.conceptIds.length > 1 ? this.union(target.conceptIds) : this.single(target.conceptIds[0]);
    if (!passages.length) {
      const { problem } = this.known.get(target.conceptIds[0]) || {};
      this.say(target, problem || NOTHING_STANDS_OUT);
      return;
    }
    const isSame = this.shown && this.shown.target.conceptId === target.conceptId && this.shown.passages.length === passages.length;
    this.shown = { target, passages, active: isSame ? this.shown.active : 0, place: isSame ? this.shown.place : 0 };
    this.root.hidden = false;
    this.part("note").hidden = true;
    this.head(target, target.conceptIds.length);
    this.drawList();
    this.drawTools();
    this.reader.repaint();
    if (jump && !isSame && this.mayScroll) this.reader.bringIntoView("mark", { unlessVisible: true });
  }

  single(conceptId) {
    return this.known.get(conceptId).passages.map((passage) => ({ ...passage, conceptIds: [conceptId], places: this.placesOf(passage) }));
  }

  // Of several concepts: what speaks for most of them comes first, equal wordings count as one.
  union(conceptIds) {
    const byText = new Map();
    for (const id of conceptIds) {
      for (const passage of this.known.get(id).passages) {
        const key = passage.text.toLowerCase();
        const known = byText.get(key) || { ...passage, share: 0, conceptIds: [], places: this.placesOf(passage) };
        known.share += passage.share / conceptIds.length;
        known.conceptIds.push(id);
        byText.set(key, known);
      }
    }
    return [...byText.values()].sort((a, b) => b.share - a.share).slice(0, MAX_UNION);
  }

  placesOf({ field, start, end, others, assertions = [] }) {
    const { text } = this.reader;
    return [[field, start, end], ...(others || [])]
      .map((place, n) => ({ ...text.range(place), told: place, asserted: assertions[n] || null }))
      .sort((a, b) => (a.field === b.field ? a.start - b.start : a.field === "title" ? -1 : 1));
  }

  head(target, n) {
    const name = element("b", "", { dir: "auto" }, shortened(target.label, 90));
    const lead = n > 1 ? `Evidence for ${count(n, "suggestion", "suggestions")} below ` : "Evidence for ";
    const honest = this.isByName(target) ? [] : [element("span", "honest", {}, " an approximation of what the model used")];
    this.part("head").replaceChildren(lead, name, ...honest);
  }

  // Whether the name in the text is the reason itself, and no part of what a model weighed.
  isByName({ conceptIds }) {
    return conceptIds.length === 1 && isByName((this.known.get(conceptIds[0]) || {}).sources || {});
  }

  drawList() {
    const { passages, active, target } = this.shown;
    const isWhole = passages.length === 1 && this.isByName(target);
    this.part("list").replaceChildren(...passages.map(({ text, share, places }, i) => {
      const asserted = assertedBy(places);
      const attributes = { type: "button", "data-rank": String(i + 1), "aria-pressed": String(i === active), click: () => this.activate(i, 0, true) };
      return element("li", "", {}, element("button", "passage", attributes,
        element("span", "number", { "aria-hidden": "true" }, String(i + 1)), element("span", "words", { dir: "auto" }, shortened(text, 90)),
        !isWhole && element("span", "share", { title: "of all that speaks for it" }, `${Math.round(100 * share)}%`),
        places.length > 1 && element("span", "places", { title: "places in the text" }, `×${places.length}`),
        asserted && element("span", "asserted", { "data-status": asserted.status }, asserted.words)));
    }));
  }

  drawTools() {
    const { passages, active, place, target } = this.shown;
    const passage = passages[active];
    this.part("tools").hidden = false;
    const { asserted } = passage.places[place];
    const said = asserted ? ` – ${assertedWords(asserted)}` : "";
    this.part("where").textContent = `passage ${active + 1}, place ${place + 1} of ${passage.places.length}${said}`;
    const isSingle = target.conceptIds.length === 1;
    this.part("test").hidden = !isSingle;
    this.part("result").textContent = isSingle ? this.tested.get(this.testKey()) || "" : "";
  }

  testKey() { return `${this.shown.target.conceptId} ${this.shown.passages[this.shown.active].text}`; }

  // Goes to one place of one passage.
  activate(active, place, scroll) {
    Object.assign(this.shown, { active, place });
    const focused = focusedElement();
    const wasInList = focused && focused.classList.contains("passage");
    this.drawList();
    if (wasInList) this.part("list").children[active].firstElementChild.focus();
    this.drawTools();
    this.reader.repaint();
    if (scroll) this.reader.bringIntoView("mark.active");
  }

  // Through the places of a passage, then those of the next one.
  step(by) {
    if (!this.shown) return;
    const { passages, active, place } = this.shown;
    const next = place + by;
    if (next >= 0 && next < passages[active].places.length) { this.activate(active, next, true); return; }
    const other = (active + by + passages.length) % passages.length;
    this.activate(other, by > 0 ? 0 : passages[other].places.length - 1, true);
  }

  async test() {
    const { target, passages, active } = this.shown;
    const key = this.testKey();
    const { field, start, end } = passages[active];
    const result = this.part("result");
    if (!this.tested.has(key)) result.textContent = "…";
    const asked = { document: this.documentId, concept: target.conceptIds[0], field, start, end, everywhere: 1 };
    const isShown = () => Boolean(this.shown) && this.testKey() === key;
    const { facts, problem } = await askPatiently("api/without", asked, isShown);
    const sentence = problem || differenceWords(facts.probability - facts.before);
    if (!problem) this.tested.set(key, sentence);
    if (isShown()) result.textContent = sentence;
  }

  // Which concepts a marked passage supports: those selected here first, then what the server knows.
  async support(passage, place) {
    if (!this.shown || !this.shown.passages[passage]) return;
    this.activate(passage, place, false);
    const { conceptIds, places } = this.shown.passages[passage];
    const [field, start, end] = places[place].told;
    const { shown } = this;
    const { facts = {} } = await askPatiently("api/support", { document: this.documentId, field, start, end }, () => this.shown === shown);
    const all = [...new Set([...conceptIds, ...(facts.concepts || [])])];
    emit("support", { documentId: this.documentId, conceptIds: all });
    this.part("where").textContent = `speaks for ${count(all.length, "concept", "concepts")}`;
  }

  fold() {
    const isFolded = this.root.classList.toggle("folded");
    this.part("fold").setAttribute("aria-expanded", String(!isFolded));
  }

  marks() {
    if (!this.shown) return [];
    const { passages, active, place } = this.shown;
    return passages.flatMap((passage, i) => passage.places.map((range, n) => (
      { ...range, rank: i + 1, place: n, active: i === active && n === place })));
  }
}

// By how much a probability would be another. Not what it would be: the model may have learned since
// the suggestions were made, and the row has its number.
export function differenceWords(difference) {
  const points = Math.round(100 * Math.abs(difference));
  if (!points) return "makes no difference";
  return `${difference < 0 ? "−" : "+"}${count(points, "point", "points")}`;
}

// What a note says of a mention: "negated: ‘no evidence of’".
function assertedWords({ status, cue }) { return `${status}: ‘${shortened(cue, 40)}’`; }

// Of a passage: what is said of all its places, or of how many of them.
function assertedBy(places) {
  const said = places.filter((place) => place.asserted).map((place) => place.asserted);
  if (!said.length) return null;
  const words = said.length === places.length ? assertedWords(said[0]) : `${said[0].status} in ${said.length} of ${places.length}`;
  return { status: said[0].status, words };
}
