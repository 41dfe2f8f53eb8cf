// Decisions on their way to the store. Each has a (client, sequence) under which it is written
// once; it stays here and in local storage (ids only, never text) until it is acknowledged, and
// every message carries all that is unacknowledged, so that no message need arrive.

import { PAGE } from "./server.js";
import { readJson, readStored, removeStored, storedKeys, writeStored } from "./storage.js";
import { count } from "./words.js";

const STORED_PREFIX = "strata.decision.";
const BROWSER_KEY = "strata.browser";
const FIRST_RETRY_MS = 1500;
const LAST_RETRY_MS = 4000;
const ANSWER_EXPECTED_MS = 2500;

export function randomClient() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

// The name of this browser, the same in all of its tabs and after a reload: an undo takes back what
// was decided in the same browser. Two tabs that begin at once agree on what was written last.
function browserName() {
  if (!readStored("localStorage", BROWSER_KEY)) writeStored("localStorage", BROWSER_KEY, randomClient());
  return readStored("localStorage", BROWSER_KEY) || (globalThis.strataBrowser ??= randomClient());
}

// What was typed in a search box is kept in the database alone: without it, only less is learned.
function withoutText(operation) {
  if (!operation.value || !operation.value.query) return operation;
  const { value, ...rest } = operation;
  return rest;
}

export class DecisionQueue {
  constructor() {
    this.batches = new Map();       // client -> {document_id, operations, own}
    this.clients = new Map();       // document id -> {client, sequence} of this page load
    this.undoing = [];              // stored by now, in front of an undo that waits and takes back some
    this.clock = 0;                 // orders decisions over all documents, for an undo
    this.send_ = null;
    this.onChange = () => {};
    this.retries = 0;
    this.problem = null;            // why the server could store nothing just now
    this.refusal = null;            // why it will never store one of those that it answered last
    addEventListener("beforeunload", (event) => this.warnBeforeUnload(event));
  }

  // Where messages go: the newest mounted component. What earlier tabs left behind goes too.
  connect(owner, send, onChange) {
    const first = this.send_ === null;
    this.owner = owner;
    this.send_ = send;
    this.onChange = onChange;
    if (first) this.restore();
  }

  // A component that leaves late does not take the queue from the one that came after it.
  disconnect(owner) {
    if (this.owner !== owner) return;
    this.send_ = null;
    clearTimeout(this.timer);
    this.timer = null;
  }

  restore() {
    for (const key of storedKeys("localStorage", STORED_PREFIX)) {
      const stored = readJson("localStorage", key);
      const [client, sequence] = key.slice(STORED_PREFIX.length).split(".");
      if (!stored?.document_id || !stored.operation || !client || !(Number(sequence) > 0)) { removeStored("localStorage", key); continue; }
      if ((stored.person ?? null) !== PAGE.person) continue;   // of somebody else in this browser
      this.keep(client, stored.document_id, { ...stored.operation, sequence: Number(sequence) });
    }
    if (this.size) this.retryAfter(50);
  }

  keep(client, documentId, operation, own = false) {
    let batch = this.batches.get(client);
    if (!batch) {
      batch = { document_id: documentId, operations: [], own, since: performance.now() };
      this.batches.set(client, batch);
    }
    if (batch.operations.some((known) => known.sequence === operation.sequence)) return;
    if (!batch.operations.length) batch.since = performance.now();
    batch.operations.push(operation);
    batch.operations.sort((one, other) => one.sequence - other.sequence);
  }

  add(documentId, action, conceptId, more = {}) {
    this.addAll(documentId, [{ action, concept_id: conceptId, ...more }]);
  }

  // Several decisions of one moment, such as the members of a group.
  addAll(documentId, decided) {
    let writer = this.clients.get(documentId);
    if (!writer) {
      writer = { client: `${browserName()}:${randomClient()}`, sequence: 0 };
      this.clients.set(documentId, writer);
    }
    for (const fields of decided) {
      writer.sequence += 1;
      this.clock = Math.max(this.clock + 1, Date.now());
      const operation = { ...fields, sequence: writer.sequence, at: this.clock, project: PAGE.project };
      const person = PAGE.person;
      this.keep(writer.client, documentId, operation, true);
      const stored = JSON.stringify({ document_id: documentId, person, operation: withoutText(operation) });
      writeStored("localStorage", `${STORED_PREFIX}${writer.client}.${writer.sequence}`, stored);
    }
    this.send();
    this.retryAfter(FIRST_RETRY_MS);
    this.onChange();
  }

  // receipts: client -> {settled: [sequence], refused: [{sequence, code, reason}], undone: [{sequence,
  // …}]}. A decision on a document that this database does not have, or on which this person
  // may not decide, stays in local storage, for the one that has it and who may. Returns what this page's own undos took back, each told once.
  settle(receipts, problem) {
    this.problem = problem || null;
    let progress = false;
    let refusal = null;
    const undone = [];
    const waiting = this.inOrder();
    for (const [client, receipt] of Object.entries(receipts || {})) {
      const batch = this.batches.get(client);
      if (!batch) continue;
      const settled = new Set(receipt.settled);
      const elsewhere = new Set();
      const waits = (sequence) => batch.operations.some((operation) => operation.sequence === sequence);
      if (batch.own) undone.push(...undoneBy(batch.operations, receipt, settled));
      for (const { sequence, code, reason } of receipt.refused) {
        if (!waits(sequence)) continue;
        refusal = reason;
        if (code === "unknown document" || code === "no right") elsewhere.add(sequence);
      }
      for (const { sequence } of batch.operations) {
        if (!settled.has(sequence)) continue;
        progress = true;
        if (!elsewhere.has(sequence)) removeStored("localStorage", `${STORED_PREFIX}${client}.${sequence}`);
      }
      batch.operations = batch.operations.filter(({ sequence }) => !settled.has(sequence));
      batch.since = performance.now();
    }
    if (progress) { this.retries = 0; this.refusal = refusal; this.foresee(waiting); }
    if (!this.size) { clearTimeout(this.timer); this.timer = null; }
    else this.retryAfter(this.problem ? this.backoff() : 400);
    return undone;
  }

  // Keeps what was stored just now as long as an undo that waits behind it will take some of it back.
  foresee(waiting) {
    const left = this.inOrder();
    const isLeft = ({ client, sequence }) => left.some((one) => one.client === client && one.sequence === sequence);
    const stored = [...this.undoing, ...waiting.filter((operation) => !isLeft(operation))];
    const after = new Set(notUndone([...stored, ...left]));
    this.undoing = notUndone(stored).some((operation) => !after.has(operation)) ? stored : [];
  }

  // Whether the state that the server told last has what an undo on its way will take back.
  get foresees() { return this.undoing.length > 0; }

  // All that waits, in the order in which it was decided, each with its client and document.
  inOrder() {
    const operations = [];
    for (const [client, { document_id, operations: theirs }] of this.batches) {
      for (const operation of theirs) operations.push({ at: 0, ...operation, client, document_id });
    }
    return operations.sort((one, other) => one.at - other.at);
  }

  // What waits of a document and will hold: an undo may take back what another document waits for.
  pending(documentId) {
    return notUndone([...this.undoing, ...this.inOrder()]).filter((operation) => operation.document_id === documentId);
  }

  get size() {
    let size = 0;
    for (const batch of this.batches.values()) size += batch.operations.length;
    return size;
  }

  get waitingMs() {
    const since = [...this.batches.values()].filter((b) => b.operations.length).map((b) => b.since);
    return since.length ? performance.now() - Math.min(...since) : 0;
  }

  // "saved", "dropped" (one could not be stored), "saving", "refused" (the server answered that it cannot) or "away" (no answer).
  get status() {
    if (!this.size) return this.refusal ? "dropped" : "saved";
    if (this.problem) return "refused";
    return this.waitingMs > ANSWER_EXPECTED_MS ? "away" : "saving";
  }

  send() {
    if (this.size && this.send_) this.send_();
  }

  // Batches of one client and document, in the order of the decisions: an undo that is sent with
  // what it takes back, in another document, has to come behind it.
  message() {
    const batches = [];
    for (const { client, document_id, at, project, ...operation } of this.inOrder()) {
      const last = batches.at(-1);
      if (last && last.client === client) last.operations.push(operation);
      else batches.push({ client, document_id, operations: [operation] });
    }
    return batches;
  }

  backoff() {
    return Math.min(FIRST_RETRY_MS * 2 ** this.retries, LAST_RETRY_MS);
  }

  retryAfter(milliseconds) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      if (!this.size) return;
      this.send();
      this.retries += 1;
      this.onChange();
      this.retryAfter(this.backoff());
    }, milliseconds);
  }

  warnBeforeUnload(event) {
    const own = [...this.batches.values()].some((batch) => batch.own && batch.operations.length);
    if (own) event.preventDefault();
  }
}

// Operations on their way, without those that an undo behind them takes back: the last one of its
// project, or all of its group. An undo of what is stored already cannot be foreseen: the server answers it.
export function notUndone(operations) {
  const left = [];
  for (const operation of operations) {
    if (operation.action !== "undo") { left.push(operation); continue; }
    const last = left.findLast((one) => one.project === operation.project);
    if (!last) continue;
    const ofGroup = (one) => one === last || (last.group && one.group === last.group && one.document_id === last.document_id);
    for (let at = left.length - 1; at >= 0; at--) if (ofGroup(left[at])) left.splice(at, 1);
  }
  return left;
}

// What each settled undo took back; one that found nothing is told with no actions.
function undoneBy(operations, receipt, settled) {
  const told = new Map((receipt.undone || []).map((one) => [one.sequence, one]));
  const refused = new Set(receipt.refused.map(({ sequence }) => sequence));
  return operations
    .filter(({ action, sequence }) => action === "undo" && settled.has(sequence) && !refused.has(sequence))
    .map(({ sequence }) => told.get(sequence) || { sequence, actions: [] });
}

export function queueSentence(queue) {
  const kept = count(queue.size, "decision", "decisions");
  switch (queue.status) {
    case "saved": return "Saved";
    case "dropped": return queue.refusal;
    case "saving": return "Saving…";
    case "refused": return `Not saved: ${queue.problem} ${kept} kept in this browser; trying again.`;
    default: return `Not saved yet: no answer from the server. ${kept} kept in this browser and sent again.`;
  }
}

// The queue of a component: whoever decides something adds to this one.
export const QUEUE = new DecisionQueue();
