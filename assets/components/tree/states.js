// What holds on a document, and how it looks on the tree. Pure: no DOM, no network.
// The rule is a table that comes with the page, `assets/tree_states.tsv`, which Python reads as well.

const DECIDED_AS = { accept: "accepted", add: "accepted", reject: "rejected", back_off: "rejected", exclude: "excluded", hold: "open" };

// What is said of an accepted concept.
const MARKED_AS = {
  mark: () => ({ main: true }), unmark: () => ({ main: false }),
  present: (value) => ({ present: value }), performed: (value) => ({ performed_on: value }),
  cite: (value, { cited = "" }) => ({ cited: value ? [...new Set([...cited.split(" ").filter(Boolean), value])].join(" ") : "" }),
};

// Stored decisions with operations applied that are on their way.
export function decisionsNow(stored, operations) {
  const decisions = new Map(Object.entries(stored));
  for (const { action, concept_id: id, value } of operations) {
    const before = decisions.get(id);
    const accepted = before && before.state === "accepted";
    if (action === "clear") decisions.delete(id);
    else if (MARKED_AS[action]) {
      if (accepted) decisions.set(id, { ...before, ...MARKED_AS[action](value, before) });
    } else if (action === "order") {
      for (const [one, decision] of decisions) decisions.set(one, { ...decision, place: placeIn(value, one) });
    } else if (DECIDED_AS[action]) {
      const state = DECIDED_AS[action];
      const stays = accepted && state === "accepted";
      const { main = false, present = "", performed_on = "", cited = "" } = stays ? before : {};
      decisions.set(id, { state, added: action === "add", main, present, performed_on, cited, place: before ? before.place : null });
    }
  }
  return decisions;
}

// From 1 on; null where an order does not name the concept.
function placeIn(order, id) {
  const at = (order || []).indexOf(id);
  return at < 0 ? null : at + 1;
}

// "finished" or not, with a finish or reopen applied that is on its way.
export function statusNow(stored, operations) {
  let status = stored;
  for (const { action } of operations) {
    if (action === "finish") status = "finished";
    else if (action === "reopen" || action === "send_back") status = "in progress";
  }
  return status;
}

const CONDITIONS = ["decided", "excluded_above", "accepted_below", "suggested"];

// concept id -> {word, causes, unresolved}, for all that is decided or suggested and all above.
// rule: rows of the table, the first of which that fits holds; ancestorsOf(id): the set of everything
// broader; suggested: a set of ids.
export function treeStates(rule, ancestorsOf, decisions, suggested) {
  const excluded = [...decisions].filter(([, decision]) => decision.state === "excluded").map(([id]) => id).sort();
  const below = new Map();
  for (const [id, decision] of decisions) {
    if (decision.state !== "accepted") continue;
    for (const above of ancestorsOf(id)) below.set(above, [...(below.get(above) || []), id]);
  }
  const states = new Map();
  for (const start of [...decisions.keys(), ...suggested]) {
    for (const id of [start, ...ancestorsOf(start)]) {
      if (states.has(id)) continue;
      const above = ancestorsOf(id);
      const causes = { excluded_above: excluded.filter((one) => above.has(one)), accepted_below: (below.get(id) || []).sort() };
      const state = stateOf(rule, decisions.get(id)?.state || "no", causes, suggested.has(id));
      if (state) states.set(id, state);
    }
  }
  return states;
}

function stateOf(rule, decided, causes, isSuggested) {
  const facts = {
    decided, suggested: yes(isSuggested),
    excluded_above: yes(causes.excluded_above.length), accepted_below: yes(causes.accepted_below.length),
  };
  const row = rule.find((one) => CONDITIONS.every((name) => one[name] === "*" || one[name] === facts[name]));
  return row && { word: row.word, causes: causes[row.causes] || [], unresolved: row.unresolved === "yes" };
}

function yes(fact) { return fact ? "yes" : "no"; }
