// What holds on a document, and how it looks on the tree. Pure: no DOM, no network.
// `core/review/decisions/tree.py` is the same rule in Python; a test holds the two together.

const DECIDED_AS = { accept: "accepted", add: "accepted", reject: "rejected", back_off: "rejected", exclude: "excluded", hold: "open" };

// Stored decisions with operations applied that are on their way.
export function decisionsNow(stored, operations) {
  const decisions = new Map(Object.entries(stored));
  for (const { action, concept_id: id, value } of operations) {
    const before = decisions.get(id);
    const accepted = before && before.state === "accepted";
    if (action === "clear") decisions.delete(id);
    else if (action === "mark" || action === "unmark") {
      if (accepted) decisions.set(id, { ...before, main: action === "mark" });
    } else if (action === "present") {
      if (accepted) decisions.set(id, { ...before, present: value });
    } else if (action === "performed") {
      if (accepted) decisions.set(id, { ...before, performed_on: value });
    } else if (action === "cite") {
      const cited = value ? [...new Set([...(accepted && before.cited ? before.cited.split(" ") : []), value])].join(" ") : "";
      if (accepted) decisions.set(id, { ...before, cited });
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
    else if (action === "reopen") status = "in progress";
  }
  return status;
}

// concept id -> {word, causes, unresolved}, for all that is decided or suggested and all above.
// ancestorsOf(id): the set of everything broader; suggested: a set of ids.
export function treeStates(ancestorsOf, decisions, suggested) {
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
      const barring = excluded.filter((one) => above.has(one));
      const state = stateOf(decisions.get(id), barring, below.get(id) || [], suggested.has(id));
      if (state) states.set(id, state);
    }
  }
  return states;
}

function stateOf(decision, barring, implying, suggested) {
  if (decision && decision.state === "accepted" && barring.length) return treeState("conflict", barring);
  if (decision && decision.state === "open" && implying.length) return treeState("implied", [...implying].sort());
  if (decision) return treeState(decision.state);
  if (barring.length) return treeState("below excluded", barring);
  if (implying.length) return treeState("implied", [...implying].sort(), suggested);
  return suggested ? treeState("unresolved", [], true) : null;
}

function treeState(word, causes = [], unresolved = false) {
  return { word, causes, unresolved };
}
