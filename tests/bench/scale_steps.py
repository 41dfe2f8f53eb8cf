"""What is measured over a large store: every page with what can be chosen on it, and every route.

A test holds the lists to the pages and routes that there are.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from pages.screens import SCREENS
from tests.bench.drawn_tab import DrawnTab

Ask = Callable[[], Awaitable[str]]

CONCEPT = "2282"
PAGES = tuple("" if name == "annotate" else name for name, _, _ in SCREENS)
QUESTIONS = (
    "Models and research",
    *("How sure", "What goes wrong"),
    "Decisions here",
)
FORMS, SCOPES = ("jsonl", "tsv"), ("By status", "By batch")
FILES = {
    "/api/annotations": "",
    "/api/audit": "",
    "/api/backup": "",
    "/api/bundle": "",
    "/api/export": "form=csv",
}  # not JSON; they take the time that they need


@dataclass(frozen=True, slots=True)
class Step:
    """Something that is done, and how long it takes.

    Attributes:
        prepare: is done before each time, and not measured.
        counts: whether the page may count in the background, which is waited for behind it.
    """

    name: str
    ask: Ask
    prepare: Ask | None = None
    counts: bool = False


def route_steps(tab: DrawnTab, document_id: str) -> list[Step]:
    """Return what asks each route that answers in JSON, named by its path."""
    document = {"document": document_id}
    concept = document | {"concept": CONCEPT}
    place = document | {"field": "text", "start": "0", "end": "40"}
    asked: dict[str, Mapping[str, str]] = {
        "/api/health": {},
        "/api/search": {"q": "fish"},
        "/api/concept": {"id": CONCEPT},
        "/api/narrower": {},
        "/api/outline": {"id": CONCEPT},
        "/api/decisions": document,
        "/api/below": concept | {"id": CONCEPT},
        "/api/check": document,
        "/api/hints": document,
        "/api/evidence": concept,
        "/api/support": place,
        "/api/without": concept | place,
    }

    def step(path: str, query: Mapping[str, str]) -> Ask:
        async def ask() -> str:
            return (await tab.ask(f"{path[1:]}?{urlencode(query)}"))[0]

        return ask

    return [Step(path, step(path, query)) for path, query in asked.items()]


def decision_steps(tab: DrawnTab, document_id: str) -> list[Step]:
    """Return what decides, finishes a document, and opens it again; each time as a new client."""

    def step(action: str, **more: object) -> Ask:
        async def ask() -> str:
            operation = {"sequence": 1, "action": action, **more}
            client = f"scale{time.time_ns()}"
            batch = {"client": client, "document_id": document_id, "operations": [operation]}
            message = {"document": document_id, "batches": [batch]}
            status, answer = await tab.ask("api/decisions", message)
            receipt = answer.get("receipts", {}).get(client, {})
            is_stored = receipt.get("settled") == [1] and not receipt["refused"]
            return status if is_stored else f"{status}, but not stored"

        return ask

    def before(ask: Ask) -> Ask:
        async def prepare() -> str:
            await ask()  # refused where it is so already
            return "200"

        return prepare

    finish, reopen = step("finish"), step("reopen")
    return [
        Step("decide", step("accept", concept_id=CONCEPT)),
        Step("finish", finish, before(reopen)),
        Step("reopen", reopen, before(finish)),
    ]


def page_steps(tab: DrawnTab, document_id: str) -> list[Step]:
    """Return what is done on all pages, in order."""
    opened = urlencode({"document": document_id})

    def page(name: str, query: str = "") -> Ask:
        return lambda: tab.run_page(query, name)

    def chosen(key: str, value: bool | str | list[str]) -> Ask:
        return lambda: tab.set(key, value)

    steps = [Step(f"{name or 'annotate'}", page(name)) for name in PAGES]
    steps += [
        Step("annotate, a document", page("", opened)),
        Step("annotate, its chart", lambda: tab.press("chart")),
        Step("documents, one title", chosen("documents_find", "act 4711"), page("documents")),
        Step("documents, many titles", chosen("documents_find", "herring"), page("documents")),
        Step("documents, to the bin", _table(tab, "remove", document_id), page("documents")),
        Step("documents, out of it", _table(tab, "restore", document_id), page("documents")),
        Step("documents, reopened", _table(tab, "reopen", document_id), page("documents")),
        Step(
            "documents, branches", chosen("branches_count_1", True), page("documents"), counts=True
        ),
        Step("documents, branches of a batch", chosen("branches_batch", "batch 3"), counts=True),
    ]
    steps += [
        Step(f"insights, {name.lower()}", chosen("insights_part", [name]), page("insights"))
        for name in QUESTIONS
    ]
    steps += [Step("insights, counted", chosen("insights_count_1", True), counts=True)]
    steps += [
        Step(f"export, {form}", chosen("export_form", [form]), page("export")) for form in FORMS
    ]
    steps += [
        Step(f"export, {name.lower()}", chosen("export_documents", [name]), page("export"))
        for name in SCOPES
    ]
    steps += [
        Step("export, a batch counted", chosen("export_count_1", True), counts=True),
        Step("settings, health", lambda: tab.press("health_look"), page("settings")),
    ]
    return steps


def _table(tab: DrawnTab, action: str, document_id: str) -> Ask:
    act = {"action": action, "ids": [document_id], "comments": {}}
    return lambda: tab.send("strata_documents_table", "act", act)
