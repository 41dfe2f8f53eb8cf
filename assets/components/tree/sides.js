// Two annotations of a document beside each other, of which one outcome is made: which concept each side
// has, and what takes one side, both or neither at a row. The rows are those of the tree.

import { element, setChildren } from "../shared/dom.js";
import { count } from "../shared/words.js";
import { newGroup } from "./backoff.js";
import { acceptOperation, decisionIs } from "./state.js";

export const SIDE_KEYS = { 1: "left", 2: "right", 3: "both", 0: "neither" };
const TRAITS = ["main", "present", "performed_on"];
const MARKS = ["◀", "▶"];

// facts: as the page has them; null where nothing is to be adjudicated, or not by this person.
export function sidesOf(facts) {
  if (!facts) return null;
  const has = (side, id) => facts.concepts[side][id]?.state === "accepted";
  const ids = new Set(facts.concepts.flatMap((concepts, side) => Object.keys(concepts).filter((id) => has(side, id))));
  const isSame = (id) => has(0, id) === has(1, id) && TRAITS.every((name) => facts.concepts[0][id][name] === facts.concepts[1][id][name]);
  return { ...facts, has, ids, differing: new Set([...ids].filter((id) => !isSame(id))) };
}

// Where a concept stands: "left", "right", "both", or "details" where both have it, each in its way.
export function sideOf({ sides }, id) {
  if (!sides || !sides.ids.has(id)) return "";
  if (sides.has(0, id) !== sides.has(1, id)) return sides.has(0, id) ? "left" : "right";
  return sides.differing.has(id) ? "details" : "both";
}

export function sideWords(state, id) {
  const { sides } = state;
  const side = sideOf(state, id);
  if (side === "both") return "both";
  if (side === "details") return TRAITS.map((name) => detailWords(sides, id, name)).filter(Boolean).join(", ");
  if (!side) return "";
  const [whose, other] = side === "left" ? [0, 1] : [1, 0];
  const against = { rejected: "rejected", excluded: "ruled out" }[sides.concepts[other][id]?.state];
  return `${MARKS[whose]} ${sides.names[whose]}${against ? `, ${against} by ${sides.names[other]}` : ""}`;
}

function detailWords({ concepts }, id, name) {
  const [one, other] = concepts.map((side) => side[id][name]);
  if (one === other) return "";
  if (name === "main") return `main topic ${MARKS[one ? 0 : 1]}`;
  return `${name === "present" ? "on admission" : "on"} ${MARKS[0]} ${one || "–"} ${other || "–"} ${MARKS[1]}`;
}

export class Sides {
  constructor(root, { state, tree, send, tell, undoLink, perform }) {
    Object.assign(this, { root, state, tree, send, tell, undoLink, perform });
  }

  // At first only what differs is unfolded, and the first of it is selected.
  arrive(isNew) {
    const { state, tree } = this;
    if (!state.sides || !isNew || !state.sides.differing.size) return;
    const differs = (row) => state.sides.differing.has(row.node.id);
    for (const row of tree.rows) {
      if (row.children && !tree.rows.some((one) => differs(one) && isBelow(one, row))) tree.setOpen(row, false, false);
    }
    const first = tree.rows.find(differs);
    tree.isUntouched = false;
    if (first) tree.setCurrent(first);
  }

  // which: "left", "right", "both" or "neither", of a concept, or of all below a broader one that differ.
  take(which, row) {
    const { state, tree } = this;
    const ids = this.at(row);
    const agreed = this.agreed();
    if (!ids.length && !agreed.length) { this.tell("Nothing is left here that only one of the two has."); return; }
    const group = newGroup();
    this.send([...agreed.flatMap((id) => this.accepting(id, 0, group)), ...this.ordering(agreed, group), ...ids.flatMap((id) => this.deciding(id, which, group))]);
    const both = agreed.length ? ` ${count(agreed.length, "concept", "concepts")} that both have ${agreed.length === 1 ? "is" : "are"} accepted.` : "";
    this.tell(`${this.words(which)}: ${count(ids.length, "concept", "concepts")}.${both}`, this.undoLink());
    tree.goToNext(row, true);
  }

  words(which) {
    const { names } = this.state.sides;
    return { left: `As ${names[0]} has it`, right: `As ${names[1]} has it`, both: "Both", neither: "Neither" }[which];
  }

  at(row) {
    const { sides, outline, decisions } = this.state;
    const here = sides.differing.has(row.node.id) ? [row.node.id] : [];
    if (!row.children) return here;
    return [...here, ...outline.below(row.node.id, sides.differing).filter((id) => !decisions.has(id))];
  }

  // What both have alike and nobody has decided: it is taken with the first step.
  agreed() {
    const { sides, decisions, outline } = this.state;
    return [...sides.ids].filter((id) => !sides.differing.has(id) && !decisions.has(id) && outline.nodes.get(id)?.assignable !== false);
  }

  deciding(id, which, group) {
    const { state } = this;
    const { sides } = state;
    const isTaken = which === "both" || (which === "left" && sides.has(0, id)) || (which === "right" && sides.has(1, id));
    if (isTaken) return this.accepting(id, which === "right" || !sides.has(0, id) ? 1 : 0, group);
    return decisionIs(state, id, "rejected") ? [] : [{ action: "reject", concept_id: id, group }];
  }

  // With the marks, the day and the evidence of a side, and none that the outcome has of the other.
  accepting(id, side, group) {
    const { state } = this;
    const { main, present = "", performed_on: day = "", cited = "" } = state.sides.concepts[side][id];
    const own = { concept_id: id, group };
    const isAccepted = decisionIs(state, id, "accepted");
    const { present: presentNow = "", performed_on: dayNow = "", cited: citedNow = "" } = isAccepted ? state.decisions.get(id) : {};
    const places = cited === citedNow ? [] : [...(citedNow ? [""] : []), ...cited.split(" ").filter(Boolean)];   // "" takes all away
    return [
      ...(isAccepted ? [] : [acceptOperation(state, state.outline.nodes.get(id), "adjudication", group)]),
      ...(main ? [{ action: "mark", ...own }] : isAccepted ? [{ action: "unmark", ...own }] : []),
      ...(present === presentNow ? [] : [{ action: "present", value: present, ...own }]),
      ...(day === dayNow ? [] : [{ action: "performed", value: day, ...own }]),
      ...places.map((value) => ({ action: "cite", value, ...own })),
    ];
  }

  // Where both have the same principal code, the order of the first side goes with what both have.
  ordering(agreed, group) {
    const { sides: { orders, principals }, conventions } = this.state;
    if (!agreed.length || !conventions.sequenced || principals[0] !== principals[1]) return [];
    return [{ action: "order", concept_id: "", value: [...new Set([...orders[0], ...orders[1]])], group }];
  }

  takeOrder(side) {
    const { orders, names } = this.state.sides;
    this.send([{ action: "order", concept_id: "", value: [...new Set([...orders[side], ...orders[1 - side]])] }]);
    this.tell(`The codes stand in the order of ${names[side]}.`, this.undoLink());
  }

  paint() {
    const { sides, decisions, readOnly } = this.state;
    this.root.hidden = !sides;
    if (!sides) return;
    const left = [...sides.differing].filter((id) => !decisions.has(id)).length;
    const text = JSON.stringify([sides.names, sides.differing.size, left, readOnly, this.state.documentId, this.state.outlineNumber]);
    if (text === this.text) return;
    this.text = text;
    const same = sides.ids.size - sides.differing.size;
    const numbers = sides.differing.size ? `${same} the same, ${sides.differing.size} ${sides.differing.size === 1 ? "differs" : "differ"}, ${left} open` : `All ${same} are the same: 3 takes them`;
    const legend = sides.names.map((_, side) => element("span", `side ${side ? "right" : "left"}`, {}, this.named(side)));
    const buttons = readOnly ? legend : Object.entries(SIDE_KEYS).sort(([one], [other]) => (Number(one) || 9) - (Number(other) || 9)).map(([key, which]) => this.button(key, which));
    setChildren(this.root, [...buttons, element("span", "numbers", {}, numbers), ...this.principalLine()]);
  }

  named(side) { return side ? `${this.state.sides.names[1]} ${MARKS[1]}` : `${MARKS[0]} ${this.state.sides.names[0]}`; }

  button(key, which) {
    const words = { left: this.named(0), right: this.named(1), both: "both", neither: "neither" }[which];
    return element("button", `side ${which}`, { type: "button", title: `${this.words(which)}, at the selected row`, click: () => this.perform(which) }, `${words} `, element("kbd", "", {}, key));
  }

  principalLine() {
    const { sides: { principals, orders, names }, conventions, outline, readOnly } = this.state;
    const isOther = principals[0] !== principals[1];
    if (!conventions.sequenced || (!isOther && JSON.stringify(orders[0]) === JSON.stringify(orders[1]))) return [];
    const words = isOther ? `Principal: ${MARKS[0]} ${principals.map((id) => outline.nodes.get(id)?.code || id || "none").join(" · ")} ${MARKS[1]}` : "The order differs.";
    const buttons = readOnly ? [] : names.map((name, side) => element("button", "order", { type: "button", click: () => this.takeOrder(side) }, `Order of ${name}`));
    return [element("span", "principal", {}, words), ...buttons];
  }
}

function isBelow(row, above) {
  for (let at = row.parent; at; at = at.parent) if (at === above) return true;
  return false;
}
