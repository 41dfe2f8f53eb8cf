"""Four documents from upload to export, by keyboard alone."""

from __future__ import annotations

import csv
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import FileChooser, Page

from tests.browser.conftest import OpenPage
from tests.support.browser.acts import ACTS, HERRING, HONEY, SOLE, TICKETS
from tests.support.browser.keyboard_user import KeyboardUser
from tests.support.browser.server import Server

pytestmark = pytest.mark.browser

MOST_TRIES = 6
MARKS = ".reader mark"
SAVED = ".workbench[data-pending='0']"


def test_four_documents_are_worked_through_by_keyboard_alone(
    hundreds_server: Server, open_page: OpenPage, tmp_path: Path
) -> None:
    # Here things move as they do for most people; elsewhere, less is drawn.
    page = open_page(hundreds_server, reduced_motion="no-preference").page
    user = KeyboardUser(page)
    upload(user, tmp_path)
    work = {HERRING: on_herring, SOLE: on_sole, HONEY: on_honey, TICKETS: on_tickets}
    left = dict(work)
    while left:
        wait_for_tree(page)
        act = next(act for act in left if act.title == page.inner_text(".reader h1"))
        left.pop(act)(user)
        finish(user, last=not left)
    page.wait_for_selector(SAVED)
    assert decided(hundreds_server) == {
        HERRING.name: {("101", "accepted", 1), ("102", "accepted", 0), ("202", "rejected", 0)},
        SOLE.name: {("103", "accepted", 0), ("104", "rejected", 0)},
        HONEY.name: {("201", "accepted", 0), ("101", "accepted", 0)},
        TICKETS.name: {("302", "accepted", 0), ("m2", "excluded", 0)},
    }
    assert set(statuses(hundreds_server).values()) == {"finished"}
    assert accepted_in(export(user)) == {
        (HERRING.title, "fishing quota"),
        (HERRING.title, "herring"),
        (SOLE.title, "sea fish"),
        (HONEY.title, "honey"),
        (HONEY.title, "fishing quota"),
        (TICKETS.title, "travel ticket"),
    }


def upload(user: KeyboardUser, folder: Path) -> None:
    """Choose four files in the dialog that the upload button opens."""
    paths = [folder / f"{act.name}.txt" for act in ACTS]
    for path, act in zip(paths, ACTS, strict=True):
        path.write_text(f"{act.title}\n\n{act.text}", "utf-8")
    opened: list[FileChooser] = []
    user.page.on("filechooser", lambda chooser: opened.append(chooser))
    for _ in range(MOST_TRIES):  # the page may be drawn again under the fingers
        user.tab_to("button", "upload")
        user.press("Enter")
        user.page.wait_for_timeout(1000)
        if opened:
            break
    opened[0].set_files(paths)


def wait_for_tree(page: Page) -> None:
    """The suggestions are there, and the keys go to them."""
    page.wait_for_selector("[role=treeitem].suggested")
    page.wait_for_selector(".workbench[data-finished=false]")


def on_herring(user: KeyboardUser) -> None:
    """Read the evidence, accept with the keys, mark a main topic, reject."""
    in_the_tree(user)
    user.row("fishing quota")
    user.page.wait_for_selector(MARKS)
    marked = {text.lower() for text in user.page.locator(MARKS).all_inner_texts()}
    assert marked
    assert marked <= {"fishing", "quota", "catch", "limit"}
    user.press("a")
    user.row("fishing quota")
    user.press("m")
    user.row("herring")
    user.press("a")
    user.row("labelling of food")
    user.press("r")


def on_sole(user: KeyboardUser) -> None:
    """Give a concept up for the broader one, whose own probability stands there."""
    in_the_tree(user)
    user.row("sole")
    user.press("b")
    prompt = user.page.wait_for_selector(".prompt:not([hidden])")
    assert prompt is not None
    assert "sea fish" in prompt.inner_text()
    assert "%" in prompt.inner_text()
    user.press("Enter")


def on_honey(user: KeyboardUser) -> None:
    """Add what was not suggested, take it back, add it again."""
    in_the_tree(user)
    user.row("honey")
    user.press("a")
    add_by_search(user, "catch lim")
    user.page.wait_for_selector("[role=treeitem][data-concept='101'][data-state=accepted]")
    in_the_tree(user)
    user.press("z")
    user.page.wait_for_selector(SAVED)  # until then the row may come back for a moment
    user.page.wait_for_selector(
        "[role=treeitem][data-concept='101'][data-state=accepted]", state="detached"
    )
    add_by_search(user, "catch lim")
    user.page.wait_for_selector("[role=treeitem][data-concept='101'][data-state=accepted]")


def on_tickets(user: KeyboardUser) -> None:
    """Accept, rule a branch out, and do so again after an undo."""
    in_the_tree(user)
    user.row("travel ticket")
    user.press("a")
    user.row("labelling of food")
    user.press("l")  # foodstuffs is folded into its row
    user.row("foodstuffs")
    user.press("Shift+R", "z")
    user.page.wait_for_selector(SAVED)  # until then it may be excluded again for a moment
    user.page.wait_for_selector("[data-concept=m2]:not([data-state=excluded])")
    user.row("foodstuffs")
    user.press("Shift+R")


def add_by_search(user: KeyboardUser, letters: str) -> None:
    user.press("/")
    user.page.keyboard.type(letters)
    answered = f"[role=listbox][data-query='{letters}']"
    user.page.wait_for_selector(f"{answered} [role=option][aria-selected=true]")
    user.press("Enter")


def in_the_tree(user: KeyboardUser) -> None:
    """Tab into the tree, unless the focus is there."""
    if not user.focus.startswith("treeitem"):
        user.tab_to("treeitem")


def finish(user: KeyboardUser, *, last: bool) -> None:
    """Finish, and see the next document come, or be told that there is none."""
    title = user.page.inner_text(".reader h1")
    in_the_tree(user)
    user.press("Shift+Enter")
    if last:
        user.page.get_by_text("That was the last one").first.wait_for()
    else:
        user.page.wait_for_function(
            """(title) => ![...document.querySelectorAll('*')].some((host) => host.shadowRoot
                && [...host.shadowRoot.querySelectorAll('.reader h1')].some((h) => h.innerText === title))""",
            arg=title,
        )


def export(user: KeyboardUser) -> str:
    """Go to the Export page, and press its download button."""
    user.tab_to("a", "export")
    user.press("Enter")
    user.page.wait_for_selector(".st-key-export_download button")
    user.tab_to("button", "download")
    with user.page.expect_download() as download:
        user.press("Enter")
    return Path(download.value.path()).read_text("utf-8-sig")


def accepted_in(text: str) -> set[tuple[str, str]]:
    rows = csv.DictReader(text.splitlines())
    return {(row["title"], row["label"]) for row in rows if row["decision"] == "accepted"}


def decided(server: Server) -> dict[str, set[tuple[str, str, int]]]:
    """Concept, state and main topic by document."""
    query = "SELECT document_id, concept_id, state, main FROM decision"
    found: dict[str, set[tuple[str, str, int]]] = {}
    for document_id, concept_id, state, main in ask(server, query):
        found.setdefault(document_id, set()).add((concept_id, state, int(main)))
    return found


def statuses(server: Server) -> dict[str, str]:
    query = "SELECT document_id, CASE WHEN finished_at IS NULL THEN 'open' ELSE 'finished' END FROM document"
    return dict(ask(server, query))


def ask(server: Server, query: str) -> list[tuple[str, ...]]:
    with closing(sqlite3.connect(server.home / "strata.sqlite", timeout=30)) as connection:
        return connection.execute(query).fetchall()
