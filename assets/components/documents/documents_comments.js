// Comments that were typed, by document, until the server shows them. Each is sent at once by a
// request that outlives the page: whoever writes and goes on to another page has left the table
// before its message is read. Until one of the two is answered, the text stays in this tab as well,
// but for comments on notes of patients (`mayKeep`).

import { askServer } from "../shared/server.js";
import { readStored, removeStored, storedEntries, writeStored } from "../shared/storage.js";

const STORED_PREFIX = "strata.comment.";

export class TypedComments extends Map {
  // Takes up what a reload, or a server that was away, has left behind, lets go of what the server
  // shows by now, and shows the rest. What is of other projects stays stored.
  meet(documents) {
    const ids = new Set(documents.map((entry) => entry.id));
    for (const id of this.keys()) if (!ids.has(id)) super.delete(id);
    for (const [key, text] of storedEntries("sessionStorage")) {
      const id = key.slice(STORED_PREFIX.length);
      if (key.startsWith(STORED_PREFIX) && ids.has(id)) super.set(id, text);
    }
    for (const entry of documents) {
      if (this.get(entry.id) === entry.comment) this.settled(entry.id);
      else if (this.has(entry.id)) entry.comment = this.get(entry.id);
    }
  }

  send(url, id, text) {
    super.set(id, text);
    if (this.mayKeep) writeStored("sessionStorage", STORED_PREFIX + id, text);
    return this.post(url, id, text);
  }

  async post(url, id, text) {
    const { facts } = await askServer(url, {}, {
      method: "POST", keepalive: true, headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ document: id, comment: text }),
    });
    const key = STORED_PREFIX + id;
    if (facts && readStored("sessionStorage", key) === text) removeStored("sessionStorage", key);
  }

  settled(id) {
    super.delete(id);
    removeStored("sessionStorage", STORED_PREFIX + id);
  }
}
