// What the tree shows, computed from the model's suggestions, the stored decisions and those
// still on their way. Pure: no DOM, no network.

// Stored decisions with the pending operations applied. An undo whose operation is already
// stored cannot be foreseen here: the server answers it.
function decisionsNow(stored, pending) {
  const applied = [];
  for (const operation of pending) {
    if (operation.action === "undo") applied.pop();
    else applied.push(operation);
  }
  const decisions = new Map(Object.entries(stored));
  for (const { action, concept_id: conceptId } of applied) {
    if (action === "clear") decisions.delete(conceptId);
    else if (action === "reject") decisions.set(conceptId, { state: "rejected", added: false });
    else decisions.set(conceptId, { state: "accepted", added: action === "add" });
  }
  return decisions;
}

class Outline {
  constructor(nodes) {
    this.nodes = new Map(nodes.map((node) => [node.id, node]));
    this.suggested = nodes.filter((node) => node.rank).sort((a, b) => a.rank - b.rank);
  }

  merge(nodes) {
    for (const node of nodes) if (!this.nodes.has(node.id)) this.nodes.set(node.id, node);
  }

  ancestors(conceptIds) {
    const found = new Set();
    const waiting = [...conceptIds];
    while (waiting.length) {
      const node = this.nodes.get(waiting.pop());
      for (const broader of node ? node.broader : []) {
        if (found.has(broader) || !this.nodes.has(broader)) continue;
        found.add(broader);
        waiting.push(broader);
      }
    }
    return found;
  }

  // The suggestions that are shown: the first so many, and all that a person decided or added.
  shown(limit, decisions) {
    const shown = new Set(this.suggested.slice(0, limit).map((node) => node.id));
    for (const conceptId of decisions.keys()) if (this.nodes.has(conceptId)) shown.add(conceptId);
    return shown;
  }

  // Rows in reading order; a concept with several broader ones has a row under each.
  rows(limit, decisions) {
    const shown = this.shown(limit, decisions);
    const visible = new Set([...shown, ...this.ancestors(shown)]);
    const narrower = new Map();
    const top = [];
    for (const conceptId of visible) {
      const node = this.nodes.get(conceptId);
      const broader = node.broader.filter((id) => visible.has(id));
      if (!broader.length) top.push(node);
      for (const id of broader) narrower.set(id, [...(narrower.get(id) || []), node]);
    }
    const rows = [];
    const visit = (siblings, level, parent) => {
      siblings.sort(byWeight);
      siblings.forEach((node, position) => {
        const key = parent ? `${parent.key}/${node.id}` : node.id;
        const children = narrower.get(node.id) || [];
        const row = {
          key, node, level, parent, position: position + 1, siblings: siblings.length,
          suggestion: shown.has(node.id), children: children.length,
        };
        rows.push(row);
        visit([...children], level + 1, row);
      });
    };
    visit(top, 1, null);
    return rows;
  }

  implied(decisions) {
    const accepted = [...decisions].filter(([, decision]) => decision.state === "accepted");
    return this.ancestors(accepted.map(([conceptId]) => conceptId));
  }

  summary(limit, decisions) {
    const shown = this.shown(limit, decisions);
    let accepted = 0;
    let rejected = 0;
    for (const conceptId of shown) {
      const decision = decisions.get(conceptId);
      if (decision) decision.state === "accepted" ? accepted++ : rejected++;
    }
    return { accepted, rejected, open: shown.size - accepted - rejected, shown: shown.size };
  }

  pathNames(conceptId) {
    const node = this.nodes.get(conceptId);
    const broader = node.broader.filter((id) => this.nodes.has(id));
    if (!broader.length) return [node.label];
    return broader.flatMap((id) => this.pathNames(id).map((path) => `${path} › ${node.label}`));
  }
}

function byWeight(one, other) {
  const difference = weight(other) - weight(one);
  return difference || one.label.localeCompare(other.label);
}

function weight(node) {
  return Math.max(node.branch ?? 0, node.probability ?? 0);
}

function percent(probability) {
  if (probability === null || probability === undefined) return "";
  if (probability > 0 && probability < 0.005) return "<1%";
  return `${Math.round(probability * 100)}%`;
}
