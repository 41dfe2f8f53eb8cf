// The title, which models read as well: a pencil beside it opens a field to type another one in.

import { icon } from "../shared/dom.js";

const TYPED = new Map();   // document -> a title that is not saved yet, for as long as the page is loaded

export class TitleEditor {
  // root: holds the heading, the pencil and the form; save({ document, title, former }): sends it.
  constructor(root, save) {
    this.root = root;
    this.save = save;
    [this.heading, this.pencil, this.form, this.field, this.button, this.said] =
      ["h1", ".edit", "form", "textarea", ".save", ".said"].map((name) => root.querySelector(name));
    this.pencil.append(icon("pencil"));
    this.pencil.addEventListener("click", () => this.open(this.title));
    this.field.addEventListener("input", () => this.onInput());
    this.field.addEventListener("keydown", (event) => this.onKey(event));
    this.form.addEventListener("submit", (event) => { event.preventDefault(); this.send(); });
    root.querySelector(".cancel").addEventListener("click", () => this.close());
  }

  // Each run of the page brings the title as it is stored; a field stays open until its own is.
  load({ document_id: documentId, title, saved_title: saved }) {
    const isOther = this.documentId !== documentId;
    this.documentId = documentId;
    this.title = title;
    if (isOther) this.show(TYPED.get(documentId));
    else if (this.sent && this.sent === saved) this.close();
    this.sent = null;
    this.onInput();
  }

  get isOpen() { return !this.form.hidden; }
  get wanted() { return this.field.value.split(/\s+/).filter(Boolean).join(" "); }

  open(title) {
    this.show(title);
    this.field.focus();
    this.field.select();
  }

  // Shows the form with this title, or the heading where there is none.
  show(title) {
    const isOpen = title !== undefined;
    this.form.hidden = !isOpen;
    this.heading.hidden = this.pencil.hidden = isOpen;
    this.field.value = title ?? "";
    this.said.textContent = "";
  }

  close() {
    const hadFocus = this.form.contains(this.root.getRootNode().activeElement);
    TYPED.delete(this.documentId);
    this.show(undefined);
    if (hadFocus) this.pencil.focus({ preventScroll: true });
  }

  onInput() {
    if (!this.isOpen) return;
    TYPED.set(this.documentId, this.field.value);
    this.button.disabled = Boolean(this.sent) || !this.wanted;
    this.said.textContent = this.sent ? "Saving …" : this.wanted ? "" : "A document needs a title.";
  }

  onKey(event) {
    if (event.isComposing) return;
    if (event.key === "Enter") { event.preventDefault(); this.send(); }
    if (event.key === "Escape") { event.preventDefault(); this.close(); }
  }

  send() {
    if (this.sent || !this.wanted) return;
    if (this.wanted === this.title) { this.close(); return; }
    this.sent = this.wanted;
    this.onInput();
    this.save({ document: this.documentId, title: this.sent, former: this.title });
  }
}
