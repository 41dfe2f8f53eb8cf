// One row of the codes panel.

import { element, icon } from "../shared/dom.js";
import { shortened, shownKey } from "../shared/words.js";
import { dateField } from "./codedates.js";
import { isDiagnosis, isProcedure, PRESENT_WORDS } from "./coding.js";
import { SEVERITY_ICONS } from "./findings.js";
import { canMend } from "./remedies.js";

export function codeRow(desk, id, at, numbered) {
  const node = desk.outline.nodes.get(id) || { id, label: id };
  const decision = desk.decisionOf(id);
  const item = codeItem(node, codeName(node, numbered, decision, desk));
  item.dataset.place = String(at + 1);
  item.classList.toggle("first", Boolean(numbered.principal));
  const line = item.firstChild;
  const marks = line.querySelector(".marks");
  if (!desk.readOnly) line.prepend(element("span", "grip", { "aria-hidden": "true", title: "Drag to change the order (Alt+↑, Alt+↓)" }, "⠿"));
  line.querySelector(".words").before(element("span", "place", { "aria-hidden": "true" }, String(numbered.number)));
  if (numbered.principal) marks.append(element("span", "principal", { "aria-hidden": "true" }, numbered.principal));
  if (isDiagnosis(node, desk.conventions)) marks.append(presentButtons(desk, node, decision.present));
  if (isProcedure(node, desk.conventions)) marks.append(dateField(desk, node, decision.performed_on));
  if (!desk.readOnly) line.append(rowButton("clear", "reject", `Take ${node.label} back`, "Take it back"));
  return item;
}

// A category that is put down, and of which the code is still to be chosen.
export function openRow(desk, id) {
  const node = desk.outline.nodes.get(id) || { id, label: id };
  const item = codeItem(node, `${node.label}, to be specified`);
  item.classList.add("open");
  const line = item.firstChild;
  const mark = element("span", "place", { "aria-hidden": "true" });
  mark.append(icon("specify"));
  line.prepend(element("span", "grip", { "aria-hidden": "true" }), mark);
  if (desk.readOnly) return item;
  const down = element("button", "choose", { type: "button", "data-code": "down", "data-control": "down", tabindex: "-1" }, "Choose a code");
  line.append(down, rowButton("clear", "reject", `Take ${node.label} back`, "Take it back"));
  return item;
}

function codeItem(node, name) {
  const item = element("li", "code-row", { "data-concept": node.id, tabindex: "-1", "aria-label": name });
  const line = element("div", "line");
  const label = element("span", "words", { dir: "auto" });
  if (node.code) label.append(element("b", "code", {}, node.code), ` ${node.plain}`);
  else label.append(node.label);
  label.title = node.label;
  line.append(label, element("span", "marks"));
  item.append(line);
  return item;
}

function codeName(node, { number, principal }, decision, desk) {
  const { present, performed_on: day } = decision;
  const marked = PRESENT_WORDS.find(([mark]) => mark === present);
  return [
    `${number}`, principal, node.label,
    isDiagnosis(node, desk.conventions) ? (marked ? marked[1] : "nothing said about admission") : "",
    isProcedure(node, desk.conventions) ? (day ? `on ${day}` : "no date") : "",
  ].filter(Boolean).join(", ");
}

function presentButtons(desk, node, present) {
  const proposed = present ? null : desk.check.proposalOf(node.id);
  const group = element("span", "present", { role: "group", "aria-label": `${node.label} on admission` });
  for (const [mark, words] of PRESENT_WORDS) {
    const button = element("button", "", {
      type: "button", tabindex: "-1", "data-code": "present", "data-mark": mark, "data-control": `present-${mark}`,
      "aria-pressed": String(present === mark), "aria-label": `${mark}: ${words}`, title: words,
    }, mark);
    if (proposed && proposed.mark === mark) { button.classList.add("proposed"); button.title = proposed.reason; }
    button.disabled = desk.readOnly;
    group.append(button);
  }
  return group;
}

function rowButton(action, picture, name, title) {
  const button = element("button", "small", { type: "button", tabindex: "-1", "data-code": action, "data-control": action, "aria-label": name, title });
  button.append(icon(picture));
  return button;
}

// What was found about a code: all that is serious, and its notes on one line.
export function showFindings(item, findings, desk) {
  const key = JSON.stringify([findings, desk.readOnly]);
  if (item.found === key) return;
  item.found = key;
  for (const line of [...item.querySelectorAll(":scope > .finding")]) line.remove();
  const notes = findings.filter(({ severity }) => severity === "note");
  const serious = findings.filter(({ severity }) => severity !== "note");
  item.append(...[...serious, ...(notes.length > 1 ? [severalNotes(notes)] : notes)].map((one) => findingLine(one, desk)));
}

// All of them are in the title, and each is on the card.
function severalNotes(notes) {
  const said = notes.map(({ sentence, note }) => [sentence, note].filter(Boolean).join(" "));
  return { severity: "note", sentence: `${notes.length} notes:`, note: [...new Set(said)].join("\n") };
}

// What was found about a code, with the words of the classification where there are some.
function findingLine(finding, desk) {
  const { severity, sentence, note, source } = finding;
  const line = element("p", `finding ${severity}`);
  line.append(icon(SEVERITY_ICONS[severity]), element("span", "", {}, sentence));
  if (note) line.append(element("q", "", { title: note }, shortened(note, 140)));
  const foot = element("span", "foot");
  if (canMend(desk, finding)) foot.append(mendButton(finding, desk));
  if (source) foot.append(element("small", "source", { title: source }, source));
  if (foot.firstChild) line.append(foot);
  return line;
}

function mendButton(finding, desk) {
  const { words } = finding.remedy;
  const name = `mend-${finding.kind}-${finding.concept_ids.join("-")}`;
  const button = element("button", "mend", { type: "button", tabindex: "-1", "data-code": "mend", "data-control": name }, words);
  if (desk.keyOf("remedy")) button.append(element("kbd", "", { "aria-hidden": "true" }, shownKey(desk.keyOf("remedy"))));
  button.finding = finding;
  return button;
}
