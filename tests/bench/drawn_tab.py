"""A tab that looks at what is drawn: it works widgets by their keys, and finds errors on a page."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping
from typing import Any

from streamlit.proto.Alert_pb2 import Alert
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Delta_pb2 import Delta
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection

from tests.bench.tab import ANSWER_SECONDS, NOT_FINISHED, Tab

WRONG = "error on the page"
EVENTS = "$$STREAMLIT_INTERNAL_KEY_{}__events"


class DrawnTab(Tab):
    """As `Tab`, with the widgets and the elements of the page that was drawn last."""

    def __init__(self, url: str, headers: Mapping[str, str]) -> None:
        super().__init__(url, headers)
        self._page = ("", "")
        self._ids: dict[str, str] = {}
        self._states: dict[str, WidgetState] = {}
        self.kinds: list[str] = []
        self.wrong: list[str] = []

    async def run_page(self, query: str, page: str = "") -> str:
        """Have a page run; what was set on another page is forgotten."""
        self._page, self._states = (query, page), {}
        return await self._run()

    async def set(self, key: str, value: bool | str | list[str]) -> str:
        """Give a widget a value, and have the page run."""
        state = WidgetState(id=self._ids[key])
        match value:
            case bool():
                state.bool_value = value
            case str():
                state.string_value = value
            case _:
                state.string_array_value.data[:] = value
        self._states[key] = state
        return await self._run()

    async def press(self, key: str) -> str:
        """Press a button."""
        return await self._run(WidgetState(id=self._ids[key], trigger_value=True))

    async def send(self, component: str, event: str, value: object) -> str:
        """Fire a component's event."""
        sent = json.dumps([{"event": event, "value": value}])
        own = self._ids[component]
        return await self._run(
            WidgetState(id=own, json_value="{}"),
            WidgetState(id=EVENTS.format(own), json_trigger_value=sent),
        )

    async def again(self) -> str:
        """Have the page run once more, as it is."""
        return await self._run()

    async def _run(self, *triggers: WidgetState) -> str:
        async with asyncio.timeout(ANSWER_SECONDS):
            if self._socket is None:
                self._socket = await self._connected()
            message = BackMsg()
            message.rerun_script.query_string, message.rerun_script.page_name = self._page
            message.rerun_script.widget_states.widgets.extend([*self._states.values(), *triggers])
            await self._socket.send(message.SerializeToString())
            status = await self._end_of_run(self._socket)
        return WRONG if self.wrong else status

    async def _end_of_run(self, socket: ClientConnection) -> str:
        self.kinds, self.wrong = [], []
        async for message in socket:
            if isinstance(message, str):
                continue
            parsed = ForwardMsg.FromString(message)
            if parsed.WhichOneof("type") == "delta":
                self._look(parsed.delta)
            if parsed.WhichOneof("type") == "script_finished":
                match parsed.script_finished:
                    case ForwardMsg.FINISHED_SUCCESSFULLY:
                        return "200"
                    case ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                        self.kinds, self.wrong = [], []
                        continue
                return ForwardMsg.ScriptFinishedStatus.Name(parsed.script_finished)
        return NOT_FINISHED

    def _look(self, delta: Delta) -> None:
        """Note the widgets and errors that are drawn."""
        if delta.WhichOneof("type") != "new_element":
            return
        kind = delta.new_element.WhichOneof("type")
        drawn: Any = getattr(delta.new_element, kind) if kind else None
        self.kinds.append(str(kind))
        if kind == "exception":
            self.wrong.append(f"{drawn.type}: {drawn.message}")
        if kind == "alert" and drawn.format == Alert.ERROR:
            self.wrong.append(drawn.body)
        found = getattr(drawn, "id", "")
        if found.startswith("$$ID-"):
            self._ids[found.split("-", 2)[2]] = found
        if kind == "bidi_component":
            self._ids[drawn.component_name] = found


async def until_counted(tab: DrawnTab, most_seconds: float) -> float:
    """Wait until no progress is on a page, and return for how many seconds that was."""
    began = time.monotonic()
    while "progress" in tab.kinds and time.monotonic() < began + most_seconds:
        await asyncio.sleep(1)
        await tab.again()
    return time.monotonic() - began
