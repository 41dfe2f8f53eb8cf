// The text of the document: its title as a heading, its paragraphs kept, nothing interpreted.

const INSTANCES = new WeakMap();

class Reader {
  constructor(component) {
    this.root = component.parentElement.querySelector(".reader");
    this.root.addEventListener("keydown", (event) => event.stopPropagation());
  }

  destroy() {}

  update({ data }) {
    if (this.shown === data.version) return;
    const other = this.documentId !== data.document_id;
    this.shown = data.version;
    this.documentId = data.document_id;
    const body = element("div", "body");
    for (const paragraph of data.text.split(/\n\s*\n/)) {
      if (paragraph.trim()) body.append(element("p", "", {}, paragraph.replace(/^\n+|\n+$/g, "")));
    }
    if (data.omitted) body.append(element("p", "omitted", {}, data.omitted));
    if (!body.childElementCount) body.append(element("p", "omitted", {}, "This document has a title and no text."));
    const facts = element("p", "facts", {}, data.facts);
    const notes = data.notes.map((note) => element("p", "notice", { role: "note" }, note));
    this.root.replaceChildren(element("h2", "", {}, data.title), facts, ...notes, body);
    if (other) this.root.scrollTop = 0;
    this.root.dataset.document = data.document_id;
  }
}

export default function (component) {
  return mountOnce(INSTANCES, component, (mounted) => new Reader(mounted));
}
