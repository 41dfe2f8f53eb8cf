// The Vocabulary page: search and tree on the left, the concept and its rules on the right.

import { ConceptCard } from "../shared/card.js";
import { element, mountOnce, setChildren } from "../shared/dom.js";
import { onClick } from "../shared/events.js";
import { SearchBox } from "../shared/search.js";
import { askPatiently } from "../shared/server.js";
import { readStored, writeStored } from "../shared/storage.js";
import { count } from "../shared/words.js";
import { ConceptNote } from "./note.js";
import { VocabularyOverview } from "./overview.js";
import { vocabularyRuleWord, VocabularyTree } from "./vocabularytree.js";

const INSTANCES = new WeakMap();
const PLACE_KEY = "strata.vocabulary.place";

class VocabularyBrowser {
  constructor(component) {
    this.root = component.parentElement.querySelector(".vocabulary");
    const part = (selector) => this.root.querySelector(selector);
    Object.assign(this, {
      live: part(".live"), facts: part(".facts"), trouble: part(".trouble"), rules: part(".rules"),
      force: part(".in-force"), waiting: 0, fetched: new Map(),
    });
    this.tree = new VocabularyTree(part("[role=tree]"), {
      children: (id, anew) => this.children(id, anew), chosen: (row) => this.chosen(row),
      focusSearch: () => this.search.focus(), say: (sentence) => this.say(sentence),
    });
    this.search = new SearchBox(part(".search"), {
      add: (hit) => this.visit(hit.concept_id), stateWord: () => "",
      say: (sentence) => this.say(sentence), focusTree: () => this.tree.focus(this.tree.current),
    });
    this.card = new ConceptCard(part(".card-place"), {
      onConcept: (id) => this.visit(id), onDocument: (id) => this.send("document", { id }),
    });
    this.overview = new VocabularyOverview(part(".overview"), (id) => this.visit(id));
    part(".to-overview").addEventListener("click", () => this.showOverview());
    onClick(this.rules, "button", (button) => this.setRule(button));
    this.note = new ConceptNote(part(".advise"), (id, text) => this.saveAdvice(id, text));
    onClick(this.force, "button", ({ dataset }) => this.visit(dataset.concept));
  }

  destroy() {}

  update(component) {
    const { data } = component;
    this.data = data;
    this.search.configure({
      url: data.search_url, language: data.language, divisions: true, placeholder: "Find a concept: type a few letters of it, or its notation",
    });
    this.facts.textContent = data.facts;
    this.drawForce(data.rules);
    this.overview.draw(data.overview);
    if (this.waiting && data.answered >= this.waiting) this.settle(data.problem);
    if (this.version === data.version) return;
    this.version = data.version;
    this.fetched.clear();
    this.card.clear();
    this.start(data.concept);
  }

  async start(conceptId) {
    const wanted = conceptId || this.remembered();
    if (!wanted) this.showOverview();
    await this.tree.load();
    if (wanted) await this.visit(wanted, false);
    this.root.dataset.ready = "true";
  }

  remembered() {
    return readStored("sessionStorage", `${PLACE_KEY}.${this.data.version}`);
  }

  remember(conceptId) {
    writeStored("sessionStorage", `${PLACE_KEY}.${this.data.version}`, conceptId);
  }

  showOverview() {
    this.remember("");
    this.showCard(false);
    this.rules.hidden = true;
    this.note.hide();
  }

  showCard(visible) {
    this.overview.show(!visible);
    this.root.querySelector(".card-place").hidden = !visible;
    this.root.querySelector(".to-overview").hidden = !visible;
  }

  send(name, value) { this.outbox.send(name, value); }

  // What the tree asks.

  // Null where there is no answer, so that it is asked for again.
  async children(conceptId, anew = false) {
    if (!anew && this.fetched.has(conceptId)) return this.fetched.get(conceptId);
    const asked = { lang: this.data.language, ...(conceptId ? { id: conceptId } : {}) };
    const { facts, problem } = await askPatiently("api/narrower", asked);
    this.trouble.hidden = !problem;
    this.trouble.textContent = problem || "";
    if (problem) return null;
    this.fetched.set(conceptId, facts.concepts);
    return facts.concepts;
  }

  chosen(row) {
    this.showCard(true);
    this.remember(row.concept.id);
    this.card.show({ conceptId: row.concept.id, language: this.data.language, node: row.concept });
    this.paintRules(row.concept);
    this.paintAdvice(row.concept);
  }

  say(sentence) { this.live.textContent = sentence; }

  async visit(conceptId, focus = true) {
    const { facts } = await askPatiently("api/concept", { id: conceptId, lang: this.data.language });
    const path = facts && facts.paths[0];
    if (path) await this.tree.reveal(path.map((step) => step.id), focus);
  }

  // Rules.

  paintRules(concept) {
    this.rules.hidden = false;
    for (const button of this.rules.querySelectorAll("button")) {
      const on = (concept.rules || []).includes(button.dataset.kind);
      button.setAttribute("aria-pressed", String(on));
      button.hidden = button.dataset.kind === "never_suggested" && concept.assignable === false && !on;   // nor is it suggested
      button.disabled = this.waiting > 0;
    }
  }

  setRule(button) {
    if (button.disabled || !this.tree.current) return;
    this.waiting = Date.now();
    this.send("rule", {
      concept_id: this.tree.current.concept.id, kind: button.dataset.kind,
      on: button.getAttribute("aria-pressed") !== "true", number: this.waiting,
    });
    this.paintRules(this.tree.current.concept);
  }

  // Notes on concepts.

  paintAdvice({ id }) {
    if (this.data.may_advise) this.note.show(this.version, id, this.data.advice[id] || "");
    else this.note.hide();
  }

  saveAdvice(id, text) {
    if (this.waiting > 0) return false;
    this.waiting = Date.now();
    this.send("advice", { concept_id: id, text, number: this.waiting });
    return true;
  }

  async settle(problem) {
    this.waiting = 0;
    this.note.settle(!problem);
    this.say(problem || "Saved.");
    this.trouble.hidden = !problem;
    this.trouble.textContent = problem || "";
    await this.tree.refresh();
    this.card.refresh();
    if (this.tree.current) this.chosen(this.tree.current);
  }

  drawForce(rules) {
    this.force.hidden = rules.length === 0;
    this.force.firstElementChild.textContent = count(rules.length, "rule in force", "rules in force");
    setChildren(this.force.lastElementChild, rules.map(({ kind, id, label }) => element("li", "", { "data-key": `${kind} ${id}` },
      element("button", "step", { type: "button", dir: "auto", "data-concept": id }, label), ` ${vocabularyRuleWord([kind])}`)));
  }
}

export default function mount(component) {
  return mountOnce(INSTANCES, component, (mounted) => new VocabularyBrowser(mounted));
}
