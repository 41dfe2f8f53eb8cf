// One row of the tree: how it is built, once, and painted, when its state has changed.

import { bar, element, icon, separated } from "../shared/dom.js";
import { elsewhereWords, sourceWords } from "../shared/sources.js";
import { percent, RATING, shownKey } from "../shared/words.js";
import { isCategory } from "./coding.js";
import { LOOKS } from "./looks.js";
import { sideOf, sideWords } from "./sides.js";
import { labels, lookOf, whoDecided } from "./state.js";
import { effectMark, effectWords } from "./staygroup.js";

const NAMED_SOURCES = ["lexical", "neighbours"]; // a tag in the row names them
const ROW_ACTIONS = { accept: "Accept", reject: "Reject", down: "Codes below" };

// What cannot change while the row is the same; a row with another of these is built anew.
export function rowSignature({ node, suggestion, probability, ofBranch, children, flat, path, context, folded, isUnfolded, also }) {
  return [node.label, node.probability, RATING.withheld, probability, ofBranch, node.assignable, node.given,
    suggestion, children > 0, flat ? path : "", context, (folded || []).map(({ label }) => label), isUnfolded, also].join("\u0001");
}

export function buildItem(row, state) {
  const { node } = row;
  const hidden = { "aria-hidden": "true" };
  const name = element("span", "name", {},
    row.folded && row.folded.length > 0 && foldedNames(row.folded), element("span", "label", {}, codedName(node)),
    row.isUnfolded && element("span", "fold-again", { ...hidden, "data-fold": node.id, title: "Fold into one row with what is below" }, "fold"),
    alsoName(row), row.flat && row.path && element("span", "path", hidden, row.path));
  const title = [node.code ? node.label : node.notation && `${node.notation} ${node.label}`, ...state.outline.pathNames(node.id),
    node.source && `Suggested ${sourceWords(node.source)} (${node.source}), rank ${node.rank}`,
    node.elsewhere && !elsewhereWords(node.source) && `Also suggested by ${node.elsewhere}, elsewhere`].filter(Boolean).join("\n");
  const line = element("div", "row", { title },
    element("span", "twisty", hidden, row.children > 0 && icon("open")), element("span", "mark", hidden), name,
    element("span", "tag", hidden), measure(row), rowButtons(row, state));
  const kind = `${row.suggestion ? "suggested" : "ancestor"}${row.context ? " context" : ""}`;
  return element("li", kind, { role: "treeitem", tabindex: "-1", "data-key": row.key, "data-concept": node.id },
    line, row.children > 0 && element("ul", "", { role: "group" }));
}

// The name of a concept, its code in bold.
export function codedName({ code, plain, label }) { return code ? [element("b", "code", {}, code), ` ${plain}`] : label; }

// The broader concepts that are folded into a row, before its own name; a click gives them rows.
function foldedNames(folded) {
  const segments = folded.map((node) => element("span", "segment", { "data-fold": node.id, title: `Show ${node.label} in a row of its own` }, shortName(node)));
  return element("span", "chain", { "aria-hidden": "true" },
    element("span", "way", {}, separated(segments, " › ")), element("span", "end", {}, " ›"));
}

// The name of a code holds most of what its category is called.
function shortName({ label, code, broader }) {
  if (!code) return label;
  return !broader.length && /^\d+$/.test(code) ? `Chapter ${code}` : code;
}

function alsoName({ also }) {
  if (!also || !also.length) return null;
  return element("span", "also", { "aria-hidden": "true", title: alsoWords(also, also.length) }, alsoWords(also, 1));
}

function alsoWords(also, most) {
  const more = also.length - most;
  return `also under: ${also.slice(0, most).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

export function isFoldedInto(row, conceptId) {
  return (row.folded || []).some(({ id }) => id === conceptId);
}

// Whether there is a number to be shown on a row.
export function isMeasured({ probability }) {
  return !RATING.withheld && probability !== null && probability !== undefined;
}

// A bar and a number: the probability of a suggestion, the branch probability of what is above.
function measure(row) {
  const { probability } = row;
  const isShown = isMeasured(row);
  return [element("span", isShown ? "bar" : "bar none", { "aria-hidden": "true" }, bar(isShown ? 100 * probability : 0)),
    element("span", "percent", { "aria-hidden": "true" }, percent(probability))];
}

function rowButtons({ node }, { conventions }) {
  const offered = isCategory(node, conventions) ? ["down"] : node.assignable === false ? [] : ["accept", "reject"];
  return element("span", "buttons", {}, offered.map((action) => element("button", action, {
    type: "button", tabindex: "-1", "data-action": action, "aria-label": `${ROW_ACTIONS[action]}${action === "down" ? ":" : ""} ${node.label}`,
  }, icon(action))));
}

// Where a row stands among its siblings; this changes without the row being another.
export function placeItem(item, row) {
  const wanted = { "aria-level": row.level, "aria-setsize": row.siblings, "aria-posinset": row.position };
  for (const [name, value] of Object.entries(wanted)) {
    if (item.getAttribute(name) !== String(value)) item.setAttribute(name, value);
  }
  item.firstChild.style.setProperty("--level", row.level - 1);
}

export function paintItem(item, row, state) {
  const { node } = row;
  const look = lookOf(state, row);
  const side = sideOf(state, node.id);
  const painted = JSON.stringify([look, side, state.readOnly]);
  if (item.painted === painted) return;
  item.painted = painted;
  item.dataset.state = look.word;
  item.dataset.side = side;
  if (side) look.tags.unshift(sideWords(state, node.id));
  item.classList.toggle("pending", look.pending);
  item.classList.toggle("unresolved", look.unresolved);
  const line = item.firstChild;
  const mark = line.querySelector(".mark");
  const drawn = LOOKS[look.word].icon || (node.given && look.unresolved ? "given" : null);
  mark.replaceChildren(...(drawn ? [icon(drawn)] : []));
  paintTags(line.querySelector(".tag"), look);
  for (const button of line.querySelectorAll("button")) paintButton(button, look.word, state);
  paintMend(item, row, look, state);
  item.setAttribute("aria-label", accessibleName(row, look, state));
}

function paintTags(tag, look) {
  const parts = look.tags.filter((word) => word !== "main topic" && word !== look.asserted).join(" · ");
  tag.replaceChildren(parts);
  if (look.asserted) tag.append(element("b", "said", { title: `So it stands wherever the notes name it: ${look.asserted}` }, look.asserted));
  if (look.effect) tag.append(effectMark(look.effect, look.effect.drg));
  if (look.tags.includes("main topic")) tag.prepend(element("span", "star", {}, icon("main"), "main"));
}

function paintButton(button, word, { keys, readOnly }) {
  const { action } = button.dataset;
  const pressed = LOOKS[word].presses === action;
  button.setAttribute("aria-pressed", String(pressed));
  const verb = ROW_ACTIONS[action];
  button.title = pressed && action !== "down" ? "Clear" : `${verb} (${shownKey(keys[action])})`;
  button.disabled = readOnly;
}

// A conflict says which decision is in its way, and how it can be mended.
function paintMend(item, row, look, state) {
  const before = item.querySelector(":scope > .mend");
  if (before) before.remove();
  const { ways } = LOOKS[look.word];
  if (!ways) return;
  const causes = labels(state, look.causes);
  const names = { lift: `Lift the exclusion of ${causes}`, reject: `Reject ${row.node.label}` };
  const buttons = (state.readOnly ? [] : ways).map(([action, words]) => element("button", "", {
    type: "button", tabindex: "-1", "data-mend": action, "aria-label": names[action],
  }, words));
  const mend = element("div", "mend", {}, element("span", "why", {}, `${whoDecided(state, look.causes[0], "You")} ruled out all of ${causes}.`), buttons);
  mend.style.setProperty("--level", row.level - 1);
  item.firstChild.after(mend);
}

function accessibleName(row, look, state) {
  const { node, probability, ofBranch, folded = [], also = [] } = row;
  return [
    node.label,
    isMeasured(row) ? `${Math.round(probability * 100)} percent${ofBranch ? " for the branch" : ""}` : "",
    node.source && !NAMED_SOURCES.includes(node.source) && !elsewhereWords(node.source) ? `from ${node.source}` : "",
    node.elsewhere ? `suggested by ${node.elsewhere}` : "",
    ...look.tags,
    look.effect ? effectWords(look.effect) : "",
    look.causes.length ? `${LOOKS[look.word].words} (${labels(state, look.causes)})` : LOOKS[look.word].words,
    look.unresolved && look.word !== "unresolved" ? "unresolved" : "",
    folded.length ? `below ${folded.map(({ label }) => label).join(" › ")}` : "",
    also.length ? alsoWords(also, 2) : "",
  ].filter(Boolean).join(", ");
}
