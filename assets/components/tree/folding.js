// The tree as it is drawn at first: each concept once, where it is most probable, and in one row
// with what is broader where nothing else stands below that. Pure: no DOM.

import { byWeight, measured, own } from "./weights.js";

// Under which of its broader concepts each concept stands.
export class Places {
  // nodes: concept id -> node; ancestorsOf(id): the set of everything broader on the page.
  constructor(nodes, ancestorsOf) {
    this.nodes = nodes;
    this.ancestorsOf = ancestorsOf;
    this.branch = null;
    this.clear();
  }

  clear() { this.known = new Map(); }

  // The branch that a person works in: what may stand in it stands there. Null for none.
  get only() { return this.branch; }
  set only(conceptId) {
    this.branch = conceptId ?? null;
    this.clear();
  }

  // The broader concept under which a concept stands; null at the top, and of the branch itself.
  of(conceptId) {
    if (conceptId === this.branch) return null;
    if (!this.known.has(conceptId)) this.known.set(conceptId, this.choose(this.broaderOf(conceptId)));
    return this.known.get(conceptId);
  }

  choose(broader) {
    const inside = this.branch === null ? []
      : broader.filter((id) => id === this.branch || this.ancestorsOf(id).has(this.branch));
    const candidates = (inside.length ? inside : broader).map((id) => this.nodes.get(id));
    return candidates.length ? candidates.sort(byWeight)[0].id : null;
  }

  broaderOf(conceptId) {
    const node = this.nodes.get(conceptId);
    return [...new Set(node ? node.broader : [])].filter((id) => this.nodes.has(id));
  }

  // The broader concepts under which it could stand as well; none of the branch itself.
  othersOf(conceptId) {
    if (conceptId === this.branch) return [];
    return this.broaderOf(conceptId).filter((id) => id !== this.of(conceptId));
  }

  // Everything above it where it stands, from the top down.
  wayTo(conceptId) {
    const way = [];
    for (let id = this.of(conceptId); id !== null && !way.includes(id); id = this.of(id)) way.unshift(id);
    return way;
  }
}

// concept id -> the probability of the best suggestion at or below it that was undecided when the
// document was opened; so that rows do not move while one decides.
function expectations(outline, settled) {
  const best = new Map();
  for (const node of [...outline.suggested, ...outline.given]) {
    if (settled.has(node.id)) continue;
    const probability = own(node) ?? 0;
    for (const id of [node.id, ...outline.places.wayTo(node.id)]) best.set(id, Math.max(best.get(id) ?? 0, probability));
  }
  return best;
}

// Rows in reading order. narrower: what stands below each concept, null being the top, in order; found:
// concepts that pass the filter; shown: all that are suggested, given or decided; rated: which of them show
// their own number. foldOf(node): what is folded into one row from there on, and the concept that the row
// is of; more(node, folded, parent): what else a row has, its key at least.
export function rowsBelow(narrower, { found, shown, rated }, more, foldOf = (node) => ({ folded: [], node })) {
  const rows = [];
  const visit = (siblings, level, parent) => siblings.forEach((first, position) => {
    const { folded, node } = foldOf(first);
    const children = narrower.get(node.id) || [];
    const suggestion = shown.has(node.id);
    const row = {
      node, level, parent, position: position + 1, siblings: siblings.length, children: children.length, ...measured(node, rated, children),
      suggestion, context: suggestion && !found.has(node.id), ...more(node, folded, parent),
    };
    rows.push(row);
    visit(children, level + 1, row);
  });
  visit(narrower.get(null) || [], 1, null);
  return rows;
}

// The folded tree. view: {unfolded, settled}, sets of ids: broader concepts with a row of their own, and
// what was decided when the document was opened.
export function foldedRows(outline, sets, { unfolded = new Set(), settled = new Set() }) {
  const { nodes, places } = outline;
  const { found, shown } = sets;
  const narrower = narrowerOf(outline, found);
  const best = expectations(outline, settled);
  const likeliest = (one, other) => (best.get(other.id) ?? -1) - (best.get(one.id) ?? -1) || byWeight(one, other);
  for (const siblings of narrower.values()) siblings.sort(likeliest);
  const isBetween = ({ id }) => !shown.has(id) && !found.has(id) && (narrower.get(id) || []).length === 1;
  const foldOf = (first) => {
    const folded = [];
    let node = first;
    while (isBetween(node) && !unfolded.has(node.id)) {
      folded.push(node);
      [node] = narrower.get(node.id);
    }
    return { folded, node };
  };
  const also = ({ id }) => places.othersOf(id).map((other) => nodes.get(other).label);
  return rowsBelow(narrower, sets, (node, folded) => ({ key: node.id, folded, isUnfolded: isBetween(node), also: also(node) }), foldOf);
}

// What stands below each place, of these concepts and all above them; null is the top.
function narrowerOf({ places, nodes }, conceptIds) {
  const narrower = new Map();
  const placed = new Set();
  for (const wanted of conceptIds) {
    for (const id of [...places.wayTo(wanted), wanted]) {
      if (placed.has(id)) continue;
      placed.add(id);
      const place = places.of(id);
      narrower.set(place, [...(narrower.get(place) || []), nodes.get(id)]);
    }
  }
  return narrower;
}

// The broader concepts that the key folds where they have rows, or unfolds where they have none.
export function chainOf(row, rows) {
  if (row.folded && row.folded.length) return { ids: row.folded.map(({ id }) => id), isFolded: true };
  const ids = [];
  for (let above = row.parent; above && above.isUnfolded; above = above.parent) ids.unshift(above.node.id);
  for (let at = row; at && at.isUnfolded; at = rows.find(({ parent }) => parent === at)) ids.push(at.node.id);
  return { ids, isFolded: false };
}

// The order in which the key for the next suggestion goes through rows: as they stand ("branch"),
// the most probable first, or as the vocabulary orders them ("tree").
export function nextOrder(rows, order, outline) {
  if (order === "probability") return [...rows].sort((one, other) => (own(other.node) ?? -1) - (own(one.node) ?? -1));
  if (order !== "tree") return rows;
  const name = (id) => { const { notation, label } = outline.nodes.get(id); return `${notation || ""} ${label}`.trim(); };
  const ways = new Map(rows.map((row) => [row, [...outline.places.wayTo(row.node.id), row.node.id].map(name)]));
  return [...rows].sort((one, other) => inNames(ways.get(one), ways.get(other)));
}

const NAMES = new Intl.Collator("en", { numeric: true });

function inNames(one, other) {
  const at = one.findIndex((name, place) => name !== other[place]);
  if (at < 0) return one.length - other.length;
  return other[at] === undefined ? 1 : NAMES.compare(one[at], other[at]);
}
