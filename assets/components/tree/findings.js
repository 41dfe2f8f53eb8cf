// What the server finds unusual about the codes: shown beside them as soon as something was
// decided, and before a document is finished. An error stops that, a warning can be passed.

import { focusedElement } from "../shared/dom.js";
import { keyName, onKeydown } from "../shared/keys.js";
import { askPatiently } from "../shared/server.js";
import { count, shortened, shownKey } from "../shared/words.js";
import { isCategory } from "./coding.js";
import { canMend, mendFinding } from "./remedies.js";

const CHECK_DELAY_MS = 350;
export const SEVERITIES = ["error", "warning", "note"];
export const SEVERITY_ICONS = { error: "reject", warning: "warning", note: "note" };
const SEVERITY_NAMES = { error: ["error", "errors"], warning: ["warning", "warnings"], note: ["note", "notes"] };
const SAVING_TOLD_MS = 500;
const SAVING_TOLD_AGAIN_MS = 8000;
const SAVING = "Waiting for the server to store the last decisions … Any other key or a click gives up finishing.";
const CLEAR = "Nothing stands in the way of finishing any more.";
const NO_CHECK = "The codes could not be checked: no answer from the server. Try again in a moment.";

export class CodeCheck {
  constructor(desk) {
    this.desk = desk;
    this.clear();
  }

  get isWanted() { return Boolean(this.desk.conventions && this.desk.conventions.checked); }

  clear() {
    clearTimeout(this.timer);
    this.number = (this.number || 0) + 1;
    this.findings = [];
    this.known = null;               // signatures of what was found before; null before the first
    this.version = -1;
    this.stay = null;
  }

  // Asks once the decisions are stored, and never while a key is answered.
  decided() {
    const { desk } = this;
    // What finishes a document asks by itself, and must not be overtaken.
    if (!this.isWanted || this.asking) return;
    if (desk.version === this.version && desk.data.stay === this.stay) return;
    if (!desk.decisions.size && this.known === null) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.ask(), CHECK_DELAY_MS);
  }

  // The findings of what is stored, or null where there is no answer.
  async ask() {
    const { desk } = this;
    clearTimeout(this.timer);
    const number = ++this.number;
    const { documentId, version } = desk;
    const { stay } = desk.data;      // by which age and sex are looked at
    const { facts } = await askPatiently(desk.data.check_url, { document: documentId, lang: desk.language });
    if (!facts || number !== this.number || documentId !== desk.documentId) return null;
    this.version = version;
    this.stay = stay;
    desk.addNodes(facts.nodes || []);
    this.take(bySeverity(facts.findings || []));
    return this.findings;
  }

  take(findings) {
    const known = this.known;
    this.findings = findings;
    this.known = new Set(findings.map(findingKey));
    this.desk.codes.paint();
    if (known === null) return;
    const fresh = findings.find((one) => one.kind.startsWith("exclude") && !known.has(findingKey(one)));
    if (fresh) this.desk.tell(spokenFinding(fresh), this.desk.undoLink());
  }

  // Calls `go` when nothing stands in the way, or when a person passes the warnings.
  async beforeFinish(go) {
    const { desk } = this;
    if (this.asking) return;
    this.asking = true;
    const { documentId } = desk;
    const stay = new AbortController();
    const finishes = (event) => (event.type !== "pointerdown"
      ? keyName(event) === desk.keyOf("finish") || event.key === "Shift"
      : event.composedPath().some((node) => node.dataset && node.dataset.command === "finish"));
    const giveUp = (event) => { if (!finishes(event)) stay.abort(); };
    const listening = { capture: true, signal: stay.signal };
    onKeydown(window, giveUp, listening);
    window.addEventListener("pointerdown", giveUp, listening);
    try {
      const known = (await this.saved(stay.signal)) && (await this.ask());
      if (stay.signal.aborted || documentId !== desk.documentId) return;
      if (!known) { desk.tell(NO_CHECK); return; }
    } finally {
      this.asking = false;
      stay.abort();
      if (focusedElement() === document.body) desk.focusTree();
    }
    const serious = this.findings.filter(({ severity }) => severity !== "note");
    if (!serious.length) { go(); return; }
    this.put(go, serious.some(({ severity }) => severity === "error"));
  }

  // Waits until all that was decided is stored, however slow the server is: a person is told, and
  // may go on. Says whether it is.
  async saved(signal) {
    const since = performance.now();
    let tellAt = SAVING_TOLD_MS;
    while (this.desk.pendingIds.size && !signal.aborted) {
      await new Promise((done) => { setTimeout(done, 40); });
      if (performance.now() - since < tellAt) continue;
      tellAt = performance.now() - since + SAVING_TOLD_AGAIN_MS;
      this.desk.tell(SAVING);
    }
    if (tellAt !== SAVING_TOLD_MS && !this.desk.pendingIds.size) this.desk.toast.hide();
    return !this.desk.pendingIds.size;
  }

  put(go, stopped) {
    const { desk } = this;
    const details = this.findings.map((one) => ({
      icon: SEVERITY_ICONS[one.severity], kind: one.severity, words: one.sentence, more: one.note || "",
      source: one.source || "",
      run: one.concept_ids.length ? () => this.goTo(one) : null,
      mend: canMend(desk, one) ? { words: one.remedy.words, key: desk.keyOf("remedy"), run: () => this.mendAndAsk(one, go) } : null,
    }));
    const counts = findingCounts(this.findings);
    const sentence = stopped ? `Not finished yet: ${counts}.` : `Before it is finished: ${counts}.`;
    const choices = stopped ? [] : [{ words: "Finish all the same", detail: shownKey(desk.keyOf("finish")), icon: "finish", run: go }];
    desk.prompt.ask(sentence, choices, desk.keyOf("finish"), details);
  }

  // Of a finding that stopped a finish: what is left is listed again, but nothing finishes by itself.
  async mendAndAsk(finding, go) {
    const { desk } = this;
    const { documentId } = desk;
    if (!mendFinding(desk, finding) || desk.lowered.isOpen) return;
    const stay = new AbortController();
    const known = (await this.saved(stay.signal)) && (await this.ask());
    if (!known || documentId !== desk.documentId) return;
    const serious = this.findings.filter(({ severity }) => severity !== "note");
    if (serious.length) this.put(go, serious.some(({ severity }) => severity === "error"));
    else desk.tell(`${CLEAR} ${shownKey(desk.keyOf("finish"))} finishes.`, desk.undoLink());
  }

  // What was found about a concept, the first that can be mended.
  mendOf(node) {
    const finding = this.findings.find((one) => one.concept_ids.includes(node.id) && canMend(this.desk, one));
    if (finding) mendFinding(this.desk, finding);
    else this.desk.tell(`Nothing was found about ${node.label} that one step would mend.`);
  }

  // The mark of presence on admission that is proposed for a code, with its reason; null without one.
  proposalOf(id) {
    const finding = this.findings.find((one) => one.kind === "unmarked" && one.remedy && one.concept_ids.length === 1 && one.concept_ids[0] === id);
    return finding ? { mark: finding.remedy.present[id], reason: finding.sentence } : null;
  }

  // To the concept that something was found about, on the tree; a category shows its codes.
  goTo({ concept_ids: ids, kind }) {
    const { desk } = this;
    const id = ids.find((one) => desk.outline.nodes.has(one));
    if (!id) return;
    desk.visit(id, true);
    const node = desk.outline.nodes.get(id);
    if (isCategory(node, desk.conventions)) desk.lowered.open(node);
  }
}

function bySeverity(findings) {
  return [...findings].sort((one, other) => SEVERITIES.indexOf(one.severity) - SEVERITIES.indexOf(other.severity));
}

function findingKey({ kind, concept_ids: ids, sentence }) {
  return JSON.stringify([kind, ids, sentence]);
}

export function findingCounts(findings) {
  const parts = SEVERITIES.map((severity) => [findings.filter((one) => one.severity === severity).length, SEVERITY_NAMES[severity]])
    .filter(([n]) => n).map(([n, names]) => count(n, ...names));
  return parts.join(", ");
}

function spokenFinding({ sentence, note }) {
  return note ? `${sentence} “${shortened(note, 200)}”` : sentence;
}
