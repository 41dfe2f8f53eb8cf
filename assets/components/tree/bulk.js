// Deciding a whole branch at once: what is shown, suggested and unresolved below a concept.

import { count, shownKey } from "../shared/words.js";
import { newGroup } from "./backoff.js";
import { acceptOperation, decisionIs, labels, unresolvedIds } from "./state.js";

export function askForBranch(context, row) {
  const { node } = row;
  const { state, tell, prompt, perform } = context;
  const below = state.outline.below(node.id, unresolvedIds(state));
  // Ruling out is no answer then: it would have the focus, and so the Enter that accepts elsewhere.
  if (!below.length) { tell(`No unresolved suggestion is shown below ${node.label}.`); return; }
  const excluded = decisionIs(state, node.id, "excluded");
  const n = below.length.toLocaleString("en");
  const choices = [
    { words: `Accept all ${n}`, icon: "accept", run: () => decideAll(context, node, below, "accept") },
    { words: `Reject all ${n}`, icon: "reject", run: () => decideAll(context, node, below, "reject") },
  ];
  if (!excluded) {
    choices.push({
      words: "Nothing in this branch", detail: shownKey(state.keys.exclude), icon: "excluded",
      run: () => perform("exclude", row),
    });
  }
  const sentence = `${count(below.length, "unresolved suggestion is", "unresolved suggestions are")} shown below ${node.label}.`;
  prompt.ask(`${sentence}${elsewhereSentence(state, node, below)}`, choices, null);
}

// A concept that is below this one as well as below the one under which its row stands.
function elsewhereSentence(state, node, below) {
  if (state.data.every_level) return "";
  const elsewhere = below.filter((id) => !state.outline.places.wayTo(id).includes(node.id));
  if (!elsewhere.length) return "";
  return ` ${elsewhere.length === 1 ? "One of them stands" : `${elsewhere.length} of them stand`} in another branch of the tree: ${labels(state, elsewhere)}.`;
}

function decideAll({ state, send, tell, undoLink }, node, conceptIds, action) {
  const group = newGroup();
  const wanted = conceptIds.map((id) => state.outline.nodes.get(id))
    .filter((one) => action === "reject" || one.assignable);
  send(wanted.map((one) => (action === "accept"
    ? acceptOperation(state, one, "tree", group) : { action, concept_id: one.id, group })));
  const verb = action === "accept" ? "Accepted" : "Rejected";
  tell(`${verb} ${count(wanted.length, "suggestion", "suggestions")} below ${node.label}.`, undoLink());
}
