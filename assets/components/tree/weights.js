// The probabilities of concepts, and the orders that they give.

export function byWeight(one, other) {
  return weight(other) - weight(one) || one.label.localeCompare(other.label);
}

export function byProbability(one, other) {
  return (other.probability ?? -1) - (one.probability ?? -1) || one.label.localeCompare(other.label);
}

// A chapter of symptoms stands behind every one that is more likely than not: what a symptom comes
// from is read first.
const BEHIND_LIKELY = 0.4999;

function weight(node) {
  const most = Math.max(node.branch ?? 0, node.probability ?? 0);
  return node.symptoms ? Math.min(most, BEHIND_LIKELY) : most;
}

// The number of a row: the branch's where it stands for what is below it, and otherwise the concept's
// own. A decision changes neither. rated: what was suggested or given.
export function measured(node, rated, children) {
  const ofBranch = node.assignable === false || (!rated.has(node.id) && children.length > 0);
  return { probability: ofBranch ? node.branch : own(node), ofBranch };
}

// The probability that a concept itself is assigned, suggested or not.
export function own(node) {
  return node.probability ?? node.own ?? null;
}
