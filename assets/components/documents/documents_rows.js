// What the table of documents holds: which rows are wanted, in what order, and how they are drawn.

import { element } from "../shared/dom.js";
import { documentLink } from "../shared/server.js";
import { titleParts } from "../shared/titles.js";
import { count, momentWords, plainLetters } from "../shared/words.js";

export const COLLATOR = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });
// Where people sign in, a finished document is approved or sent back.
export const JUDGED = ["sent back", "approved"];
export const STATUSES = ["new", "in progress", "sent back", "finished", "approved"];
export const UNREAD = "unread";
export const MENTIONS = "mentions";   // of this person
export const TO_ADJUDICATE = "to adjudicate";   // as the server says it of annotations
export const STATUS_WORDS = { new: "New", "in progress": "In progress", "sent back": "Sent back", finished: "Finished", approved: "Approved" };
// Name of the field, head of the column, class, whether the first click sorts downwards.
export const COLUMNS = [
  ["title", "Document", "title", false],
  ["status", "Status", "status", false],
  ["accepted", "Accepted", "number accepted", true],
  ["rejected", "Rejected", "number rejected", true],
  ["whose", "Whose", "whose", false],
  ["batch", "Batch", "batch", false],
  ["comment", "Comment", "comment", false],
  ["updated", "Changed", "time", true],
];

// Of finished documents, nobody waits for suggestions any more.
function isUnread(entry) { return entry.suggested === null && entry.status !== "finished"; }

function stateOf(entry) { return entry.judged || entry.status; }

function sortKey(entry, field) {
  if (field === "status") return STATUSES.indexOf(stateOf(entry));
  const value = entry[field];
  return value ?? "";
}

// What is the same in the sorted column stands by title, then by id, whatever the direction.
export function inOrder(entries, { field, down }) {
  const sign = down ? -1 : 1;
  return [...entries].sort((one, other) => {
    const [a, b] = [sortKey(one, field), sortKey(other, field)];
    const first = typeof a === "number" ? a - b : COLLATOR.compare(a, b);
    return sign * first || COLLATOR.compare(one.title, other.title) || COLLATOR.compare(one.id, other.id);
  });
}

export const FOUND_IN = new WeakMap();   // an entry -> what the words are looked for in

function foundIn(entry) {
  if (!FOUND_IN.has(entry)) FOUND_IN.set(entry, plainLetters(`${entry.title}\n${entry.id}\n${entry.comment}`));
  return FOUND_IN.get(entry);
}

export function matching(entries, { status, batch, query, whose }) {
  const words = plainLetters(query).split(/\s+/).filter(Boolean);
  return entries.filter((entry) => {
    if (STATUSES.includes(status) && stateOf(entry) !== status) return false;
    if (status === MENTIONS && !entry.mentioned) return false;
    if (status === UNREAD && !isUnread(entry)) return false;
    if (status === TO_ADJUDICATE && entry.annotation !== TO_ADJUDICATE) return false;
    if ((whose === "mine" && !entry.mine) || (whose === "free" && entry.whose)) return false;
    if (batch !== null && (entry.batch || "") !== batch) return false;
    return words.every((word) => foundIn(entry).includes(word));
  });
}

function moment(seconds) {
  const then = new Date(seconds * 1000);
  const today = new Date().toDateString() === then.toDateString();
  return today
    ? then.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })
    : then.toLocaleDateString([], { year: "numeric", month: "short", day: "numeric" });
}

function below(entry) {
  return element("span", "below", {}, belowText(entry), entry.batch && element("span", "narrow", {}, ` · ${entry.batch}`));
}

function belowText(entry) {
  const length = entry.characters ? count(entry.characters, "character", "characters") : "title only";
  const parts = [entry.id, length];
  if (entry.given) parts.push(`${entry.given} given`);
  if (entry.proposed) parts.push(count(entry.proposed, "proposed term", "proposed terms"));
  return parts.join(" · ");
}

function statusNote(entry) {
  if (entry.waiting) return "waiting to be read";
  if (entry.suggested === null) return isUnread(entry) ? "not read yet" : "";
  if (!entry.outdated) return "";
  return entry.same_model ? "read before what is asked elsewhere was changed" : "read by another model";
}

export function headRow({ field, down }, hidden) {
  const pick = element("input", "all", { type: "checkbox", "aria-label": "Select all documents on this page" });
  const heads = COLUMNS.filter(([name]) => !hidden.has(name)).map(([name, words, style]) => {
    const [order, arrow] = name !== field ? ["none", ""] : down ? ["descending", "↓"] : ["ascending", "↑"];
    const button = element("button", "", { type: "button", "data-field": name }, words, element("span", "arrow", { "aria-hidden": "true" }, arrow));
    return element("th", style, { scope: "col", "aria-sort": order }, button);
  });
  return element("tr", "", {}, element("th", "pick", { scope: "col" }, pick), heads);
}

export function bodyRow(entry, { selected, removed, hidden, position }) {
  const title = entry.title || "Untitled";
  const box = element("input", "", { type: "checkbox", tabindex: "-1", "aria-label": `Select ${title}` });
  box.checked = selected;
  const cells = {
    title: () => titleCell(entry, title, removed),
    status: () => statusCell(entry),
    comment: () => commentCell(entry, title, removed),
    updated: () => element("td", "time", { title: new Date(entry.updated * 1000).toLocaleString() }, moment(entry.updated)),
    whose: () => element("td", "whose", {}, entry.mine ? "you" : entry.whose, entry.due && entry.status !== "finished" && element("span", "below", {}, `until ${momentWords(`${entry.due}T12:00`)}`)),
    batch: () => element("td", "batch", { title: entry.batch || "" }, entry.batch || ""),
  };
  const number = (name, style) => element("td", style, {}, entry[name] === null ? "–" : entry[name].toLocaleString("en"));
  return element("tr", "", {
    "data-document": entry.id, "data-status": stateOf(entry), tabindex: "-1",
    "aria-selected": String(selected), "aria-rowindex": String(position + 2),
  }, element("td", "pick", {}, box),
  COLUMNS.filter(([name]) => !hidden.has(name)).map(([name, , style]) => (cells[name] ? cells[name]() : number(name, style))));
}

function titleCell(entry, title, removed) {
  const { head, about } = titleParts(title);
  const name = removed
    ? element("span", "name", {}, about)
    : element("a", "name", { href: documentLink(entry.id), tabindex: "-1" }, about);
  name.title = head || title.length > 120 ? title.slice(0, 600) : "";
  return element("td", "title", {}, head && element("span", "kind", {}, head), name, below(entry));
}

function statusCell(entry) {
  const note = statusNote(entry);
  return element("td", "status", {}, element("span", "light", { "aria-hidden": "true" }), STATUS_WORDS[stateOf(entry)],
    entry.urgent && entry.status !== "finished" && element("span", "urgent", {}, "urgent"), [entry.annotation, note, entry.skipped].filter(Boolean).map((words) => element("span", "below", {}, words)));
}

function commentCell(entry, title, removed) {
  const name = entry.comment ? `Comment on ${title}: ${entry.comment}` : `Write a comment on ${title}`;
  return element("td", "comment", {}, removed ? entry.comment : element("button", `note${entry.comment ? "" : " none"}${"whose" in entry ? " thread" : ""}`, {
    type: "button", tabindex: "-1", "aria-label": name }, entry.comment || "Comment …"));
}
