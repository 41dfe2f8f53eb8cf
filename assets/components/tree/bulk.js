// Deciding a whole branch at once: what is shown, suggested and unresolved below a concept.

import { count, shownKey } from "../shared/words.js";
import { newGroup } from "./backoff.js";

export function askForBranch(desk, node) {
  const below = desk.outline.below(node.id, desk.unresolvedIds());
  // Ruling out is no answer then: it would have the focus, and so the Enter that accepts elsewhere.
  if (!below.length) { desk.tell(`No unresolved suggestion is shown below ${node.label}.`); return; }
  const excluded = (desk.decisionOf(node.id) || {}).state === "excluded";
  const n = below.length.toLocaleString("en");
  const choices = [
    { words: `Accept all ${n}`, icon: "accept", run: () => decideAll(desk, node, below, "accept") },
    { words: `Reject all ${n}`, icon: "reject", run: () => decideAll(desk, node, below, "reject") },
  ];
  if (!excluded) {
    choices.push({
      words: "Nothing in this branch", detail: shownKey(desk.keyOf("exclude")), icon: "excluded",
      run: () => desk.perform("exclude", desk.tree.currentRow),
    });
  }
  const sentence = `${count(below.length, "unresolved suggestion is", "unresolved suggestions are")} shown below ${node.label}.`;
  desk.prompt.ask(`${sentence}${elsewhereSentence(desk, node, below)}`, choices, null);
}

// A concept that is below this one as well as below the one under which its row stands.
function elsewhereSentence(desk, node, below) {
  if (desk.data.every_level) return "";
  const elsewhere = below.filter((id) => !desk.outline.places.wayTo(id).includes(node.id));
  if (!elsewhere.length) return "";
  return ` ${elsewhere.length === 1 ? "One of them stands" : `${elsewhere.length} of them stand`} in another branch of the tree: ${desk.labels(elsewhere)}.`;
}

function decideAll(desk, node, conceptIds, action) {
  const group = newGroup();
  const wanted = conceptIds.map((id) => desk.outline.nodes.get(id))
    .filter((one) => action === "reject" || one.assignable);
  desk.send(wanted.map((one) => (action === "accept"
    ? desk.acceptOperation(one, "tree", group) : { action, concept_id: one.id, group })));
  const verb = action === "accept" ? "Accepted" : "Rejected";
  desk.tell(`${verb} ${count(wanted.length, "suggestion", "suggestions")} below ${node.label}.`, desk.undoLink());
}
