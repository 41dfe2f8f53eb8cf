// What a person can do with a concept or a document, by whatever key or button.

import { intoClipboard } from "../shared/clipboard.js";
import { focusedElement } from "../shared/dom.js";
import { askPatiently, documentLink } from "../shared/server.js";
import { titleParts } from "../shared/titles.js";
import { count, shortened, shownKey } from "../shared/words.js";
import { askToBackOff, newGroup } from "./backoff.js";
import { askForBranch } from "./bulk.js";
import { isCategory, isDiagnosis, isProcedure, nextPresent, principalName } from "./coding.js";

const READ_ONLY = "This document is finished. Reopen it to change something.";
const DONE_WORDS = {
  accept: "Accepted", add: "Accepted", reject: "Rejected", clear: "Cleared", back_off: "Gave up",
  exclude: "Nothing in the branch of", hold: "To be specified:", present: "On admission:", performed: "Date of", order: "the order of the codes", mark: "Marked as a main topic:", unmark: "No main topic any more:",
};
const ALREADY = { accept: "accepted", reject: "rejected", exclude: "excluded", hold: "open" };

const COMMANDS = {
  only: (desk, row) => desk.branch.toggle(row),
  next: (desk, row) => desk.tree.goToNext(row),
  hint: (desk) => desk.hints.goToNext(),
  search: (desk) => desk.focusSearch(),
  help: (desk) => desk.help.open(),
  undo: (desk) => undo(desk),
  finish: (desk) => finish(desk),
  skip: (desk) => desk.go("next"),
  passage_before: (desk) => desk.links.turnPassage(-1),
  passage_after: (desk) => desk.links.turnPassage(1),
  find: (desk) => desk.links.findInText(),
  weak: (desk) => desk.toggleWeak(),
  given: (desk) => confirmGiven(desk),
  new: (desk) => desk.go("new"),
  similar: (desk) => desk.similar.take(),
  reopen: (desk) => reopen(desk),
  accept: (desk, row) => decideAndGoOn(desk, row, "accept"),
  reject: (desk, row) => decideAndGoOn(desk, row, "reject"),
  exclude: (desk, row) => decideAndGoOn(desk, row, "exclude"),
  clear: (desk, row) => decide(desk, row.node, "clear"),
  mark: (desk, row) => mark(desk, row.node),
  down: (desk, row) => { desk.lowered.toggle(row); },
  codes: (desk) => desk.codes.toggleFocus(),
  principal: (desk, row) => makePrincipal(desk, row.node),
  present: (desk, row) => cyclePresent(desk, row.node),
  remedy: (desk, row) => desk.check.mendOf(row.node),
  performed: (desk, row) => askForDate(desk, row.node),
  back_off: (desk, row) => { if (mayAssign(desk, row.node)) askToBackOff(desk, row.node); },
  branch: (desk, row) => askForBranch(desk, row.node),
  lift: (desk, row) => mend(desk, row, "lift"),
  copy: (desk, row) => copyConcept(desk, row.node),
  fold: (desk, row) => desk.toggleFold(row),
};
const CHANGING = new Set(["similar", "given"]);
const WITHOUT_ROW = new Set(["hint", "search", "help", "undo", "finish", "skip", "new", "reopen", "codes", "passage_before", "passage_after", "find", "weak", ...CHANGING]);
const WITHOUT_CHANGE = new Set(["next", "only", "down", "copy", "fold", ...[...WITHOUT_ROW].filter((action) => !CHANGING.has(action))]);

export function perform(desk, action, row) {
  const command = COMMANDS[action];
  if (!command || (!row && !WITHOUT_ROW.has(action))) return;
  desk.prompt.close();
  desk.search.inTurn(() => {
    if (desk.readOnly && !WITHOUT_CHANGE.has(action)) refuseFinished(desk);
    else command(desk, row);
  });
}

export function refuseFinished(desk) {
  desk.tell(READ_ONLY, { words: "Reopen", run: () => reopen(desk) });
}

function mayAssign(desk, node) {
  if (node.assignable !== false) return true;
  if (isCategory(node, desk.conventions)) {
    desk.tell(`${node.label} is a category: only its codes are assigned.`, { words: `Codes below (${shownKey(desk.keyOf("down"))})`, run: () => desk.lowered.open(node) });
    return false;
  }
  desk.tell(node.forbidden
    ? `${node.label} is in a branch that this project never assigns.`
    : `${node.label} is a heading and is not assigned itself.`);
  return false;
}

// Queues a decision unless it holds already; says whether anything was to be done.
export function decide(desk, node, action, source = "tree", query = "") {
  if (desk.readOnly) { refuseFinished(desk); return false; }
  if (action === "accept" && isCategory(node, desk.conventions)) return hold(desk, node);
  const decision = desk.decisionOf(node.id);
  if (action === "clear" && !decision) { desk.say(`Nothing was decided on ${node.label}.`); return false; }
  if (decision && decision.state === ALREADY[action]) { desk.say(`${node.label} is ${ALREADY[action]} already.`); return false; }
  if (action === "accept" && !mayAssign(desk, node)) return false;
  desk.send([action === "accept" ? desk.acceptOperation(node, source, null, query) : { action, concept_id: node.id }]);
  // Much of what is only in a history lasts, and is rightly coded.
  const said = action === "accept" ? desk.asserted.of(node.id).replace(/^historical$/, "").replace("family", "of the family") : "";
  if (said) desk.tell(`Accepted ${node.label}, though it is ${said} wherever the notes name it.`, desk.undoLink());
  else desk.say(`${DONE_WORDS[action]} ${node.label}.`);
  return true;
}

// A category is no code: it is put down as to be specified, and its codes are shown.
export function hold(desk, node) {
  const decision = desk.decisionOf(node.id);
  const isNew = !decision || decision.state !== "open";
  if (isNew) desk.send([{ action: "hold", concept_id: node.id }]);
  if (isNew) desk.say(`${node.label} is to be specified: choose one of its codes.`);
  desk.lowered.open(node);
  return isNew;
}

function decideAndGoOn(desk, row, action) {
  if (action === "accept" && isCategory(row.node, desk.conventions)) { hold(desk, row.node); return; }
  if (action === "reject" && !row.suggestion && !mayAssign(desk, row.node)) return;
  if (action === "accept" && !mayAssign(desk, row.node)) return;
  decide(desk, row.node, action);
  if (desk.codes.hasFocus) return;
  desk.tree.goToNext(row, true);
  if (action === "accept") desk.lowered.chosen(row.node.id);
}

// The principal code is the first of its kind; it is accepted with that, where it is not yet.
function makePrincipal(desk, node) {
  if (!mayAssign(desk, node)) return;
  const decision = desk.decisionOf(node.id);
  const name = principalName(isProcedure(node, desk.conventions) ? "procedure" : "diagnosis");
  const others = desk.codes.order.filter((id) => id !== node.id);
  const order = { action: "order", concept_id: "", value: [node.id, ...others] };
  if (decision && decision.state === "accepted") {
    if (desk.codes.isPrincipal(node.id)) { desk.say(`${node.label} is the ${name} already.`); return; }
    desk.send([order]);
  } else {
    const group = newGroup();
    desk.send([desk.acceptOperation(node, "tree", group), { ...order, group }]);
  }
  desk.say(`${node.label} is the ${name}.`);
}

function cyclePresent(desk, node) {
  const decision = desk.decisionOf(node.id);
  if (!isDiagnosis(node, desk.conventions)) { desk.tell(`${node.label} is not a diagnosis, so it has no mark for admission.`); return; }
  if (!decision || decision.state !== "accepted") { desk.tell(`Accept ${node.label} first; then say whether it was present on admission.`); return; }
  desk.codes.markPresent(node, nextPresent(decision.present, (desk.check.proposalOf(node.id) || {}).mark));
}

function askForDate(desk, node) {
  const decision = desk.decisionOf(node.id);
  if (!isProcedure(node, desk.conventions)) { desk.tell(`${node.label} is not a procedure, so it has no date.`); return; }
  if (!decision || decision.state !== "accepted" || !desk.codes.askForDate(node.id)) desk.tell(`Accept ${node.label} first; then give its date.`);
}

// A main topic is an accepted concept, so an undecided one is accepted with it.
export function mark(desk, node) {
  if (!mayAssign(desk, node)) return;
  const decision = desk.decisionOf(node.id);
  if (decision && decision.state !== "accepted") {
    desk.tell(`${node.label} is ${decision.state}; accept it before it is marked as a main topic.`);
    return;
  }
  const action = decision && decision.main ? "unmark" : "mark";
  const group = decision ? null : newGroup();
  const operation = { action, concept_id: node.id, ...(group ? { group } : {}) };
  desk.send(decision ? [operation] : [desk.acceptOperation(node, "tree", group), operation]);
  desk.say(`${DONE_WORDS[action]} ${node.label}.`);
}

// The two ways out of a conflict.
export function mend(desk, row, how) {
  const look = desk.lookOf(row);
  if (how === "reject") { decide(desk, row.node, "reject"); return; }
  if (desk.readOnly) { refuseFinished(desk); return; }
  const group = newGroup();
  desk.send(look.causes.map((id) => ({ action: "clear", concept_id: id, group })));
  desk.say(`Lifted the exclusion of ${desk.labels(look.causes)}.`);
}

// A tab between label and URI makes two cells of them in a spreadsheet.
async function copyConcept(desk, node) {
  const { facts, problem } = await askPatiently("api/concept", { id: node.id, lang: desk.language });
  if (problem || !facts.uri) { desk.tell(problem || `${node.label} has no URI.`); return; }
  const text = `${node.label}\t${facts.uri}`;
  const isCopied = await intoClipboard(text);
  desk.tell(isCopied ? `Copied ${node.label} and its URI.` : `This browser lets no page copy. The URI is ${facts.uri}`);
}

// Takes back one's own last action or group, in whatever document; the server knows which it was.
export function undo(desk) {
  desk.finishing = false;
  desk.tree.hasMoved = false;
  desk.queueUndo();
  desk.say("Undoing.");
}

// What came with the document, accepted at once; each of them can be rejected afterwards, or before.
function confirmGiven(desk) {
  const nodes = desk.givenLeft();
  if (!nodes.length) { desk.tell("Nothing that came with the document is left to confirm."); return; }
  const group = newGroup();
  desk.send(nodes.map((node) => desk.acceptOperation(node, "tree", group)));
  desk.tell(`Confirmed ${count(nodes.length, "concept", "concepts")} that came with the document.`, desk.undoLink());
}

export function finish(desk) {
  if (desk.readOnly) { desk.go("next"); return; }
  if (desk.decisions.size) { finishChecked(desk); return; }
  const left = desk.counts.untouched;
  desk.prompt.ask("Nothing is decided on this document.", [
    { words: "Finish it without a concept", detail: left ? `${left} not taken` : "", icon: "finish", run: () => finishChecked(desk) },
  ], desk.keyOf("finish"));
}

function finishChecked(desk) {
  if (desk.check.isWanted) desk.check.beforeFinish(() => finishNow(desk));
  else finishNow(desk);
}

function finishNow(desk) {
  const sentence = finishSentence(nameOf(desk, desk.documentId, desk.title), desk.counts);
  desk.finishing = true;
  desk.send([{ action: "finish", concept_id: "", shown: desk.lastRank(), ...desk.hints.told() }]);
  desk.tell(sentence, desk.undoLink(), { isOfPage: true });
}

function finishSentence(name, { accepted, rejected, untouched, conflicts }) {
  const open = conflicts ? `, with ${count(conflicts, "conflict", "conflicts")}` : "";
  const left = untouched ? `, ${untouched} not taken` : "";
  return `Finished ${name}: ${accepted} accepted${open}, ${rejected} rejected${left}.`;
}

// What a document is about, in few words, or its id where lists name documents by that.
function nameOf(desk, documentId, title) {
  return desk.hidesTitles ? `document ${documentId}` : `“${shortened(titleParts(title).about, 48)}”`;
}

export function reopen(desk) {
  desk.finishing = false;
  desk.send([{ action: "reopen", concept_id: "" }]);
  desk.tell("Reopened.");
  desk.focusTree();
}

// What an undo took back, in words, once the server has told.
export function tellUndone(desk, undone) {
  for (const { document_id: documentId, title, actions } of undone) {
    if (!actions.length) { desk.tell("There is nothing to undo."); continue; }
    const words = undoneWords(actions.map((one) => ({ ...one, label: named(desk, one) })));
    if (documentId !== desk.documentId) {
      document.dispatchEvent(new CustomEvent("strata:elsewhere", { detail: { documentId } }));   // the list of documents counts it
      desk.tell(`Undone in ${nameOf(desk, documentId, title)}: ${words}.`, { words: "Open it", run: () => desk.go(documentId) }, { isOfPage: true });
      continue;
    }
    desk.tell(`Undone: ${words}.`);
    const concept = actions.find(({ concept_id: id }) => id);
    if (concept) showUndone(desk.tree, concept.concept_id);
  }
}

// The server answers after a moment: whoever went on meanwhile is left where the next key belongs.
function showUndone(tree, conceptId) {
  if (tree.hasMoved) tree.flash([conceptId]);
  else tree.reveal(conceptId, tree.root.contains(focusedElement()));
}

// As the tree calls a concept, code and all, where it is on the page.
function named(desk, { concept_id: id, label }) {
  return desk.outline.nodes.has(id) ? desk.outline.label(id) : label;
}

function undoneWords(actions) {
  if (actions.length > 2) return count(actions.length, "decision", "decisions");
  return actions.map(({ action, label }) => {
    if (action === "order") return "the order of the codes";
    if (action === "finish") return "the document was finished";
    if (action === "reopen") return "the document was reopened";
    return `${(DONE_WORDS[action] || action).toLowerCase()} ${label}`;
  }).join(", ");
}

// A page that the server does not know any more, since it was started again, is loaded anew.
const TURN_PATIENCE_MS = 4000;

export function goOn(desk, next) {
  const finished = desk.documentId;
  desk.go(desk.branch.id === null && next ? next : "next");
  setTimeout(() => {
    const stays = desk.root.isConnected && desk.documentId === finished && desk.finishing;
    if (next && stays) location.href = documentLink(next);
  }, TURN_PATIENCE_MS);
}
