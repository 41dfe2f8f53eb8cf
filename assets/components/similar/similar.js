// Finished documents that read like the open one, and a tick for each concept that was assigned to
// them. The workbench beside it takes what is ticked, and says what is decided here.

import { element, icon, mountOnce, setChildren } from "../shared/dom.js";
import { emit, hear, onClick } from "../shared/events.js";
import { onKeydown } from "../shared/keys.js";
import { documentLink } from "../shared/server.js";
import { titleParts } from "../shared/titles.js";
import { count, plainOrder, shownKey } from "../shared/words.js";

const INSTANCES = new WeakMap();
const AGAIN_MS = 1500, MOST_ATTEMPTS = 10;   // to have a message taken
const MANY = 4;         // concepts from which the open panel is higher
let IS_OPEN = false;    // for this page load, whichever document is on the page

class SimilarPanel {
  constructor(component) {
    this.root = component.parentElement.querySelector(".similar");
    const part = (name) => this.root.querySelector(name);
    [this.head, this.panel, this.take, this.none, this.concepts, this.from, this.documents] =
      [".head", ".panel", ".take", ".none", ".concepts", ".from", ".documents"].map(part);
    this.words = {};
    this.changed = new Map();   // ticks that a person has set
    this.head.addEventListener("click", (event) => { this.open(!IS_OPEN); leaveTo(event, this.head); });
    this.take.addEventListener("click", (event) => { leaveTo(event, this.take); this.ask(); });
    this.concepts.addEventListener("change", (event) => this.onTick(event.target));
    onClick(this.documents, "a", (link, event) => this.openDocument(link, event));
    onKeydown(this.root, (event) => event.stopPropagation());   // Streamlit listens to letters of its own
    this.destroy = hear({
      "similar-wanted": () => this.offer(), "similar-states": (states) => this.learn(states),
      elsewhere: ({ documentId }) => this.changedIn(documentId),
    });
  }

  update({ data }) {
    if (!this.data || this.data.document_id !== data.document_id) {
      this.changed.clear();
      this.words = {};
    }
    this.data = data;
    this.place = this.root.getRootNode().host?.closest(".st-key-similar");
    this.render();
    this.offer();
  }

  isCommon({ number }) { return 2 * number >= this.data.documents.length; }
  isOpen({ id }) { return !this.words[id]; }
  isTicked(concept) { return this.changed.get(concept.id) ?? this.isCommon(concept); }
  get ticked() { return this.data.concepts.filter((one) => this.isOpen(one) && this.isTicked(one)); }

  // Tells the workbench what there is to take; it asks for it when it turns to the document later.
  offer() {
    if (!this.data || !this.root.isConnected) return;
    const { document_id: documentId, concepts, nodes, documents } = this.data;
    emit("similar", {
      documentId, nodes, ids: concepts.map(({ id }) => id), n: documents.length, from: documents.map(({ id }) => id),
      ticked: concepts.filter((one) => this.isTicked(one)).map(({ id }) => id), isChosen: this.changed.size > 0 });
  }

  // What was taken back in one of the documents concerns what there is to take.
  changedIn(documentId) {
    if (!this.data || !this.data.documents.some(({ id }) => id === documentId)) return;
    this.outbox.send("refresh", null);
    setTimeout(() => this.askAgain(MOST_ATTEMPTS), AGAIN_MS);
  }

  // The list of documents asks at the same time, and its run does not draw this panel: a message
  // that Streamlit drops would wait for ever for the draw with which it is sent again.
  askAgain(times) {
    if (!times || !this.outbox.waiting.length || !this.root.isConnected) return;
    this.outbox.deliver();
    setTimeout(() => this.askAgain(times - 1), AGAIN_MS);
  }

  ask() {
    emit("similar-take", { documentId: this.data.document_id });
  }

  learn({ documentId, words, isReadOnly }) {
    if (!this.data || documentId !== this.data.document_id) return;
    this.words = words;
    this.isReadOnly = isReadOnly;
    this.render();
  }

  open(wanted) {
    IS_OPEN = wanted;
    this.render();
  }

  onTick(box) {
    this.changed.set(box.dataset.key, box.checked);
    this.offer();
    this.render();
  }

  openDocument(link, event) {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    this.outbox.send("open", { id: link.dataset.document });
  }

  // ------------------------------------------------------------------ drawing

  render() {
    const size = this.data.concepts.length + this.data.documents.length > MANY ? "many" : "few";
    this.root.classList.toggle("many", size === "many");
    this.panel.hidden = !IS_OPEN;
    if (this.place) this.place.dataset.open = IS_OPEN ? size : "";
    this.head.setAttribute("aria-expanded", String(IS_OPEN));
    const n = this.ticked.length;
    const key = this.data.key ? shownKey(this.data.key) : "";
    const found = element("span", "found", {}, count(this.data.documents.length, "similar document", "similar documents"));
    const offer = element("span", "offer", {}, n ? this.sentence(n) : this.nothing());
    const hasKey = n && key && !this.isReadOnly && !IS_OPEN;   // the open panel has them on its button
    setChildren(this.head, [icon("open"), found, ...(IS_OPEN ? [] : [offer]), ...(hasKey ? [element("kbd", "", { "aria-hidden": "true" }, key)] : [])]);
    this.take.hidden = !n || Boolean(this.isReadOnly);
    this.take.querySelector(".words").textContent = this.sentence(n);
    this.take.setAttribute("aria-keyshortcuts", this.data.key || "");
    this.take.querySelector("kbd").textContent = key;
    this.take.querySelector("kbd").hidden = !key;
    this.none.hidden = !this.take.hidden;
    this.none.textContent = this.isReadOnly ? "This document is finished. Reopen it to take something." : this.nothing();
    setChildren(this.concepts, this.data.concepts.map((one) => this.conceptItem(one)));
    this.from.textContent = "Assigned to these finished documents:";
    setChildren(this.documents, this.data.documents.map(documentItem));
  }

  // Of what at least half have, or of what a person has ticked.
  sentence(n) {
    const [one, many] = this.data.nouns;
    const common = this.data.concepts.filter((each) => this.isOpen(each) && this.isCommon(each)).map(({ id }) => id);
    const isCommon = String(common) === String(this.ticked.map(({ id }) => id));
    return `${isCommon ? "Take what at least half have" : "Take what is ticked"}: ${count(n, one, many)}`;
  }

  nothing() {
    const isLeft = this.data.concepts.some((one) => this.isOpen(one));
    if (this.changed.size && isLeft) return "Nothing is ticked.";
    if (isLeft && !this.data.concepts.some((one) => this.isCommon(one))) return `No ${this.data.nouns[0]} is common to half of them.`;
    return isLeft ? "What at least half have is decided here." : "All that they have is decided here.";
  }

  conceptItem(one) {
    const box = element("input", "", { type: "checkbox", "data-key": one.id });
    const word = this.words[one.id];
    box.checked = !word && this.isTicked(one);
    if (word || this.isReadOnly) box.setAttribute("disabled", "");
    const share = `${one.number} of ${this.data.documents.length}`;
    return element("li", "", { "data-key": one.id }, element("label", "", {}, box,
      element("span", "name", {}, one.label), element("span", "share", {}, word ? `${share} · ${word}` : share)));
  }
}

// A mouse leaves the keys to the tree; a keyboard stays where it is.
function leaveTo(event, button) {
  if (event.detail > 0) button.blur();
}

function documentItem({ id, title, similarity }) {
  const { head, about } = titleParts(title || "Untitled");
  const link = element("a", "", { href: documentLink(id), "data-document": id, title: plainOrder(title) },
    head && [element("span", "number", {}, head), " · "], element("span", "about", {}, about));
  return element("li", "", { "data-key": id }, link, element("span", "alike", {}, `${Math.round(100 * similarity)}% alike`));
}

export default function mount(component) {
  return mountOnce(INSTANCES, component, (mounted) => new SimilarPanel(mounted));
}
