// Backing off: giving a concept up for a broader one, whose own probability is shown before.

import { randomClient } from "../shared/queue.js";
import { percent } from "../shared/words.js";
import { isCategory } from "./coding.js";
import { own } from "./weights.js";

export function askToBackOff(desk, node) {
  if (desk.conventions.leaves_only) { backOffToCategory(desk, node); return; }
  const broader = desk.outline.assignableAbove(node.id);
  if (!broader.length) {
    const forbidden = desk.outline.nodes.get(node.id).broader
      .some((id) => (desk.outline.nodes.get(id) || {}).forbidden);
    desk.tell(forbidden
      ? `What is broader than ${node.label} is in a branch that this project never assigns.`
      : `Nothing that can be assigned is broader than ${node.label}.`);
    return;
  }
  const choices = broader.map((one) => ({
    words: one.label, detail: ownWords(one), icon: "back_off", run: () => backOff(desk, node, one),
  }));
  const probability = own(node);
  const known = percent(probability) ? ` (${percent(probability)})` : "";
  desk.prompt.ask(`Instead of ${node.label}${known}, accept the broader`, choices, desk.keyOf("back_off"));
}

function ownWords(node) {
  const probability = own(node);
  return probability === null ? "probability not known" : percent(probability);
}

function backOff(desk, node, broader) {
  const group = newGroup();
  const operations = [{ action: "back_off", concept_id: node.id, group }];
  const decision = desk.decisionOf(broader.id);
  if (!decision || decision.state !== "accepted") {
    operations.push(desk.acceptOperation(broader, "back off", group));
  }
  desk.send(operations);
  desk.say(`Accepted ${broader.label} instead of ${node.label}.`);
  const row = desk.tree.currentRow;
  if (row) desk.tree.goToNext(row, true);
}

// Only codes are assigned: the category is put down instead, and its other codes are shown.
function backOffToCategory(desk, node) {
  const category = node.broader.map((id) => desk.outline.nodes.get(id)).find((one) => one && isCategory(one, desk.conventions));
  if (!category) { desk.tell(`No category is above ${node.label}.`); return; }
  const group = newGroup();
  desk.send([{ action: "back_off", concept_id: node.id, group }, { action: "hold", concept_id: category.id, group }]);
  desk.say(`Gave up ${node.label}: choose another code of ${category.label}.`);
  desk.lowered.open(category);
}

export function newGroup() {
  return randomClient();
}
