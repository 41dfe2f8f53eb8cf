// What has just happened, for those who look: a line under the tree that goes away by itself, with
// a link where something can be done about it. It is read out too.

import { element } from "../shared/dom.js";
import { plainOrder } from "../shared/words.js";

const TOAST_MS = 9000;
const ADD_MS = 4000;

export class Toast {
  constructor(root, live) {
    this.root = root;
    this.live = live;
    root.addEventListener("mouseenter", () => clearTimeout(this.timer));
    root.addEventListener("mouseleave", () => this.fade());
    root.addEventListener("focusin", () => clearTimeout(this.timer));
  }

  say(sentence) {
    this.live.textContent = sentence;
  }

  // link: {words, run}
  tell(sentence, link = null) {
    this.say(sentence);
    const parts = [element("span", "", {}, plainOrder(sentence))];
    if (link) {
      const button = element("button", "", { type: "button" }, link.words);
      button.addEventListener("click", () => { this.hide(); link.run(); });
      parts.push(button);
    }
    this.root.replaceChildren(...parts);
    this.root.hidden = false;
    this.keepRow();
    this.toldAt = performance.now();
    this.fade();
  }

  // The line takes its height from the rows: the one that was decided on stays in sight.
  keepRow() {
    const row = this.root.parentElement.querySelector("[role=treeitem][aria-selected=true] > .row");
    if (row) row.scrollIntoView({ block: "nearest" });
  }

  // Adds to what has just been said, with the same link.
  add(sentence) {
    if (this.root.hidden || performance.now() - this.toldAt > ADD_MS) { this.tell(sentence); return; }
    this.root.firstChild.textContent += ` ${plainOrder(sentence)}`;
    this.say(this.root.firstChild.textContent);
    this.fade();
  }

  fade() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.hide(), TOAST_MS);
  }

  hide() {
    clearTimeout(this.timer);
    this.root.hidden = true;
  }
}
