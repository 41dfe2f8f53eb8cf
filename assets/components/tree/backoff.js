// Backing off: giving a concept up for a broader one, whose own probability is shown before.

import { randomClient } from "../shared/queue.js";
import { percent } from "../shared/words.js";
import { isCategory } from "./coding.js";
import { acceptOperation, decisionIs } from "./state.js";
import { own } from "./weights.js";

export function askToBackOff(context, node) {
  const { state, tell, prompt } = context;
  if (state.conventions.leaves_only) { backOffToCategory(context, node); return; }
  const broader = state.outline.assignableAbove(node.id);
  if (!broader.length) {
    const forbidden = node.broader.some((id) => (state.outline.nodes.get(id) || {}).forbidden);
    tell(forbidden
      ? `What is broader than ${node.label} is in a branch that this project never assigns.`
      : `Nothing that can be assigned is broader than ${node.label}.`);
    return;
  }
  const choices = broader.map((one) => ({
    words: one.label, detail: ownWords(one), icon: "back_off", run: () => backOff(context, node, one),
  }));
  const probability = own(node);
  const known = percent(probability) ? ` (${percent(probability)})` : "";
  prompt.ask(`Instead of ${node.label}${known}, accept the broader`, choices, state.keys.back_off);
}

function ownWords(node) {
  const probability = own(node);
  return probability === null ? "probability not known" : percent(probability);
}

function backOff({ state, send, say, tree }, node, broader) {
  const group = newGroup();
  const operations = [{ action: "back_off", concept_id: node.id, group }];
  if (!decisionIs(state, broader.id, "accepted")) operations.push(acceptOperation(state, broader, "back off", group));
  send(operations);
  say(`Accepted ${broader.label} instead of ${node.label}.`);
  if (tree.currentRow) tree.goToNext(tree.currentRow, true);
}

// Only codes are assigned: the category is put down instead, and its other codes are shown.
function backOffToCategory({ state, send, say, tell, openBelow }, node) {
  const category = node.broader.map((id) => state.outline.nodes.get(id)).find((one) => isCategory(one, state.conventions));
  if (!category) { tell(`No category is above ${node.label}.`); return; }
  const group = newGroup();
  send([{ action: "back_off", concept_id: node.id, group }, { action: "hold", concept_id: category.id, group }]);
  say(`Gave up ${node.label}: choose another code of ${category.label}.`);
  openBelow(category);
}

export function newGroup() {
  return randomClient();
}
