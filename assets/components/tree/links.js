// The tree's share in the talk between the halves of the page, and the card at its foot.

import { ConceptCard } from "../shared/card.js";
import { askServer } from "../shared/server.js";
import { readPreference, writePreference } from "../shared/storage.js";
import { shortened } from "../shared/words.js";
import { newGroup } from "./backoff.js";
import { isCategory } from "./coding.js";
import { refuseFinished } from "./commands.js";
import { CARD_KEY } from "./view.js";

export class Links {
  constructor(desk) {
    this.desk = desk;
    this.listeners = {
      "strata:support": ({ documentId, conceptIds }) => {
        if (documentId && documentId !== desk.documentId) return;
        const here = (conceptIds || []).filter((id) => desk.outline.nodes.has(id));
        if (!here.length) return;
        desk.tree.reveal(here[0], false);
        desk.tree.flash(here);
      },
      "strata:read": ({ documentId }) => {
        const row = documentId === desk.documentId && desk.tree.currentRow;
        if (row) this.select(row, false);
      },
      "strata:cite": (detail) => this.cite(detail),
      "strata:search": ({ documentId, words }) => { if (documentId === desk.documentId) desk.searchWith(words); },
      "strata:leave-text": () => desk.focusTree(),
      "strata:open-concept": ({ conceptId }) => this.openConcept(conceptId),
    };
    for (const [name, listener] of Object.entries(this.listeners)) {
      this.listeners[name] = (event) => listener(event.detail || {});
      document.addEventListener(name, this.listeners[name]);
    }
  }

  stop() {
    for (const [name, listener] of Object.entries(this.listeners)) document.removeEventListener(name, listener);
  }

  // Words of the text as evidence for the code at the cursor, which is accepted with them.
  cite({ documentId, words, start, end }) {
    const { desk } = this;
    const row = desk.codes.focusedRow || desk.tree.currentRow;
    if (documentId !== desk.documentId || !row) return;
    if (desk.readOnly) { refuseFinished(desk); return; }
    if (!row.node.assignable) { desk.tell(`${row.node.label} is no code: choose one on the right first.`); return; }
    const decision = desk.decisionOf(row.node.id);
    const isAccepted = decision && decision.state === "accepted";
    const group = newGroup();
    desk.send([
      ...(isAccepted ? [] : [desk.acceptOperation(row.node, "tree", group)]),
      { action: "cite", concept_id: row.node.id, value: `${start}-${end}`, group },
    ]);
    desk.tell(`“${shortened(words, 60)}” is evidence for ${row.node.label}.`, desk.undoLink());
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
    const { desk } = this;
    const detail = { documentId: desk.documentId, conceptId: null, conceptIds: [], label: "", hover };
    if (row) {
      const { id, label } = row.node;
      const itself = !isCategory(row.node, desk.conventions) && (row.suggestion || desk.decisionOf(id));
      Object.assign(detail, { conceptId: id, label, conceptIds: itself ? [id] : this.suggestedBelow(id) });
    }
    document.dispatchEvent(new CustomEvent("strata:select", { detail }));
  }

  // To the note before or after the one that is read, as the reader's own keys go.
  turnNote(by) { tellText("note", { by }); }

  // Through the places of the evidence, and to the search in the text.
  turnPassage(by) { tellText("passage", { by }); }
  findInText() { tellText("find", {}); }

  suggestedBelow(conceptId) {
    const { outline, offered, weak } = this.desk;
    const suggested = outline.suggested.map((node) => node.id).filter((id) => offered.has(id) && !weak.has(id));
    return outline.below(conceptId, suggested);
  }

  // From the card: a concept that may not be on the tree yet.
  async openConcept(conceptId) {
    const { desk } = this;
    if (!conceptId) return;
    if (!desk.outline.nodes.has(conceptId)) {
      const { facts, problem } = await askServer(desk.data.outline_url, { id: conceptId, lang: desk.language });
      if (problem) { desk.tell(problem); return; }
      desk.addNodes(facts.nodes);
    }
    desk.visit(conceptId, true);
  }
}

function tellText(name, detail) { document.dispatchEvent(new CustomEvent(`strata:${name}`, { detail })); }

// The concept card, in a panel that opens and closes; it is asked only while it is open.
export class CardPanel {
  constructor(root, desk) {
    this.root = root;
    this.desk = desk;
    this.node = null;
    this.card = new ConceptCard(root.querySelector(".card"), {
      onConcept: (id) => desk.links.openConcept(id), onDocument: (id) => desk.go(id) });
    root.open = readPreference(CARD_KEY) === "open";
    root.addEventListener("toggle", () => {
      writePreference(CARD_KEY, root.open ? "open" : "closed");
      this.draw();
      this.placeAbove();
      this.tellCovered();
    });
    new ResizeObserver(() => this.tellCovered()).observe(root.querySelector(".card"));
    this.onResize = () => this.placeAbove();
    document.addEventListener("strata:evidence-resize", this.onResize);
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
    document.removeEventListener("strata:evidence-resize", this.onResize);
    document.documentElement.style.removeProperty("--strata-about");
  }

  draw() {
    if (!this.root.open || !this.node) return;
    const { desk, node } = this;
    this.card.show({ conceptId: node.id, documentId: desk.documentId, run: desk.data.run_id, language: desk.language, node });
  }
}
