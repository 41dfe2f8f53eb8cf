"""What a person does and sees on a page, as Streamlit runs it without a browser."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from starlette.applications import Starlette
from starlette.testclient import TestClient
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Element, TextArea, TextInput

from core.api import routes
from core.documents.document import Document
from core.paths import PROJECT_ROOT
from core.review.store.arrivals import add_document
from core.serving.choosing import wait_until_loaded
from core.serving.session import Session
from pages import serving
from tests.support.fakes import load_nothing_ahead

EXAMPLE = "example-fishing-quotas"


def installed(place: Session) -> Iterator[Session]:
    serving.install(place.server)
    load_nothing_ahead(place.server.registry)
    place.server.start()
    wait_until_loaded(place, 30)
    yield place
    serving.install(None)
    place.server.close()


def fresh_page(document_id: str | None = None, *, project_id: int | None = None) -> AppTest:
    page = AppTest.from_file(str(PROJECT_ROOT / "streamlit_app.py"), default_timeout=120)
    for name, value in {"document": document_id, "project": project_id}.items():
        if value is not None:
            page.query_params[name] = str(value)
    return run(page)


def run(page: AppTest | Element) -> AppTest:
    """Run a page, or that of a widget that was just used."""
    page = page.run()
    assert not page.exception, page.exception
    return page


def turn_to(page: AppTest, name: str) -> AppTest:
    """Turn to another page of the program."""
    return run(page.switch_page(str(PROJECT_ROOT / "pages" / f"{name}.py")))


def click(page: AppTest, key: str) -> AppTest:
    return run(page.button(key=key).click())


def title_field(page: AppTest) -> TextInput:
    """The title of the form for a new document, whichever form of the session it is."""
    (field,) = (field for field in page.text_input if str(field.key).startswith("new_title_"))
    return field


def text_field(page: AppTest) -> TextArea:
    """Its text."""
    (field,) = (field for field in page.text_area if str(field.key).startswith("new_text_"))
    return field


def component(page: AppTest, name: str) -> Any:
    found = [
        element.proto
        for element in page.get("bidi_component")
        if element.proto.component_name == f"strata_{name}"
    ]
    assert len(found) == 1, f"{len(found)} components {name}"
    return found[0]


def data(page: AppTest, name: str) -> dict[str, Any]:
    """What the page gives to a component."""
    return json.loads(component(page, name).bytes)


def send(page: AppTest, name: str, event_name: str, value: object) -> AppTest:
    """Fire a component's trigger."""
    return fire(page, component(page, name).id, event_name, value)


def fire(page: AppTest, component_id: str, event_name: str, value: object) -> AppTest:
    """Fire the trigger of a component, which may have left the page since.

    Streamlit's tests have no public way for it yet.
    """
    states = WidgetStates()
    state = states.widgets.add()
    state.id = f"$$STREAMLIT_INTERNAL_KEY_{component_id}__events"
    state.json_trigger_value = json.dumps([{"event": event_name, "value": value}])
    page._run(states)
    assert not page.exception, page.exception
    return page


def deliver(page: AppTest, batches: object) -> dict[str, Any]:
    """Send decisions as the browser does from this page, and draw the page anew."""
    app = TestClient(Starlette(routes=routes(serving.running_server())))
    message = {"document": opened(page), "after": -1, "lang": "en", "batches": batches}
    answer = app.post("/api/decisions", json=message)
    assert answer.status_code == 200
    run(page)
    found: dict[str, Any] = answer.json()
    return found


def batch(document_id: str, *operations: tuple[int, str, str]) -> list[dict[str, Any]]:
    named = [
        {"sequence": sequence, "action": action, "concept_id": concept_id}
        for sequence, action, concept_id in operations
    ]
    return [{"client": "tab", "document_id": document_id, "operations": named}]


def states(tree: dict[str, Any]) -> dict[str, str]:
    return {concept_id: decision["state"] for concept_id, decision in tree["decisions"].items()}


def errors(page: AppTest) -> list[str]:
    return [element.value for element in page.error]


def opened(page: AppTest) -> str | None:
    found = page.query_params.get("document")
    return found[0] if isinstance(found, list) else found


def add(shared: Session, title: str, text: str) -> str:
    document = Document.from_text("", title, text)
    return add_document(shared.server.store(), document, project_id=shared.project_id())
