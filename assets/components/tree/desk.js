// The desk: all that the tree, the bars, the prompts and the search box may ask of the workbench on which
// they stand. A test holds them to it. What stands here is read by them, and changed by the workbench alone.
//
// Document   data: what the page sent, documentId, title, hidesTitles, language, lastDay: of the encounter,
//            version, conventions: of the code system, divisions: whether only codes are assigned, shortcuts,
//            placeholder: of the search box
// Decisions  decisions: by concept with what is on its way, pendingIds: what is, states: by concept, as
//            states.js has them, counts, notTaken, readOnly, finishing: whether this page finished it just now
// Rows       outline, outlineNumber: raised by each new one, weak: suggestions that are left out,
//            improbable: those that could be
// Parts      tree, filters, frame, prompt, toast, branch, lowered, check, hints, asserted, codes, group, search,
//            links, similar, help, root: the element, outbox: what goes to the page
// Drawing    render(): after a change, viewChanged(): keep where one is
// The functions below answer and act.

import { elsewhereWords } from "../shared/card.js";
import { QUEUE } from "../shared/queue.js";
import { count, percent, shownKey } from "../shared/words.js";
import { isCategory, withCode } from "./coding.js";
import { decide, mend, perform, refuseFinished } from "./commands.js";
import { chainOf } from "./folding.js";
import { LOOKS } from "./looks.js";
import { withdrawnWords } from "./treerow.js";

export const DESK = {
  decisionOf(conceptId) { return this.decisions.get(conceptId); },
  // What the keys are about: a code that has the focus, or else the row of the tree.
  chosenRow() { return (this.conventions.sequenced && this.codes.focusedRow) || this.tree.currentRow; },
  keyOf(action) { return this.keys[action]; },
  pathNames(conceptId) { return this.outline.pathNames(conceptId); },
  say(sentence) { this.toast.say(sentence); },
  tell(sentence, link, more) { this.toast.tell(sentence, link, more); },
  undoLink() { return { words: `Undo (${shownKey(this.keyOf("undo"))})`, undoes: true, run: () => this.perform("undo") }; },
  perform(action, row = this.chosenRow()) { perform(this, action, row); },
  decide(node, action) { decide(this, node, action); },
  mend(row, how) { mend(this, row, how); },
  searchWith(words) { this.search.input.value = words; this.focusSearch(); this.search.ask(); },
  focusSearch() { this.search.input.focus(); this.search.input.select(); },
  orderOfNext() { return this.data.next_order || "branch"; },
  lastRank() { return this.outline.lastRank(this.frame.limit); },
  queueUndo() { QUEUE.add(this.documentId, "undo", ""); },
  go(to) { this.outbox.send("go", { to, shown: this.frame.limitElsewhere }); },

  focusTree() {
    const row = this.tree.currentRow;
    if (row) this.tree.focus(row);
  },

  isUnresolved(conceptId) {
    const state = this.states.get(conceptId);
    return !this.readOnly && Boolean(state && (state.unresolved || state.word === "open"));
  },

  isDenied(conceptId) { return this.asserted.isDenied(conceptId); },

  // Unresolved suggestions among the rows, whether their branch is open or not.
  unresolvedIds() {
    const rows = this.rows.filter((row) => !row.context && this.isUnresolved(row.node.id));
    return new Set(rows.map((row) => row.node.id));
  },

  // Broader concepts that are folded into a row get rows of their own; `conceptId`, where it is
  // named, is then selected. Where they have rows, they are folded again.
  toggleFold(row, conceptId = null) {
    const { ids, isFolded } = chainOf(row, this.rows);
    if (!ids.length) { this.say(this.data.every_level ? "Every level is shown." : "No levels are folded here."); return; }
    for (const id of ids) isFolded ? this.unfolded.add(id) : this.unfolded.delete(id);
    this.viewChanged();
    this.render();
    const selected = this.tree.nearest(isFolded && conceptId ? conceptId : row.node.id);
    if (selected) this.tree.focus(selected);
    const levels = count(ids.length, "level", "levels");
    this.say(isFolded ? `Showing ${levels} above ${row.node.label}.` : `Folded ${levels}.`);
  },

  // The improbable suggestions get rows, or lose them again.
  toggleWeak() {
    const { improbable } = this;
    if (!improbable.length) { this.say("No suggestion is left out."); return; }
    this.frame.showsWeak = this.frame.leavesOutWeak;
    this.viewChanged();
    this.render();
    const number = count(improbable.length, "improbable suggestion", "improbable suggestions");
    this.say(this.frame.showsWeak ? `Showing ${number}.` : `Left ${number} out.`);
    const first = this.frame.showsWeak && this.rows.find((row) => row.node.id === improbable[0]);
    this.tree.openAbove(first || this.tree.currentRow || {});
    if (first) this.tree.focus(first);
  },

  // What came with the document and is not decided yet.
  givenLeft() {
    const { decisions, conventions } = this;
    return this.outline.given.filter((node) => !decisions.has(node.id) && node.assignable !== false && !isCategory(node, conventions));
  },

  unfold(row) {
    for (const { id } of row.folded) this.unfolded.add(id);
    this.viewChanged();
    this.render();
  },

  // All that the look of a concept depends on, cheap enough to be asked of hundreds at every key.
  lookSignature(conceptId) {
    const state = this.states.get(conceptId);
    const decision = this.decisions.get(conceptId);
    const stands = state ? `${state.word}|${state.unresolved}|${state.causes}` : "";
    const decided = decision ? `${decision.state}|${decision.main}|${decision.added}|${decision.backed_off}` : "";
    const closed = this.readOnly ? `${this.status}|${this.notTaken.has(conceptId)}|${this.offered.has(conceptId)}` : "";
    return `${stands}/${decided}/${closed}/${this.pendingIds.has(conceptId)}/${this.asserted.of(conceptId)}/${JSON.stringify(this.group.offered(conceptId))}`;
  },

  // How a row stands: the rule's state, or what became of a suggestion in a finished document.
  lookOf({ node, suggestion }) {
    const state = this.states.get(node.id);
    const decision = this.decisions.get(node.id);
    const untouched = this.readOnly && !decision && node.rank
      && (this.notTaken.has(node.id) || (this.status !== "finished" && this.offered.has(node.id)));
    const isImplied = state && state.word === "implied";
    const tags = [
      node.withdrawn && withdrawnWords(node), decision && decision.main && "main topic", node.given && "given", decision && decision.added && "added by you",
      node.source === "lexical" && "by name", node.source === "neighbours" && "as in similar ones",
      node.elsewhere && (elsewhereWords(node.source) ? "elsewhere" : "also elsewhere"), suggestion && this.asserted.of(node.id),
      decision && decision.backed_off && "backed off", untouched && isImplied && "not taken",
    ].filter(Boolean);
    const word = untouched && !isImplied ? "not taken" : state ? state.word : suggestion ? "unresolved" : "heading";
    return {
      word, tags, causes: state && (!untouched || isImplied) ? state.causes : [], pending: this.pendingIds.has(node.id),
      unresolved: Boolean(state && state.unresolved && !this.readOnly), asserted: suggestion ? this.asserted.of(node.id) : "",
      effect: suggestion ? this.group.offered(node.id) : null,
    };
  },

  labels(conceptIds) {
    const names = conceptIds.slice(0, 2).map((id) => `“${this.outline.label(id)}”`);
    const more = conceptIds.length - names.length;
    return more ? `${names.join(", ")} and ${more} more` : names.join(" and ");
  },

  // A concept is accepted where it was on the page as suggested or given, and added where it was not.
  // query: what was typed to find it, which finds it here from then on.
  acceptOperation(node, source, group = null, query = "") {
    const offered = this.offered.has(node.id);
    return {
      action: offered ? "accept" : "add", concept_id: node.id,
      ...(offered ? {} : { source }), ...(group ? { group } : {}),
      ...(query ? { value: { query: [query] } } : {}),
    };
  },

  send(operations) {
    if (this.filters.active) for (const { concept_id: id } of operations) if (id) this.filters.kept.add(id);
    this.toast.decided();
    QUEUE.addAll(this.documentId, operations);
  },

  addNodes(nodes) {
    const fresh = nodes.filter((node) => !this.outline.nodes.has(node.id))
      .map((node) => withCode(node, this.conventions));
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

  // nodes: where the concept may be, if it is not on the page.
  stateWord(conceptId, nodes = []) {
    const state = this.states.get(conceptId);
    const node = this.outline.nodes.get(conceptId) || nodes.find(({ id }) => id === conceptId);
    if (isCategory(node, this.conventions)) return state && state.word === "open" ? LOOKS.open.words : "category";
    if (state && state.word !== "unresolved") return LOOKS[state.word].words;
    if (!node || !node.rank) return "";
    return [this.offered.has(conceptId) && "suggested", percent(node.probability)].filter(Boolean).join(", ");
  },

  // From the search box.
  add(hit, query = "") {
    if (this.readOnly) { refuseFinished(this); return; }
    this.addNodes(hit.nodes);
    const decision = this.decisionOf(hit.concept_id);
    if (decision && decision.state === "accepted") this.say(`${hit.label} is accepted already.`);
    else decide(this, this.outline.nodes.get(hit.concept_id), "accept", "search", query);
    // Whoever has gone on since stays where they are: their next key is for that row.
    const stays = this.search.input.matches(":focus");
    if (stays && !isCategory(this.outline.nodes.get(hit.concept_id), this.conventions)) this.visit(hit.concept_id, false);
  },

  open(hit) {
    this.addNodes(hit.nodes);
    this.visit(hit.concept_id, true);
  },

  propose(text) { this.proposals.propose(text); },
};
