// What was probably missed and what is doubtful, in a line under the tree: it moves no row,
// asks for nothing and holds up no finish. A click goes to the concept, where the usual keys decide.

import { element, focusedElement, setChildren } from "../shared/dom.js";
import { onClick } from "../shared/events.js";
import { askPatiently } from "../shared/server.js";
import { percent } from "../shared/words.js";
import { decisionIs } from "./state.js";
import { own } from "./weights.js";

// Whoever decides one thing after the other is not told meanwhile what is still to come.
const HINT_DELAY_MS = 1000;
// otherwise: the words where percentages are withheld.
const probable = (node, otherwise) => (percent(own(node)) ? `${percent(own(node))} probable` : otherwise);
export const HINT_KINDS = [
  ["missed", "Probably missed", (node) => `${node.label}, ${probable(node, "probable")} and not decided: go to it`],
  ["odd", "Doubtful", (node) => `${node.label}, accepted, ${own(node) ? `though ${probable(node, "improbable")}` : "though not suggested"}: go to it`],
];

export class HintStrip {
  constructor(root, { state, tell, visit, viewChanged, focusTree }) {
    Object.assign(this, { root, state, tell, visit, viewChanged, focusTree });
    this.opened = new Map();         // concept -> kind, of what was gone to; told with the finish
    this.clear();
    onClick(root, "[data-hint]", (button) => this.open(button.closest("[data-kind]").dataset.kind, button.dataset.hint));
  }

  clear() {
    clearTimeout(this.timer);
    this.number = (this.number || 0) + 1;
    this.found = { missed: [], odd: [] };
    this.version = -1;
    this.last = null;                // the concept that the key went to
  }

  // Asks once something is accepted and the decisions are stored, never while a key is answered.
  decided() {
    const { state } = this;
    if (!state.data.hints_url || state.readOnly || state.version === this.version) return;
    clearTimeout(this.timer);
    if (state.counts.accepted) this.timer = setTimeout(() => this.ask(), HINT_DELAY_MS);
  }

  async ask() {
    const { state } = this;
    const number = ++this.number;
    const { documentId, version } = state;
    const { facts } = await askPatiently(state.data.hints_url, { document: documentId });
    if (!facts || number !== this.number || documentId !== state.documentId) return;
    this.version = version;
    this.found = { missed: facts.missed || [], odd: facts.odd || [] };
    this.paint();
  }

  // What still holds by what was decided since, and is on the page.
  shown(kind) {
    const { state } = this;
    if (!state.data.hints_url || state.readOnly || !state.counts.accepted) return [];
    const holds = kind === "odd"
      ? (id) => decisionIs(state, id, "accepted")
      : (id) => !state.decisions.has(id);
    return this.found[kind].filter((id) => state.outline.nodes.has(id) && holds(id));
  }

  paint() {
    const shown = HINT_KINDS.map(([kind, words, sentence]) => [kind, words, sentence, this.shown(kind)]).filter(([, , , ids]) => ids.length);
    const text = JSON.stringify([shown.map(([kind, , , ids]) => [kind, ids]), this.state.outlineNumber]);
    if (text === this.text) return;
    this.text = text;
    const focused = this.root.contains(focusedElement()) && focusedElement().dataset.hint;
    setChildren(this.root, shown.map(([kind, words, sentence, ids]) => this.group(kind, words, sentence, ids)));
    this.root.hidden = !shown.length;
    if (focused) this.keepFocus(focused);
  }

  // Another hint may have taken the place of the one with the focus.
  keepFocus(conceptId) {
    const button = this.root.querySelector(`[data-hint="${CSS.escape(conceptId)}"]`);
    if (button) button.focus();
    else this.focusTree();
  }

  group(kind, words, sentence, ids) {
    const items = ids.map((id) => {
      const node = this.state.outline.nodes.get(id);
      return element("li", "", {}, element("button", "", { type: "button", "data-hint": id, "aria-label": sentence(node), title: sentence(node) },
        element("span", "hint-name", {}, node.label), element("span", "hint-number", {}, own(node) ? percent(own(node)) : "not suggested")));
    });
    return element("div", "hint-group", { "data-kind": kind }, element("span", "hint-words", { "aria-hidden": "true" }, words),
      element("ul", "", { role: "list", "aria-label": words }, items));
  }

  open(kind, conceptId) {
    this.opened.set(conceptId, kind);
    this.last = conceptId;
    this.visit(conceptId, true);
    this.viewChanged();
  }

  // By key: the next of them, and round again.
  goToNext() {
    const all = HINT_KINDS.flatMap(([kind]) => this.shown(kind).map((id) => [kind, id]));
    if (!all.length) { this.tell("Nothing is probably missed or doubtful here."); return; }
    const at = all.findIndex(([, id]) => id === this.last);
    this.open(...all[(at + 1) % all.length]);
  }

  // What a finish keeps: what stood here until then or was gone to, and which of it was gone to.
  told() {
    const opened = (wanted) => [...this.opened].filter(([, kind]) => kind === wanted).map(([id]) => id);
    const lists = HINT_KINDS.map(([kind]) => [kind, [...new Set([...this.shown(kind), ...opened(kind)])]]);
    const value = Object.fromEntries([...lists, ["opened", [...this.opened.keys()]]].filter(([, ids]) => ids.length));
    return Object.keys(value).length ? { value } : {};
  }
}
