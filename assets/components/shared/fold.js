// On a narrow screen the sidebar lies over the page: it is folded away at first, when the window gets
// narrow, and once something in it has led to a chart or to another page or document. In a window that
// gets wide again, it comes back.

const NARROW_FRAME = matchMedia("(max-width: 1100px)");
let folded = false;   // by this script, and so to be opened by it

export function foldSidebar() {
  const sidebar = document.querySelector("[data-testid=stSidebar]");
  if (NARROW_FRAME.matches && sidebar && sidebar.dataset.collapsed === "false") {
    press(sidebar, "[data-testid=stSidebarCollapseButton] button");
    folded = true;
  }
  document.body.dataset.sidebarFolds = "true";
}

function followWidth() {
  if (NARROW_FRAME.matches) { foldSidebar(); return; }
  if (folded) press(document, "[data-testid=stExpandSidebarButton]");
  folded = false;
}

function press(place, button) {
  const found = place.querySelector(button);
  if (found) found.click();
}

// The click goes first to what it is meant for.
function followClick({ target }) {
  if (target.closest(".st-key-chart")) setTimeout(foldSidebar, 0);
}

NARROW_FRAME.addEventListener("change", followWidth);
document.addEventListener("click", followClick);
