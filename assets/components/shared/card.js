// The concept card: everything about one concept, told by the server when the concept is chosen.

import { intoClipboard } from "./clipboard.js";
import { bar, element, icon, separated } from "./dom.js";
import { onKeydown } from "./keys.js";
import { askPatiently, documentLink, PAGE } from "./server.js";
import { isByName, sourceName } from "./sources.js";
import { count, shortened, withoutCode } from "./words.js";

const CARD_WAIT_MS = 80;            // moving through the tree by key asks once, where it stops
const CARD_FRESH_MS = 10_000;       // how often a concept was used here changes while one works
const CARD_NOTES = {
  includes: "Includes", excludes1: "Excludes 1: not coded here", excludes2: "Excludes 2: not included here",
  codeFirst: "Code first", useAdditionalCode: "Use additional code", codeAlso: "Code also",
  inclusionTerm: "Inclusion terms", sevenChrDef: "Seventh character",
  definition: "Definition", scopeNote: "Scope note", note: "Note", example: "Example",
  historyNote: "History", changeNote: "Change", editorialNote: "Editorial note",
};
const CARD_GROUNDS = {
  suggesters: "the text’s meaning and words",
  model: "the model",
  branch: "its branch",
  label: "its label in title and text",
  similar: "similar documents",
  company: "other likely concepts",
  habit: "how often it is assigned",
};
const CARD_RULES = {
  never_suggested: "Never suggested here: ruled out on the Vocabulary page.",
  never_assigned: "Never assigned here, nor anything in this branch: ruled out on the Vocabulary page.",
  below_never_assigned: "In a branch that is never assigned here: ruled out on the Vocabulary page.",
};
const CARD_MOST_LANGUAGES = 3;      // more than these stand behind a click

export class ConceptCard {
  // onConcept(id) goes to a concept, onDocument(id) opens a document; both may be left out.
  constructor(root, { onConcept, onDocument } = {}) {
    Object.assign(this, { root, onConcept, onDocument });
    this.known = new Map();
    this.number = 0;
    this.unfolded = false;           // whether a person has opened the languages, of whichever concept
    root.classList.add("concept-card");
    onKeydown(root, (event) => { if (event.key !== "Escape") event.stopPropagation(); });
    this.clear();
  }

  // node: what the tree knows already, shown until the server has answered.
  // run: of the suggestions; another run has other reasons.
  show({ conceptId, documentId = null, run = null, language = "en", node = null }) {
    if (!conceptId) { this.clear(); return; }
    const wanted = JSON.stringify([conceptId, documentId, run, language]);
    if (wanted === this.wanted && Date.now() - this.shownAt < CARD_FRESH_MS) return;
    const isAnother = wanted !== this.wanted;
    Object.assign(this, { wanted, shownAt: Date.now(), language, documentId, run, conceptId });
    const number = ++this.number;
    clearTimeout(this.timer);
    const facts = this.remembered(this.conceptKey());
    if (facts) { this.draw(facts, node); this.explain(number, node); return; }
    if (isAnother && node) this.draw({ id: conceptId, label: node.label, notation: node.notation, waiting: true }, node);
    this.timer = setTimeout(() => this.fetchConcept(number, node), CARD_WAIT_MS);
  }

  // Shows the same concept anew, as after a decision.
  refresh() {
    this.known.delete(this.conceptKey());
    this.wanted = null;
  }

  clear() {
    clearTimeout(this.timer);
    this.number += 1;
    this.wanted = this.conceptId = this.drawn = null;
    this.root.dataset.concept = "";
    this.root.replaceChildren(element("p", "hint", {}, "Select a row to see what it means."));
  }

  conceptKey() { return `${PAGE.project} ${this.language} ${this.conceptId}`; }

  remembered(key) {
    const entry = this.known.get(key);
    return entry && entry.until > Date.now() ? entry.facts : null;
  }

  remember(key, facts, lasts = CARD_FRESH_MS) {
    if (this.known.size > 300) this.known.clear();
    this.known.set(key, { facts, until: Date.now() + lasts });
  }

  async fetchConcept(number, node) {
    const key = this.conceptKey();
    const { facts, problem } = await askPatiently("api/concept", { id: this.conceptId, lang: this.language });
    if (number !== this.number) return;
    if (problem) { this.draw({ id: this.conceptId, label: node ? node.label : this.conceptId, problem }, node); return; }
    this.remember(key, facts);
    this.draw(facts, node);
    this.explain(number, node);
  }

  // Why the model suggests it: asked only where it does, and drawn when it is known.
  async explain(number, node) {
    if (!this.documentId || !node || !(node.rank || node.probability)) return;
    const key = `why ${this.documentId} ${this.run} ${this.conceptId}`;
    let answer = this.remembered(key);
    if (!answer) {
      const asked = await askPatiently("api/evidence", { document: this.documentId, concept: this.conceptId }, () => number === this.number);
      if (asked.problem) return;
      answer = (asked.facts.concepts || {})[this.conceptId];
      if (!answer) return;
      this.remember(key, answer, 3_600_000);
    }
    if (number !== this.number) return;
    const place = this.root.querySelector(".why");
    if (place) place.replaceChildren(...this.why(answer));
  }

  // A link is not drawn anew under the mouse where nothing on the card is another.
  draw(facts, node) {
    const drawn = JSON.stringify([facts, this.documentId, this.language, Boolean(node && (node.rank || node.probability))]);
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    const scrolled = this.root.dataset.concept === facts.id ? this.root.scrollTop : 0;
    this.root.dataset.concept = facts.id;
    this.root.dataset.waiting = String(Boolean(facts.waiting));
    const parts = [this.head(facts), this.pathList(facts)];
    if (facts.problem) parts.push(element("p", "problem", {}, facts.problem));
    if (facts.deprecated) parts.push(this.withdrawn(facts));
    for (const rule of facts.rules || []) parts.push(element("p", "rule", {}, CARD_RULES[rule] || rule));
    if (facts.advice) parts.push(element("p", "advice", { dir: "auto" }, facts.advice));
    const rest = element("div", "rest", {}, this.alternatives(facts), this.usage(facts.usage), this.notes(facts),
      this.related(facts), this.otherLanguages(facts), this.identity(facts));
    this.root.replaceChildren(...parts.filter(Boolean), element("div", "facts", {}, element("section", "why"), rest));
    this.root.scrollTop = scrolled;
  }

  head(facts) {
    const { code, notation, label } = facts;
    const title = element("h2", "", { dir: "auto" }, code ? [element("b", "code", {}, code), ` ${withoutCode(label, code)}`] : label);
    const isTold = code || !notation || label.startsWith(notation);
    const kind = code ? "category: one of its codes is assigned" : "division, not assigned itself";
    return element("header", "head", {}, title, !isTold && element("span", "notation", {}, notation),
      facts.assignable === false && element("span", "kind", {}, kind));
  }

  pathList(facts) {
    const paths = (facts.paths || []).filter((path) => path.length > 1);
    if (!paths.length) return null;
    const link = ({ id, label }) => this.conceptLink({ id, label: facts.code ? `${id} ${withoutCode(label, id)}` : label });
    const arrow = () => element("span", "to", { "aria-hidden": "true" }, "›");
    return element("ul", "paths", { "aria-label": paths.length > 1 ? "Places in the tree" : "Place in the tree" },
      paths.map((path) => element("li", "", {}, path.slice(0, -1).flatMap((step, at) => [at && arrow(), link(step)]))));
  }

  conceptLink({ id, label }) {
    if (!this.onConcept) return element("span", "step", { dir: "auto" }, label);
    return element("button", "step", { type: "button", dir: "auto", click: () => this.onConcept(id) }, label);
  }

  withdrawn(facts) {
    const instead = facts.replaced_by || [];
    return element("p", "rule", {}, "Withdrawn: this vocabulary does not offer it any more. ",
      instead.length && "Use instead: ", separated(instead.map((one) => this.conceptLink(one))));
  }

  alternatives(facts) {
    const labels = Object.entries(facts.alt || {})
      .filter(([language]) => cardSameLanguage(language, this.language)).flatMap(([, texts]) => texts);
    return labels.length ? cardSection("Also called", element("p", "", { dir: "auto" }, labels.join(" · "))) : null;
  }

  otherLanguages(facts) {
    const languages = Object.keys(facts.labels || {}).filter((one) => one && facts.labels[one] !== facts.label).sort();
    if (!languages.length) return null;
    const list = element("dl", "languages", {}, languages.flatMap((language) => {
      const also = cardSameLanguage(language, this.language) ? [] : (facts.alt || {})[language] || [];
      return [element("dt", "", { title: cardLanguageName(language) }, language),
        element("dd", "", { lang: language, dir: "auto" }, facts.labels[language],
          also.length && element("span", "also", {}, ` · ${also.join(" · ")}`))];
    }));
    const toggled = () => { this.unfolded = !place.open; };   // before it opens
    const summary = `In ${count(languages.length, "other language", "other languages")}`;
    const place = element("details", "", {}, element("summary", "", { click: toggled }, summary), list);
    place.open = this.unfolded || languages.length <= CARD_MOST_LANGUAGES;
    return place;
  }

  usage(usage) {
    if (!usage) return null;
    if (!usage.accepted && !usage.rejected) {
      const below = usage.branch ? `Not itself; what is below it on ${count(usage.branch, "document", "documents")}.` : "Not yet.";
      return cardSection("Used here", element("p", "quiet", {}, below));
    }
    const counted = [["yes", "accepted", usage.accepted], ["no", "rejected", usage.rejected]].filter(([, , number]) => number);
    const line = element("p", "", {}, separated(counted.map(([kind, words, number]) => element("b", kind, {}, `${words} ${number}×`))));
    const items = (usage.documents || []).map((one) => element("li", "", {}, this.documentLink(one), element("span", "quiet", {}, ` ${one.state}`)));
    return cardSection("Used here", line, element("ul", "card-documents", {}, items));
  }

  documentLink({ id, title }) {
    const click = (event) => {
      if (!this.onDocument || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      this.onDocument(id);
    };
    return element("a", "", { href: new URL(documentLink(id), document.baseURI).href, dir: "auto", click }, title || "Untitled document");
  }

  // What a concept says itself, and below each what is said above it and holds for it too.
  notes(facts) {
    const inherited = facts.instructions || [];
    const has = (kind) => (facts.notes || {})[kind] || inherited.some((one) => one.kind === kind);
    const told = (kind) => !(kind === "inclusionTerm" && facts.code && Object.keys(facts.alt || {}).length);
    return Object.keys(CARD_NOTES).filter((kind) => has(kind) && told(kind)).map((kind) => {
      const above = inherited.filter((one) => one.kind === kind).map((one) => this.inheritedNote(one));
      const section = cardSection(CARD_NOTES[kind], ...this.ownNotes((facts.notes || {})[kind]), ...above);
      section.dataset.kind = kind;
      return section;
    });
  }

  ownNotes(byLanguage) {
    if (!byLanguage) return [];
    const language = cardBestLanguage(Object.keys(byLanguage), this.language);
    return byLanguage[language].map((text) => element("p", "note", { dir: "auto", lang: language || "und" }, text));
  }

  inheritedNote({ text, id, label }) {
    const from = element("span", "quiet", { title: label }, " from ", this.conceptLink({ id, label: id }));
    return element("p", "note inherited", { dir: "auto" }, text, from);
  }

  related(facts) {
    const related = facts.related || [];
    if (!related.length) return null;
    return cardSection("Related", element("p", "related", {}, separated(related.map((one) => this.conceptLink(one)))));
  }

  identity(facts) {
    if (!facts.uri) return null;
    const done = element("span", "quiet", { role: "status" });
    const uri = element("code", "", {}, facts.uri);
    const click = async () => {
      if (await intoClipboard(facts.uri)) { done.textContent = "Copied"; return; }
      getSelection().selectAllChildren(uri);
      done.textContent = "Selected: press Ctrl+C";
    };
    const copy = element("button", "copy", { type: "button", "aria-label": "Copy the URI", title: "Copy the URI", click }, icon("copy"));
    return cardSection("URI", element("p", "identity", {}, uri, copy, done));
  }

  why({ sources = {}, passages = [], grounds = null, here = null }) {
    // Bars alone: the number of a concept is the row's, and no member of the ensemble has another.
    const inOrder = Object.entries(sources).sort(([, one], [, other]) => other - one);
    const bars = inOrder.map(([source, probability]) => element("li", "", {},
      element("span", "meter", { "aria-hidden": "true" }, bar(Math.round(100 * probability))),
      element("span", "", {}, sourceName(source) || source)));
    const lines = [...(grounds ? cardGrounds(grounds) : []), ...(here ? cardCorrection(here) : [])];
    const parts = [
      ...(bars.length ? [element("ul", "sources", {}, bars)] : []), ...lines.map((line) => element("p", "quiet grounds", {}, line)),
      ...(passages.length ? [element("p", "phrases", { dir: "auto" }, separated(passages.slice(0, 5).map(cardPhrase)))] : []),
    ];
    if (!parts.length) return [];
    const isExact = isByName(sources) || !passages.length;
    const about = element("p", "quiet", {}, "The passages that count most for it. An approximation: the model does not read by passages.");
    return [element("h3", "", {}, "Why it is suggested"), ...parts, ...(isExact ? [] : [about])];
  }
}

// What documents that people indexed say for a concept, and what counted for and against it.
function cardGrounds({ n_assigned, n_similar, n_compared, counted_for = [], counted_against = [], is_local = false }) {
  const lines = [];
  const named = (kinds) => kinds.map((kind) => CARD_GROUNDS[kind] || kind).join(", ");
  if (counted_for.length) lines.push(`For it, strongest first: ${named(counted_for)}.`);
  if (counted_against.length) lines.push(`Against it: ${named(counted_against)}.`);
  if (!n_assigned) return [...lines, is_local ? "No document that is finished here has it." : "None of the documents that the model has learned from has it."];
  const similar = n_similar ? `Assigned to ${n_similar} of the ${n_compared} most similar documents` : "Assigned to none of the most similar documents";
  const all = is_local ? "of all that are finished here" : "of all that the model has learned from";
  return [...lines, `${similar}, and to ${count(n_assigned, "document", "documents")} ${all}.`];
}

// How finished documents of the project have changed what the model gives a concept.
function cardCorrection({ counted_for = [], counted_against = [], ...documents }) {
  const named = (kinds) => kinds.map((kind) => CARD_GROUNDS[kind] || kind).join(", ");
  const parts = ["Decisions here changed its probability."];
  if (counted_for.length) parts.push(`For it: ${named(counted_for)}.`);
  if (counted_against.length) parts.push(`Against it: ${named(counted_against)}.`);
  return [parts.join(" "), ...cardGrounds(documents)];
}

// A phrase of the text, with what the note says of it: "negated: ‘no evidence of’".
function cardPhrase({ text, assertions = [] }) {
  const said = assertions.find(Boolean);
  const some = assertions.includes(null) ? " in places" : "";
  return element("span", "", {}, element("q", "", {}, shortened(text)),
    said && element("b", "asserted", {}, ` ${said.status}${some}: ‘${shortened(said.cue, 40)}’`));
}

function cardSection(title, ...content) {
  return element("section", "", {}, element("h3", "", {}, title), ...content);
}

function cardSameLanguage(one, other) {
  return !one || one.split("-")[0].toLowerCase() === other.split("-")[0].toLowerCase();
}

function cardBestLanguage(languages, wanted) {
  return languages.find((one) => one === wanted) ?? languages.find((one) => cardSameLanguage(one, wanted))
    ?? languages.find((one) => cardSameLanguage(one, "en")) ?? languages[0];
}

function cardLanguageName(code) {
  try { return new Intl.DisplayNames(["en"], { type: "language" }).of(code) || code; } catch (error) { return code; }
}
