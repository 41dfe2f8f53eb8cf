// The part of the hierarchy that is on the page, and its rows in reading order. Pure: no DOM.

import { percent, plainLetters, RATING } from "../shared/words.js";
import { foldedRows, Places, rowsBelow } from "./folding.js";
import { FILTERS } from "./looks.js";
import { byProbability, byWeight, own } from "./weights.js";

// A suggestion less probable than this is worth no row, unless it is among the very first.
export const WEAK = 0.05;
const LEAST_ROWS = 5;
export const DENIED_KEY = "denied";   // of the row that gathers what the notes deny
const DENIED_WORDS = "Denied or over";

export class Outline {
  constructor(nodes) {
    this.nodes = new Map(nodes.map((node) => [node.id, node]));
    const ranked = nodes.filter((node) => node.rank).sort((a, b) => a.rank - b.rank);
    this.suggested = ranked.filter((node) => !isDenied(node));
    this.denied = ranked.filter(isDenied);
    this.given = nodes.filter((node) => node.given);
    this.sides = null;   // where two annotations are adjudicated, what either has: it alone waits
    this.above = new Map();
    this.places = new Places(this.nodes, (id) => this.ancestorsOf(id));
  }

  merge(nodes) {
    for (const node of nodes) if (!this.nodes.has(node.id)) this.nodes.set(node.id, node);
    this.above.clear();
    this.places.clear();
  }

  // Whether a concept stands in the branch that is looked at; all do where none is.
  isWithin(conceptId) {
    const { only } = this.places;
    return only === null || conceptId === only || this.ancestorsOf(conceptId).has(only);
  }

  label(conceptId) {
    const node = this.nodes.get(conceptId);
    return node ? node.label : conceptId;
  }

  // Everything broader that is on the page; worked out once for each concept.
  ancestorsOf(conceptId) {
    const known = this.above.get(conceptId);
    if (known) return known;
    const found = new Set();
    const waiting = [conceptId];
    while (waiting.length) {
      const node = this.nodes.get(waiting.pop());
      for (const broader of node ? node.broader : []) {
        if (found.has(broader) || !this.nodes.has(broader)) continue;
        found.add(broader);
        waiting.push(broader);
      }
    }
    this.above.set(conceptId, found);
    return found;
  }

  // What waits to be decided: the first so many suggestions, and what came with the document.
  offered(limit) {
    if (this.sides) return new Set([...this.sides].filter((id) => this.nodes.has(id)));
    const offered = new Set(this.suggested.slice(0, limit).map((node) => node.id));
    for (const node of this.given) offered.add(node.id);
    return offered;
  }

  // Of these suggestions those that are left out at first, since hardly one in twenty of them is right:
  // of notes that the model does not know, too (docs/clinical.md).
  weak(limit) {
    if (this.sides) return new Set();
    const weak = this.suggested.slice(LEAST_ROWS, limit).filter((node) => (node.probability ?? 1) < WEAK && !node.given);
    return new Set(weak.map((node) => node.id));
  }

  // The rank up to which suggestions are on the page; some ranks may be hidden by a rule.
  lastRank(limit) {
    if (this.sides) return 0;
    const last = this.suggested[Math.min(limit, this.suggested.length) - 1];
    return last ? last.rank : 0;
  }

  // Rows in reading order. view: {limit, sort, filter, text, kept, visited, weak, everyLevel, unfolded,
  // settled}; kept: ids that stay though the filter has lost them; visited: ids that were looked up;
  // weak: suggestions that are left out unless they were decided or looked up; unfolded, settled: as
  // `foldedRows` has them.
  rows(view, decisions, states) {
    const rows = [...this.waitingRows(view, decisions, states), ...this.deniedRows(view, decisions, states)];
    const top = rows.filter(({ level }) => level === 1);
    top.forEach((row, place) => Object.assign(row, { position: place + 1, siblings: top.length }));
    return rows;
  }

  waitingRows(view, decisions, states) {
    const shown = this.shown(view, decisions);
    const found = this.found(shown, view, states);
    if (view.sort === "probability") return this.flatRows(found, shown);
    const sets = { found, shown, rated: this.rated(view) };
    return view.everyLevel ? this.treeRows(sets) : foldedRows(this, sets, view);
  }

  // What the notes deny, in one group; what of it was decided or looked up stands in the tree.
  deniedRows(view, decisions, states) {
    if (view.filter !== "all" || this.sides) return [];
    const visited = view.visited || new Set();
    const waiting = this.denied.map(({ id }) => id).filter((id) => !decisions.has(id) && !visited.has(id));
    const found = [...this.found(new Set(waiting), { ...view, visited: [] }, states)];
    if (!found.length) return [];
    const node = { id: "", label: `${DENIED_WORDS}: ${found.length}`, broader: [], assignable: false, isGroup: true };
    const bare = { suggestion: false, context: false, ofBranch: false, probability: null };
    const group = { ...bare, key: DENIED_KEY, node, level: 1, parent: null, children: found.length };
    return [group, ...found.map((id, place) => ({
      ...bare, key: `${DENIED_KEY}\n${id}`, node: this.nodes.get(id), level: 2, parent: group, children: 0,
      position: place + 1, siblings: found.length, suggestion: true, probability: own(this.nodes.get(id)),
    }))];
  }

  // How many concepts each filter would show, for these words.
  filterCounts(view, decisions, states) {
    const shown = this.shown(view, decisions);
    const filters = Object.keys(FILTERS);
    return Object.fromEntries(filters.map((filter) => [filter, this.found(shown, { ...view, filter, kept: new Set() }, states).size]));
  }

  // What was suggested or given, without what is left out, whatever became of it.
  rated({ limit, weak = new Set() }) {
    return new Set([...this.offered(limit)].filter((id) => !weak.has(id)));
  }

  // What was suggested, given or decided, without what is left out.
  shown(view, decisions) {
    const shown = this.rated(view);
    for (const id of decisions.keys()) if (this.nodes.has(id)) shown.add(id);
    const { weak = new Set(), visited = new Set() } = view;
    for (const id of visited) if (weak.has(id)) shown.add(id);
    return shown;
  }

  // What passes the filter, and where nothing is filtered, what was looked up.
  found(shown, view, states) {
    const found = this.passing(shown, view, states);
    for (const id of found) if (!this.isWithin(id)) found.delete(id);
    const isWhole = view.filter === "all" && !view.text.trim();
    for (const id of view.visited || []) if (isWhole && this.nodes.has(id)) found.add(id);
    return found;
  }

  passing(shown, { filter, text, kept }, states) {
    const { shows: passes } = FILTERS[filter] || FILTERS.all;
    const words = plainLetters(text).split(/\s+/).filter(Boolean);
    const matching = new Map();
    const matches = (id) => {
      if (!matching.has(id)) {
        const { label, notation } = this.nodes.get(id);
        const name = plainLetters(`${notation || ""} ${label}`);
        matching.set(id, words.every((word) => name.includes(word)));
      }
      return matching.get(id);
    };
    // A heading that is found brings what is below it; a concept speaks for itself alone.
    const named = (id) => !words.length || matches(id)
      || [...this.ancestorsOf(id)].some((above) => !shown.has(above) && matches(above));
    return new Set([...shown].filter((id) => (passes(states.get(id)) || kept.has(id)) && named(id)));
  }

  // Every level, and a concept with several broader ones under each.
  treeRows(sets) {
    const visible = new Set(sets.found);
    for (const id of sets.found) for (const above of this.ancestorsOf(id)) if (this.isWithin(above)) visible.add(above);
    const narrower = new Map();
    for (const id of visible) {
      const node = this.nodes.get(id);
      const broader = node.broader.filter((one) => visible.has(one));
      for (const one of broader.length ? broader : [null]) narrower.set(one, [...(narrower.get(one) || []), node]);
    }
    for (const siblings of narrower.values()) siblings.sort(byWeight);
    return rowsBelow(narrower, sets, (node, folded, parent) => ({ key: parent ? `${parent.key}\n${node.id}` : node.id }));
  }

  // One row for each concept, the most probable first, with the way to it.
  flatRows(found, shown) {
    const nodes = [...found].map((id) => this.nodes.get(id)).sort(byProbability);
    return nodes.map((node, position) => ({
      key: node.id, node, level: 1, parent: null, position: position + 1, siblings: nodes.length,
      children: 0, suggestion: shown.has(node.id), probability: own(node), ofBranch: false, context: false,
      flat: true, path: this.places.wayTo(node.id).map((id) => this.label(id)).join(" › "),
    }));
  }

  // The concepts of these ids that are below a concept, whatever is open or closed.
  below(conceptId, ids) {
    return [...ids].filter((id) => this.ancestorsOf(id).has(conceptId));
  }

  // The nearest broader concepts that may be assigned, on every way up.
  assignableAbove(conceptId) {
    const found = new Map();
    const waiting = [...this.nodes.get(conceptId).broader];
    const seen = new Set();
    while (waiting.length) {
      const node = this.nodes.get(waiting.shift());
      if (!node || seen.has(node.id)) continue;
      seen.add(node.id);
      if (node.assignable) found.set(node.id, node);
      else waiting.push(...node.broader);
    }
    return [...found.values()].sort((one, other) => (own(other) ?? 0) - (own(one) ?? 0));
  }

  // Of the whole document, whatever is filtered or left out.
  summary(offered, decisions, states) {
    const counts = { accepted: 0, rejected: 0, unresolved: 0, conflicts: 0, untouched: 0 };
    for (const id of new Set([...offered, ...decisions.keys()])) {
      const state = states.get(id);
      if (FILTERS.accepted.shows(state)) counts.accepted += 1;
      if (FILTERS.rejected.shows(state)) counts.rejected += 1;
      if (FILTERS.conflict.shows(state)) counts.conflicts += 1;
      if (!FILTERS.unresolved.shows(state)) continue;
      counts.unresolved += 1;
      if (state.unresolved && this.nodes.get(id).rank) counts.untouched += 1;   // what a finish records as not taken
    }
    return counts;
  }

  // The ways from the top to a concept, without it; at most so many, for they multiply.
  pathNames(conceptId, limit = 6) {
    const node = this.nodes.get(conceptId);
    const broader = (node ? node.broader : []).filter((id) => this.nodes.has(id));
    const paths = [];
    for (const id of broader) {
      if (paths.length >= limit) break;
      const above = this.pathNames(id, limit - paths.length);
      const { label } = this.nodes.get(id);
      paths.push(...(above.length ? above.map((path) => `${path} › ${label}`) : [label]));
    }
    return paths;
  }
}

// Whether the notes deny a suggestion; what came with the document as assigned waits all the same.
export function isDenied(node) { return Boolean(node.rank && node.denied && !node.given); }

// What the probabilities say of the suggestions that are shown: how many of them are right, and what
// share of the document's concepts is among them. Some are never suggested: `listedShare` is the
// measured share of those that are, null where nobody measured it.
export function shownMeaning(suggested, shown, listedShare) {
  const sum = (nodes) => nodes.reduce((total, node) => total + (node.probability ?? 0), 0);
  const right = sum(shown), all = sum(suggested);
  if (!shown.length || !all || RATING.withheld) return "";
  const found = listedShare ? [`${percent(listedShare * right / all)} found`] : [];
  return [`about ${percent(right / shown.length)} right`, ...found].join(", ");
}
