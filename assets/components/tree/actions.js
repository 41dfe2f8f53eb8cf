// The bar under the tree: the selected concept, how it stands, and a button for everything that
// can be done with it, each with its key.

import { element, icon } from "../shared/dom.js";
import { onClick } from "../shared/events.js";
import { sourceWords } from "../shared/sources.js";
import { percent, shownKey } from "../shared/words.js";
import { branchOf } from "./branch.js";
import { isCategory, isDiagnosis, isPrincipal } from "./coding.js";
import { LOOKS, withdrawnWords } from "./looks.js";
import { decisionIs, labels, lookOf, whoDecided } from "./state.js";

const CONCEPT_ACTIONS = [
  ["accept", "Accept"], ["reject", "Reject"], ["down", "Codes below"], ["back_off", "Back off"], ["mark", "Main topic"],
  ["only", "Only branch"], ["principal", "Principal"], ["present", "POA"],
  ["exclude", "Nothing in branch"], ["branch", "Branch…"], ["lift", "Lift exclusion"], ["clear", "Clear"], ["copy", "Copy"], ["next", "Next"],
];
const WITHOUT_CHANGE = new Set(["only", "copy", "next"]);   // possible in a finished document, too
const ACTION_ICONS = { mark: "main", principal: "main", exclude: "excluded", lift: LOOKS.conflict.icon };

export class ActionBar {
  constructor(root, { state, perform, focusTree, prompt }) {
    Object.assign(this, { root, state, perform, focusTree, prompt });
    this.label = root.querySelector(".selected .label");
    this.facts = root.querySelector(".selected .facts");
    this.buttons = new Map();
    const bar = root.querySelector(".actions");
    for (const [action, words] of CONCEPT_ACTIONS) {
      const button = element("button", "", { type: "button", "data-do": action }, icon(ACTION_ICONS[action] || action),
        element("span", "words", { "data-words": words }, words), element("kbd", "", { "aria-hidden": "true" }));
      bar.append(button);
      this.buttons.set(action, button);
    }
    onClick(bar, "button", (button, event) => this.act(button, event));
  }

  configure(keys) {
    for (const [action, button] of this.buttons) {
      button.hidden = !keys[action] && action !== "lift";
      button.querySelector("kbd").textContent = keys[action] ? shownKey(keys[action]) : "";
      button.querySelector("kbd").hidden = !keys[action];
      setAttribute(button, "aria-keyshortcuts", keys[action] || null);
      button.title = (this.state.data.shortcuts.find((one) => one.action === action) || {}).words || "";
    }
  }

  act(button, event) {
    if (button.getAttribute("aria-disabled") === "true") return;
    this.perform(button.dataset.do, this.row);
    // A mouse leaves the tree in charge of the keys; a keyboard stays where it is.
    if (event.detail > 0 && button.dataset.do !== "down" && !this.prompt.isOpen) this.focusTree();
  }

  paint(row) {
    const { state } = this;
    this.row = row;
    this.root.classList.toggle("nothing", !row);
    if (!row) { this.label.textContent = ""; this.facts.textContent = ""; return; }
    const { node } = row;
    const look = lookOf(state, row);
    const facts = this.factsOf(row, look);
    if (this.label.textContent !== node.label) this.label.textContent = node.label;
    if (this.facts.textContent !== facts) this.facts.textContent = facts;
    const decision = state.decisions.get(node.id);
    const accepted = decisionIs(state, node.id, "accepted");
    const pressed = {
      accept: accepted, reject: look.word === "rejected",
      exclude: look.word === "excluded", mark: Boolean(decision && decision.main),
      principal: isPrincipal(state, node.id), present: Boolean(decision && decision.present), only: Boolean(state.branch),
    };
    const category = isCategory(node, state.conventions);
    const shut = {
      accept: !node.assignable && !category, back_off: !node.assignable, mark: !node.assignable, principal: !node.assignable,
      present: !accepted || !isDiagnosis(node, state.conventions),
      reject: !node.assignable && !row.suggestion, clear: !decision,
      only: !state.branch && branchOf(state, row) === null,   // leads neither into one nor out of it
    };
    this.buttons.get("lift").hidden = !LOOKS[look.word].ways;
    for (const [action, button] of this.buttons) {
      const disabled = Boolean(shut[action]) || (node.isGroup && action !== "next") || (state.readOnly && !WITHOUT_CHANGE.has(action));
      setAttribute(button, "aria-disabled", disabled ? "true" : null);
      if (action in pressed) setAttribute(button, "aria-pressed", String(pressed[action]));
    }
  }

  // The number is the row's.
  factsOf(row, look) {
    const { node } = row;
    if (node.isGroup) return "what the notes deny, rule out, call over or say of the family; nothing of it waits";
    const parts = [];
    const number = percent(row.probability);
    if (row.ofBranch) parts.push(number && `${number} for the branch`);
    else parts.push([number, node.rank && `rank ${node.rank}`, node.rank && node.source && sourceWords(node.source)].filter(Boolean).join(", "));
    const { words, fact } = LOOKS[look.word];
    const who = whoDecided(this.state, look.causes[0]);
    parts.push(fact ? `${fact.replace("you ", `${who} `)} ${labels(this.state, look.causes)}` : words);
    if (node.withdrawn) parts.push(withdrawnWords(node));
    if (node.forbidden) parts.push("in a branch that this project never assigns");
    else if (isCategory(node, this.state.conventions)) parts.push("a category: one of its codes is assigned");
    else if (!node.assignable) parts.push("a heading, not assigned itself");
    return parts.filter(Boolean).join(" · ");
  }
}

function setAttribute(node, name, value) {
  if (value === null) node.removeAttribute(name);
  else if (node.getAttribute(name) !== value) node.setAttribute(name, value);
}
