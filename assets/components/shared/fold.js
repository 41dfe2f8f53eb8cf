// On a narrow screen the sidebar lies over the page: it is folded away at first, when the window gets
// narrow, and once something in it has led to a chart or to another page or document. In a window that
// gets wide again, or that is opened wide the next time, it comes back.

import { readStored, removeStored, writeStored } from "./storage.js";

const NARROW_FRAME = matchMedia("(max-width: 1100px)");
const NARROW_STREAMLIT = matchMedia("(max-width: 768px)");   // it opens the sidebar when a window gets wider
const OPENING_MS = 1500;
const FOLDED = "strata.sidebar.folded";   // by this script, and so to be opened by it: Streamlit keeps it folded

export function foldSidebar() {
  if (NARROW_FRAME.matches) fold(); else unfold();
  document.body.dataset.sidebarFolds = "true";
}

function fold() {
  const sidebar = document.querySelector("[data-testid=stSidebar]");
  if (!sidebar || sidebar.dataset.collapsed !== "false") return;
  press(sidebar, "[data-testid=stSidebarCollapseButton] button");
  writeStored("localStorage", FOLDED, true);
}

function unfold() {
  if (readStored("localStorage", FOLDED) === null) return;
  press(document, "[data-testid=stExpandSidebarButton]");
  removeStored("localStorage", FOLDED);
}

function press(place, button) {
  const found = place.querySelector(button);
  if (found) found.click();
}

// Streamlit does so a moment after the window has got wider.
function foldOnceOpen() {
  foldSidebar();
  const sidebar = document.querySelector("[data-testid=stSidebar]");
  if (!sidebar) return;
  const opening = new MutationObserver(foldSidebar);
  opening.observe(sidebar, { attributes: true, attributeFilter: ["data-collapsed"] });
  setTimeout(() => opening.disconnect(), OPENING_MS);
}

NARROW_FRAME.addEventListener("change", foldSidebar);
NARROW_STREAMLIT.addEventListener("change", foldOnceOpen);
// The click goes first to what it is meant for.
document.addEventListener("click", ({ target }) => { if (target.closest(".st-key-chart")) setTimeout(foldSidebar, 0); });
