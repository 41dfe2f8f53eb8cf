// The right half of the Annotate page: search, filters, tree, and what can be done, over one queue.

import { focusedElement, mountOnce } from "../shared/dom.js";
import { LINKS } from "../shared/leaving.js";
import { DecisionPost } from "../shared/post.js";
import { QUEUE } from "../shared/queue.js";
import { SearchBox } from "../shared/search.js";
import { ActionBar } from "./actions.js";
import { DESK } from "./desk.js";
import { Asserted } from "./asserted.js";
import { BranchWork } from "./branch.js";
import { CodesPanel } from "./codes.js";
import { withCode } from "./coding.js";
import { goOn, tellUndone } from "./commands.js";
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
import { OtherSessions } from "./session.js";
import { SimilarOffer } from "./similar.js";
import { StayGroup } from "./staygroup.js";
import { decisionsNow, statusNow, treeStates } from "./states.js";
import { Toast } from "./toast.js";
import { TreeView } from "./tree.js";
import { Keyboard } from "./treekeys.js";
import { ViewState } from "./view.js";

const INSTANCES = new WeakMap();
// What was decided when the document was opened, by which rows are ordered while it stays open,
// though Streamlit may mount the tree anew.
const OPENED = { documentId: null, settled: null };

export class Workbench {
  constructor(component) {
    this.root = component.parentElement.querySelector(".workbench");
    const part = (name) => this.root.querySelector(`.${name}`);
    this.toast = new Toast(part("toast"), part("live"));
    this.tree = new TreeView(this.root.querySelector("[role=tree]"), this);
    this.filters = new Filters(part("filters"), () => { this.viewChanged(); this.render(); this.tree.keepInSight(); });
    this.filters.onLeave = () => this.focusTree();
    this.frame = new Frame(this.root, this);
    this.prompt = new Prompt(part("prompt"), part("tree-box"), () => this.frame.showBar(this.prompt.isOver), (hadFocus) => { this.frame.showBar(true); if (hadFocus) this.focusTree(); });
    this.bar = new ActionBar(part("dock"), this);
    this.help = new Help(part("help"));
    this.branch = new BranchWork(part("only"), this);
    this.lowered = new Lowered(this);
    this.check = new CodeCheck(this);
    this.hints = new HintStrip(part("hints"), this);
    this.asserted = new Asserted(this);
    this.codes = new CodesPanel(part("codes"), this);
    this.group = new StayGroup(part("stay-group"), this);
    this.keyboard = new Keyboard(this.root, this);
    this.search = new SearchBox(part("search"), this);
    this.outage = new OutageWatch(this.root);
    this.links = new Links(this);
    this.proposals = new Proposals(this);
    this.similar = new SimilarOffer(this);
    this.card = new CardPanel(part("card-panel"), this);
    this.view = new ViewState(() => this.readView());
    this.others = new OtherSessions(() => this.version, (news) => this.learn(news));
    this.post = new DecisionPost(QUEUE, () => ({
      document: this.documentId, after: this.version, lang: this.language,
    }), (answer) => this.answered(answer));
    part("tree-box").addEventListener("scroll", () => {
      this.seenScroll = this.tree.root.scrollTop;   // once it is off the page, it says 0
      this.viewChanged();
    }, { passive: true, capture: true });
  }

  destroy() {
    for (const part of [this.group, this.outage, this.keyboard, this.card, this.links, this.view, this.others, this.codes, this.asserted, this.similar]) part.stop();
    QUEUE.disconnect(this);
  }

  update(component) {
    const { data } = component;
    this.data = data;
    const isOther = this.documentId !== data.document_id;
    this.conventions = data.conventions || {};
    if (isOther) this.openDocument(data.document_id);
    this.configure(data);
    this.branch.configure(data.branch);
    this.takeNodes(data.nodes);
    if (this.outline.only !== this.branch.id) this.outline.only = this.branch.id;
    if (isOther || (data.version >= this.version && !QUEUE.foresees)) this.take(data);
    this.frame.configure(data);
    if (isOther) for (const part of [this.check, this.hints, this.group]) part.clear();
    QUEUE.connect(this, () => this.post.send(), () => this.render());
    this.render();
    this.arrive();
    this.ask();
    this.proposals.answered(data.proposed || []);
    this.frame.tellNews(data.said);
  }

  configure(data) {
    const keys = JSON.stringify([data.keys, data.shortcuts, data.conventions]);
    this.title = data.title;
    this.hidesTitles = data.hides_titles;
    this.language = data.language;
    this.lastDay = data.last_day || "";   // of the encounter, which may be shifted into the future
    this.divisions = data.conventions.leaves_only;
    this.placeholder = data.conventions.code_first ? "Add a code: type it, or a few letters of its name" : null;
    this.frame.name(Boolean(data.conventions.code_first));
    this.search.configure(data.search_url, data.language);
    this.others.configure(data.decisions_url, data.document_id, data.language);
    this.post.configure(data.decisions_url);
    if (keys === this.keysText) return;
    this.keysText = keys;
    this.keys = data.keys;
    this.shortcuts = data.shortcuts;
    this.keyboard.configure(data.keys);
    this.bar.configure(data.keys);
    this.help.configure(data.shortcuts, data.keys, data.conventions);
    this.codes.configure(data.conventions, data.keys);
    this.frame.configureKeys(data.keys);
  }

  // A new outline only where something in it is new, so that rows stay as they are.
  takeNodes(nodes) {
    const text = JSON.stringify(nodes);
    if (text === this.nodesText) return;
    this.nodesText = text;
    this.outline = new Outline(nodes.map((node) => withCode(node, this.conventions)));
    this.outline.merge([...this.extra.values()]);
    this.outlineNumber = (this.outlineNumber || 0) + 1;
    if (this.conventions.lexical) this.asserted.update();
  }

  take({ version, status, decisions, not_taken: notTaken }) {
    this.version = version;
    this.status = status;
    this.stored = decisions;
    this.notTaken = new Set(notTaken || []);
  }

  // What the store said of the decisions that were sent to it.
  answered(answer) {
    const undone = QUEUE.settle(answer.receipts, answer.problem);
    const isHere = answer.document === this.documentId;
    if (isHere && answer.decisions && answer.version >= this.version) this.learn(answer);
    else this.render();
    this.ask();
    tellUndone(this, undone);
    if (QUEUE.refusal && QUEUE.refusal !== this.toldRefusal) this.tell(QUEUE.refusal);
    this.toldRefusal = QUEUE.refusal;
    if (isHere && answer.finished && this.finishing) goOn(this, answer.next);
  }

  // What another session decided meanwhile. While an undo is on its way, nothing is taken that it
  // takes back: the next answer comes without.
  learn(news) {
    this.addNodes(news.nodes || []);
    if (!QUEUE.foresees) this.take(news);
    this.render();
    this.ask();
  }

  // What the server works out from what is stored, each once it is another.
  ask() { for (const part of [this.check, this.hints, this.group]) part.decided(); }

  openDocument(documentId) {
    const active = focusedElement();
    this.wantsFocus = active === document.body || this.root.contains(active) || leadsHere(documentId, active);
    if (this.documentId) this.codes.dates.take();
    this.prompt.close();
    this.toast.turned();
    this.lowered.close();
    const view = this.view.open(documentId);
    this.documentId = documentId;
    this.finishing = false;          // whether this page finished it just now, and goes on
    this.extra = new Map();          // concepts that were looked up and that the server did not send
    this.visited = new Set(view.visited || []);
    this.unfolded = new Set(view.unfolded);
    if (OPENED.documentId !== documentId) Object.assign(OPENED, { documentId, settled: null });
    this.hints.opened = new Map(view.opened);
    this.version = -1;
    this.nodesText = this.rowsKey = null;
    this.tree.clear();
    this.tree.collapsed = new Set(view.collapsed);
    this.tree.current = view.current;
    this.tree.conceptId = view.conceptId;
    this.tree.isUntouched = !view.current;
    this.frame.showsWeak = view.showsWeak;
    this.scroll = this.seenScroll = view.scroll;
    this.sawSelected = view.sees;
    this.filters.set(view);
  }

  readView() {
    const { tree, filters } = this;
    return {
      collapsed: [...tree.collapsed], current: tree.current, conceptId: tree.conceptId,
      scroll: this.seenScroll || 0, sees: tree.seesSelected(), filter: filters.filter, text: filters.text, opened: [...this.hints.opened],
      unfolded: [...this.unfolded], showsWeak: this.frame.showsWeak,
    };
  }

  viewChanged() { if (this.view) this.view.changed(); }

  // The first rows of a document: the place where it was left, and the keys, if they were here.
  // Whoever types meanwhile, while the model reads, goes on typing: letters decide in the tree.
  arrive() {
    if (!this.tree.rows.length) return;
    if (this.scroll !== null) { this.tree.restore(this.scroll, this.sawSelected); this.scroll = null; }
    const active = focusedElement();
    const free = !active || active === document.body || (this.root.contains(active) && !active.matches("input"))
      || leadsHere(this.documentId, active);
    if (this.wantsFocus && free) this.focusTree();
    this.wantsFocus = false;
  }

  render() {
    const pending = QUEUE.pending(this.documentId);
    this.decisions = decisionsNow(this.stored, pending);
    this.readOnly = statusNow(this.status, pending) === "finished";
    this.pendingIds = new Set(pending.map((operation) => operation.concept_id));
    const limit = this.frame.limit;
    OPENED.settled = OPENED.settled || new Set(this.decisions.keys());
    this.offered = this.outline.offered(limit);
    this.takeWeak(limit);
    const allStates = this.statesOf(this.offered);
    this.counts = this.outline.summary(this.offered, this.decisions, allStates);
    this.states = this.weak.size ? this.statesOf([...this.offered].filter((id) => !this.weak.has(id))) : allStates;
    const view = {
      limit, weak: this.leftOut, sort: this.filters.sort, filter: this.filters.filter, text: this.filters.text,
      kept: this.filters.kept, visited: new Set([...this.visited, ...this.lowered.ids]),
      everyLevel: Boolean(this.data.every_level), unfolded: this.unfolded, settled: OPENED.settled,
    };
    this.showRows(view);
    this.filters.showCounts(this.outline.filterCounts(view, this.decisions, this.states), this.readOnly);
    this.frame.paint();
    if (this.conventions.sequenced) this.codes.paintSoon();
    this.bar.paint(this.tree.currentRow);
    this.hints.paint();
    this.similar.painted();
    document.dispatchEvent(new CustomEvent("strata:counts", {
      detail: { documentId: this.documentId, finished: this.readOnly, ...this.counts } }));
  }

  // concept id -> how it stands, where these are offered.
  statesOf(offered) {
    const waiting = [...offered].filter((id) => !this.decisions.has(id) && this.wasOffered(id));
    return treeStates(this.data.rule, (id) => this.outline.ancestorsOf(id), this.decisions, new Set(waiting));
  }

  // Improbable suggestions that could be left out, and those that are: never what was decided or looked up.
  takeWeak(limit) {
    const weak = this.outline.weak(limit);
    const isMet = (id) => this.decisions.has(id) || this.visited.has(id) || this.lowered.ids.has(id);
    this.improbable = [...weak].filter((id) => !isMet(id));
    this.leftOut = this.frame.leavesOutWeak ? weak : new Set();
    this.weak = new Set(this.frame.leavesOutWeak ? this.improbable : []);
  }

  // Of a finished document, only what was on the page then is left undecided.
  wasOffered(conceptId) { return this.status !== "finished" || !this.readOnly || this.notTaken.has(conceptId); }

  // Works the rows out only when something that they depend on has changed.
  showRows(view) {
    const found = [...this.decisions.keys()].filter((id) => !this.offered.has(id)).sort();
    const key = JSON.stringify([this.outlineNumber, this.outline.only, Boolean(this.data.unrated), view.everyLevel, [...view.unfolded], view.limit, view.weak.size, view.sort, view.filter, view.text,
      view.filter === "all" ? "" : [...view.kept], [...view.visited], found,
      view.filter === "all" ? "" : [...this.states].map(([id, state]) => [id, state.word])]);
    if (key !== this.rowsKey) {
      this.rowsKey = key;
      this.rows = this.outline.rows(view, this.decisions, this.states);
    }
    this.tree.show(this.rows);
  }
}

// Whoever has opened a document from the list, or has come from another page by its link, goes on in it.
function leadsHere(documentId, node) { return Boolean(node?.matches(`[data-document="${CSS.escape(documentId)}"] a, ${LINKS}`)); }

Object.assign(Workbench.prototype, DESK);

export default function mount(component) {
  return mountOnce(INSTANCES, component, (mounted) => new Workbench(mounted));
}
