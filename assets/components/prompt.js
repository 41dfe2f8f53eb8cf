// A question in the bar under the tree: a sentence and some answers, one of which has the focus.

class Prompt {
  constructor(root, onOpen, onClose) {
    this.root = root;
    this.onOpen = onOpen;
    this.onClose = onClose;
    this.sentence = root.querySelector(".sentence");
    this.answers = root.querySelector(".answers");
    this.choices = [];
    root.addEventListener("keydown", (event) => this.onKey(event));
  }

  get isOpen() { return !this.root.hidden; }

  // choices: [{words, detail, icon, run}]; key: the key that opened it, and takes the answer too.
  ask(sentence, choices, key) {
    this.choices = choices;
    this.key = key;
    this.sentence.textContent = sentence;
    this.root.setAttribute("aria-label", sentence);
    const buttons = choices.map((choice) => this.button(choice));
    const cancel = this.button({ words: "Cancel", detail: "Esc", run: () => {} });
    cancel.classList.add("cancel");
    this.answers.replaceChildren(...buttons, cancel);
    this.root.hidden = false;
    this.onOpen();
    (buttons[0] || cancel).focus();
  }

  button({ words, detail, icon: name, run }) {
    const button = element("button", "", { type: "button" });
    if (name) button.append(icon(name));
    button.append(element("span", "", {}, words));
    if (detail) button.append(element("span", "detail", {}, detail));
    button.addEventListener("click", () => { this.close(); run(); });
    return button;
  }

  close() {
    if (!this.isOpen) return;
    const hadFocus = this.root.contains(focusedElement());
    this.root.hidden = true;
    this.answers.replaceChildren();
    this.onClose(hadFocus);
  }

  onKey(event) {
    event.stopPropagation();
    const buttons = [...this.answers.children];
    const at = buttons.indexOf(focusedElement());
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (by) buttons[(at + by + buttons.length) % buttons.length].focus();
    else if (event.key === "Escape") this.close();
    else if (keyName(event) === this.key && !event.repeat && at >= 0) buttons[at].click();
    else return;
    event.preventDefault();
  }
}
