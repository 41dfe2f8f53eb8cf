// The tree's share in the talk between the halves of the page, and the card at its foot.

import { ConceptCard } from "../shared/card.js";
import { emit, hear } from "../shared/events.js";
import { askServer } from "../shared/server.js";
import { readPreference, writePreference } from "../shared/storage.js";
import { shortened } from "../shared/words.js";
import { newGroup } from "./backoff.js";
import { isCategory } from "./coding.js";
import { acceptOperation, decisionIs } from "./state.js";
import { CARD_KEY } from "./view.js";

export class Links {
  constructor({ state, tree, send, tell, undoLink, refuse, chosenRow, searchWith, addNodes, visit, focusTree }) {
    Object.assign(this, { state, send, tell, undoLink, refuse, chosenRow, addNodes, visit });
    this.stop = hear({
      support: ({ documentId, conceptIds }) => {
        if (documentId && documentId !== state.documentId) return;
        const here = conceptIds.filter((id) => state.outline.nodes.has(id));
        if (!here.length) return;
        tree.reveal(here[0], false);
        tree.flash(here);
      },
      read: ({ documentId }) => {
        const row = documentId === state.documentId && tree.currentRow;
        if (row) this.select(row, false);
      },
      cite: (detail) => this.cite(detail),
      search: ({ documentId, words }) => { if (documentId === state.documentId) searchWith(words); },
      "leave-text": () => focusTree(),
    });
  }

  // Words of the text as evidence for the code at the cursor, which is accepted with them.
  cite({ documentId, words, start, end }) {
    const { state } = this;
    const row = this.chosenRow();
    if (documentId !== state.documentId || !row) return;
    const { node } = row;
    if (state.readOnly) { this.refuse(); return; }
    if (!node.assignable) { this.tell(`${node.label} is no code: choose one on the right first.`); return; }
    const group = newGroup();
    this.send([
      ...(decisionIs(state, node.id, "accepted") ? [] : [acceptOperation(state, node, "tree", group)]),
      { action: "cite", concept_id: node.id, value: `${start}-${end}`, group },
    ]);
    this.tell(`“${shortened(words, 60)}” is evidence for ${node.label}.`, this.undoLink());
  }

  // Tells the other half which concept is looked at, once the tree itself has been painted; of
  // several in between, only the last.
  select(row, hover) {
    const waits = Boolean(this.looked);
    this.looked = { row, hover };
    if (!waits) requestAnimationFrame(() => setTimeout(() => this.tellLooked(), 0));
  }

  // Of a broader concept, what is suggested below it.
  tellLooked() {
    const { row, hover } = this.looked;
    this.looked = null;
    const { state } = this;
    const detail = { documentId: state.documentId, conceptId: null, conceptIds: [], label: "", hover };
    if (row && !row.node.isGroup) {
      const { id, label } = row.node;
      const itself = !isCategory(row.node, state.conventions) && (row.suggestion || state.decisions.has(id));
      Object.assign(detail, { conceptId: id, label, conceptIds: itself ? [id] : this.suggestedBelow(id) });
    }
    emit("select", detail);
  }

  suggestedBelow(conceptId) {
    const { outline, offered, weak } = this.state;
    const suggested = outline.suggested.map((node) => node.id).filter((id) => offered.has(id) && !weak.has(id));
    return outline.below(conceptId, suggested);
  }

  // From the card: a concept that may not be on the tree yet.
  async openConcept(conceptId) {
    const { outline, data } = this.state;
    if (!conceptId) return;
    if (!outline.nodes.has(conceptId)) {
      const { facts, problem } = await askServer(data.outline_url, { id: conceptId, lang: data.language });
      if (problem) { this.tell(problem); return; }
      this.addNodes(facts.nodes);
    }
    this.visit(conceptId, true);
  }
}

// The concept card, in a panel that opens and closes; it is asked only while it is open.
export class CardPanel {
  constructor(root, { state, links, go }) {
    Object.assign(this, { root, state, node: null });
    this.card = new ConceptCard(root.querySelector(".card"), {
      onConcept: (id) => links.openConcept(id), onDocument: (id) => go({ to: id }) });
    root.open = readPreference(CARD_KEY) === "open";
    root.addEventListener("toggle", () => {
      writePreference(CARD_KEY, root.open ? "open" : "closed");
      this.draw();
      this.placeAbove();
      this.tellCovered();
    });
    new ResizeObserver(() => this.tellCovered()).observe(root.querySelector(".card"));
    this.endHearing = hear({ "evidence-resize": () => this.placeAbove() });
    this.placeAbove();
  }

  show(node) {
    this.node = node;
    this.draw();
  }

  // Beside the tree, the card lies over the text and above its evidence.
  placeAbove() {
    if (!this.root.open) return;
    const height = document.documentElement.dataset.strataEvidence || 0;
    this.root.querySelector(".card").style.setProperty("--strata-evidence", `${height}px`);
  }

  // The text scrolls to what is above the card.
  tellCovered() {
    const card = this.root.querySelector(".card");
    const isBeside = this.root.open && card.getBoundingClientRect().right <= this.root.getBoundingClientRect().left;
    document.documentElement.style.setProperty("--strata-about", isBeside ? `${card.offsetHeight + 6}px` : "0px");
  }

  stop() {
    this.endHearing();
    document.documentElement.style.removeProperty("--strata-about");
  }

  draw() {
    if (!this.root.open || !this.node) return;
    const { node, state: { documentId, data } } = this;
    this.card.show({ conceptId: node.id, documentId, run: data.run_id, language: data.language, node });
  }
}
