"""A person who has a keyboard and no mouse."""

from __future__ import annotations

from playwright.sync_api import Page

MOST_TABS = 150
MOST_ROWS = 60
# What a screen reader would call the element that has the focus, also inside shadow roots.
FOCUSED_NAME = """() => {
    let node = document.activeElement;
    while (node && node.shadowRoot && node.shadowRoot.activeElement) node = node.shadowRoot.activeElement;
    if (!node || node === document.body) return '';
    const labelled = (node.getAttribute('aria-labelledby') || '').split(' ')
        .map((id) => id && node.getRootNode().getElementById(id)).filter(Boolean)
        .map((one) => one.textContent).join(' ');
    const label = node.labels && node.labels[0] ? node.labels[0].textContent : '';
    return [node.getAttribute('role') || node.localName, labelled || node.getAttribute('aria-label')
        || label || node.textContent || ''].join(': ').trim().slice(0, 300);
}"""


class KeyboardUser:
    """Presses keys, and never touches a mouse."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def type(self, text: str) -> None:
        """Type, or insert as one's clipboard does."""
        self.page.keyboard.insert_text(text)

    @property
    def focus(self) -> str:
        """Role and name of what has the focus."""
        return str(self.page.evaluate(FOCUSED_NAME))

    def tab_to(self, role: str, words: str = "") -> None:
        """Press Tab until something of this role, with these words in its name, has the focus."""
        seen = []
        for _ in range(MOST_TABS):
            self.press("Tab")
            seen.append(self.focus)
            if seen[-1].startswith(f"{role}:") and words.lower() in seen[-1].lower():
                return
        raise AssertionError(f"no {role} {words!r} by Tab, but {list(dict.fromkeys(seen))}")

    def row(self, label: str) -> None:
        """Go down the tree, which has the focus, to the first row of this label."""
        self.press("Home")
        seen = []
        for _ in range(MOST_ROWS):
            seen.append(self.focus)
            if seen[-1].startswith(f"treeitem: {label},"):
                return
            self.press("ArrowDown")
        raise AssertionError(f"no row {label!r} in {list(dict.fromkeys(seen))}")
