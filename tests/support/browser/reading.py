"""The reader of a document as a person uses it."""

from __future__ import annotations

from tests.support.browser.page import AnnotatePage
from tests.support.browser.profile import WIDE

READ_TITLE = "𐍈 Regulation on the fishing quota for sole"


def in_shadow(expression: str) -> str:
    """A function for the page, of what is in the reader's `root`."""
    return f"""() => {{ const host = [...document.querySelectorAll('*')].find(
        (element) => element.shadowRoot && element.shadowRoot.querySelector('.reader'));
        const root = host.shadowRoot;
        return {expression}; }}"""


class Reading(AnnotatePage):
    """The left half of the page."""

    def open_anew(self, document_id: str) -> None:
        """Leave the document for the start page, forget how it was looked at, and open it again."""
        self.page.set_viewport_size(WIDE)  # type: ignore[arg-type]
        self.page.mouse.move(0, 0)
        self.page.click(".st-key-new button")
        self.page.wait_for_selector(".st-key-welcome")
        self.page.wait_for_selector(".workbench", state="detached")
        self.page.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
        self.page.click(f".documents [data-document='{document_id}'] a")
        self.wait_for_suggestions()

    def ask(self, expression: str) -> object:
        return self.page.evaluate(in_shadow(expression))

    def label(self, concept_id: str):
        row = f"[role=treeitem][data-concept='{concept_id}'] > .row .label"
        return self.page.locator(row).first

    def select(self, concept_id: str, name: str) -> None:
        self.label(concept_id).click()
        heading = in_shadow("root.querySelector('.evidence .head').textContent")
        self.page.wait_for_function(
            f"(name) => ({heading})().includes(`Evidence for ${{name}}`)", arg=name
        )
        self.page.wait_for_selector("mark")

    def upload(self, title: str, text: str) -> None:
        content = f"{title}\n\n{text}".encode()
        file = {"name": "act.txt", "mimeType": "text/plain", "buffer": content}
        self.page.set_input_files(".st-key-uploads input[type=file]", files=[file])
        self.wait_for_suggestions()

    def pane(self, selector: str) -> str:
        return self.page.inner_text(f".reader {selector}")

    def wait_for(self, selector: str, text: str) -> None:
        self.page.locator(f".reader {selector}", has_text=text).wait_for()
