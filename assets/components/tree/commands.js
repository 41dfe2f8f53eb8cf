// What a person can do with a concept or a document, by whatever key or button.

import { intoClipboard } from "../shared/clipboard.js";
import { focusedElement } from "../shared/dom.js";
import { emit } from "../shared/events.js";
import { QUEUE } from "../shared/queue.js";
import { askPatiently, documentLink } from "../shared/server.js";
import { titleParts } from "../shared/titles.js";
import { count, shortened, shownKey } from "../shared/words.js";
import { askToBackOff, newGroup } from "./backoff.js";
import { askForBranch } from "./bulk.js";
import { codeOrder, isCategory, isDiagnosis, isPrincipal, isProcedure, nextPresent, principalName } from "./coding.js";
import { chainOf } from "./folding.js";
import { APPROVED, approve, meant, sendBack } from "./judging.js";
import { acceptOperation, assertedOf, decisionIs, givenLeft, labels, lookOf, proposalOf, whyReadsAlone } from "./state.js";

const READ_ONLY = "This document is finished. Reopen it to change something.";
const STAYS = "This document is approved: who may review reopens it.";
const DONE_WORDS = {
  accept: "Accepted", add: "Accepted", reject: "Rejected", clear: "Cleared", back_off: "Gave up",
  exclude: "Nothing in the branch of", hold: "To be specified:", present: "On admission:", performed: "Date of", order: "the order of the codes", mark: "Marked as a main topic:", unmark: "No main topic any more:",
};
const ALREADY = { accept: "accepted", reject: "rejected", exclude: "excluded", hold: "open" };

// What a key or a button does, with what it needs of the workbench (`contextOf`) and the chosen row.
const COMMANDS = {
  only: ({ branch }, row) => branch.toggle(row),
  next: ({ tree }, row) => tree.goToNext(row),
  hint: ({ hints }) => hints.goToNext(),
  search: ({ search }) => search.focus(),
  help: ({ help }) => help.open(),
  guidelines: ({ state, go, tell }) => {
    if (state.data.has_guidelines) go({ show: "guidelines" });
    else tell("No guidelines are written for this project.");
  },
  undo,
  finish,
  skip: ({ go, state }) => go({ to: "next", skips: state.documentId }),
  passage_before: () => emit("passage", { by: -1 }),
  passage_after: () => emit("passage", { by: 1 }),
  find: () => emit("find"),
  weak: toggleWeak,
  given: confirmGiven,
  new: ({ go }) => go({ to: "new" }),
  similar: ({ similar }) => similar.takeOver(),
  reopen,
  approve: (context) => approve(context, openName(context)),
  send_back: (context) => sendBack(context, openName(context)),
  accept: (context, row) => decideAndGoOn(context, row, "accept"),
  reject: (context, row) => decideAndGoOn(context, row, "reject"),
  exclude: (context, row) => decideAndGoOn(context, row, "exclude"),
  clear: (context, row) => decide(context, row.node, "clear"),
  mark,
  down: ({ lowered }, row) => { lowered.toggle(row); },
  codes: ({ codes }) => codes.toggleFocus(),
  principal: makePrincipal,
  present: cyclePresent,
  remedy: ({ check }, row) => check.mendOf(row.node),
  performed: askForDate,
  back_off: (context, row) => { if (mayAssign(context, row.node)) askToBackOff(context, row.node); },
  branch: askForBranch,
  lift: (context, row) => mend(context, row, "lift"),
  copy: copyConcept,
  fold: toggleFold,
  left: ({ sides }, row) => sides.take("left", row),
  right: ({ sides }, row) => sides.take("right", row),
  both: ({ sides }, row) => sides.take("both", row),
  neither: ({ sides }, row) => sides.take("neither", row),
};
const CHANGING = new Set(["similar", "given"]);
const WITHOUT_ROW = new Set(["hint", "search", "help", "guidelines", "undo", "finish", "skip", "new", "reopen", "approve", "send_back", "codes", "passage_before", "passage_after", "find", "weak", ...CHANGING]);
const WITHOUT_CHANGE = new Set(["next", "only", "down", "copy", "fold", ...[...WITHOUT_ROW].filter((action) => !CHANGING.has(action))]);

// conceptId: of those that a row stands for, the one that was clicked.
export function perform(context, asked, row, conceptId = null) {
  const action = meant(context.state, asked);
  const command = COMMANDS[action];
  if (!command || (!row && !WITHOUT_ROW.has(action))) return;
  context.prompt.close();
  context.search.inTurn(() => {
    if (row?.node.isGroup && !WITHOUT_ROW.has(action) && action !== "next") context.tell("This row gathers what the notes deny or call over: choose one of its codes.");
    else if (context.state.readOnly && !WITHOUT_CHANGE.has(action)) context.refuse();
    else command(context, row, conceptId);
  });
}

export function refuseFinished(context) {
  if (context.state.data.reads_alone) context.tell(whyReadsAlone(context.state));
  else if (context.state.judged === APPROVED && !context.state.data.may_review) context.tell(STAYS);
  else context.tell(READ_ONLY, { words: "Reopen", run: () => reopen(context) });
}

function mayAssign({ state, tell, openBelow }, node) {
  if (node.assignable !== false) return true;
  if (isCategory(node, state.conventions)) {
    tell(`${node.label} is a category: only its codes are assigned.`, { words: `Codes below (${shownKey(state.keys.down)})`, run: () => openBelow(node) });
    return false;
  }
  tell(node.forbidden
    ? `${node.label} is in a branch that this project never assigns.`
    : `${node.label} is a heading and is not assigned itself.`);
  return false;
}

// What a colleague has decided otherwise meanwhile, with the way back.
export function tellOverturned(context, changed) {
  const [first] = changed;
  const node = first && context.state.outline.nodes.get(first.id);
  if (!node) return;
  const more = changed.length > 1 ? `, and ${count(changed.length - 1, "concept", "concepts")} more` : "";
  const action = Object.keys(ALREADY).find((one) => ALREADY[one] === first.was);
  const back = action && { words: "Put it back", run: () => decide(context, node, action) };
  context.tell(`${first.by} has ${first.is} ${node.label}, which you had ${first.was}${more}.`, back);
}

// Queues a decision unless it holds already.
export function decide(context, node, action, source = "tree", query = "") {
  const { state, say, tell, send, refuse, undoLink } = context;
  if (state.readOnly) { refuse(); return; }
  if (action === "accept" && isCategory(node, state.conventions)) { hold(context, node); return; }
  if (action === "clear" && !state.decisions.has(node.id)) { say(`Nothing was decided on ${node.label}.`); return; }
  if (ALREADY[action] && decisionIs(state, node.id, ALREADY[action])) { say(`${node.label} is ${ALREADY[action]} already.`); return; }
  if (action === "accept" && !mayAssign(context, node)) return;
  const before = state.decisions.get(node.id);
  send([action === "accept" ? acceptOperation(state, node, source, null, query) : { action, concept_id: node.id }]);
  // Much of what is only in a history lasts, and is rightly coded.
  const said = action === "accept" ? assertedOf(state, node).replace(/^historical$/, "").replace("family", "of the family") : "";
  if (before && before.by) tell(`${before.by} had ${before.state} ${node.label}; now it is ${action === "clear" ? "open" : ALREADY[action] || "decided"}.`, undoLink());
  else if (said) tell(`Accepted ${node.label}, though it is ${said} wherever the notes name it.`, undoLink());
  else say(`${DONE_WORDS[action]} ${node.label}.`);
}

// A category is no code: it is put down as to be specified, and its codes are shown.
function hold({ state, send, say, openBelow }, node) {
  if (!decisionIs(state, node.id, "open")) {
    send([{ action: "hold", concept_id: node.id }]);
    say(`${node.label} is to be specified: choose one of its codes.`);
  }
  openBelow(node);
}

function decideAndGoOn(context, row, action) {
  const { state, tree, codes, lowered } = context;
  if (action === "accept" && isCategory(row.node, state.conventions)) { hold(context, row.node); return; }
  if (action === "reject" && !row.suggestion && !mayAssign(context, row.node)) return;
  if (action === "accept" && !mayAssign(context, row.node)) return;
  decide(context, row.node, action);
  if (codes.hasFocus) return;
  tree.goToNext(row, true);
  if (action === "accept") lowered.chosen(row.node.id);
}

// The principal code is the first of its kind; it is accepted with that, where it is not yet.
function makePrincipal(context, { node }) {
  const { state, send, say } = context;
  if (!mayAssign(context, node)) return;
  const name = principalName(isProcedure(node, state.conventions) ? "procedure" : "diagnosis");
  const others = codeOrder(state).filter((id) => id !== node.id);
  const order = { action: "order", concept_id: "", value: [node.id, ...others] };
  if (isPrincipal(state, node.id)) { say(`${node.label} is the ${name} already.`); return; }
  const group = newGroup();
  send(decisionIs(state, node.id, "accepted") ? [order] : [acceptOperation(state, node, "tree", group), { ...order, group }]);
  say(`${node.label} is the ${name}.`);
}

function cyclePresent({ state, tell, codes }, { node }) {
  if (!isDiagnosis(node, state.conventions)) tell(`${node.label} is not a diagnosis, so it has no mark for admission.`);
  else if (!decisionIs(state, node.id, "accepted")) tell(`Accept ${node.label} first; then say whether it was present on admission.`);
  else codes.markPresent(node, nextPresent(state.decisions.get(node.id).present, proposalOf(state, node.id)?.mark));
}

function askForDate({ state, tell, codes }, { node }) {
  if (!isProcedure(node, state.conventions)) tell(`${node.label} is not a procedure, so it has no date.`);
  else if (!decisionIs(state, node.id, "accepted") || !codes.askForDate(node.id)) tell(`Accept ${node.label} first; then give its date.`);
}

// A main topic is an accepted concept, so an undecided one is accepted with it.
function mark(context, { node }) {
  const { state, send, say, tell } = context;
  if (!mayAssign(context, node)) return;
  const decision = state.decisions.get(node.id);
  if (decision && decision.state !== "accepted") {
    tell(`${node.label} is ${decision.state}; accept it before it is marked as a main topic.`);
    return;
  }
  const action = decision && decision.main ? "unmark" : "mark";
  const group = decision ? null : newGroup();
  const operation = { action, concept_id: node.id, ...(group ? { group } : {}) };
  send(decision ? [operation] : [acceptOperation(state, node, "tree", group), operation]);
  say(`${DONE_WORDS[action]} ${node.label}.`);
}

// The two ways out of a conflict.
export function mend(context, row, how) {
  const { state, send, say, refuse } = context;
  if (how === "reject") { decide(context, row.node, "reject"); return; }
  if (state.readOnly) { refuse(); return; }
  const { causes } = lookOf(state, row);
  const group = newGroup();
  send(causes.map((id) => ({ action: "clear", concept_id: id, group })));
  say(`Lifted the exclusion of ${labels(state, causes)}.`);
}

// A tab between label and URI makes two cells of them in a spreadsheet.
async function copyConcept({ state, tell }, { node }) {
  const { facts, problem } = await askPatiently("api/concept", { id: node.id, lang: state.data.language });
  if (problem || !facts.uri) { tell(problem || `${node.label} has no URI.`); return; }
  const text = `${node.label}\t${facts.uri}`;
  const isCopied = await intoClipboard(text);
  tell(isCopied ? `Copied ${node.label} and its URI.` : `This browser lets no page copy. The URI is ${facts.uri}`);
}

// Takes back one's own last action or group, in whatever document; the server knows which it was.
function undo({ state, say, tree }) {
  state.isFinishing = false;
  tree.hasMoved = false;
  QUEUE.add(state.documentId, "undo", "");
  say("Undoing.");
}

// What came with the document, accepted at once; each of them can be rejected afterwards, or before.
function confirmGiven({ state, send, tell, undoLink }) {
  const nodes = givenLeft(state);
  if (!nodes.length) { tell("Nothing that came with the document is left to confirm."); return; }
  const group = newGroup();
  send(nodes.map((node) => acceptOperation(state, node, "tree", group)));
  tell(`Confirmed ${count(nodes.length, "concept", "concepts")} that came with the document.`, undoLink());
}

// Broader concepts that are folded into a row get rows of their own; `conceptId`, where it is
// named, is then selected. Where they have rows, they are folded again.
function toggleFold({ state, say, tree, showAnew }, row, conceptId) {
  const { ids, isFolded } = chainOf(row, state.rows);
  if (!ids.length) { say(state.data.every_level ? "Every level is shown." : "No levels are folded here."); return; }
  for (const id of ids) isFolded ? state.unfolded.add(id) : state.unfolded.delete(id);
  showAnew();
  const selected = tree.nearest(isFolded && conceptId ? conceptId : row.node.id);
  if (selected) tree.focus(selected);
  const levels = count(ids.length, "level", "levels");
  say(isFolded ? `Showing ${levels} above ${row.node.label}.` : `Folded ${levels}.`);
}

// The improbable suggestions get rows, or lose them again.
function toggleWeak({ state, say, tree, frame, showAnew }) {
  const { improbable } = state;
  if (!improbable.length) { say("No suggestion is left out."); return; }
  frame.showsWeak = frame.leavesOutWeak;
  showAnew();
  const number = count(improbable.length, "improbable suggestion", "improbable suggestions");
  say(frame.showsWeak ? `Showing ${number}.` : `Left ${number} out.`);
  const first = frame.showsWeak && state.rows.find((row) => row.node.id === improbable[0]);
  tree.openAbove(first || tree.currentRow || {});
  if (first) tree.focus(first);
}

function finish(context) {
  const { state, go, prompt } = context;
  if (state.readOnly) { go({ to: "next" }); return; }
  if (state.decisions.size) { finishChecked(context); return; }
  const left = state.counts.untouched;
  prompt.ask("Nothing is decided on this document.", [
    { words: "Finish it without a concept", detail: left ? `${left} not taken` : "", icon: "finish", run: () => finishChecked(context) },
  ], state.keys.finish);
}

function finishChecked(context) {
  const { check } = context;
  if (check.isWanted) check.beforeFinish(() => finishNow(context));
  else finishNow(context);
}

function finishNow(context) {
  const { state, send, tell, undoLink, hints } = context;
  const sentence = finishSentence(openName(context), state.counts);
  state.isFinishing = true;
  send([{ action: "finish", concept_id: "", shown: state.outline.lastRank(state.limit), ...hints.told() }]);
  tell(sentence, undoLink(), { isOfPage: true });
}

function finishSentence(name, { accepted, rejected, untouched, conflicts }) {
  const open = conflicts ? `, with ${count(conflicts, "conflict", "conflicts")}` : "";
  const left = untouched ? `, ${untouched} not taken` : "";
  return `Finished ${name}: ${accepted} accepted${open}, ${rejected} rejected${left}.`;
}

const openName = ({ state }) => nameOf(state, state.documentId, state.data.title);

// What a document is about, in few words, or its id where lists name documents by that.
function nameOf({ data }, documentId, title) {
  return data.hides_titles ? `document ${documentId}` : `“${shortened(titleParts(title).about, 48)}”`;
}

function reopen({ state, send, tell, focusTree }) {
  state.isFinishing = false;
  send([{ action: "reopen", concept_id: "" }]);
  tell("Reopened.");
  focusTree();
}

// What an undo took back, in words, once the server has told.
export function tellUndone({ state, tell, go, tree }, undone) {
  for (const { document_id: documentId, title, actions } of undone) {
    if (!actions.length) { tell("There is nothing to undo."); continue; }
    const words = undoneWords(actions.map((one) => ({ ...one, label: named(state, one) })));
    if (documentId !== state.documentId) {
      emit("elsewhere", { documentId });   // the list of documents counts it
      tell(`Undone in ${nameOf(state, documentId, title)}: ${words}.`, { words: "Open it", run: () => go({ to: documentId }) }, { isOfPage: true });
      continue;
    }
    tell(`Undone: ${words}.`);
    const concept = actions.find(({ concept_id: id }) => id);
    if (concept) showUndone(tree, concept.concept_id);
  }
}

// The server answers after a moment: whoever went on meanwhile is left where the next key belongs.
function showUndone(tree, conceptId) {
  if (tree.hasMoved) tree.flash([conceptId]);
  else tree.reveal(conceptId, tree.root.contains(focusedElement()));
}

// As the tree calls a concept, code and all, where it is on the page.
function named({ outline }, { concept_id: id, label }) {
  return outline.nodes.has(id) ? outline.label(id) : label;
}

function undoneWords(actions) {
  if (actions.length > 2) return count(actions.length, "decision", "decisions");
  return actions.map(({ action, label }) => {
    if (action === "order") return "the order of the codes";
    if (action === "finish") return "the document was finished";
    if (action === "reopen") return "the document was reopened";
    if (action === "approve") return "the document was approved";
    if (action === "send_back") return "the document was sent back";
    return `${(DONE_WORDS[action] || action).toLowerCase()} ${label}`;
  }).join(", ");
}

// A page that the server does not know any more, since it was started again, is loaded anew.
const TURN_PATIENCE_MS = 4000;

export function goOn({ state, go, tree }, next) {
  const finished = state.documentId;
  go({ to: !state.branch && next ? next : "next" });
  setTimeout(() => {
    const stays = tree.root.isConnected && state.documentId === finished && state.isFinishing;
    if (next && stays) location.href = documentLink(next);
  }, TURN_PATIENCE_MS);
}
