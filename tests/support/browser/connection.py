"""The connection of a tab to the server, whose messages a test holds back as a slow network does."""

from __future__ import annotations

from playwright.sync_api import Page, WebSocketRoute
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

LOOK_MS = 20
MOST_LOOKS = 6_000  # two minutes


class Connection:
    """Passes messages on in their order, and keeps those of one direction while it is told to.

    The page must be opened after it is made.
    """

    def __init__(self, page: Page) -> None:
        self.page = page
        self.holds_answers = False
        self.holds_requests = False
        self.answers: list[tuple[WebSocketRoute, str | bytes]] = []
        self.requests: list[tuple[WebSocketRoute, str | bytes]] = []
        page.route_web_socket("**/_stcore/stream", self._connect)

    def _connect(self, tab: WebSocketRoute) -> None:
        server = tab.connect_to_server()
        server.on_message(lambda message: self._answer(tab, message))
        tab.on_message(lambda message: self._request(server, message))

    def _answer(self, tab: WebSocketRoute, message: str | bytes) -> None:
        if self.holds_answers:
            self.answers.append((tab, message))
        else:
            tab.send(message)

    def _request(self, server: WebSocketRoute, message: str | bytes) -> None:
        if self.holds_requests:
            self.requests.append((server, message))
        else:
            server.send(message)

    def wait_for_whole_runs(self, n_runs: int = 1) -> None:
        """Wait until so many runs of the whole page have ended of which the page knows nothing."""
        for _ in range(MOST_LOOKS):
            ended = sum(_is_end_of_run(message) for _, message in self.answers)
            if ended >= n_runs:
                return
            self.page.wait_for_timeout(LOOK_MS)
        raise AssertionError(f"{ended} runs of the whole page in {len(self.answers)} messages")

    def release_all_but_the_end(self) -> None:
        """Pass on what the whole page is drawn from, while it goes on as if more were to come."""
        end = max(n for n, (_, message) in enumerate(self.answers) if _is_end_of_run(message))
        drawn, self.answers[:] = self.answers[:end], self.answers[end:]
        for receiver, message in drawn:
            receiver.send(message)

    def release(self) -> None:
        """Pass on what was held back, and everything that comes after it."""
        self.holds_answers = self.holds_requests = False
        held = [*self.answers, *self.requests]
        self.answers.clear()
        self.requests.clear()
        for receiver, message in held:
            receiver.send(message)


def _is_end_of_run(message: str | bytes) -> bool:
    if isinstance(message, str):
        return False
    parsed = ForwardMsg.FromString(message)
    finished = ForwardMsg.ScriptFinishedStatus.FINISHED_SUCCESSFULLY
    return parsed.WhichOneof("type") == "script_finished" and parsed.script_finished == finished
