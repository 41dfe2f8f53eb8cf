// The right half of the Annotate page: search, filters, tree, and what can be done, over one queue.

const QUEUE = new DecisionQueue();
const INSTANCES = new WeakMap();

class Workbench {
  constructor(component) {
    this.root = component.parentElement.querySelector(".workbench");
    const part = (name) => this.root.querySelector(`.${name}`);
    this.toast = new Toast(part("toast"), part("live"));
    this.tree = new TreeView(this.root.querySelector("[role=tree]"), this);
    this.filters = new Filters(part("filters"), () => { this.viewChanged(); this.render(); });
    this.filters.onLeave = () => this.focusTree();
    this.frame = new Frame(this.root, this);
    this.prompt = new Prompt(part("prompt"), () => this.frame.showBar(false), (hadFocus) => { this.frame.showBar(true); if (hadFocus) this.focusTree(); });
    this.bar = new ActionBar(part("dock"), this);
    this.help = new Help(part("help"));
    this.keyboard = new Keyboard(this.root, this);
    this.search = new SearchBox(part("search"), this);
    this.outage = new OutageWatch(this.root);
    this.links = new Links(this);
    this.proposals = new Proposals(this);
    this.card = new CardPanel(part("card-panel"), this);
    this.view = new ViewState(() => this.readView());
    this.others = new OtherSessions(() => this.version, (news) => this.learn(news));
    part("tree-box").addEventListener("scroll", () => this.viewChanged(), { passive: true, capture: true });
  }

  destroy() {
    for (const part of [this.outage, this.keyboard, this.links, this.view, this.others]) part.stop();
    QUEUE.disconnect();
  }

  update(component) {
    const { data } = component;
    this.component = component;
    this.data = data;
    QUEUE.connect((batches) => component.setTriggerValue("operations", batches), () => this.render());
    const isOther = this.documentId !== data.document_id;
    if (isOther) this.openDocument(data.document_id);
    this.configure(data);
    this.takeNodes(data.nodes);
    if (isOther || data.version >= this.version) this.take(data);
    const undone = QUEUE.settle(data.receipts, data.problem);
    this.frame.configure(data);
    this.render();
    this.arrive();
    tellUndone(this, undone);
    this.proposals.answered(data.proposed || []);
    this.frame.tellNews(data.said);
  }

  configure(data) {
    const keys = JSON.stringify([data.keys, data.shortcuts]);
    this.title = data.title;
    this.language = data.language;
    this.search.configure(data.search_url, data.language);
    this.others.configure(data.decisions_url, data.document_id);
    if (keys === this.keysText) return;
    this.keysText = keys;
    this.keys = data.keys;
    this.shortcuts = data.shortcuts;
    this.keyboard.configure(data.keys);
    this.bar.configure(data.keys);
    this.help.configure(data.shortcuts, data.keys);
    this.frame.configureKeys(data.keys);
  }

  // A new outline only where something in it is new, so that rows stay as they are.
  takeNodes(nodes) {
    const text = JSON.stringify(nodes);
    if (text === this.nodesText) return;
    this.nodesText = text;
    this.outline = new Outline(nodes);
    this.outline.merge([...this.extra.values()]);
    this.outlineNumber = (this.outlineNumber || 0) + 1;
  }

  take({ version, status, decisions, not_taken: notTaken }) {
    this.version = version;
    this.status = status;
    this.stored = decisions;
    this.notTaken = new Set(notTaken || []);
  }

  // What another session decided meanwhile.
  learn(news) {
    this.addNodes(news.nodes || []);
    this.take(news);
    this.render();
  }

  openDocument(documentId) {
    const active = focusedElement();
    this.wantsFocus = active === document.body || this.root.contains(active);
    this.prompt.close();
    const view = this.view.open(documentId);
    this.documentId = documentId;
    this.extra = new Map();          // concepts that were looked up and that the server did not send
    this.visited = new Set(view.visited || []);
    this.version = -1;
    this.nodesText = this.rowsKey = null;
    this.tree.clear();
    this.tree.collapsed = new Set(view.collapsed);
    this.tree.current = view.current;
    this.tree.conceptId = view.conceptId;
    this.scroll = view.scroll;
    this.filters.set(view);
  }

  readView() {
    const { tree, filters } = this;
    return {
      collapsed: [...tree.collapsed], current: tree.current, conceptId: tree.conceptId,
      scroll: tree.root.scrollTop, filter: filters.filter, text: filters.text,
    };
  }

  viewChanged() { if (this.view) this.view.changed(); }

  // The first rows of a document: the place where it was left, and the keys, if they were here.
  arrive() {
    if (!this.tree.rows.length) return;
    if (this.scroll !== null) { this.tree.root.scrollTop = this.scroll; this.scroll = null; }
    const active = focusedElement();
    const free = !active || active === document.body || this.root.contains(active);
    if (this.wantsFocus && free) this.focusTree();
    this.wantsFocus = false;
  }

  render() {
    const pending = QUEUE.pending(this.documentId);
    this.decisions = decisionsNow(this.stored, pending);
    this.readOnly = statusNow(this.status, pending) === "finished";
    this.pendingIds = new Set(pending.map((operation) => operation.concept_id));
    const limit = this.frame.limit;
    this.offered = this.outline.offered(limit);
    this.states = treeStates((id) => this.outline.ancestorsOf(id), this.decisions,
      new Set([...this.offered].filter((id) => !this.decisions.has(id))));
    this.counts = this.outline.summary(this.offered, this.decisions, this.states);
    this.showRows({
      limit, sort: this.filters.sort, filter: this.filters.filter, text: this.filters.text,
      kept: this.filters.kept, visited: this.visited,
    });
    this.filters.showCounts(this.counts, this.readOnly);
    this.frame.paint();
    this.bar.paint(this.tree.currentRow);
    document.dispatchEvent(new CustomEvent("strata:counts", {
      detail: { documentId: this.documentId, finished: this.readOnly, ...this.counts } }));
  }

  // Works the rows out only when something that they depend on has changed.
  showRows(view) {
    const found = [...this.decisions.keys()].filter((id) => !this.offered.has(id)).sort();
    const key = JSON.stringify([this.outlineNumber, view.limit, view.sort, view.filter, view.text,
      view.filter === "all" ? "" : [...view.kept], [...view.visited], found,
      view.filter === "all" ? "" : [...this.states].map(([id, state]) => [id, state.word])]);
    if (key !== this.rowsKey) {
      this.rowsKey = key;
      this.rows = this.outline.rows(view, this.decisions, this.states);
    }
    this.tree.show(this.rows);
  }
}

// What tree, bar, prompts and search ask of the workbench.
Object.assign(Workbench.prototype, {
  decisionOf(conceptId) { return this.decisions.get(conceptId); },
  keyOf(action) { return this.keys[action]; },
  pathNames(conceptId) { return this.outline.pathNames(conceptId); },
  say(sentence) { this.toast.say(sentence); },
  tell(sentence, link) { this.toast.tell(sentence, link); },
  undoLink() { return { words: `Undo (${shownKey(this.keyOf("undo"))})`, run: () => this.perform("undo") }; },
  perform(action, row = this.tree.currentRow) { perform(this, action, row); },
  decide(node, action) { decide(this, node, action); },
  mend(row, how) { mend(this, row, how); },
  focusSearch() { this.search.input.focus(); this.search.input.select(); },
  lastRank() { return this.outline.lastRank(this.frame.limit); },
  queueUndo() { QUEUE.add(this.documentId, "undo", ""); },
  go(to) { this.component.setTriggerValue("go", { to, number: Date.now() }); },

  focusTree() {
    const row = this.tree.currentRow;
    if (row) this.tree.focus(row);
  },

  isUnresolved(conceptId) {
    const state = this.states.get(conceptId);
    return !this.readOnly && Boolean(state && state.unresolved);
  },

  // Unresolved suggestions among the rows, whether their branch is open or not.
  unresolvedIds() {
    const rows = this.rows.filter((row) => !row.context && this.isUnresolved(row.node.id));
    return new Set(rows.map((row) => row.node.id));
  },

  // How a row stands: the rule's state, or what became of a suggestion in a finished document.
  lookOf({ node, suggestion }) {
    const state = this.states.get(node.id);
    const decision = this.decisions.get(node.id);
    const untouched = this.readOnly && !decision && node.rank
      && (this.notTaken.has(node.id) || (this.status !== "finished" && this.offered.has(node.id)));
    const tags = [
      decision && decision.main && "main topic", node.given && "given", decision && decision.added && "added by you",
      decision && decision.backed_off && "backed off",
    ].filter(Boolean);
    const word = untouched ? "not taken" : state ? state.word : suggestion ? "unresolved" : "heading";
    return {
      word, tags, causes: state && !untouched ? state.causes : [], pending: this.pendingIds.has(node.id),
      unresolved: Boolean(state && state.unresolved && !this.readOnly),
    };
  },

  labels(conceptIds) {
    const names = conceptIds.slice(0, 2).map((id) => `“${this.outline.label(id)}”`);
    const more = conceptIds.length - names.length;
    return more ? `${names.join(", ")} and ${more} more` : names.join(" and ");
  },

  // A concept is accepted where it was suggested or given, and added where it was not.
  acceptOperation(node, source, group = null) {
    const offered = node.rank || node.given;
    return {
      action: offered ? "accept" : "add", concept_id: node.id,
      ...(offered ? {} : { source }), ...(group ? { group } : {}),
    };
  },

  send(operations) {
    if (this.filters.active) for (const { concept_id: id } of operations) if (id) this.filters.kept.add(id);
    QUEUE.addAll(this.documentId, operations);
  },

  addNodes(nodes) {
    const fresh = nodes.filter((node) => !this.outline.nodes.has(node.id));
    if (!fresh.length) return;
    for (const node of fresh) this.extra.set(node.id, node);
    this.outline.merge(fresh);
    this.outlineNumber += 1;
  },

  // A concept is on the page as long as the document is, though nothing was decided on it.
  visit(conceptId, focus) {
    this.visited.add(conceptId);
    this.render();
    if (this.tree.reveal(conceptId, focus)) return;
    this.filters.set({ filter: "all", text: "" });
    this.render();
    this.tree.reveal(conceptId, focus);
  },

  selected(row) {
    this.bar.paint(row);
    this.links.select(row, false);
    this.card.show(row.node);
    this.viewChanged();
  },

  hovering(row) { this.links.select(row, true); },

  stateWord(conceptId) {
    const state = this.states.get(conceptId);
    const node = this.outline.nodes.get(conceptId);
    if (state && state.word !== "unresolved") return STATE_WORDS[state.word];
    if (!node || !node.rank) return "";
    return this.offered.has(conceptId) ? `suggested, ${percent(node.probability)}` : percent(node.probability);
  },

  // From the search box.
  add(hit) {
    if (this.readOnly) { refuseFinished(this); return; }
    this.addNodes(hit.nodes);
    const decision = this.decisionOf(hit.concept_id);
    if (decision && decision.state === "accepted") this.say(`${hit.label} is accepted already.`);
    else decide(this, this.outline.nodes.get(hit.concept_id), "accept", "search");
    this.visit(hit.concept_id, false);
  },

  open(hit) {
    this.addNodes(hit.nodes);
    this.visit(hit.concept_id, true);
  },

  propose(text) { this.proposals.propose(text); },
});

export default function (component) {
  return mountOnce(INSTANCES, component, (mounted) => new Workbench(mounted));
}
