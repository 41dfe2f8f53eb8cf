// What stands in the form of the empty page, kept in this tab until it is sent: a reload begins a new
// session of Streamlit, which knows nothing of what was typed. Notes of patients are not written to
// the browser's storage: before those are lost, a person is asked.

import { listen } from "./events.js";
import { readJson, removeStored, writeStored } from "./storage.js";

const KEY = "strata.draft";
const WRITE_MS = 300;
const FIELDS = { title: ".st-key-new_title input", text: ".st-key-new_text textarea" };
const WRITTEN = ".st-key-new_title input, .st-key-new_text textarea, .st-key-welcome [class*='st-key-note_'] textarea";

export class Draft {
  constructor() {
    this.mayKeep = false;   // until it is known that nothing here is of a patient
    const ofForm = {
      input: ({ target }) => { if (Object.values(FIELDS).some((field) => target.matches(field))) this.typed(); },
      click: ({ target }) => { if (target.closest(".st-key-suggest button")) this.sent(); },
    };
    const leaving = {
      pagehide: () => this.write(standing()),
      beforeunload: (event) => {
        const isWritten = [...document.querySelectorAll(WRITTEN)].some(({ value }) => value.trim());
        if (!this.mayKeep && isWritten) event.preventDefault();
      },
    };
    this.endings = [listen(document, ofForm, true), listen(window, leaving)];
  }

  // Fields are gone by then; what was typed last is written all the same.
  destroy() {
    if (this.timer) this.write(this.latest);
    for (const end of this.endings) end();
  }

  typed() {
    this.latest = standing();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.write(this.latest), WRITE_MS);
  }

  sent() {
    clearTimeout(this.timer);
    this.timer = null;
    removeStored("sessionStorage", KEY);
  }

  write(draft) {
    clearTimeout(this.timer);
    this.timer = null;
    if (!draft || this.left) return;   // what is still to be put back is not overwritten
    if (this.mayKeep && (draft.title || draft.text)) writeStored("sessionStorage", KEY, JSON.stringify(draft));
    else removeStored("sessionStorage", KEY);
  }

  // What an earlier load of the page has left, once: later on, the session of Streamlit knows it.
  takeLeft() {
    if (!globalThis.strataDraftTaken) this.left = readJson("sessionStorage", KEY);
    globalThis.strataDraftTaken = true;
    return Boolean(this.left);
  }

  // Fills what is empty, field by field: Streamlit takes over what stands in a field that is left.
  async refill(type) {
    const draft = this.left;
    this.left = null;
    if (!draft || !standing()) return;
    for (const [name, selector] of Object.entries(FIELDS)) {
      const field = document.querySelector(selector);
      if (!draft[name] || !field || field.value) continue;
      type(field, draft[name]);
      await new Promise((done) => { setTimeout(done, 0); });
      field.blur();
    }
  }
}

// What the fields show; null where they are not on the page.
function standing() {
  const [title, text] = Object.values(FIELDS).map((field) => document.querySelector(field));
  return title && text ? { title: title.value, text: text.value } : null;
}
