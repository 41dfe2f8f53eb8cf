// What mends a finding, as the check offers it: some decisions that are undone as one.

import { newGroup } from "./backoff.js";
import { isCategory } from "./coding.js";
import { refuseFinished } from "./commands.js";

const CHANGED = "The codes have changed since they were checked: look again in a moment.";

// Whether the page can do it: every code that it adds is known and not ruled out.
export function canMend(desk, { remedy }) {
  if (!remedy || desk.readOnly) return false;
  return remedy.add.every((id) => desk.outline.nodes.has(id) && !desk.outline.nodes.get(id).forbidden);
}

// Does it, and says whether the codes were still those of the finding.
export function mendFinding(desk, { remedy }) {
  if (desk.readOnly) { refuseFinished(desk); return false; }
  const added = remedy.add.map((id) => desk.outline.nodes.get(id));
  const categories = added.filter((node) => isCategory(node, desk.conventions));
  const codes = added.filter((node) => !categories.includes(node));
  if (!stillHolds(desk.codes.order, remedy, codes.map(({ id }) => id))) { desk.tell(CHANGED); return false; }
  const group = newGroup();
  desk.send([
    ...remedy.remove.map((id) => ({ action: "reject", concept_id: id, group })),
    ...codes.map((node) => desk.acceptOperation(node, "check", group)),
    ...categories.map(({ id }) => ({ action: "hold", concept_id: id, group })),
    ...Object.entries(remedy.present).map(([id, value]) => ({ action: "present", concept_id: id, value, group })),
    ...(remedy.order.length ? [{ action: "order", concept_id: "", value: remedy.order, group }] : []),
  ]);
  desk.tell(`Done: ${remedy.words}.`, desk.undoLink());
  if (categories.length) desk.lowered.open(categories[0]);
  return true;
}

// Whether the codes of an order are those that there will be.
function stillHolds(codes, { remove, order, present }, added) {
  const after = new Set([...codes.filter((id) => !remove.includes(id)), ...added]);
  if (![...remove].every((id) => codes.includes(id)) || !Object.keys(present).every((id) => after.has(id))) return false;
  return !order.length || (order.length === after.size && order.every((id) => after.has(id)));
}
