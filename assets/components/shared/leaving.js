// Streamlit sends what stands in a field a moment after the field is left. Where one click leaves
// both the field and the page, the new page is asked for first, and then the field's page again:
// the person is back where they were, with empty fields, or on a page that stays empty. So such a
// click waits for the field, also for one within a component, which sends its message as it is left.

import { listen } from "./events.js";
import { onKeydown } from "./keys.js";

export const LINKS = "[data-testid=stTopNavLink], [data-testid=stSidebarNavLink], [data-testid=stPageLink-NavLink]";
const SENT_MS = 300;    // until then a field that had something to send has sent it
const RUN_MS = 2000;    // and a page that takes longer is left while it is drawn

const FIELDS = "textarea, input:not([type=checkbox], [type=radio], [type=file], [type=range])";

let isUnsent = false;
let timer = null;

// Outside a component only its host is the target.
const within = (event) => event.composedPath()[0];

function onInput(event) {
  if (!within(event).matches(FIELDS)) return;
  clearTimeout(timer);
  isUnsent = true;
}

function onLeave() {
  clearTimeout(timer);
  timer = setTimeout(() => { isUnsent = false; }, SENT_MS);
}

// Enter sends the line of a field.
function onKey(event) { if (event.key === "Enter" && within(event).matches("input")) isUnsent = false; }

function onClick(event) {
  const link = event.target.closest(LINKS);
  if (!link || !isUnsent || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  document.activeElement?.blur();
  isUnsent = false;
  afterRun(() => follow(link));
}

// Calls when a run that begins soon has ended, or when none has begun.
function afterRun(done) {
  const app = document.querySelector("[data-testid=stApp]");
  const isRunning = () => app.dataset.testScriptState !== "notRunning";
  let waiting = null;
  const end = () => { runs.disconnect(); clearTimeout(waiting); done(); };
  const runs = new MutationObserver(() => {
    if (!isRunning()) end();
    else { clearTimeout(waiting); waiting = setTimeout(end, RUN_MS); }
  });
  runs.observe(app, { attributeFilter: ["data-test-script-state"] });
  waiting = setTimeout(end, SENT_MS);
}

// The link may have been drawn anew meanwhile.
function follow(link) {
  const { pathname } = new URL(link.href);
  const same = [...document.querySelectorAll(LINKS)].find((one) => new URL(one.href).pathname === pathname);
  (link.isConnected ? link : same)?.click();
}

// Before Streamlit hears of them.
export function waitForFields() {
  if (globalThis.strataWaitsForFields) return;
  globalThis.strataWaitsForFields = true;
  listen(document, { input: onInput, focusout: onLeave, click: onClick }, true);
  onKeydown(document, onKey, { capture: true });
}
