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
    onClick(root, "[data-term]", ({ dataset }) => send({ withdraw: Number(dataset.term), document: state.documentId }));
  }

  // The page may have turned when it hears of it.
  propose(text, documentId = this.state.documentId) {
    this.waiting = { text, documentId };
    this.send({ text, document: documentId });
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.lament(), PROPOSAL_PATIENCE_MS);
  }

  lament() {
    if (!this.waiting) return;
    const { text, documentId } = this.waiting;
    this.tell(`“${shortened(text, 48)}” could not be noted: no answer from the server.`, {
      words: "Try again", run: () => this.propose(text, documentId) });
  }

  // terms: [{id, text}] of the document on the page, as the server has them. Those of another say nothing of
  // what was noted on the one before.
  answered(terms) {
    const plain = (text) => text.split(/\s+/).filter(Boolean).join(" ").toLowerCase();
    const { waiting } = this;
    const isHere = waiting && waiting.documentId === this.state.documentId;
    const isNoted = isHere && terms.some(({ text }) => plain(text) === plain(waiting.text));
    if (waiting && (isNoted || !isHere)) {
      clearTimeout(this.timer);
      this.waiting = null;
      if (isNoted) this.tell(`Noted “${shortened(waiting.text, 48)}” as a proposed term of this document.`);
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
