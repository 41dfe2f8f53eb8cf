// One row of the codes panel.

import { element, icon } from "../shared/dom.js";
import { shortened, shownKey } from "../shared/words.js";
import { dateField } from "./codedates.js";
import { isDiagnosis, isProcedure, PRESENT_WORDS } from "./coding.js";
import { SEVERITY_ICONS } from "./findings.js";
import { canMend } from "./remedies.js";
import { proposalOf } from "./state.js";
import { codedName } from "./treerow.js";

// Of a code that the page does not have, as far as its row needs it.
export function codeNode(outline, id) { return outline.nodes.get(id) || { id, label: id, broader: [] }; }

export function codeRow(state, id, at, numbered) {
  const { outline, decisions, conventions, readOnly } = state;
  const { number, principal } = numbered;
  const node = codeNode(outline, id);
  const decision = decisions.get(id);
  const item = codeItem(node, codeName(node, numbered, decision, state), [
    !readOnly && element("span", "grip", { "aria-hidden": "true", title: "Drag to change the order (Alt+↑, Alt+↓)" }, "⠿"),
    element("span", "place", { "aria-hidden": "true" }, String(number)),
  ], [
    principal && element("span", "principal", { "aria-hidden": "true" }, principal),
    isDiagnosis(node, conventions) && presentButtons(state, node, decision.present),
    isProcedure(node, conventions) && dateField(state, node, decision.performed_on),
  ], [!readOnly && clearButton(node)]);
  item.dataset.place = String(at + 1);
  item.classList.toggle("first", Boolean(principal));
  return item;
}

// A category that is put down, and of which the code is still to be chosen.
export function openRow({ outline, readOnly }, id) {
  const node = codeNode(outline, id);
  const down = element("button", "choose", { type: "button", "data-code": "down", "data-control": "down", tabindex: "-1" }, "Choose a code");
  const item = codeItem(node, `${node.label}, to be specified`, [
    element("span", "grip", { "aria-hidden": "true" }), element("span", "place", { "aria-hidden": "true" }, icon("specify")),
  ], [], readOnly ? [] : [down, clearButton(node)]);
  item.classList.add("open");
  return item;
}

function codeItem(node, name, before, marks, after) {
  return element("li", "code-row", { "data-concept": node.id, tabindex: "-1", "aria-label": name }, element("div", "line", {}, before,
    element("span", "words", { dir: "auto", title: node.label }, codedName(node)), element("span", "marks", {}, marks), after));
}

function codeName(node, { number, principal }, decision, state) {
  const { present, performed_on: day } = decision;
  const marked = PRESENT_WORDS.find(([mark]) => mark === present);
  return [
    `${number}`, principal, node.label,
    isDiagnosis(node, state.conventions) ? (marked ? marked[1] : "nothing said about admission") : "",
    isProcedure(node, state.conventions) ? (day ? `on ${day}` : "no date") : "",
  ].filter(Boolean).join(", ");
}

function presentButtons(state, node, present) {
  const proposed = present ? null : proposalOf(state, node.id);
  const buttons = PRESENT_WORDS.map(([mark, words]) => {
    const isProposed = proposed?.mark === mark;
    return element("button", isProposed ? "proposed" : "", {
      type: "button", tabindex: "-1", "data-code": "present", "data-mark": mark, "data-control": `present-${mark}`,
      "aria-pressed": String(present === mark), "aria-label": `${mark}: ${words}`, title: isProposed ? proposed.reason : words,
      ...(state.readOnly ? { disabled: "" } : {}),
    }, mark);
  });
  return element("span", "present", { role: "group", "aria-label": `${node.label} on admission` }, buttons);
}

function clearButton({ label }) {
  return element("button", "small", {
    type: "button", tabindex: "-1", "data-code": "clear", "data-control": "clear", "aria-label": `Take ${label} back`, title: "Take it back",
  }, icon("reject"));
}

// What was found about a code: all that is serious, and its notes on one line.
export function showFindings(item, findings, state) {
  const key = JSON.stringify([findings, state.readOnly]);
  if (item.found === key) return;
  item.found = key;
  for (const line of [...item.querySelectorAll(":scope > .finding")]) line.remove();
  const notes = findings.filter(({ severity }) => severity === "note");
  const serious = findings.filter(({ severity }) => severity !== "note");
  item.append(...[...serious, ...(notes.length > 1 ? [severalNotes(notes)] : notes)].map((one) => findingLine(one, state)));
}

// All of them are in the title, and each is on the card.
function severalNotes(notes) {
  const said = notes.map(({ sentence, note }) => [sentence, note].filter(Boolean).join(" "));
  return { severity: "note", sentence: `${notes.length} notes:`, note: [...new Set(said)].join("\n") };
}

// What was found about a code, with the words of the classification where there are some.
function findingLine(finding, state) {
  const { severity, sentence, note, source } = finding;
  const mend = canMend(state, finding) && mendButton(finding, state.keys.remedy);
  return element("p", `finding ${severity}`, {}, icon(SEVERITY_ICONS[severity]), element("span", "", {}, sentence),
    note && element("q", "", { title: note }, shortened(note, 140)),
    (mend || source) && element("span", "foot", {}, mend, source && element("small", "source", { title: source }, source)));
}

function mendButton(finding, key) {
  const name = `mend-${finding.kind}-${finding.concept_ids.join("-")}`;
  const button = element("button", "mend", { type: "button", tabindex: "-1", "data-code": "mend", "data-control": name },
    finding.remedy.words, key && element("kbd", "", { "aria-hidden": "true" }, shownKey(key)));
  button.finding = finding;
  return button;
}
