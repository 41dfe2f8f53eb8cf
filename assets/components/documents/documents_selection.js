// Which documents are selected: only such as stand on the page of the table, or all that are listed,
// where a person has asked for all. What has gone out of sight is never acted on.

import { count } from "../shared/words.js";

export class DocumentSelection {
  constructor() {
    this.ids = new Set();
    this.isWhole = false;   // all that are listed were asked for, on whatever page they stand
    this.lost = 0;          // how many went out of sight since something was selected last
    this.anchor = null;     // the row that was touched last
  }

  get size() { return this.ids.size; }
  has(id) { return this.ids.has(id); }

  clear() {
    this.ids.clear();
    this.isWhole = false;
    this.lost = 0;
  }

  // Lets go of what is not seen any more. listed: entries on all pages; shown: those of this page.
  keepSeen(listed, shown) {
    const seen = new Set((this.isWhole ? listed : shown).map((entry) => entry.id));
    const before = this.ids.size;
    for (const id of this.ids) if (!seen.has(id)) this.ids.delete(id);
    this.lost += before - this.ids.size;
    if (!this.ids.size) this.isWhole = false;
  }

  set(id, wanted) {
    this.lost = 0;
    this.anchor = id;
    if (wanted) this.ids.add(id);
    else this.ids.delete(id);
  }

  // From the row that was touched last to this one, of the entries on the page.
  extend(id, shown) {
    const ids = shown.map((entry) => entry.id);
    const [from, to] = [ids.indexOf(this.anchor), ids.indexOf(id)].sort((a, b) => a - b);
    if (from < 0) { this.set(id, true); return; }
    this.lost = 0;
    for (const one of ids.slice(from, to + 1)) this.ids.add(one);
  }

  setAll(entries, wanted) {
    this.lost = 0;
    this.isWhole = false;
    for (const { id } of entries) if (wanted) this.ids.add(id); else this.ids.delete(id);
  }

  // All that are listed, on every page.
  takeWhole(listed) {
    this.setAll(listed, true);
    this.isWhole = true;
  }

  // What was picked, of these entries, and an action can be done with.
  fitting(action, listed) {
    const fits = FITS[action] || (() => true);
    return listed.filter((entry) => this.ids.has(entry.id) && fits(entry));
  }

  sentence() {
    const n = this.size.toLocaleString("en");
    if (this.size) return this.isWhole ? `${n} selected, on all pages` : `${n} selected`;
    return "";
  }

  lostSentence() {
    if (!this.lost) return "";
    return `${count(this.lost, "document", "documents")} out of sight ${this.lost === 1 ? "is" : "are"} no longer selected.`;
  }
}

// What an action does nothing with: a finished document keeps the suggestions that it was finished with.
const FITS = {
  predict: (entry) => !(entry.status === "finished" && entry.suggested !== null) && !entry.waiting,
  reopen: (entry) => entry.status === "finished",
  take: (entry) => !entry.whose,
  give_back: (entry) => entry.mine && entry.annotation !== OWN_ANNOTATION,
  approve: (entry) => entry.status === "finished" && entry.judged !== "approved",
  send_back: (entry) => entry.status === "finished",
  urgent: (entry) => !entry.urgent && entry.status !== "finished",
  normal: (entry) => entry.urgent,
  once: (entry) => ASKED_TWICE.includes(entry.annotation),
};
export const OWN_ANNOTATION = "your annotation";   // as the server says it of a row in place of its document
export const ASKED_TWICE = ["annotated twice", OWN_ANNOTATION];
export const LEFT_OUT = {
  predict: "Finished documents, and those that wait to be read, are left out. Reopen a finished one to have it read again.",
  reopen: "Documents that are not finished are left out.",
  take: "What is somebody’s is left out.",
  give_back: "What is not yours is left out.",
  approve: "Only finished documents that are not approved yet are.",
  urgent: "Finished documents are left out.",
  send_back: "Documents that are not finished are left out.",
  once: "What is not annotated twice is left out.",
};
