// Terms that the vocabulary lacks, noted on the document. What was typed is kept until the server
// shows that it has it.

import { element, icon, setChildren } from "../shared/dom.js";
import { onClick } from "../shared/events.js";
import { shortened } from "../shared/words.js";

const PROPOSAL_PATIENCE_MS = 5000;

export class Proposals {
  // send(value): what is proposed or withdrawn, to the page.
  constructor(root, { state, tell }, send) {
    Object.assign(this, { root, state, tell, send });
    onClick(root, "[data-term]", ({ dataset }) => send({ withdraw: Number(dataset.term) }));
  }

  propose(text) {
    this.waiting = { text, documentId: this.state.documentId };
    this.send({ text });
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.lament(), PROPOSAL_PATIENCE_MS);
  }

  lament() {
    if (!this.waiting) return;
    const { text } = this.waiting;
    this.tell(`“${shortened(text, 48)}” could not be noted: no answer from the server.`, {
      words: "Try again", run: () => this.propose(text) });
  }

  // terms: [{id, text}] as the server has them.
  answered(terms) {
    const plain = (text) => text.split(/\s+/).filter(Boolean).join(" ").toLowerCase();
    const { waiting } = this;
    if (waiting && (waiting.documentId !== this.state.documentId || terms.some(({ text }) => plain(text) === plain(waiting.text)))) {
      clearTimeout(this.timer);
      this.waiting = null;
      this.tell(`Noted “${shortened(waiting.text, 48)}” as a proposed term of this document.`);
    }
    this.show(terms);
  }

  show(terms) {
    this.root.hidden = !terms.length;
    const chips = terms.map(({ id, text }) => element("span", "term", { "data-key": id }, text,
      element("button", "", { type: "button", "data-term": id, "aria-label": `Withdraw ${text}`, title: "Withdraw" }, icon("reject"))));
    setChildren(this.root, [element("span", "", {}, "Proposed terms:"), ...chips]);
  }
}
