// Words that a person selects in a note: attached to the code at the cursor, or searched with.

import { emit, listen } from "../shared/events.js";
import { shortened } from "../shared/words.js";

const MOST_LETTERS = 400;          // of evidence; more is a note and no words of it
const MOST_SEARCHED = 120;
const NEAR = 80;                   // letters from the place that the browser says

export class SelectedWords {
  constructor(root, reader) {
    this.root = root;
    this.reader = reader;
    this.found = null;
    const press = (name, act) => {
      const button = root.querySelector(name);
      button.addEventListener("mousedown", (event) => event.preventDefault());   // the selection stays
      button.addEventListener("click", () => { if (this.found) act(this.found); });
    };
    press(".cite", ({ words, start, end }) => this.tell("cite", { words, start, end }));
    press(".look", ({ words }) => this.tell("search", { words: words.slice(0, MOST_SEARCHED) }));
    this.destroy = listen(document, { selectionchange: () => { clearTimeout(this.timer); this.timer = setTimeout(() => this.look(), 150); } });
  }

  tell(name, detail) {
    emit(name, { documentId: this.reader.documentId, ...detail });
  }

  look() {
    this.found = this.reader.isClinical ? this.place() : null;
    this.root.hidden = !this.found;
    if (this.found) this.root.querySelector(".words").textContent = `“${shortened(this.found.words, 60)}”`;
  }

  // Where the selected words stand in the text, in code points; null where they are of no note.
  place() {
    const within = this.reader.pane.getRootNode();
    const selection = within.getSelection ? within.getSelection() : getSelection();
    const words = String(selection).trim();
    if (!words || words.length > MOST_LETTERS || !selection.rangeCount) return null;
    const range = selection.getRangeAt(0);
    const block = this.reader.text.blocks.text.find(({ node }) => node.contains(range.startContainer));
    if (!block) return null;
    const before = document.createRange();
    before.setStart(block.node, 0);
    before.setEnd(range.startContainer, range.startOffset);
    const { text } = this.reader.text.texts;
    // The same words may stand close before; the block's letters are those of the text, so what is
    // off the place is no more than spaces, or the gap to the next block.
    const from = block.start + String(before).length;
    const off = (place) => (place < block.start ? Infinity : Math.abs(place - from));
    const at = [text.indexOf(words, from), text.lastIndexOf(words, from)].reduce((a, b) => (off(b) < off(a) ? b : a));
    if (off(at) > NEAR) return null;
    const start = [...text.slice(0, at)].length;     // code points
    return { words, start, end: start + [...words].length };
  }
}
