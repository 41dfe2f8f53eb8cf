// The keys, on a sheet over the page; Esc or a click beside it puts it away.

import { element, focusedElement } from "../shared/dom.js";
import { onKeydown } from "../shared/keys.js";
import { shownKey } from "../shared/words.js";

const MOVE_WORDS = [
  [["↑", "↓"], "Go to the row above or below"], [["←", "→"], "Close or open a branch"],
  [["Home", "End"], "Go to the first or last row"], [["*"], "Open all branches beside this one"],
];

const CODE_WORDS = [[["Alt+↑", "Alt+↓"], "Move the code up or down in the order"],
  [["[", "]"], "Read the previous or next note of the encounter"]];

export class Help {
  constructor(dialog) {
    this.dialog = dialog;
    this.list = dialog.querySelector("dl");
    onKeydown(dialog, (event) => event.stopPropagation());
    dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
    dialog.querySelector("button").addEventListener("click", () => dialog.close());
    dialog.addEventListener("close", () => { if (this.before && this.before.isConnected) this.before.focus(); });
  }

  // shortcuts: [{action, words}], keys: {action: key}
  configure(shortcuts, keys, conventions = {}) {
    const rows = [...MOVE_WORDS, ...(conventions.sequenced ? CODE_WORDS : []), ...shortcuts.map(({ action, words }) => [[shownKey(keys[action])], words])];
    this.list.replaceChildren(...rows.flatMap(([names, words]) => [
      element("dt", "", {}, names.map((name) => element("kbd", "", {}, name))), element("dd", "", {}, words)]));
  }

  open() {
    this.before = focusedElement();
    this.dialog.showModal();
  }
}
