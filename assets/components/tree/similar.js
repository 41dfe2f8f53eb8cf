// The tree's share in taking over what was assigned to similar documents: the panel beside the text
// says what is ticked, and hears what is decided here.

import { emit, hear } from "../shared/events.js";
import { count } from "../shared/words.js";
import { newGroup } from "./backoff.js";
import { acceptOperation } from "./state.js";

const MOST_NAMED = 8;

export class SimilarOffer {
  constructor({ state, send, tell, undoLink, addNodes, perform }) {
    Object.assign(this, { state, send, tell, undoLink, addNodes });
    this.stop = hear({
      similar: (offer) => this.take(offer), elsewhere: ({ documentId }) => this.withdraw(documentId),
      "similar-take": ({ documentId }) => { if (documentId === state.documentId) perform("similar"); },
    });
  }

  take(offer) {
    if (offer.documentId !== this.state.documentId || !this.state.outline) return;
    this.offer = offer;
    this.told = null;
    this.addNodes(offer.nodes);
    this.tellWords();
  }

  // A document in which something was taken back may not be finished any more: the panel asks anew.
  withdraw(documentId) {
    if (this.offer && this.offer.from.includes(documentId)) this.offer = null;
  }

  // The panel may have been drawn before the tree turned to this document.
  get isHere() { return Boolean(this.offer) && this.offer.documentId === this.state.documentId; }

  painted() {
    const { documentId } = this.state;
    if (!this.isHere && this.wantedFor !== documentId) {
      this.wantedFor = documentId;
      emit("similar-wanted");
    }
    if (this.isHere) this.tellWords();
  }

  tellWords() {
    const { documentId, readOnly } = this.state;
    const words = Object.fromEntries(this.offer.ids.map((id) => [id, this.wordOf(id)]));
    const told = JSON.stringify([documentId, words, readOnly]);
    if (told === this.told) return;
    this.told = told;
    emit("similar-states", { documentId, words, isReadOnly: readOnly });
  }

  // How a concept was decided here, itself or by ruling out a branch; nothing where it is open.
  wordOf(id) {
    const { decisions, outline } = this.state;
    const decision = decisions.get(id);
    if (decision) return decision.state === "open" ? "to be specified" : decision.state;
    const isBarred = [...outline.ancestorsOf(id)].some((above) => decisions.get(above)?.state === "excluded");
    return isBarred ? "ruled out" : "";
  }

  takeOver() {
    const { state, tell } = this;
    if (!this.isHere) { tell("No finished document is similar enough to take something from."); return; }
    const nodes = this.offer.ticked.filter((id) => !this.wordOf(id)).map((id) => state.outline.nodes.get(id));
    const wanted = nodes.filter((node) => node && node.assignable !== false);
    if (!wanted.length) { tell(this.nothing()); return; }
    const group = newGroup();
    this.send(wanted.map((node) => ({ ...acceptOperation(state, node, "similar", group), source: "similar" })));
    const noun = state.conventions.leaves_only ? ["code", "codes"] : ["concept", "concepts"];
    tell(`Took ${count(wanted.length, ...noun)} from similar documents: ${takenNames(wanted)}.`, this.undoLink());
  }

  nothing() {
    const { n, isChosen, ids, ticked } = this.offer;
    if (isChosen && ids.some((id) => !this.wordOf(id))) return "Nothing to take: no tick is set on what is undecided.";
    if (!isChosen && ids.length && !ticked.length) return `Nothing to take: nothing is common to half of the ${n} similar documents.`;
    return n === 1 ? "Nothing to take: what the similar document has is decided here."
      : `Nothing to take: what at least half of the ${n} similar documents have is decided here.`;
  }
}

function takenNames(nodes) {
  const labels = nodes.slice(0, MOST_NAMED).map(({ label }) => label);
  const more = nodes.length - labels.length;
  if (more) return `${labels.join(", ")} and ${more} more`;
  return labels.length > 1 ? `${labels.slice(0, -1).join(", ")} and ${labels.at(-1)}` : labels[0];
}
