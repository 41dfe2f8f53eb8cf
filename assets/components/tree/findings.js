// What the server finds unusual about the codes: shown beside them as soon as something was
// decided, and before a document is finished. An error stops that, a warning can be passed.

import { focusedElement } from "../shared/dom.js";
import { keyName, onKeydown } from "../shared/keys.js";
import { askPatiently } from "../shared/server.js";
import { count, shortened, shownKey } from "../shared/words.js";
import { isCategory } from "./coding.js";
import { canMend } from "./remedies.js";

const CHECK_DELAY_MS = 350;
export const SEVERITIES = ["error", "warning", "note"];
export const SEVERITY_ICONS = { error: "reject", warning: "warning", note: "note" };
const SEVERITY_NAMES = { error: ["error", "errors"], warning: ["warning", "warnings"], note: ["note", "notes"] };
const SAVING_TOLD_MS = 500;
const SAVING_TOLD_AGAIN_MS = 8000;
const STORING = "Waiting for the server to store the last decisions …";
const SAVING = `${STORING} Any other key or a click gives up finishing.`;
const CLEAR = "Nothing stands in the way of finishing any more.";
const NO_CHECK = "The codes could not be checked: no answer from the server. Try again in a moment.";

export class CodeCheck {
  // onFindings(): others were found than before; hideTold(): what was told is over.
  constructor({ state, tell, undoLink, addNodes, visit, focusTree, openBelow, mendFinding, prompt }, { onFindings, hideTold }) {
    Object.assign(this, { state, tell, undoLink, addNodes, visit, focusTree, openBelow, mendFinding, prompt, onFindings, hideTold });
    this.clear();
  }

  get isWanted() { return Boolean(this.state.conventions.checked); }

  clear() {
    clearTimeout(this.timer);
    this.number = (this.number || 0) + 1;
    this.state.findings = [];
    this.known = null;               // signatures of what was found before; null before the first
    this.version = -1;
    this.stay = null;
  }

  // Asks once the decisions are stored, and never while a key is answered.
  decided() {
    const { state } = this;
    // What finishes a document asks by itself, and must not be overtaken.
    if (!this.isWanted || this.asking) return;
    if (state.version === this.version && state.data.stay === this.stay) return;
    if (!state.decisions.size && this.known === null) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.ask(), CHECK_DELAY_MS);
  }

  // The findings of what is stored, or null where there is no answer.
  async ask() {
    const { state } = this;
    clearTimeout(this.timer);
    const number = ++this.number;
    const { documentId, version } = state;
    const { check_url: url, language, stay } = state.data;   // by the stay, age and sex are looked at
    const { facts } = await askPatiently(url, { document: documentId, lang: language });
    if (!facts || number !== this.number || documentId !== state.documentId) return null;
    this.version = version;
    this.stay = stay;
    this.addNodes(facts.nodes || []);
    this.take((facts.findings || []).sort((one, other) => SEVERITIES.indexOf(one.severity) - SEVERITIES.indexOf(other.severity)));
    return state.findings;
  }

  take(findings) {
    const known = this.known;
    this.state.findings = findings;
    this.known = new Set(findings.map(findingKey));
    this.onFindings();
    if (known === null) return;
    const fresh = findings.find((one) => one.kind.startsWith("exclude") && !known.has(findingKey(one)));
    if (fresh) this.tell(fresh.note ? `${fresh.sentence} “${shortened(fresh.note, 200)}”` : fresh.sentence, this.undoLink());
  }

  // Calls `go` when nothing stands in the way, or when a person passes the warnings.
  async beforeFinish(go) {
    const { state } = this;
    if (this.asking) return;
    this.asking = true;
    const { documentId } = state;
    const stay = new AbortController();
    const finishes = (event) => (event.type !== "pointerdown"
      ? keyName(event) === state.keys.finish || event.key === "Shift"
      : event.composedPath().some((node) => node.dataset && node.dataset.command === "finish"));
    const giveUp = (event) => { if (!finishes(event)) stay.abort(); };
    const listening = { capture: true, signal: stay.signal };
    onKeydown(window, giveUp, listening);
    window.addEventListener("pointerdown", giveUp, listening);
    try {
      const known = (await this.saved(stay.signal)) && (await this.ask());
      if (stay.signal.aborted || documentId !== state.documentId) return;
      if (!known) { this.tell(NO_CHECK); return; }
    } finally {
      this.asking = false;
      stay.abort();
      if (focusedElement() === document.body) this.focusTree();
    }
    if (this.isSerious) this.put(go);
    else go();
  }

  // Waits until all that was decided is stored, however slow the server is: a person is told, and
  // may go on. Says whether it is.
  async saved(signal, words = SAVING) {
    const since = performance.now();
    let tellAt = SAVING_TOLD_MS;
    while (this.state.pendingIds.size && !signal.aborted) {
      await new Promise((done) => { setTimeout(done, 40); });
      if (performance.now() - since < tellAt) continue;
      tellAt = performance.now() - since + SAVING_TOLD_AGAIN_MS;
      this.tell(words);
    }
    if (tellAt !== SAVING_TOLD_MS && !this.state.pendingIds.size) this.hideTold();
    return !this.state.pendingIds.size;
  }

  // What is more than a note.
  get isSerious() { return this.state.findings.some(({ severity }) => severity !== "note"); }

  // mends: whoever has mended one goes on with the next, by the same key.
  put(go, { mends = false } = {}) {
    const { state } = this;
    const { finish, remedy } = state.keys;
    const details = state.findings.map((one) => ({
      icon: SEVERITY_ICONS[one.severity], kind: one.severity, words: one.sentence, more: one.note || "",
      source: one.source || "",
      run: one.concept_ids.length ? () => this.goTo(one) : null,
      mend: canMend(state, one) ? { words: one.remedy.words, key: remedy, run: () => this.mendAndAsk(one, go) } : null,
    }));
    const counts = findingCounts(state.findings);
    const stopped = state.findings.some(({ severity }) => severity === "error");
    const sentence = stopped ? `Not finished yet: ${counts}.` : `Before it is finished: ${counts}.`;
    const choices = stopped ? [] : [{ words: "Finish all the same", detail: shownKey(finish), icon: "finish", run: go }];
    this.prompt.ask(sentence, choices, finish, details, { mends });
  }

  // Of a finding that stopped a finish: what is left is listed again, but nothing finishes by itself.
  async mendAndAsk(finding, go) {
    const { state } = this;
    const { documentId } = state;
    if (!this.mendFinding(finding) || state.lowered.category !== null) return;
    const stay = new AbortController();
    const known = (await this.saved(stay.signal)) && (await this.ask());
    if (!known || documentId !== state.documentId) return;
    if (this.isSerious) this.put(go, { mends: true });
    else this.tell(`${CLEAR} ${shownKey(state.keys.finish)} finishes.`, this.undoLink());
  }

  // Checks again what was decided since: a remedy of before knows nothing of it, such as a mark. Says
  // whether there is an answer.
  async isCurrent() {
    const { state } = this;
    if (state.version === this.version && !state.pendingIds.size) return true;
    if (this.asking) return false;
    this.asking = true;
    const { documentId } = state;
    try {
      const known = (await this.saved(new AbortController().signal, STORING)) && (await this.ask());
      if (!known && documentId === state.documentId) this.tell(NO_CHECK);
      return Boolean(known) && documentId === state.documentId;
    } finally {
      this.asking = false;
    }
  }

  // What was found about a concept, the first that can be mended.
  async mendOf(node) {
    if (!(await this.isCurrent())) return;
    const finding = this.state.findings.find((one) => one.concept_ids.includes(node.id) && canMend(this.state, one));
    if (finding) this.mendFinding(finding);
    else this.tell(`Nothing was found about ${node.label} that one step would mend.`);
  }

  // To the concept that something was found about, on the tree; a category shows its codes.
  goTo({ concept_ids: ids, kind }) {
    const { outline, conventions } = this.state;
    const id = ids.find((one) => outline.nodes.has(one));
    if (!id) return;
    this.visit(id, true);
    const node = outline.nodes.get(id);
    if (isCategory(node, conventions)) this.openBelow(node);
  }
}

function findingKey({ kind, concept_ids: ids, sentence }) {
  return JSON.stringify([kind, ids, sentence]);
}

export function findingCounts(findings) {
  const parts = SEVERITIES.map((severity) => [findings.filter((one) => one.severity === severity).length, SEVERITY_NAMES[severity]])
    .filter(([n]) => n).map(([n, names]) => count(n, ...names));
  return parts.join(", ");
}
