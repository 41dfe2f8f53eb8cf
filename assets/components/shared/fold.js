// On a narrow screen the sidebar lies over the page: it is folded away at first, and again once
// something in it has led to another page or document.

const NARROW_FRAME = matchMedia("(max-width: 1100px)");

export function foldSidebar() {
  const sidebar = document.querySelector("[data-testid=stSidebar]");
  if (NARROW_FRAME.matches && sidebar && sidebar.dataset.collapsed === "false") {
    const button = sidebar.querySelector("[data-testid=stSidebarCollapseButton] button");
    if (button) button.click();
  }
  document.body.dataset.sidebarFolds = "true";
}
