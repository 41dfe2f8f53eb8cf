// What mends a finding, as the check offers it: some decisions that are undone as one.

import { newGroup } from "./backoff.js";
import { codeOrder, isCategory } from "./coding.js";
import { acceptOperation } from "./state.js";

const CHANGED = "The codes have changed since they were checked: look again in a moment.";

// Whether the page can do it: every code that it adds is known and not ruled out.
export function canMend({ outline, readOnly }, { remedy }) {
  if (!remedy || readOnly) return false;
  return remedy.add.every((id) => outline.nodes.has(id) && !outline.nodes.get(id).forbidden);
}

// Does it, and says whether the codes were still those of the finding.
export function applyRemedy({ state, send, tell, undoLink, refuse, openBelow }, { remedy }) {
  if (state.readOnly) { refuse(); return false; }
  const added = remedy.add.map((id) => state.outline.nodes.get(id));
  const categories = added.filter((node) => isCategory(node, state.conventions));
  const codes = added.filter((node) => !categories.includes(node));
  if (!stillHolds(codeOrder(state), remedy, codes.map(({ id }) => id))) { tell(CHANGED); return false; }
  const group = newGroup();
  send([
    ...remedy.remove.map((id) => ({ action: "reject", concept_id: id, group })),
    ...codes.map((node) => acceptOperation(state, node, "check", group)),
    ...categories.map(({ id }) => ({ action: "hold", concept_id: id, group })),
    ...Object.entries(remedy.present).map(([id, value]) => ({ action: "present", concept_id: id, value, group })),
    ...(remedy.order.length ? [{ action: "order", concept_id: "", value: remedy.order, group }] : []),
  ]);
  tell(`Done: ${remedy.words}.`, undoLink());
  if (categories.length) openBelow(categories[0]);
  return true;
}

// Whether the codes of an order are those that there will be.
function stillHolds(codes, { remove, order, present }, added) {
  const after = new Set([...codes.filter((id) => !remove.includes(id)), ...added]);
  if (![...remove].every((id) => codes.includes(id)) || !Object.keys(present).every((id) => after.has(id))) return false;
  return !order.length || (order.length === after.size && order.every((id) => after.has(id)));
}
