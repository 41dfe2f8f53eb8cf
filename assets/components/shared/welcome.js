// The empty page without a mouse: the cursor stands in the title, and goes to a note that is added, or
// to the answer where a batch is asked about; Ctrl+Enter suggests (or fetches, from the field of
// numbers); what is pasted anywhere becomes a document, and so does a file that is dropped anywhere. A
// text that is pasted into the title or another short field is no title: it goes where texts are.
// What was typed survives a reload.

import { mountOnce } from "./dom.js";
import { Draft } from "./draft.js";
import { listen } from "./events.js";
import { isText } from "./words.js";
import { onKeydown } from "./keys.js";

const INSTANCES = new WeakMap();
const FORM = ".st-key-welcome";
const TRIES = 50;
const WAIT_MS = 100;
const ACT = ".st-key-new_text textarea";
const TEXTS = `${ACT}, [class*='st-key-note_'] textarea`;
const DIALOGS = "[role=dialog], dialog";
const FIELDS = "input, textarea, select, [contenteditable=true]";

class WaysIn {
  constructor(component) {
    this.root = component.parentElement.querySelector(".ways-in");
    this.draft = new Draft();
    this.endListening = listen(document, {
      paste: (event) => this.onPaste(event),
      dragover: (event) => { if (hasFiles(event)) event.preventDefault(); },
      drop: (event) => this.onDrop(event),
    });
    this.endKeys = onKeydown(document, (event) => this.onKey(event));
  }

  destroy() {
    this.draft.destroy();
    this.endKeys();
    this.endListening();
  }

  update({ data }) {
    const isAsked = data.asks && !this.asks;
    this.asks = data.asks;
    if (isAsked) this.focusAnswer(TRIES);
    if (data.asks) return;
    const isAdded = data.newest_note > this.newestNote;
    this.newestNote = data.newest_note;
    this.draft.mayKeep = data.newest_note === null;   // no clinical project
    if (isAdded) this.focusNote(data.newest_note, TRIES);
    else {
      this.cameFrom = document.activeElement;
      if (this.draft.takeLeft()) this.refill(TRIES);
      else this.focusTitle(TRIES);
    }
  }

  // What had the focus, as the button that chooses files, is not on the page any more.
  focusAnswer(tries) {
    clearTimeout(this.timer);
    const answer = isDrawn() && inForm(".st-key-batch_add button:enabled, .st-key-batch_cancel button");
    if (!answer && this.root.isConnected && tries > 1) this.timer = setTimeout(() => this.focusAnswer(tries - 1), WAIT_MS);
    else if (document.activeElement === document.body) answer?.focus();
  }

  // The button that adds a note stands behind it: its fields would be reached by going back.
  focusNote(number, tries) {
    clearTimeout(this.timer);
    const kind = inForm(`.st-key-note_${number} input`);
    if (kind) kind.focus();
    else if (this.root.isConnected && tries > 1) this.timer = setTimeout(() => this.focusNote(number, tries - 1), WAIT_MS);
  }

  // Fields of a page that is not drawn yet may be drawn once more, empty.
  async refill(tries) {
    clearTimeout(this.timer);
    const isReady = isDrawn() && inForm(".st-key-new_title input");
    if (!isReady && this.root.isConnected && tries > 1) {
      this.timer = setTimeout(() => this.refill(tries - 1), WAIT_MS);
      return;
    }
    if (isReady) await this.draft.refill(type);
    this.focusTitle(TRIES);
  }

  // Whoever is somewhere else is left there, except in what the page before has left and what will be
  // taken away. Fields may be drawn after this, or once more: tries count from when the page has been
  // drawn, however long that takes on a busy machine.
  focusTitle(tries) {
    clearTimeout(this.timer);
    const title = inForm(".st-key-new_title input");
    const active = document.activeElement;
    const isFree = [null, document.body, title].includes(active);
    const mayGo = active === this.cameFrom && !active?.closest(FORM);
    if (!this.root.isConnected || !(isFree || mayGo)) return;
    if (isFree) title?.focus({ preventScroll: true });
    const left = isDrawn() ? tries - 1 : tries;
    if (left) this.timer = setTimeout(() => this.focusTitle(left), WAIT_MS);
  }

  // Streamlit sends what stands in a field when it is left.
  suggest() {
    const active = document.activeElement;
    const fetches = active?.closest(".st-key-fetch_form");
    clearTimeout(this.timer);   // the title would take the focus back
    active?.blur();
    setTimeout(() => inForm(fetches ? ".st-key-fetch button" : ".st-key-suggest button")?.click(), 0);
  }

  onKey(event) {
    if (this.asks || event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    const inside = document.activeElement && document.activeElement.closest(FORM);
    if (!inside && document.activeElement !== document.body) return;
    event.preventDefault();
    this.suggest();
  }

  // Beside a text that is there already, nothing is suggested yet: somebody may want to part them.
  onPaste(event) {
    const text = event.clipboardData ? event.clipboardData.getData("text/plain") : "";
    const texts = allInForm(TEXTS);
    const into = event.composedPath().find((node) => node.matches?.(FIELDS));
    const place = texts.find((field) => !field.value.trim()) || texts.at(-1);
    if (this.asks || !place || !text.trim() || event.defaultPrevented) return;
    if (into ? !isMisplaced(into, text, texts) : place.value && !isText(text)) return;
    event.preventDefault();
    const isAlone = texts.every((field) => !field.value.trim());
    type(place, isAlone || !place.value.trim() ? text : `${place.value.trimEnd()}\n\n${text}`);
    if (isAlone) this.suggest();
    else clearTimeout(this.timer);   // the title would take the focus back
  }

  onDrop(event) {
    const place = inForm(".st-key-uploads input[type=file]");
    if (!place || !hasFiles(event) || event.target.closest("[data-testid=stFileUploader]")) return;
    event.preventDefault();
    place.files = event.dataTransfer.files;
    place.dispatchEvent(new Event("change", { bubbles: true }));
  }
}

// Whether a text that is pasted into a field has no place there. That of an act is suggested for at once;
// in an encounter, the kind of a note and other notes may be to come.
function isMisplaced(field, text, texts) {
  if (!isText(text) || field.closest(DIALOGS)) return false;
  if (texts.includes(field)) return texts.length === 1 && !field.value.trim() && Boolean(inForm(ACT));
  const numbers = field.closest(".st-key-fetch_form") && text.trim().split(/[\r\n]+/).every((line) => !/\s/.test(line.trim()));
  return !numbers && (field.matches("input") || Boolean(field.closest(".st-key-fetch_form")));
}

function allInForm(selector) { return [...document.querySelectorAll(`${FORM} :is(${selector})`)]; }

function inForm(selector) { return document.querySelector(FORM)?.querySelector(selector); }

function isDrawn() {
  return document.querySelector("[data-testid=stApp]")?.dataset.testScriptState === "notRunning";
}

function hasFiles({ dataTransfer }) { return Boolean(dataTransfer && [...dataTransfer.types].includes("Files")); }

// As if a person had typed: React does not see a value that is only set.
export function type(field, text) {
  const { set } = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), "value");
  field.focus({ preventScroll: true });
  set.call(field, text);
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

export default function mount(component) {
  return mountOnce(INSTANCES, component, (mounted) => new WaysIn(mounted));
}
