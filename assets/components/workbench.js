// The right half of the Annotate page: search, summary, slider and tree over one queue.

const QUEUE = new DecisionQueue();
const INSTANCES = new WeakMap();
const VIEWS = new Map();            // document id -> collapsed rows and place, for this page load
const SHOWN_KEY = "strata.view.shown";

class Workbench {
  constructor(component) {
    this.root = component.parentElement.querySelector(".workbench");
    const part = (name) => this.root.querySelector(`.${name}`);
    this.summary = part("summary");
    this.badge = part("badge");
    this.live = part("live");
    this.empty = part("empty");
    this.notice = part("notice");
    this.slider = part("slider");
    this.shownCount = part("shown-count");
    this.tree = new TreeView(this.root.querySelector("[role=tree]"), this);
    this.search = new SearchBox(part("search"), this);
    this.outage = new OutageWatch(this.root);
    this.slider.addEventListener("input", () => this.slide());
    part("expand").addEventListener("click", () => this.tree.setAllOpen(true));
    part("collapse").addEventListener("click", () => this.tree.setAllOpen(false));
    part("undo").addEventListener("click", () => this.undo());
    this.slider.addEventListener("keydown", (event) => event.stopPropagation());
  }

  destroy() {
    this.outage.stop();
    QUEUE.disconnect();
  }

  update(component) {
    const { data } = component;
    QUEUE.connect((batches) => component.setTriggerValue("operations", batches), () => this.render());
    if (this.documentId !== data.document_id) this.openDocument(data.document_id);
    this.outline = new Outline(data.nodes);
    this.outline.merge([...this.added.values()]);
    this.stored = data.decisions;
    this.search.configure(data.search_url, data.language);
    QUEUE.settle(data.receipts, data.problem);
    this.notice.textContent = data.notice || "";
    this.notice.hidden = !data.notice;
    this.empty.textContent = data.empty;
    this.setSlider(data.nodes.filter((node) => node.rank).length, data.shown);
    this.render();
    this.showUndone();
  }

  openDocument(documentId) {
    if (this.documentId) VIEWS.set(this.documentId, { collapsed: this.tree.collapsed, current: this.tree.current });
    const view = VIEWS.get(documentId) || { collapsed: new Set(), current: null };
    this.documentId = documentId;
    this.added = new Map();          // concepts found by search that the server has not sent yet
    this.tree.collapsed = view.collapsed;
    this.tree.current = view.current;
    this.tree.signature = null;
    this.tree.root.scrollTop = 0;
    this.undoing = null;
  }

  setSlider(suggested, standard) {
    const wanted = Number(readPreference(SHOWN_KEY)) || standard;
    this.slider.max = String(Math.max(suggested, 1));
    this.slider.value = String(Math.min(wanted, suggested));
    this.slider.disabled = suggested < 2;
    this.suggested = suggested;
  }

  slide() {
    writePreference(SHOWN_KEY, this.slider.value);
    this.render();
  }

  render() {
    const pending = QUEUE.pending(this.documentId);
    this.decisions = decisionsNow(this.stored, pending);
    this.impliedIds = this.outline.implied(this.decisions);
    this.pendingIds = new Set(pending.map((operation) => operation.concept_id));
    const limit = this.suggested ? Number(this.slider.value) : 0;
    const rows = this.outline.rows(limit, this.decisions);
    this.tree.show(rows);
    this.tree.root.hidden = rows.length === 0;
    this.empty.hidden = rows.length > 0;
    const { accepted, rejected, open } = this.outline.summary(limit, this.decisions);
    this.summary.textContent = `${accepted} accepted · ${rejected} rejected · ${open} open`;
    this.shownCount.textContent = this.suggested ? `${limit} of ${this.suggested}` : "none";
    this.slider.setAttribute("aria-valuetext", `${limit} of ${this.suggested} suggestions`);
    this.badge.textContent = queueSentence(QUEUE);
    this.badge.dataset.status = QUEUE.status;
    Object.assign(this.root.dataset, { ready: "true", pending: String(QUEUE.size), document: this.documentId });
    document.dispatchEvent(new CustomEvent("strata:counts", {
      detail: { documentId: this.documentId, accepted, rejected } }));
  }

  // What the tree and the search box ask of the workbench.

  decisionOf(conceptId) { return this.decisions.get(conceptId); }
  isImplied(conceptId) { return this.impliedIds.has(conceptId); }
  isPending(conceptId) { return this.pendingIds.has(conceptId); }
  pathNames(conceptId) { return this.outline.pathNames(conceptId); }
  focusSearch() { this.search.input.focus(); this.search.input.select(); }
  say(sentence) { this.live.textContent = sentence; }

  focusTree() {
    const row = this.tree.rowOf(this.tree.current);
    if (row) this.tree.focus(row);
  }

  stateWord(conceptId) {
    const decision = this.decisions.get(conceptId);
    if (decision) return decision.state;
    const node = this.outline.nodes.get(conceptId);
    if (!node || !node.rank) return "";
    return node.rank <= Number(this.slider.value) ? `suggested, ${percent(node.probability)}` : percent(node.probability);
  }

  decide(node, action) {
    const decision = this.decisions.get(node.id);
    if (action === "clear" && !decision) return;
    if (action === "accept" && decision && decision.state === "accepted") return;
    if (action === "reject" && decision && decision.state === "rejected") return;
    if (node.assignable === false) return;
    const stored = action === "accept" && !node.rank ? "add" : action;
    QUEUE.add(this.documentId, stored, node.id);
    const words = { accept: "Accepted", reject: "Rejected", clear: "Taken back:" };
    this.say(`${words[action]} ${node.label}.`);
  }

  // Takes back the last decision, also one of an earlier day; the server knows which it was.
  undo() {
    this.undoing = new Map(this.decisions);
    QUEUE.add(this.documentId, "undo", "");
    this.say("Undone.");
    this.showUndone();
  }

  showUndone() {
    if (!this.undoing) return;
    const word = (decisions, id) => (decisions.get(id) || { state: "" }).state;
    const ids = new Set([...this.undoing.keys(), ...this.decisions.keys()]);
    const changed = [...ids].find((id) => word(this.undoing, id) !== word(this.decisions, id));
    const done = !QUEUE.pending(this.documentId).some((operation) => operation.action === "undo");
    if (changed === undefined && !done) return;
    this.undoing = null;
    const inTree = this.tree.root.contains(focusedElement());
    if (changed !== undefined) this.tree.reveal(changed, inTree);
    else this.say("There is nothing to undo.");
  }

  add(hit) {
    const decision = this.decisions.get(hit.concept_id);
    for (const node of hit.nodes) if (!this.outline.nodes.has(node.id)) this.added.set(node.id, node);
    this.outline.merge(hit.nodes);
    if (!decision || decision.state !== "accepted") {
      this.decide(this.outline.nodes.get(hit.concept_id), "accept");
    } else {
      this.say(`${hit.label} is accepted already.`);
    }
    this.render();
    this.tree.reveal(hit.concept_id);
  }
}

// A preference of this browser; without local storage it lasts as long as the page.
function readPreference(key) {
  try { return localStorage.getItem(key); } catch (error) { return null; }
}

function writePreference(key, value) {
  shelf.put(key, value);
}

export default function (component) {
  return mountOnce(INSTANCES, component, (mounted) => new Workbench(mounted));
}
