// The list of documents: opens one, removes one, takes a removal back.

import { element, focusedElement, icon, madeEqual, mountOnce, setChildren } from "../shared/dom.js";
import { hear, onClick } from "../shared/events.js";
import { onKeydown } from "../shared/keys.js";
import { documentLink } from "../shared/server.js";
import { titleParts } from "../shared/titles.js";
import { plainLetters, plainOrder } from "../shared/words.js";

const INSTANCES = new WeakMap();
const REMOVED_MS = 30_000;
const FEWEST_TO_FIND = 8;   // a shorter list needs no filter, unless one is in use

class DocumentList {
  constructor(component) {
    this.root = component.parentElement.querySelector(".documents");
    this.list = this.root.querySelector("ul");
    this.filter = this.root.querySelector("input");
    this.note = this.root.querySelector(".note");
    this.removed = this.root.querySelector(".removed");
    this.filter.addEventListener("input", () => this.render());
    onKeydown(this.filter, (event) => event.stopPropagation());
    this.list.addEventListener("click", (event) => this.onClick(event));
    onClick(this.removed, "button", ({ dataset }) => this.outbox.send("restore", { id: dataset.document }));
    this.destroy = hear({ counts: (counts) => this.recount(counts), elsewhere: () => this.outbox.send("refresh", null) });
    this.counts = new Map();
  }

  update(component) {
    this.forgetCounts(component.data.documents);
    this.data = component.data;
    this.filter.placeholder = this.data.hides_titles ? "Find by id" : "Find by title";
    this.render();
  }

  // Decisions are counted in the browser, so the list follows without asking the server.
  recount({ documentId, accepted, rejected, finished }) {
    this.counts.set(documentId, { accepted, rejected, finished });
    const item = this.list.querySelector(`[data-document="${CSS.escape(documentId)}"]`);
    const entry = this.data && this.data.documents.find((one) => one.id === documentId);
    if (item && entry) madeEqual(item.querySelector(".status"), this.statusLine(entry));
  }

  // What the server says anew is newer than what was counted here.
  forgetCounts(documents) {
    const before = new Map(((this.data && this.data.documents) || []).map((entry) => [entry.id, JSON.stringify(entry)]));
    for (const entry of documents) if (before.get(entry.id) !== JSON.stringify(entry)) this.counts.delete(entry.id);
  }

  statusLine(entry) {
    const counted = this.counts.get(entry.id) || {};
    const now = { ...entry, ...counted };
    const finished = counted.finished === undefined ? entry.status === "finished" : counted.finished;
    const begun = entry.status !== "new" || now.accepted + now.rejected > 0;
    // How others judged it holds until it is finished, or opened, anew.
    const isJudged = entry.judged && finished === (entry.status === "finished");
    const status = isJudged ? entry.judged : finished ? "finished" : begun ? "in progress" : "new";
    return element("span", "status", { "data-status": status }, element("span", "light", { "aria-hidden": "true" }), this.status(now, status));
  }

  status({ waiting, accepted, rejected, given, suggested, annotation }, status) {
    if (waiting) return waiting;
    const parts = ["finished", "approved", "sent back"].includes(status) ? [status] : [];
    if (accepted) parts.push(`${accepted} accepted`);
    if (rejected) parts.push(`${rejected} rejected`);
    if (parts.length) return parts.join(" · ");
    if (status === "in progress") return "in progress";
    if (annotation) return annotation;   // two people have decided, on rows of their own
    if (suggested === null) return "not read yet";
    return given ? `new · ${given} given` : "new";
  }

  render() {
    const words = plainLetters(this.filter.value).split(/\s+/).filter(Boolean);
    const { documents, limit } = this.data;
    const found = documents.filter((entry) => words.every((word) => plainLetters(entry.title).includes(word)));
    setChildren(this.list, found.slice(0, limit).map((entry) => this.item(entry)));
    this.filter.parentElement.hidden = documents.length < FEWEST_TO_FIND && !words.length && focusedElement() !== this.filter;
    this.note.textContent = this.noteText(documents.length, found.length, limit);
    this.note.hidden = !this.note.textContent;
    this.renderRemoved();
  }

  noteText(all, found, limit) {
    if (!all) return "Documents that you open stay in this list.";
    if (!found) return "No title has these words.";
    return found > limit ? `The newest ${limit} of ${found}. Type to find others.` : "";
  }

  item(entry) {
    const { id, title } = entry;
    const { head, about } = titleParts(title || "Untitled");
    const link = element("a", "", { href: documentLink(id), title, ...(id === this.data.open ? { "aria-current": "page" } : {}) },
      head && element("span", "head", {}, head), element("span", "title", {}, about), this.statusLine(entry));
    const remove = element("button", "remove", { type: "button", title: "Remove from the list", "aria-label": `Remove ${title}` }, icon("reject"));
    return element("li", "", { "data-document": id }, link, remove);
  }

  // For some time; whoever looks at it keeps it. The bin has the document afterwards as well.
  renderRemoved() {
    const { removed } = this.data;
    if (removed?.id !== this.toldRemoved) {
      this.toldRemoved = removed?.id;
      clearTimeout(this.timer);
      if (removed) this.timer = setTimeout(() => this.fadeRemoved(), REMOVED_MS);
    }
    this.removed.hidden = !removed || this.faded === removed.id;
    if (!removed) { this.faded = null; this.removed.replaceChildren(); return; }
    const button = element("button", "", { type: "button", "data-document": removed.id }, "Undo");
    setChildren(this.removed, [element("span", "", {}, `Removed “${plainOrder(removed.title)}”.`), button]);
  }

  fadeRemoved() {
    if (this.removed.matches(":hover, :focus-within")) { this.timer = setTimeout(() => this.fadeRemoved(), REMOVED_MS); return; }
    this.faded = this.toldRemoved;
    this.removed.hidden = true;
  }

  onClick(event) {
    const item = event.target.closest("li");
    if (!item || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const id = item.dataset.document;
    event.preventDefault();
    if (event.target.closest(".remove")) this.outbox.send("remove", { id });
    else if (event.target.closest("a")) this.outbox.send("open", { id });
  }
}

export default function mount(component) {
  return mountOnce(INSTANCES, component, (mounted) => new DocumentList(mounted));
}
