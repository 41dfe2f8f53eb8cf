// The right half of the Annotate page: search, filters, tree, and what can be done, over one queue.

import { focusedElement, mountOnce } from "../shared/dom.js";
import { emit } from "../shared/events.js";
import { LINKS } from "../shared/leaving.js";
import { DecisionPost } from "../shared/post.js";
import { QUEUE } from "../shared/queue.js";
import { SearchBox } from "../shared/search.js";
import { shortened, shownKey } from "../shared/words.js";
import { ActionBar } from "./actions.js";
import { Asserted } from "./asserted.js";
import { BranchWork } from "./branch.js";
import { CodesPanel } from "./codes.js";
import { isCategory, withCode } from "./coding.js";
import { decide, goOn, mend, perform, refuseFinished, tellOverturned, tellUndone } from "./commands.js";
import { Filters } from "./filters.js";
import { CodeCheck } from "./findings.js";
import { Frame } from "./frame.js";
import { Help } from "./help.js";
import { HintStrip } from "./hints.js";
import { CardPanel, Links } from "./links.js";
import { Lowered } from "./lowered.js";
import { OutageWatch } from "./outage.js";
import { Outline } from "./outline.js";
import { Prompt } from "./prompt.js";
import { Proposals } from "./proposals.js";
import { applyRemedy } from "./remedies.js";
import { OtherSessions } from "./session.js";
import { Sides, sidesOf } from "./sides.js";
import { SimilarOffer } from "./similar.js";
import { decisionIs, newState, overturned, stateWord, workedOut } from "./state.js";
import { StayGroup } from "./staygroup.js";
import { Toast } from "./toast.js";
import { TreeView } from "./tree.js";
import { Keyboard } from "./treekeys.js";
import { ViewState } from "./view.js";

const INSTANCES = new WeakMap();
// What was decided when the document was opened, by which rows are ordered while it stays open,
// though Streamlit may mount the tree anew.
const OPENED = { documentId: null, settled: null };
const NEWS = { number: 0 };   // of the newest sentence of the server that was told

// What the parts of the workbench may ask of it: each names in its constructor what it needs, and no more.
// Commands (commands.js) name parts as well: tree, codes, frame, filters, prompt, search, branch, lowered,
// links, check, hints, similar, sides and help, which the workbench adds as it makes them.
function contextOf(workbench, toast) {
  const { state } = workbench;
  const context = {
    state,                                                                  // to be read: state.js
    // To a person.
    say: (sentence) => toast.say(sentence),                                 // read out
    tell: (sentence, link, more) => toast.tell(sentence, link, more),       // and shown, with what can be done about it
    undoLink: () => ({ words: `Undo (${shownKey(state.keys.undo)})`, undoes: true, run: () => context.perform("undo") }),
    refuse: () => refuseFinished(context),                                  // a finished document can only be read
    // What is decided.
    send: (operations) => workbench.send(operations),
    perform: (action, row = context.chosenRow(), conceptId = null) => perform(context, action, row, conceptId),
    decide: (node, action) => decide(context, node, action),
    mendConflict: (row, how) => mend(context, row, how),
    mendFinding: (finding) => applyRemedy(context, finding),                // says whether it could
    // What is on the page.
    render: () => workbench.render(),                                       // after a change
    viewChanged: () => workbench.viewChanged(),                             // keeps where one is
    showAnew: () => { context.viewChanged(); context.render(); },
    unfold: (row) => { for (const { id } of row.folded) state.unfolded.add(id); context.showAnew(); },
    addNodes: (nodes) => workbench.addNodes(nodes),
    visit: (conceptId, focus) => workbench.visit(conceptId, focus),         // goes to a concept, which stays on the page
    openBelow: (category) => context.lowered.open(category),                // shows its codes
    go: (where) => workbench.outbox.send("go", { ...where, shown: context.frame.limitElsewhere }),   // to another document or branch
    // What the keys are about: a code that has the focus, or else the row of the tree.
    chosenRow: () => (state.conventions.sequenced && context.codes.focusedRow) || context.tree.currentRow,
    searchWith: (words) => context.search.searchFor(words),                // as if they were typed
    focusTree: () => { if (context.tree.currentRow) context.tree.focus(context.tree.currentRow); },
  };
  return context;
}

export class Workbench {
  constructor(component) {
    this.root = component.parentElement.querySelector(".workbench");
    const part = (name) => this.root.querySelector(`.${name}`);
    this.state = newState();
    const toast = new Toast(part("toast"), part("live"));
    const context = contextOf(this, toast);
    this.context = context;
    const { state, focusTree } = context;
    context.tree = new TreeView(this.root.querySelector("[role=tree]"), context, {
      onSelect: (row) => this.selected(row), onHover: (row) => context.links.select(row, true),
    });
    context.filters = new Filters(part("filters"), () => { context.showAnew(); context.tree.keepInSight(); }, focusTree);
    context.prompt = new Prompt(part("prompt"), part("tree-box"), () => context.frame.showBar(context.prompt.isOver), (hadFocus) => {
      context.frame.showBar(true);
      if (hadFocus) focusTree();
    });
    context.frame = new Frame(this.root, context);
    context.help = new Help(part("help"));
    context.branch = new BranchWork(part("only"), context);
    context.lowered = new Lowered(context);
    context.codes = new CodesPanel(part("codes"), context);
    context.check = new CodeCheck(context, { onFindings: () => context.codes.paint(), hideTold: () => toast.hide() });
    context.hints = new HintStrip(part("hints"), context);
    context.search = new SearchBox(part("search"), {
      add: (hit, query = "") => this.add(hit, query), open: (hit) => { this.addNodes(hit.nodes); this.visit(hit.concept_id, true); },
      propose: (text) => this.proposals.propose(text), stateWord: (id, nodes) => stateWord(state, id, nodes), say: context.say, focusTree,
    });
    context.links = new Links(context);
    context.similar = new SimilarOffer(context);
    context.sides = new Sides(part("sides"), context);
    this.toast = toast;
    this.bar = new ActionBar(part("dock"), context);
    this.asserted = new Asserted(context);
    this.group = new StayGroup(part("stay-group"), context);
    this.keyboard = new Keyboard(this.root, context);
    this.outage = new OutageWatch(this.root);
    this.proposals = new Proposals(part("proposed"), context, (value) => this.outbox.send("propose", value));
    this.card = new CardPanel(part("card-panel"), context);
    this.view = new ViewState(() => this.readView());
    this.others = new OtherSessions(() => state.version, (news) => this.learn(news));
    this.post = new DecisionPost(QUEUE, () => ({
      document: state.documentId, after: state.version, lang: state.data.language,
    }), (answer) => this.answered(answer));
    part("tree-box").addEventListener("scroll", () => {
      this.seenScroll = context.tree.root.scrollTop;   // once it is off the page, it says 0
      this.viewChanged();
    }, { passive: true, capture: true });
  }

  destroy() {
    const { links, codes, similar } = this.context;
    for (const part of [this.group, this.outage, this.keyboard, this.card, links, this.view, this.others, codes, this.asserted, similar]) part.stop();
    QUEUE.disconnect(this);
  }

  update(component) {
    const { data } = component;
    const { state, context } = this;
    const isOther = state.documentId !== data.document_id;
    Object.assign(state, { data, conventions: data.conventions });
    if (isOther) this.openDocument(data.document_id);
    this.configure(data);
    context.branch.configure(data.branch);
    this.takeSides(data.sides);
    this.takeNodes(data.nodes);
    const only = state.branch ? state.branch.id : null;
    if (state.outline.places.only !== only) state.outline.places.only = only;
    if (isOther || (data.version >= state.version && !QUEUE.foresees)) this.take(data);
    context.frame.configure(data);
    if (isOther) for (const part of [context.check, context.hints, this.group]) part.clear();
    QUEUE.connect(this, () => this.post.send(), () => this.render());
    this.render();
    context.sides.arrive(isOther && context.tree.isUntouched);
    this.arrive();
    this.ask();
    this.proposals.answered(data.proposed || []);
    this.tellNews(data.said);
  }

  configure(data) {
    const { frame, search, help, codes } = this.context;
    const keys = JSON.stringify([data.keys, data.shortcuts, data.conventions]);
    const isCoded = Boolean(data.conventions.code_first);
    this.root.classList.toggle("coded", isCoded);
    frame.name(isCoded);
    search.configure({
      url: data.search_url, language: data.language, divisions: data.conventions.leaves_only,
      placeholder: isCoded ? "Add a code: type it, or a few letters of its name" : "Add a concept: type a few letters of it",
    });
    this.others.configure(data.decisions_url, data.document_id, data.language);
    this.post.configure(data.decisions_url);
    if (keys === this.keysText) return;
    this.keysText = keys;
    this.state.keys = data.keys;
    this.keyboard.configure(data.keys);
    this.bar.configure(data.keys);
    help.configure(data.shortcuts, data.keys, data.conventions);
    codes.configure(data.conventions, data.keys);
    frame.configureKeys(data.keys);
  }

  // Both annotations of the document stay as they are: what holds of them is worked out once.
  takeSides(facts) {
    const text = JSON.stringify(facts || null);
    if (text === this.sidesText) return;
    this.sidesText = text;
    this.state.sides = sidesOf(facts);
    this.nodesText = null;
  }

  // A new outline only where something in it is new, so that rows stay as they are.
  takeNodes(nodes) {
    const { state } = this;
    const text = JSON.stringify(nodes);
    if (text === this.nodesText) return;
    this.nodesText = text;
    state.outline = new Outline(nodes.map((node) => withCode(node, state.conventions)));
    state.outline.merge([...state.extra.values()]);
    state.outline.sides = state.sides ? state.sides.ids : null;
    state.outlineNumber += 1;
    if (state.conventions.lexical) this.asserted.update();
  }

  addNodes(nodes) {
    const { state } = this;
    const fresh = nodes.filter((node) => !state.outline.nodes.has(node.id)).map((node) => withCode(node, state.conventions));
    if (!fresh.length) return;
    for (const node of fresh) state.extra.set(node.id, node);
    state.outline.merge(fresh);
    state.outlineNumber += 1;
  }

  take({ version, status, judged, decisions, not_taken: notTaken }) {
    Object.assign(this.state, { version, status, judged: judged || "", stored: decisions, notTaken: new Set(notTaken || []) });
  }

  // What the store said of the decisions that were sent to it.
  answered(answer) {
    const { state, context } = this;
    const undone = QUEUE.settle(answer.receipts, answer.problem);
    const isHere = answer.document === state.documentId;
    if (isHere && answer.decisions && answer.version >= state.version) this.learn(answer);
    else this.render();
    this.ask();
    tellUndone(context, undone);
    if (QUEUE.refusal && QUEUE.refusal !== this.toldRefusal) context.tell(QUEUE.refusal);
    this.toldRefusal = QUEUE.refusal;
    if (isHere && answer.finished && state.isFinishing) goOn(context, answer.next);
  }

  // What another session decided meanwhile. While an undo is on its way, nothing is taken that it
  // takes back: the next answer comes without.
  learn(news) {
    this.addNodes(news.nodes || []);
    const changed = QUEUE.foresees ? [] : overturned(this.state.stored, news.decisions);
    if (!QUEUE.foresees) this.take(news);
    this.render();
    this.ask();
    tellOverturned(this.context, changed);
  }

  // What the server works out from what is stored, each once it is another.
  ask() { for (const part of [this.context.check, this.context.hints, this.group]) part.decided(); }

  // A sentence of the server for this person, told once, however often the tree is mounted.
  tellNews(said) {
    if (!said || said.number <= NEWS.number) return;
    NEWS.number = said.number;
    this.toast.add(said.sentence);
  }

  openDocument(documentId) {
    const { tree, filters, frame, codes, prompt, search, hints } = this.context;
    const active = focusedElement();
    this.wantsFocus = active === document.body || this.root.contains(active) || leadsHere(documentId, active);
    if (this.state.documentId) codes.dates.take();
    prompt.close();
    const untaken = search.turned();
    this.toast.turned();
    if (untaken) this.toast.add(`Nothing was added for “${shortened(untaken, 48)}”: the page had turned before it was found.`);
    const view = this.view.open(documentId);
    const { lowered } = newState();
    Object.assign(this.state, {
      documentId, lowered, isFinishing: false, extra: new Map(), visited: new Set(), unfolded: new Set(view.unfolded), version: -1,
    });
    if (OPENED.documentId !== documentId) Object.assign(OPENED, { documentId, settled: null });
    hints.opened = new Map(view.opened);
    this.nodesText = this.rowsKey = null;
    tree.clear();
    tree.collapsed = new Set(view.collapsed);
    tree.current = view.current;
    tree.conceptId = view.conceptId;
    tree.isUntouched = !view.current;
    frame.showsWeak = view.showsWeak;
    this.scroll = this.seenScroll = view.scroll;
    this.sawSelected = view.sees;
    filters.set(view);
  }

  readView() {
    const { tree, filters, hints, frame } = this.context;
    return {
      collapsed: [...tree.collapsed], current: tree.current, conceptId: tree.conceptId,
      scroll: this.seenScroll || 0, sees: tree.seesSelected(), filter: filters.filter, text: filters.text, opened: [...hints.opened],
      unfolded: [...this.state.unfolded], showsWeak: frame.showsWeak,
    };
  }

  viewChanged() { if (this.view) this.view.changed(); }

  // The first rows of a document: the place where it was left, and the keys, if they were here.
  // Whoever types meanwhile, while the model reads, goes on typing: letters decide in the tree.
  arrive() {
    const { tree, focusTree } = this.context;
    if (!tree.rows.length) return;
    if (this.scroll !== null) { tree.restore(this.scroll, this.sawSelected); this.scroll = null; }
    const active = focusedElement();
    const free = !active || active === document.body || (this.root.contains(active) && !active.matches("input"))
      || leadsHere(this.state.documentId, active);
    if (this.wantsFocus && free) focusTree();
    this.wantsFocus = false;
  }

  send(operations) {
    const { filters } = this.context;
    if (filters.active) for (const { concept_id: id } of operations) if (id) filters.kept.add(id);
    this.toast.decided();
    QUEUE.addAll(this.state.documentId, operations);
  }

  // From the search box.
  add(hit, query) {
    const { state, search, say, refuse } = this.context;
    if (state.readOnly) { refuse(); return; }
    this.addNodes(hit.nodes);
    const node = state.outline.nodes.get(hit.concept_id);
    if (decisionIs(state, node.id, "accepted")) say(`${hit.label} is accepted already.`);
    else decide(this.context, node, "accept", "search", query);
    // Whoever has gone on since stays where they are: their next key is for that row.
    const stays = search.input.matches(":focus");
    if (stays && !isCategory(node, state.conventions)) this.visit(node.id, false);
  }

  // A concept is on the page as long as the document is, though nothing was decided on it.
  visit(conceptId, focus) {
    const { state, tree, filters } = this.context;
    state.visited.add(conceptId);
    this.render();
    if (tree.reveal(conceptId, focus)) return;
    filters.set({ filter: "all", text: "" });
    this.render();
    tree.reveal(conceptId, focus);
  }

  selected(row) {
    this.bar.paint(row);
    this.context.links.select(row, false);
    if (!row.node.isGroup) this.card.show(row.node);
    this.viewChanged();
  }

  render() {
    const { state, frame, filters, codes, tree, hints, sides, similar } = this.context;
    state.leavesOutWeak = frame.leavesOutWeak;
    Object.assign(state, workedOut(state, QUEUE.pending(state.documentId)));
    OPENED.settled = OPENED.settled || new Set(state.decisions.keys());
    const { outline, decisions, states } = state;
    const view = this.viewOf();
    this.showRows(view);
    filters.showCounts(outline.filterCounts(view, decisions, states), state.finished);
    frame.paint();
    if (state.conventions.sequenced) codes.paintSoon();
    this.bar.paint(tree.currentRow);
    hints.paint();
    sides.paint();
    similar.painted();
    emit("counts", { documentId: state.documentId, finished: state.finished, ...state.counts });
  }

  // By which the outline works the rows out.
  viewOf() {
    const { state, filters: { sort, filter, text, kept } } = this.context;
    const { limit, outline, visited, lowered, unfolded } = state;
    return {
      limit, sort, filter, text, kept, unfolded, weak: state.leavesOutWeak ? outline.weak(limit) : new Set(),
      visited: new Set([...visited, ...lowered.ids]), everyLevel: Boolean(state.data.every_level), settled: OPENED.settled,
    };
  }

  // Works the rows out only when something that they depend on has changed.
  showRows(view) {
    const { state, tree } = this.context;
    const { outline, decisions, offered, states } = state;
    const found = [...decisions.keys()].filter((id) => !offered.has(id)).sort();
    const filtered = view.filter === "all" ? [] : [[...view.kept], [...states].map(([id, { word }]) => [id, word])];
    const key = JSON.stringify([state.outlineNumber, outline.places.only, Boolean(state.data.unrated), view.everyLevel, [...view.unfolded],
      view.limit, view.weak.size, view.sort, view.filter, view.text, filtered, [...view.visited], found]);
    if (key !== this.rowsKey) {
      this.rowsKey = key;
      state.rows = outline.rows(view, decisions, states);
    }
    tree.show(state.rows);
  }
}

// Whoever has opened a document from the list, or has come from another page by its link, goes on in it.
function leadsHere(documentId, node) { return Boolean(node?.matches(`[data-document="${CSS.escape(documentId)}"] a, ${LINKS}`)); }

export default function mount(component) {
  return mountOnce(INSTANCES, component, (mounted) => new Workbench(mounted));
}
