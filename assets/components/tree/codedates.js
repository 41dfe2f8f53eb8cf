// The day of a procedure. While it is typed the field is left alone; it is sent as soon as it is a
// whole day, and at the latest when the field or the page is left.

import { element, focusedElement } from "../shared/dom.js";
import { listen } from "../shared/events.js";

const DATE_WAIT_MS = 600;
const FIRST_DAY = "1900-01-01";    // as on the server (core/review/decisions/operations.py)

export class CodeDates {
  // onLeft(): a field is no longer in hand, so that its row can be brought up to date.
  constructor(list, { state, send, tell }, onLeft) {
    Object.assign(this, { list, state, send, tell, onLeft });
    list.addEventListener("input", (event) => this.typed(event.target));
    list.addEventListener("focusout", (event) => this.left(event.target));
    const leave = () => this.take();
    this.endListening = listen(window, { beforeunload: leave, pagehide: leave }, true);   // before the queue asks whether all is stored
  }

  stop() {
    clearTimeout(this.timer);
    this.endListening();
  }

  // The field that is typed in, if one is.
  get inHand() {
    const focused = focusedElement();
    return focused && isDayField(focused) && this.list.contains(focused) ? focused : null;
  }

  typed(input) {
    clearTimeout(this.timer);
    if (isDayField(input) && input.validity.valid) this.timer = setTimeout(() => this.take(input), DATE_WAIT_MS);
  }

  left(input) {
    if (!isDayField(input)) return;
    this.take(input);
    setTimeout(this.onLeft, 0);
  }

  // Sends the day where it is another than the field was given; says whether it could be taken.
  take(input = this.inHand) {
    clearTimeout(this.timer);
    if (!input || !input.isConnected || input.disabled || this.state.readOnly) return true;
    const problem = dayProblem(input, this.state);
    if (problem) { this.tell(problem); return false; }
    if (input.value === input.defaultValue) return true;
    input.defaultValue = input.value;
    sayDay(input);
    this.send([{ action: "performed", concept_id: input.closest("li").dataset.concept, value: input.value }]);
    return true;
  }
}

function isDayField(node) { return Boolean(node.matches && node.matches("input.day")); }

// Why what stands in a field is no day of a procedure; empty where it is one, or nothing.
function dayProblem(input, { outline }) {
  const { validity, value } = input;
  if (validity.valid) return "";
  const label = outline.label(input.closest("li").dataset.concept);
  if (validity.badInput) return `The date of ${label} is not complete, so it was not stored.`;
  if (validity.rangeUnderflow) return `The date of ${label} was not stored: its year is ${Number(value.split("-")[0])}. Type all four digits of the year.`;
  return `The date of ${label} was not stored: it is still to come.`;
}

// The field, and the day in words on it while it is not typed in: browsers write 5/12 as they please.
export function dateField({ data, readOnly }, node, day) {
  const input = element("input", "day", {
    type: "date", "data-control": "day", tabindex: "-1", "aria-label": `Date of ${node.label}`, min: FIRST_DAY, max: lastDay(data), value: day || "",
  });
  input.disabled = readOnly;
  input.title = day ? `${daySaid(day)} (${day})` : "The day on which it was done";
  return element("span", "day-box", {}, input, element("span", "day-said", { "aria-hidden": "true" }, daySaid(day)));
}

function sayDay(input) {
  input.title = input.value ? `${daySaid(input.value)} (${input.value})` : "";
  input.nextElementSibling.textContent = daySaid(input.value);
}

// "12 May 2026"
function daySaid(day) {
  if (!day) return "";
  return new Date(`${day}T00:00:00Z`).toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });
}

// The last day on which a procedure can have been done: today, or the last of the encounter, which may
// be shifted into the future.
function lastDay({ last_day: last }) {
  const day = today();
  return last > day ? last : day;
}

// As the clock of the person has it.
function today() {
  const now = new Date();
  return new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString().slice(0, 10);
}
