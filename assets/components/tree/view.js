// How a document was left on the screen: what is closed, the filter, the place. It is kept in the
// tab's own storage by document, so a reload finds it; ids alone, and the words that were typed
// into the filter. How many suggestions (in a project) and in which order is a habit, and kept in
// the browser.

import { listen } from "../shared/events.js";
import { readJson, writeStored } from "../shared/storage.js";
import { DENIED_KEY } from "./outline.js";

const VIEW_PREFIX = "strata.view.document.";
export const SHOWN_KEY = "strata.view.shown";
export const SORT_KEY = "strata.view.sort";
export const CODES_KEY = "strata.view.codes";
export const CARD_KEY = "strata.view.card";
export const ACTIONS_KEY = "strata.view.actions";
export const ICONS = "icons";   // what the buttons below the tree show, beside their keys
export const WORDS = "words";
const VIEW_DELAY_MS = 250;

// Streamlit may mount the tree a second time before it takes the first away: the newer one goes on
// from where the older one stands, and the older one is not heard any more.
let newestView = null;

export class ViewState {
  constructor(read) {
    this.read = read;                // what the view is now
    this.endListening = listen(window, { pagehide: () => this.save() });
  }

  stop() {
    this.save();
    this.endListening();
  }

  // Turns to another document and says how it was left.
  open(documentId) {
    if (newestView) newestView.save();
    newestView = this;
    this.documentId = documentId;
    const stored = readJson("sessionStorage", VIEW_PREFIX + documentId);
    const isView = stored && typeof stored === "object"
      && [stored.collapsed, stored.opened, stored.unfolded].every((one) => Array.isArray(one || []));
    return {
      collapsed: [DENIED_KEY], current: null, conceptId: null, scroll: 0, filter: "all", text: "", opened: [], unfolded: [],
      showsWeak: null, ...(isView ? stored : {}),
    };
  }

  changed() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.save(), VIEW_DELAY_MS);
  }

  save() {
    clearTimeout(this.timer);
    if (!this.documentId || newestView !== this) return;
    writeStored("sessionStorage", VIEW_PREFIX + this.documentId, JSON.stringify(this.read()));
  }
}
