// The title, which models read as well: a pencil beside it opens a field to type another one in, and
// one for another id, as long as nothing was decided on the document.

import { icon } from "../shared/dom.js";
import { isLong } from "../shared/words.js";
import { isField, isInOverlay, onKeydown } from "../shared/keys.js";

// Titles that are not saved yet, for as long as the page is loaded: document -> what was typed, and
// the title that it is to replace, so that what somebody else has changed is not overwritten unseen.
const DRAFTS = new Map();

export class TitleEditor {
  // root: holds the heading, the pencil and the form; save({ document, title, former, id }): sends it;
  // add(text): opens a text that was pasted here as a document of its own.
  constructor(root, save, add) {
    Object.assign(this, { root, save, add });
    [this.heading, this.pencil, this.form, this.field, this.button, this.said] =
      ["h1", ".edit", "form", "textarea", ".save", ".said"].map((name) => root.querySelector(name));
    this.id = root.querySelector(".own-id input");
    this.id.addEventListener("input", () => this.onInput());
    onKeydown(this.id, (event) => this.onKey(event));
    this.pencil.append(icon("pencil"));
    this.pencil.addEventListener("click", () => this.open());
    this.field.addEventListener("input", () => { this.isTouched = true; this.onInput(); });
    this.field.addEventListener("paste", (event) => this.onPaste(event));
    onKeydown(this.field, (event) => this.onKey(event));
    this.form.addEventListener("submit", (event) => { event.preventDefault(); this.send(); });
    root.querySelector(".cancel").addEventListener("click", () => this.close());
  }

  // Each run of the page brings the title as it is stored; a field stays open until its own is.
  // isWaiting: whether the server has yet to take what was sent.
  load({ document_id: documentId, title, saved_title: saved, may_change_id: mayChangeId }, isWaiting) {
    const isOther = this.documentId !== documentId;
    this.id.parentElement.hidden = !mayChangeId;
    this.documentId = documentId;
    this.title = title;
    if (isOther) this.show(this.draft);
    else if (isWaiting) return;
    else if (this.sent) this.answered(this.sent === saved);
    this.sent = null;
    this.onInput();
  }

  // While a title is saved, a person may have typed on, or closed the field and opened it again:
  // only a field that still holds what was sent is done with. What was refused, the page explains.
  answered(isSaved) {
    if (isSaved && this.isOpen && this.wanted === this.sent) { this.close(); return; }
    this.former = this.title;
    if (!this.isOpen || this.isTouched) return;
    this.field.value = this.title;
    this.field.select();
  }

  get isOpen() { return !this.form.hidden; }
  get wantedId() { return inOneLine(this.id.value) || this.documentId; }
  get wanted() { return inOneLine(this.field.value); }

  // What was typed for this document, unless it has been saved since.
  get draft() {
    const draft = DRAFTS.get(this.documentId);
    return draft && inOneLine(draft.typed) !== this.title ? draft : null;
  }

  open() {
    this.show({ typed: this.title, former: this.title });
    this.field.focus();
    this.field.select();
  }

  // Shows the form with this draft, or the heading where there is none.
  show(draft) {
    this.form.hidden = !draft;
    this.heading.hidden = this.pencil.hidden = Boolean(draft);
    this.field.value = draft ? draft.typed : "";
    this.id.value = draft ? this.documentId : "";
    this.former = draft ? draft.former : null;
    this.isTouched = Boolean(draft) && draft.typed !== draft.former;
    this.said.textContent = "";
  }

  close() {
    const hadFocus = this.form.contains(this.root.getRootNode().activeElement);
    DRAFTS.delete(this.documentId);
    this.show(null);
    if (hadFocus) this.pencil.focus({ preventScroll: true });
  }

  onInput() {
    if (!this.isOpen) return;
    const typed = this.field.value;
    if (typed === this.title) DRAFTS.delete(this.documentId);
    else DRAFTS.set(this.documentId, { typed, former: this.former });
    this.button.disabled = Boolean(this.sent) || !this.wanted;
    this.said.textContent = this.sent ? "Saving …" : this.wanted ? "" : "A document needs a title.";
  }

  onKey(event) {
    if (event.key === "Enter") { event.preventDefault(); this.send(); }
    if (event.key === "Escape") { event.preventDefault(); this.close(); }
  }

  onPaste(event) {
    const text = event.clipboardData ? event.clipboardData.getData("text/plain") : "";
    if (!isLong(text)) return;
    event.preventDefault();
    this.said.textContent = "That is a text and no title: it is opened as a document of its own …";
    this.add(text);
  }

  send() {
    if (this.sent || !this.wanted) return;
    if (this.wanted === this.title && this.wantedId === this.documentId) { this.close(); return; }
    this.sent = this.wanted;
    this.field.focus({ preventScroll: true });   // the button is disabled now
    this.onInput();
    this.save({ document: this.documentId, title: this.sent, former: this.former, id: this.wantedId });
  }
}

// The text that is pasted where nothing is typed, and that is long enough for a document; or "".
export function pastedText(event) {
  if (event.defaultPrevented || event.composedPath().some(isField) || isInOverlay(event)) return "";
  const text = event.clipboardData ? event.clipboardData.getData("text/plain") : "";
  return isLong(text) ? text : "";
}

function inOneLine(text) { return text.split(/\s+/).filter(Boolean).join(" "); }
