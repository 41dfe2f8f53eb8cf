"""Components that run in the browser, and parts that several screens use.

Scripts and styles lie in `assets/components`, in folders by screen. Scripts are ES modules; a
component takes one, so its entry and all that this imports are joined (see `scripts`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any

import streamlit as st
from pydantic_core import to_json

from core.errors import StrataError
from pages.components.scripts import ASSETS, joined
from pages.serving import current_session, signed_in_person

TAKEN_KEY = "events_taken"  # by component and browser, the number of the last event taken
EVENT_KEY = "event"  # name and value of the event that a callback is called for


@cache
def asset(*names: str) -> str:
    """Return the text of these files, joined."""
    return "\n".join((ASSETS / name).read_text("utf-8") for name in names)


def register(
    name: str, *, folder: str, entry: str, styles: tuple[str, ...] = ()
) -> Callable[..., Any]:
    """Make a component of `name`.html, a script and styles known to this run's server.

    With its data it gets the tab's project, which it names in each of its requests, and which of
    its events were taken: it sends the others again. A callback finds its event by `sent_event`.
    Data go as the bytes of a JSON text, since Streamlit writes what is no bytes as JSON twice a run.

    Args:
        folder: of the component's own files; styles of others are named with theirs.
        entry: the script that mounts it.
    """
    sheets = [file if "/" in file else f"{folder}/{file}" for file in styles]
    component = st.components.v2.component(
        f"strata_{name}",
        html=asset(f"{folder}/{name}.html"),
        css=asset("shared/base.css", *sheets),
        js=joined(f"{folder}/{entry}"),
    )

    def mount(*, data: Mapping[str, Any], key: str, **callbacks: Callable[[], None]) -> object:
        taken = st.session_state.setdefault(TAKEN_KEY, {}).setdefault(key, {})
        events: dict[str, Any] = {
            name: partial(_take_events, key, name, callbacks) for name in callbacks
        }
        content = {
            **data,
            "project": _project_id(),
            "person": signed_in_person(),
            "taken": dict(taken),
        }
        return component(data=to_json(content), key=key, **events)

    return mount


def sent_event(name: str) -> object:
    """Return what the browser sent with the event that is being answered; None for another."""
    event, value = st.session_state.get(EVENT_KEY, ("", None))
    return value if event == name else None


def _take_events(key: str, name: str, callbacks: Mapping[str, Callable[[], None]]) -> None:
    """Call back for each event of a message, once, however often the browser sends it.

    One that comes again when its component has left the page has nothing left to say.
    """
    event = name.removeprefix("on_").removesuffix("_change")
    message = st.session_state.get(key)
    if message is None:
        return
    match message.get(event):
        case {"client": str(client), "waiting": [*waiting]}:
            taken = st.session_state[TAKEN_KEY][key]
            for sent in waiting:
                match sent:
                    case {"number": int(number), "event": str(named), "value": value} if (
                        number > taken.get(client, 0)
                    ):
                        taken[client] = number
                        _call_back(callbacks, named, value)
        case value:
            _call_back(callbacks, event, value)


def _call_back(callbacks: Mapping[str, Callable[[], None]], event: str, value: object) -> None:
    callback = callbacks.get(f"on_{event}_change")
    if callback is not None:
        st.session_state[EVENT_KEY] = (event, value)
        callback()


def _project_id() -> int | None:
    try:
        return current_session().project_id()
    except StrataError:
        return None
