// What the workbench knows, in one object of plain data, and what follows from it. `workbench.js` alone
// changes it, with the parts that ask the server (findings, asserted, effects, lowered); all others read.
// Pure: no DOM, no network.

import { elsewhereWords } from "../shared/sources.js";
import { momentWords, percent } from "../shared/words.js";
import { isCategory } from "./coding.js";
import { LOOKS, withdrawnWords } from "./looks.js";
import { isDenied } from "./outline.js";
import { decisionsNow, statusNow, treeStates } from "./states.js";

export function newState() {
  return {
    // As the page sends it.
    documentId: null,
    data: {},                // all of it: addresses of the routes, title, language, shortcuts, rule, stay …
    conventions: {},         // of the code system
    keys: {},                // by action
    branch: null,            // that is worked in alone: {id, label, others}
    // As the store has it, by its newest answer.
    version: -1,
    status: "",
    judged: "",              // "approved" or "sent back"
    stored: {},              // decisions by concept
    notTaken: new Set(),     // suggested and left undecided at the finish
    isFinishing: false,      // whether this page finished it just now, and goes on
    // The hierarchy, as far as it is on the page.
    outline: null,
    sides: null,             // of two annotations that are adjudicated, as sides.js has them
    outlineNumber: 0,        // raised by each new one
    extra: new Map(),        // concepts by id that were looked up and that the server did not send
    // What a person wants to see.
    limit: 0,                // so many suggestions
    leavesOutWeak: true,     // whether improbable ones have no row
    visited: new Set(),      // concepts that were looked up: they have a row although nothing is decided
    unfolded: new Set(),     // broader concepts with a row of their own
    lowered: { category: null, ids: new Set() },   // whose codes are shown, and those
    // `workedOut` of all that, at each change.
    decisions: new Map(),    // by concept, with what is on its way
    pendingIds: new Set(),   // what is
    finished: false,         // with a finish or reopening that is on its way
    readOnly: false,         // finished, or for who reads alone
    offered: new Set(),      // suggested or given
    improbable: [],          // suggestions that could be left out
    weak: new Set(),         // those that are
    states: new Map(),       // by concept, as states.js has them
    counts: {},              // accepted, rejected, unresolved, conflicts, untouched
    rows: [],                // of the tree, as outline.js has them
    // What the server says later on.
    findings: [],            // of the check of codes
    asserted: new Map(),     // concept -> what the notes say of it wherever they name it: "negated"
    effects: null,           // of codes on the group of the stay: {group, why, accepted, offered}
  };
}

// What holds now; pending: operations that are on their way.
export function workedOut(state, pending) {
  const { data, status, notTaken, outline, limit, visited, lowered } = state;
  const decisions = decisionsNow(state.stored, pending);
  const finished = statusNow(status, pending) === "finished";
  const readOnly = Boolean(data.reads_alone) || finished;
  const offered = outline.offered(limit);
  const isMet = (id) => decisions.has(id) || visited.has(id) || lowered.ids.has(id);
  const improbable = [...outline.weak(limit)].filter((id) => !isMet(id));
  const weak = new Set(state.leavesOutWeak ? improbable : []);
  // Of a finished document, only what was on the page then is left undecided.
  const waits = (id) => !decisions.has(id) && (status !== "finished" || !readOnly || notTaken.has(id));
  const statesOf = (ids) => treeStates(data.rule, (id) => outline.ancestorsOf(id), decisions, new Set(ids.filter(waits)));
  const all = statesOf([...offered]);
  return {
    decisions, finished, readOnly, offered, improbable, weak, pendingIds: new Set(pending.map((operation) => operation.concept_id)),
    states: weak.size ? statesOf([...offered].filter((id) => !weak.has(id))) : all,
    counts: outline.summary(offered, decisions, all),
  };
}

// Who has decided on a concept, in a sentence to this person.
export function whoDecided({ decisions }, conceptId, you = "you") { return decisions.get(conceptId)?.by || you; }

// What colleagues have decided otherwise than this person had, of what is stored: before and now.
export function overturned(before, now) {
  return Object.entries(before || {}).flatMap(([id, own]) => {
    const decision = (now || {})[id];
    return !own.by && decision && decision.by && decision.state !== own.state
      ? [{ id, by: decision.by, was: own.state, is: decision.state }] : [];
  });
}

export function decisionIs(state, conceptId, word) { return state.decisions.get(conceptId)?.state === word; }

export function isUnresolved({ states, readOnly }, conceptId) {
  const state = states.get(conceptId);
  return !readOnly && Boolean(state && (state.unresolved || state.word === "open"));
}

// Unresolved suggestions among the rows, whether their branch is open or not.
export function unresolvedIds(state) {
  const rows = state.rows.filter((row) => !row.context && isUnresolved(state, row.node.id));
  return new Set(rows.map((row) => row.node.id));
}

// Empty where a code is stated somewhere, or nothing is known.
export function assertedOf({ asserted }, { id, denied = "" }) { return asserted.get(id) || denied; }

// The mark of presence on admission that is proposed for a code, with its reason; null without one.
export function proposalOf({ findings }, conceptId) {
  const finding = findings.find((one) => one.kind === "unmarked" && one.remedy && one.concept_ids.length === 1 && one.concept_ids[0] === conceptId);
  return finding ? { mark: finding.remedy.present[conceptId], reason: finding.sentence } : null;
}

// What is said to a reader of the project.
export function whyReadsAlone({ data }) { return typeof data.reads_alone === "string" ? data.reads_alone : READS_ALONE; }
const READS_ALONE = "You read here; deciding takes an indexer of this project.";

export const NO_EFFECT = "no effect";

// What a suggestion that is still open would do to the group of the stay; null where that is nothing.
function effectOf({ effects, readOnly, decisions }, conceptId) {
  const effect = effects && !readOnly && !decisions.has(conceptId) && effects.offered[conceptId];
  return effect && effect.mark !== NO_EFFECT ? effect : null;
}

// What came with the document and is not decided yet.
export function givenLeft({ outline, decisions, conventions, readOnly }) {
  if (readOnly) return [];
  return outline.given.filter((node) => !decisions.has(node.id) && node.assignable !== false && !isCategory(node, conventions));
}

// How a row stands: the rule's state, or what became of a suggestion in a finished document.
export function lookOf(state, { node, suggestion }) {
  const { states, decisions, finished, readOnly, status, notTaken, offered, pendingIds } = state;
  const [stands, decision] = [states.get(node.id), decisions.get(node.id)];
  const untouched = finished && !decision && node.rank
    && (notTaken.has(node.id) || (status !== "finished" && offered.has(node.id)));
  const isImplied = stands && stands.word === "implied";
  const asserted = suggestion ? assertedOf(state, node) : "";
  const tags = [
    node.withdrawn && withdrawnWords(node), decision && decision.main && "main topic", node.given && "given", decision && decision.added && (decision.by ? "added" : "added by you"),
    decision && decision.by && `by ${decision.by}, ${momentWords(decision.at)}`,
    node.source === "lexical" && "by name", node.source === "neighbours" && "as in similar ones",
    node.elsewhere && (elsewhereWords(node.source) ? "elsewhere" : "also elsewhere"), asserted,
    decision && decision.backed_off && "backed off", untouched && isImplied && "not taken",
  ].filter(Boolean);
  return {
    word: untouched && !isImplied ? "not taken" : stands ? stands.word : !suggestion ? "heading" : isDenied(node) ? "denied" : "unresolved",
    tags, causes: stands && (!untouched || isImplied) ? stands.causes : [], pending: pendingIds.has(node.id),
    unresolved: Boolean(stands && stands.unresolved && !readOnly), asserted, effect: suggestion ? effectOf(state, node.id) : null,
  };
}

// What stands beside a hit of the search. nodes: where the concept may be, if it is not on the page.
export function stateWord({ states, outline, offered, conventions }, conceptId, nodes = []) {
  const state = states.get(conceptId);
  const node = outline.nodes.get(conceptId) || nodes.find(({ id }) => id === conceptId);
  if (isCategory(node, conventions)) return state && state.word === "open" ? LOOKS.open.words : "category";
  if (state && state.word !== "unresolved") return LOOKS[state.word].words;
  if (!node || !node.rank) return "";
  return [offered.has(conceptId) && "suggested", percent(node.probability)].filter(Boolean).join(", ");
}

// “One”, “another” and 3 more.
export function labels({ outline }, conceptIds) {
  const names = conceptIds.slice(0, 2).map((id) => `“${outline.label(id)}”`);
  const more = conceptIds.length - names.length;
  return more ? `${names.join(", ")} and ${more} more` : names.join(" and ");
}

// A concept is accepted where it was on the page as suggested or given, and added where it was not.
// query: what was typed to find it, which finds it here from then on.
export function acceptOperation({ offered }, node, source, group = null, query = "") {
  const isOffered = offered.has(node.id) || isDenied(node);
  return {
    action: isOffered ? "accept" : "add", concept_id: node.id,
    ...(isOffered ? {} : { source }), ...(group ? { group } : {}),
    ...(query ? { value: { query: [query] } } : {}),
  };
}
