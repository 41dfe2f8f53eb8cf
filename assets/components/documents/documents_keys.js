// Ways to the table and from it by key: the first stop of the Tab key skips to it, and the keys for
// a new document and for the next unfinished one do what they do on the Annotate page.

import { element } from "../shared/dom.js";
import { actionOf, isField, isInOverlay, onKeydown } from "../shared/keys.js";
import { PAGE_SIZE, VIEW } from "./documents_view.js";

const DONE_BY_KEY = { skip: "next", new: "new" };

export class TableKeys {
  constructor(table) {
    this.table = table;
    this.onPoint = () => { this.isEntered = true; };
    this.endKeys = onKeydown(window, (event) => this.take(event), { capture: true });   // before Streamlit's own
    window.addEventListener("pointerdown", this.onPoint, true);
    this.skip = element("nav", "strata-skip", { "aria-label": "Skip" },
      element("button", "", { type: "button", click: () => enterRows(this.table) }, "Skip to the table"));
    document.body.prepend(this.skip);
  }

  stop() {
    this.endKeys();
    window.removeEventListener("pointerdown", this.onPoint, true);
    this.skip.remove();
  }

  configure(keys) {
    this.actions = new Map(Object.entries(DONE_BY_KEY).map(([action, asked]) => [(keys || {})[action], asked]));
  }

  // Coming from another page of the app, the browser goes on with Tab where the focus was lost.
  takeFirstTab(event) {
    const isFirst = !this.isEntered && !event.shiftKey && event.composedPath()[0] === document.body;
    this.isEntered = true;
    if (!isFirst) return;
    event.preventDefault();
    this.skip.firstChild.focus();
  }

  take(event) {
    if (event.key === "Tab") { this.takeFirstTab(event); return; }
    if (event.altKey || event.metaKey || event.ctrlKey || event.repeat) return;
    if (isField(event.composedPath()[0]) || isInOverlay(event)) return;
    const asked = this.actions && actionOf(event, this.actions);
    if (!asked) return;
    event.preventDefault();
    event.stopPropagation();
    this.table.send(asked, []);
  }
}

// Back from a document, to its row, wherever it stands now.
export function goBack(table) {
  const at = table.listed.findIndex((entry) => entry.id === VIEW.opened);
  VIEW.opened = null;
  if (at < 0) return;
  VIEW.page = Math.floor(at / PAGE_SIZE);
  table.current = table.listed[at].id;
  table.render();
  table.go(table.rowOf(table.current));
}

// To the row that was looked at last; to the search where there is none.
function enterRows(table) {
  const { rows } = table.body;
  if (rows.length) table.go(table.rowOf(table.current) || rows[0]);
  else table.find.focus();
}
