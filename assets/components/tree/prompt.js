// A question in the bar under the tree: a sentence and some answers, one of which has the focus.
// With a list of what it is about it lies over the tree, so that nothing else moves.

import { element, focusedElement, icon } from "../shared/dom.js";
import { isKey, onKeydown } from "../shared/keys.js";
import { plainOrder, shortened, shownKey } from "../shared/words.js";

// There the bar stays at the edge of the window, and the tree may be out of it.
const UNDER_THE_TEXT = "(max-width: 1100px)";

export class Prompt {
  constructor(root, over, onOpen, onClose) {
    this.root = root;
    this.over = over;
    this.home = root.parentElement;
    this.onOpen = onOpen;
    this.onClose = onClose;
    this.sentence = root.querySelector(".sentence");
    this.answers = root.querySelector(".answers");
    this.details = root.querySelector(".details");
    this.choices = [];
    onKeydown(root, (event) => this.onKey(event));
  }

  get isOpen() { return !this.root.hidden; }
  get isOver() { return this.root.parentElement === this.over; }

  // choices: [{words, detail, icon, run}]; key: the key that opened it, and takes the answer too;
  // details: [{icon, kind, words, more, source, run, mend}], what the question is about, one below the
  // other; mend: {words, key, run}, what would settle it; mends: begin at the first of these.
  ask(sentence, choices, key, details = [], { mends = false } = {}) {
    this.choices = choices;
    this.key = key;
    this.sentence.textContent = plainOrder(sentence);
    this.root.setAttribute("aria-label", sentence);
    const buttons = choices.map((choice) => this.button(choice));
    const cancel = this.button({ words: "Cancel", detail: "Esc", run: () => {} }, "cancel");
    this.answers.replaceChildren(...buttons, cancel);
    this.details.replaceChildren(...details.map((detail) => this.line(detail)));
    this.details.hidden = !details.length;
    const place = details.length && !matchMedia(UNDER_THE_TEXT).matches ? this.over : this.home;
    if (this.root.parentElement !== place) place.append(this.root);
    this.home.style.minHeight = `${this.home.offsetHeight}px`;   // nothing moves for a question
    this.root.hidden = false;
    this.onOpen();
    ((mends && this.details.querySelector(".mend")) || buttons[0] || this.details.querySelector("button") || cancel).focus();
  }

  // With a field for words, which the answer takes.
  askWords(sentence, label, { words, icon: name, run }) {
    const field = element("input", "words", { type: "text", maxlength: "2000", "aria-label": label, placeholder: label });
    this.ask(sentence, [{ words, detail: "Enter", icon: name, run: () => run(field.value.trim()) }]);
    this.answers.prepend(field);
    field.focus();
  }

  line({ icon: name, kind, words, more, source, run, mend }) {
    const action = run ? { type: "button", click: () => { this.close(); run(); } } : {};
    return element("li", `finding ${kind}`, mend && mend.key ? { "data-mend-key": mend.key } : {},
      element(run ? "button" : "span", "what", action, icon(name), element("span", "", {}, words)),
      more && element("q", "", { title: more }, shortened(more, 200)),
      (mend || source) && element("span", "foot", {}, mend && this.mendButton(mend), source && element("small", "source", {}, source)));
  }

  mendButton({ words, key, run }) { return this.button({ words, detail: key ? shownKey(key) : "", run }, "mend"); }

  // The key of a remedy, on the line that has the focus; elsewhere it takes the only line with one,
  // or goes to the first of several.
  mendByKey(event) {
    const lines = [...this.details.querySelectorAll("[data-mend-key]")].filter((line) => isKey(event, line.dataset.mendKey));
    if (!lines.length || event.repeat) return false;
    const here = lines.find((line) => line.contains(focusedElement()));
    const mend = (here || lines[0]).querySelector(".mend");
    if (here || lines.length === 1) mend.click();
    else mend.focus();
    return true;
  }

  button({ words, detail, icon: name, run }, className = "") {
    return element("button", className, { type: "button", click: () => { this.close(); run(); } },
      name && icon(name), element("span", "", {}, words), detail && element("span", "detail", {}, detail));
  }

  // What the key that opened the question takes: the first answer, also from a line of the list.
  taken(button) { return this.choices.length && this.details.contains(button) ? this.answers.querySelector("button") : button; }

  close() {
    if (!this.isOpen) return;
    const hadFocus = this.root.contains(focusedElement());
    this.root.hidden = true;
    this.home.style.minHeight = "";
    this.answers.replaceChildren();
    this.details.replaceChildren();
    this.onClose(hadFocus);
  }

  onKey(event) {
    event.stopPropagation();
    const buttons = [...this.root.querySelectorAll("button")];
    const isTyped = Boolean(focusedElement()?.matches("input.words"));
    if (isTyped && event.key !== "Enter" && event.key !== "Escape") return;
    const at = buttons.indexOf(focusedElement());
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (by) buttons[(at + by + buttons.length) % buttons.length].focus();
    else if (event.key === "Escape") this.close();
    else if (isTyped) buttons[0].click();
    else if (this.mendByKey(event)) { /* done */ }
    else if (isKey(event, this.key) && !event.repeat && at >= 0) this.taken(buttons[at]).click();
    else return;
    event.preventDefault();
  }
}
