// The table of keys: a field takes the key that is pressed in it, or what is typed there.

import { element, focusedElement, mountOnce } from "../shared/dom.js";
import { onClick } from "../shared/events.js";
import { isCommand, keyName, onKeydown } from "../shared/keys.js";

const INSTANCES = new WeakMap();
const MODIFIERS = new Set(["Shift", "Control", "Alt", "AltGraph", "Meta", "CapsLock", "Fn", "Dead", "Process", "Unidentified"]);
const LEAVES = new Set(["Tab", "Escape"]);
const IGNORED = new Set(["Enter", "Backspace", "ArrowLeft", "ArrowRight", "Home", "End"]);

class KeysTable {
  constructor(component) {
    this.root = component.parentElement.querySelector(".keys-settings");
    this.body = this.root.querySelector("tbody");
    this.problems = this.root.querySelector(".problems");
    this.live = this.root.querySelector("[aria-live]");
    this.reset = this.root.querySelector(".reset");
    this.reset.addEventListener("click", () => this.outbox.send("keys", { reset: true }));
    onKeydown(this.body, (event) => this.onKey(event));
    this.body.addEventListener("focusin", (event) => { if (event.target.matches("input")) event.target.select(); });
    this.body.addEventListener("change", (event) => this.onTyped(event));
    onClick(this.body, ".back", (button) => this.putBack(button.closest("tr")));
  }

  destroy() {}

  update(component) {
    const { rows, problems } = component.data;
    this.problems.replaceChildren(...problems.map((sentence) => element("p", "", {}, sentence)));
    if (this.body.rows.length !== rows.length) this.body.replaceChildren(...rows.map((row) => this.row(row)));
    for (const row of rows) this.fill(row);
    this.reset.disabled = rows.every((row) => row.key === row.standard);
    this.root.dataset.ready = "true";
  }

  row({ action, words }) {
    const input = element("input", "", {
      type: "text", autocomplete: "off", spellcheck: "false", "aria-label": `Key for: ${words}`, title: "Press the key, or type its name",
    });
    const cells = [words, input, element("button", "back", { type: "button" })].map((content) => element("td", "", {}, content));
    return element("tr", "", { "data-action": action }, cells);
  }

  fill({ action, key, spoken, standard, standard_spoken: standardSpoken, words }) {
    const line = this.body.querySelector(`tr[data-action="${CSS.escape(action)}"]`);
    const input = line.querySelector("input");
    const back = line.querySelector(".back");
    // A run that answers for another row leaves alone what is being typed.
    if (input !== focusedElement() || input.value === line.dataset.shown) input.value = spoken;
    line.dataset.shown = spoken;
    input.classList.toggle("own", key !== standard);
    back.textContent = `Back to ${standardSpoken}`;
    back.setAttribute("aria-label", `Back to ${standardSpoken} for: ${words}`);
    back.hidden = key === standard;
    line.dataset.key = key;
    line.dataset.standard = standard;
  }

  choose(line, key) {
    if (key === line.dataset.key) return;
    this.live.textContent = `${key} asked for`;
    this.outbox.send("keys", { action: line.dataset.action, key });
  }

  onKey(event) {
    event.stopPropagation();
    const input = event.target.closest("input");
    if (!input || MODIFIERS.has(event.key)) return;
    if (isCommand(event) || LEAVES.has(event.key)) return;
    if (IGNORED.has(event.key) && !event.shiftKey) return;
    event.preventDefault();
    this.choose(input.closest("tr"), keyName(event));
  }

  // Where no key can be pressed: dictation, a keyboard on the screen, a paste.
  onTyped(event) {
    const input = event.target.closest("input");
    if (!input || !input.value.trim()) return;
    const line = input.closest("tr");
    line.dataset.shown = input.value;
    this.choose(line, input.value.trim());
  }

  putBack(line) {
    this.choose(line, line.dataset.standard);
    line.querySelector("input").focus();
  }
}

export default function mount(component) {
  return mountOnce(INSTANCES, component, (mounted) => new KeysTable(mounted));
}
