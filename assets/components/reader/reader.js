// The text of the document: its title as a heading, its parts, headings and paragraphs as they were
// read from the file, nothing interpreted; with a search box and the evidence for a concept.

import { element, mountOnce } from "../shared/dom.js";
import { emit, hear, listen, onClick } from "../shared/events.js";
import { isField, onKeydown } from "../shared/keys.js";
import { readPreference, readStored, writePreference, writeStored } from "../shared/storage.js";
import { EvidencePanel } from "./reader_evidence.js";
import { Notes, SectionList } from "./reader_notes.js";
import { SelectedWords } from "./reader_selection.js";
import { TextSearch } from "./reader_search.js";
import { DocumentText } from "./reader_text.js";
import { pastedText, TitleEditor } from "./reader_title.js";

const INSTANCES = new WeakMap();
const SIZE_KEY = "strata.reader.size";
const PLACE_PREFIX = "strata.reader.place.";
const SIZES = [13, 14, 15.5, 17, 19, 22, 26];
const USUAL_SIZE = 2;

class Reader {
  constructor(component) {
    this.root = component.parentElement.querySelector(".reader");
    const part = (name) => this.root.querySelector(name);
    this.pane = part(".pane");
    this.facts = part(".facts");
    this.here = part(".here");
    this.notices = part(".notices");
    this.omitted = part(".omitted");
    this.text = new DocumentText(part("h1"), part(".body"));
    this.title = new TitleEditor(part(".titled"), (typed) => this.outbox.send("title", typed), (text) => this.outbox.send("pasted", { text }));
    this.encounter = new Notes(this.root, this.pane);
    this.contents = new SectionList(part(".contents"), this);
    this.evidence = new EvidencePanel(part(".evidence"), this);
    this.search = new TextSearch(part(".find"), this);
    this.selected = new SelectedWords(part(".selected"), this);
    const evidence = part(".evidence");
    // A custom property of the root would have the whole page styled anew at each selection.
    new ResizeObserver(() => {
      document.documentElement.dataset.strataEvidence = evidence.offsetHeight;
      emit("evidence-resize");
    }).observe(evidence);
    this.sizes = [part(".smaller"), part(".larger")];
    this.sizes.forEach((button, i) => button.addEventListener("click", () => this.resize(i ? 1 : -1)));
    this.size = Number(readPreference(SIZE_KEY) ?? USUAL_SIZE);
    this.resize(0);
    onKeydown(this.root, (event) => this.onKey(event));
    onClick(this.pane, "mark", ({ dataset }) => {
      if (!String(getSelection())) this.evidence.support(Number(dataset.passage), Number(dataset.place));   // not where words are being selected
    });
    this.pane.addEventListener("scroll", () => this.rememberPlace());
    this.endings = [
      hear({
        select: (looked) => this.evidence.select(looked), note: ({ by }) => this.encounter.step(by),
        passage: ({ by }) => this.evidence.step(by), find: () => this.search.focus(),
        here: (present) => this.showPresent(present),
      }),
      listen(document, { paste: (event) => this.onPaste(event) }),
    ];
  }

  destroy() {
    this.encounter.destroy();
    this.selected.destroy();
    for (const end of this.endings) end();
  }

  // Others who have the document open; a screen reader hears it where it changes alone.
  showPresent({ documentId, people }) {
    if (documentId !== this.documentId) return;
    const [last, ...before] = [...people].reverse();
    const names = before.length ? `${before.reverse().join(", ")} and ${last}` : last;
    const sentence = last ? `${names} ${before.length ? "are" : "is"} here too.` : "";
    if (this.here.textContent !== sentence) this.here.textContent = sentence;
  }

  update({ data }) {
    this.takesTexts = data.takes_texts;
    this.isClinical = !data.takes_texts;
    this.title.load(data, this.outbox.waiting.length > 0);
    this.evidence.configure(data.keys);
    this.search.configure(data.keys);
    if (this.shown === data.version) return;
    const isOther = this.documentId !== data.document_id;
    this.shown = data.version;
    this.documentId = data.document_id;
    this.facts.textContent = data.facts;
    if (isOther) this.here.textContent = "";
    this.notices.replaceChildren(...data.notes.map((note) => element("p", "notice", { role: "note" }, note)));
    const empty = data.text.trim() ? "" : "This document has a title and no text.";
    this.omitted.textContent = data.omitted || empty;
    this.omitted.hidden = !this.omitted.textContent;
    if (!isOther && this.text.texts.title !== data.title) this.text.retitle(data.title);
    if (isOther) {
      this.text.load(data);
      this.encounter.load(data);
      this.contents.load(data);
      this.search.load(data);
    }
    this.evidence.reset(data.document_id);
    if (isOther) this.search.find(false);
    else this.search.findAgain();
    if (isOther) this.pane.scrollTop = Number(readStored("sessionStorage", PLACE_PREFIX + data.document_id) || 0);
    this.root.dataset.document = data.document_id;
    // The tree may have been there first, and said already what is selected.
    if (isOther) emit("read", { documentId: data.document_id });
  }

  // The keys of the workbench are taken before this; what is left is none of Streamlit's either.
  onKey(event) {
    event.stopPropagation();
    if (event.key !== "Escape" || event.defaultPrevented || isField(event.target)) return;
    emit("leave-text");
  }

  // Of a note that is pasted nobody knows whether it is of this patient.
  onPaste(event) {
    const text = this.takesTexts && this.root.isConnected ? pastedText(event) : "";
    if (!text) return;
    event.preventDefault();
    this.outbox.send("pasted", { text });
  }

  repaint() {
    if (!this.text.blocks || !this.search) return;
    this.text.paint([...this.evidence.marks(), ...this.search.marks()]);
    this.root.dataset.marks = String(this.pane.querySelectorAll("mark").length);
  }

  // Scrolls the pane and nothing else, and leaves the focus where it is. Blocks far away have no
  // height before they are drawn, so the way is measured again on arrival.
  bringIntoView(selector, { unlessVisible = false } = {}) {
    if (unlessVisible && [...this.pane.querySelectorAll(selector)].some((node) => this.isVisible(node))) return;
    this.scrollTo(() => this.pane.querySelector(selector));
  }

  // To the block at this code point of the text.
  goTo(position) {
    const start = this.text.points.text.unit(position);
    const [block] = this.text.blocksIn({ field: "text", start, end: start + 1 });
    if (!block) return;
    this.scrollTo(() => block.node, 0.05);
    this.encounter.scrollerOf(block.node).focus({ preventScroll: true });
  }

  // share: where in the height of the pane the element comes to stand.
  scrollTo(find, share = 1 / 3) {
    let tries = 4;
    const go = () => {
      const node = find();
      if (!node) return;
      this.encounter.reveal(node);
      if (this.isVisible(node)) return;
      const scroller = this.encounter.scrollerOf(node);
      const [box, pane] = [node.getBoundingClientRect(), scroller.getBoundingClientRect()];
      scroller.scrollTop += box.top - pane.top - share * pane.height;
      tries -= 1;
      if (tries) requestAnimationFrame(go);
    };
    go();
  }

  isVisible(node) {
    const scroller = this.encounter.scrollerOf(node);
    const [box, pane] = [node.getBoundingClientRect(), scroller.getBoundingClientRect()];
    return box.top >= pane.top && box.bottom <= pane.bottom - coveredPixels();
  }

  resize(by) {
    const wanted = Number.isInteger(this.size) ? this.size + by : USUAL_SIZE;
    this.size = Math.max(0, Math.min(SIZES.length - 1, wanted));
    this.pane.style.fontSize = `${SIZES[this.size]}px`;
    this.sizes[0].disabled = this.size === 0;
    this.sizes[1].disabled = this.size === SIZES.length - 1;
    if (by) writePreference(SIZE_KEY, this.size);
  }

  rememberPlace() {
    clearTimeout(this.placeTimer);
    this.placeTimer = setTimeout(() => writeStored("sessionStorage", PLACE_PREFIX + this.documentId, Math.round(this.pane.scrollTop)), 250);
  }
}

// Of the text, at its foot, by what lies over it.
function coveredPixels() {
  return Number.parseFloat(window.getComputedStyle(document.documentElement).getPropertyValue("--strata-about")) || 0;
}

export default function mount(component) {
  return mountOnce(INSTANCES, component, (mounted) => new Reader(mounted));
}
