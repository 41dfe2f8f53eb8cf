// What is different where codes are assigned: a code stands before its name, only the codes at the
// ends of the tree are accepted, and what is accepted has an order. Pure: no DOM, no network.

export const PRESENT_WORDS = [
  ["Y", "present on admission"], ["N", "not present on admission"],
  ["U", "not known from the documents"], ["W", "cannot be determined clinically"],
];

const PRINCIPAL_WORDS = { diagnosis: "principal", procedure: "principal procedure" };

export function principalName(kind) { return kind === "procedure" ? PRINCIPAL_WORDS.procedure : "principal code"; }

// A node of which the code is part of the name, as coders say it.
export function withCode(node, conventions) {
  if (!conventions.code_first || !node.notation) return node;
  const code = node.notation;
  const plain = node.label.replace(` (${code})`, "");
  return { ...node, code, plain, label: plain.startsWith(`${code} `) ? plain : `${code} ${plain}` };
}

// Whether it is a category of which a code is to be chosen.
export function isCategory(node, conventions) {
  return Boolean(conventions.leaves_only && node && node.assignable === false && !node.forbidden && !node.isGroup);
}

// Procedures of ICD-9-CM have two digits before the point, and no diagnosis has.
export function isProcedure(node, conventions) {
  if (!conventions.dated_procedures || !node || !node.assignable) return false;
  if (node.system) return true;    // of a code system beside that of the diagnoses
  return !conventions.present_on_admission || /^\d\d(\.\d*)?$/.test(node.code || "");
}

// Of outpatients no mark of presence on admission is asked.
export function isDiagnosis(node, conventions) {
  return Boolean(!conventions.outpatient && conventions.present_on_admission && node && node.assignable && !isProcedure(node, conventions));
}

// The accepted concepts in their order, diagnoses before procedures; what no order names stands
// behind those of its kind, as it was accepted.
export function inCodeOrder(decisions, isLast = () => false) {
  const accepted = [...decisions].filter(([, decision]) => decision.state === "accepted");
  const place = ([, decision]) => decision.place ?? Infinity;
  const ids = accepted.sort((one, other) => (place(one) === place(other) ? 0 : place(one) - place(other))).map(([id]) => id);
  return [...ids.filter((id) => !isLast(id)), ...ids.filter((id) => isLast(id))];
}

// The codes of the page in their order, and their numbers.
export function codeOrder(state) { return inCodeOrder(state.decisions, isDone(state)); }
export function numbersOf(state) { return codeNumbers(codeOrder(state), isDone(state)); }
export function isPrincipal(state, id) { return Boolean(numbersOf(state).get(id)?.principal); }

function isDone({ outline, conventions }) { return (id) => isProcedure(outline.nodes.get(id), conventions); }

// Diagnoses and procedures are numbered apart, and each have a principal one, as coders report them.
export function codeNumbers(order, isProcedureId) {
  const reached = { diagnosis: 0, procedure: 0 };
  return new Map(order.map((id) => {
    const kind = isProcedureId(id) ? "procedure" : "diagnosis";
    reached[kind] += 1;
    return [id, { kind, number: reached[kind], principal: reached[kind] === 1 ? PRINCIPAL_WORDS[kind] : "" }];
  }));
}

// The order with a code moved by a place among those of its kind; null where it cannot move.
export function movedBy(order, id, by, numbers = codeNumbers(order, () => false)) {
  const from = order.indexOf(id);
  const isAlike = (at) => numbers.get(order[at]).kind === numbers.get(id).kind;
  let to = from + by;
  while (from >= 0 && to >= 0 && to < order.length && !isAlike(to)) to += by;
  if (from < 0 || to < 0 || to >= order.length) return null;
  const moved = order.filter((one) => one !== id);
  moved.splice(to, 0, id);
  return moved;
}

// The next mark of the cycle: not said, then what is proposed, then each of the marks, then not said.
export function nextPresent(present, proposed = "") {
  if (!present && proposed) return proposed;
  const marks = ["", ...PRESENT_WORDS.map(([mark]) => mark)];
  return marks[(marks.indexOf(present || "") + 1) % marks.length];
}

// Categories that still want a code: held, with no code accepted below.
export function openCategories(states) {
  return [...states].filter(([, state]) => state.word === "open").map(([id]) => id);
}
