// Comments that were typed, by document, until the server shows them: each with those in whose place
// it was typed, since one that is newer stays. Each is sent at once by a
// request that outlives the page: whoever writes and goes on to another page has left the table
// before its message is read. Until one of the two is answered, the text stays in this tab as well,
// but for comments on notes of patients (`mayKeep`).

import { askServer } from "../shared/server.js";
import { readJson, readStored, removeStored, storedKeys, writeStored } from "../shared/storage.js";

const STORED_PREFIX = "strata.comment.";

export class TypedComments extends Map {
  // Takes up what a reload, or a server that was away, has left behind, lets go of what the server
  // shows by now, and shows the rest. What is of other projects stays stored.
  // Returns the texts in whose place there is a newer comment.
  meet(documents) {
    const ids = new Set(documents.map((entry) => entry.id));
    for (const id of this.keys()) if (!ids.has(id)) super.delete(id);
    for (const key of storedKeys("sessionStorage", STORED_PREFIX)) {
      const id = key.slice(STORED_PREFIX.length);
      const typed = ids.has(id) && readJson("sessionStorage", key);
      if (typed?.formers) super.set(id, typed);
    }
    const overtaken = [];
    for (const entry of documents) {
      const typed = this.get(entry.id);
      if (!typed) continue;
      const isNewer = typed.text !== entry.comment && !typed.formers.includes(entry.comment);
      if (isNewer) overtaken.push(typed.text);
      if (isNewer || typed.text === entry.comment) this.settled(entry.id);
      else entry.comment = typed.text;
    }
    return overtaken;
  }

  // formers: what stood there, as far as this page knows.
  send(url, id, text, formers) {
    const typed = { text, formers: [...new Set([...(this.get(id)?.formers || []), ...formers])] };
    super.set(id, typed);
    const stored = JSON.stringify(typed);
    if (this.mayKeep) writeStored("sessionStorage", STORED_PREFIX + id, stored);
    return this.post(url, id, typed, stored);
  }

  async post(url, id, { text, formers }, stored) {
    const { facts } = await askServer(url, {}, {
      method: "POST", keepalive: true, headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ document: id, comment: text, formers }),
    });
    const key = STORED_PREFIX + id;
    if (facts && readStored("sessionStorage", key) === stored) removeStored("sessionStorage", key);
  }

  settled(id) {
    super.delete(id);
    removeStored("sessionStorage", STORED_PREFIX + id);
  }
}

// In place of the hint above the table, where it is seen until the next run.
export function showOvertaken(texts, bar) {
  const sentence = `A newer comment stays in place of ${texts.map((text) => `“${text}”`).join(", ")}.`;
  bar.querySelector(".lost").textContent = sentence;
  bar.querySelector(".hint").hidden = true;
  return sentence;
}

// The browser cuts what is too long without a word; here a bubble of its own says how much.
export function limitComment(box, most) {
  box.maxLength = most;
  box.addEventListener("input", () => box.setCustomValidity(""));
  box.addEventListener("paste", ({ clipboardData }) => {
    const room = most - box.value.length + box.selectionEnd - box.selectionStart;
    const left = (clipboardData?.getData("text/plain") || "").length - room;
    if (left > 0) setTimeout(() => {
      box.setCustomValidity(`A comment holds ${most} characters: the last ${left} of what was pasted were left out.`);
      box.reportValidity();
    }, 0);
  });
}
