// The concept card: everything about one concept, told by the server when the concept is chosen.

import { intoClipboard } from "./clipboard.js";
import { element, icon, separated } from "./dom.js";
import { onKeydown } from "./keys.js";
import { askPatiently, documentLink, PAGE } from "./server.js";
import { count, shortened } from "./words.js";

const CARD_WAIT_MS = 80;            // moving through the tree by key asks once, where it stops
const CARD_FRESH_MS = 10_000;       // how often a concept was used here changes while one works
const CARD_NOTES = {
  includes: "Includes", excludes1: "Excludes 1: not coded here", excludes2: "Excludes 2: not included here",
  codeFirst: "Code first", useAdditionalCode: "Use additional code", codeAlso: "Code also",
  inclusionTerm: "Inclusion terms", sevenChrDef: "Seventh character",
  definition: "Definition", scopeNote: "Scope note", note: "Note", example: "Example",
  historyNote: "History", changeNote: "Change", editorialNote: "Editorial note",
};
const ELSEWHERE = "elsewhere: ";
const CARD_SOURCES = { guided: "by the text’s meaning", linear: "by its words", lexical: "by its name, which is in the text", names: "by its label, which is in the text", neighbours: "by similar documents that are finished", corrected: "after correction by decisions here" };
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
    const body = element("div", "facts");
    const rest = element("div", "rest");
    rest.append(...[
      this.alternatives(facts), this.usage(facts.usage), ...this.notes(facts), this.related(facts),
      this.otherLanguages(facts), this.identity(facts),
    ].filter(Boolean));
    body.append(element("section", "why"), rest);
    this.root.replaceChildren(...parts.filter(Boolean), body);
    this.root.scrollTop = scrolled;
  }

  head(facts) {
    const head = element("header", "head");
    const title = element("h2", "", { dir: "auto" }, facts.code ? cardPlain(facts) : facts.label);
    if (facts.code) title.prepend(element("b", "code", {}, facts.code), " ");
    head.append(title);
    if (!facts.code && facts.notation && !facts.label.startsWith(facts.notation)) head.append(element("span", "notation", {}, facts.notation));
    const kind = facts.code ? "category: one of its codes is assigned" : "division, not assigned itself";
    if (facts.assignable === false) head.append(element("span", "kind", {}, kind));
    return head;
  }

  pathList(facts) {
    const paths = (facts.paths || []).filter((path) => path.length > 1);
    if (!paths.length) return null;
    const list = element("ul", "paths", { "aria-label": paths.length > 1 ? "Places in the tree" : "Place in the tree" });
    for (const path of paths) {
      const item = element("li");
      path.slice(0, -1).forEach((step, at) => {
        if (at) item.append(element("span", "to", { "aria-hidden": "true" }, "›"));
        item.append(this.conceptLink(facts.code ? { id: step.id, label: `${step.id} ${cardPlain({ code: step.id, label: step.label })}` } : step));
      });
      list.append(item);
    }
    return list;
  }

  conceptLink({ id, label }) {
    if (!this.onConcept) return element("span", "step", { dir: "auto" }, label);
    const button = element("button", "step", { type: "button", dir: "auto" }, label);
    button.addEventListener("click", () => this.onConcept(id));
    return button;
  }

  withdrawn(facts) {
    const sentence = element("p", "rule", {}, "Withdrawn: this vocabulary does not offer it any more. ");
    const instead = facts.replaced_by || [];
    if (instead.length) sentence.append("Use instead: ");
    sentence.append(...separated(instead.map((one) => this.conceptLink(one))));
    return sentence;
  }

  alternatives(facts) {
    const labels = Object.entries(facts.alt || {})
      .filter(([language]) => cardSameLanguage(language, this.language)).flatMap(([, texts]) => texts);
    return labels.length ? cardSection("Also called", element("p", "", { dir: "auto" }, labels.join(" · "))) : null;
  }

  otherLanguages(facts) {
    const languages = Object.keys(facts.labels || {}).filter((one) => one && facts.labels[one] !== facts.label).sort();
    if (!languages.length) return null;
    const list = element("dl", "languages");
    for (const language of languages) {
      const also = (facts.alt || {})[language] || [];
      const own = cardSameLanguage(language, this.language) ? [] : also;
      const texts = element("dd", "", { lang: language, dir: "auto" }, facts.labels[language]);
      if (own.length) texts.append(element("span", "also", {}, ` · ${own.join(" · ")}`));
      list.append(element("dt", "", { title: cardLanguageName(language) }, language), texts);
    }
    const place = element("details");
    place.open = this.unfolded || languages.length <= CARD_MOST_LANGUAGES;
    place.append(element("summary", "", {}, `In ${count(languages.length, "other language", "other languages")}`), list);
    place.firstChild.addEventListener("click", () => { this.unfolded = !place.open; });   // before it opens
    return place;
  }

  usage(usage) {
    if (!usage) return null;
    if (!usage.accepted && !usage.rejected) {
      const below = usage.branch ? `Not itself; what is below it on ${count(usage.branch, "document", "documents")}.` : "Not yet.";
      return cardSection("Used here", element("p", "quiet", {}, below));
    }
    const line = element("p");
    const counted = [["yes", "accepted", usage.accepted], ["no", "rejected", usage.rejected]].filter(([, , number]) => number);
    line.append(...separated(counted.map(([kind, words, number]) => element("b", kind, {}, `${words} ${number}×`))));
    const list = element("ul", "card-documents");
    for (const one of usage.documents || []) {
      const item = element("li");
      item.append(this.documentLink(one), element("span", "quiet", {}, ` ${one.state}`));
      list.append(item);
    }
    return cardSection("Used here", line, list);
  }

  documentLink({ id, title }) {
    const link = element("a", "", { href: new URL(documentLink(id), document.baseURI).href, dir: "auto" }, title || "Untitled document");
    link.addEventListener("click", (event) => {
      if (!this.onDocument || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      this.onDocument(id);
    });
    return link;
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
    const note = element("p", "note inherited", { dir: "auto" }, text);
    const from = element("span", "quiet");
    from.append(" from ", this.conceptLink({ id, label: id }));
    from.title = label;
    note.append(from);
    return note;
  }

  related(facts) {
    const related = facts.related || [];
    if (!related.length) return null;
    const line = element("p", "related");
    line.append(...separated(related.map((one) => this.conceptLink(one))));
    return cardSection("Related", line);
  }

  identity(facts) {
    if (!facts.uri) return null;
    const line = element("p", "identity");
    const done = element("span", "quiet", { role: "status" });
    const copy = element("button", "copy", { type: "button", "aria-label": "Copy the URI", title: "Copy the URI" });
    copy.append(icon("copy"));
    const uri = element("code", "", {}, facts.uri);
    copy.addEventListener("click", async () => {
      if (await intoClipboard(facts.uri)) { done.textContent = "Copied"; return; }
      getSelection().selectAllChildren(uri);
      done.textContent = "Selected: press Ctrl+C";
    });
    line.append(uri, copy, done);
    return cardSection("URI", line);
  }

  why({ sources = {}, passages = [], grounds = null, here = null }) {
    const list = element("ul", "sources");
    // Bars alone: the number of a concept is the row's, and no member of the ensemble has another.
    for (const [source, probability] of Object.entries(sources).sort(([, one], [, other]) => other - one)) {
      const item = element("li");
      const bar = element("span", "meter", { "aria-hidden": "true" });
      const fill = element("i");
      fill.style.width = `${Math.round(100 * probability)}%`;
      bar.append(fill);
      item.append(bar, element("span", "", {}, CARD_SOURCES[source] || elsewhereWords(source) || source));
      list.append(item);
    }
    const parts = list.children.length ? [list] : [];
    const lines = [...(grounds ? cardGrounds(grounds) : []), ...(here ? cardCorrection(here) : [])];
    parts.push(...lines.map((line) => element("p", "quiet grounds", {}, line)));
    if (passages.length) {
      const phrases = element("p", "phrases", { dir: "auto" });
      phrases.append(...separated(passages.slice(0, 5).map(cardPhrase)));
      parts.push(phrases);
    }
    if (!parts.length) return [];
    if (isByName(sources) || !passages.length) return [element("h3", "", {}, "Why it is suggested"), ...parts];
    const about = element("p", "quiet", {}, "The passages that count most for it. An approximation: the model does not read by passages.");
    return [element("h3", "", {}, "Why it is suggested"), ...parts, about];
  }
}

// Whether its name speaks for a concept at least as much as the model does: that is no approximation.
function isByName(sources) {
  return sources.lexical !== undefined && Object.values(sources).every((probability) => probability <= sources.lexical);
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

// A name without the code that some vocabularies write behind it.
function cardPlain({ code, label }) {
  return label.replace(` (${code})`, "");
}

// A phrase of the text, with what the note says of it: "negated: ‘no evidence of’".
function cardPhrase({ text, assertions = [] }) {
  const phrase = element("span");
  phrase.append(element("q", "", {}, shortened(text)));
  const said = assertions.find(Boolean);
  const some = assertions.includes(null) ? " in places" : "";
  if (said) phrase.append(element("b", "asserted", {}, ` ${said.status}${some}: ‘${shortened(said.cue, 40)}’`));
  return phrase;
}

function cardSection(title, ...content) {
  const place = element("section");
  place.append(element("h3", "", {}, title), ...content);
  return place;
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

// Which suggester it was.
export function sourceWords(source) {
  return CARD_SOURCES[source] || elsewhereWords(source) || `by ${source}`;
}

// What only a suggester on another machine has made; "" of other sources.
export function elsewhereWords(source) {
  return source.startsWith(ELSEWHERE) ? `by ${source.slice(ELSEWHERE.length)}, elsewhere` : "";
}
