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

  // link: {words, run}; isOfPage: whether it still holds on the next document, as what a finish tells.
  tell(sentence, link = null, { isOfPage = false } = {}) {
    this.say(sentence);
    this.isOfPage = isOfPage;
    this.undoes = Boolean(link && link.undoes);
    const click = () => { this.hide(); link.run(); };
    const button = link ? [element("button", "", { type: "button", click }, link.words)] : [];
    this.root.replaceChildren(element("span", "", {}, plainOrder(sentence)), ...button);
    this.root.hidden = false;
    this.toldAt = performance.now();
    this.fade();
  }

  // Adds to what has just been said, with the same link.
  add(sentence) {
    if (this.root.hidden || performance.now() - this.toldAt > ADD_MS) { this.tell(sentence); return; }
    this.root.firstChild.textContent += ` ${plainOrder(sentence)}`;
    this.say(this.root.firstChild.textContent);
    this.fade();
  }

  // Another document is opened: what was said of the one before does not hold here.
  turned() { if (!this.isOfPage) this.hide(); }

  // Something is decided: what the link would undo is not the last action any more.
  decided() { if (this.undoes) this.hide(); }

  fade() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.hide(), TOAST_MS);
  }

  hide() {
    clearTimeout(this.timer);
    this.root.hidden = true;
  }
}
