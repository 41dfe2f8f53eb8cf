// The note of the project on a concept. What is typed is kept, concept by concept, until it is saved.

import { onKeydown } from "../shared/keys.js";

export class ConceptNote {
  // save(conceptId, text): says whether it was sent.
  constructor(form, save) {
    Object.assign(this, { form, field: form.querySelector("textarea"), drafts: new Map(), shown: null, saving: null });
    this.field.addEventListener("input", () => this.typed());
    form.addEventListener("submit", (event) => { event.preventDefault(); this.submit(save); });
    onKeydown(this.field, (event) => event.stopPropagation());
  }

  // vocabulary: of the project, which may have other notes on the same concepts than another one.
  show(vocabulary, conceptId, stored) {
    this.form.hidden = false;
    this.shown = { key: `${vocabulary} ${conceptId}`, conceptId, stored };
    const text = this.drafts.get(this.shown.key) ?? stored;
    if (this.field.value !== text) this.field.value = text;
  }

  hide() { this.form.hidden = true; }

  typed() {
    const { key, stored } = this.shown;
    if (this.field.value === stored) this.drafts.delete(key);
    else this.drafts.set(key, this.field.value);
  }

  submit(save) {
    const text = this.field.value;
    if (this.shown && save(this.shown.conceptId, text)) this.saving = { key: this.shown.key, text };
  }

  // The answer is here. What was typed since it was sent stays, and so does what could not be saved.
  settle(isSaved) {
    const { saving } = this;
    this.saving = null;
    if (saving && isSaved && this.drafts.get(saving.key) === saving.text) this.drafts.delete(saving.key);
  }
}
