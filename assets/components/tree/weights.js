// The probabilities of concepts, and the orders that they give.

export function byWeight(one, other) {
  return weight(other) - weight(one) || one.label.localeCompare(other.label);
}

export function byProbability(one, other) {
  return (other.probability ?? -1) - (one.probability ?? -1) || one.label.localeCompare(other.label);
}

function weight(node) {
  return Math.max(node.branch ?? 0, node.probability ?? 0);
}

// The probability that a concept itself is assigned, suggested or not.
export function own(node) {
  return node.probability ?? node.own ?? null;
}
