"""Clients that decide over HTTP as the browser does: each message carries all that is not settled."""

from __future__ import annotations

import http.client
import json
import random
import threading
import time
from collections import Counter
from collections.abc import Sequence
from typing import Any

from tests.bench.load_people import BenchPerson
from tests.support.fakes import ROWS
from tests.torture.ledger import Ledger, Sent

CONCEPTS = tuple(concept_id for concept_id, *_ in ROWS if concept_id.isdigit())
ANSWER_SECONDS = 60.0
MOST_WAITING = 20  # decisions; who cannot save any stops deciding
RETRY_SECONDS = 0.05


class Client(threading.Thread):
    """Decides on one document until it is told to stop, and sends until all is settled.

    Attributes:
        port: of the server that it talks to; may change at any time.
        unanswered: messages whose connection ended without an answer.
        refusals: sentences with which a message was refused for a while.
        problems: answers that no client can make anything of.
        headers: what every request carries; the cookie of a proxy is kept among them.
    """

    def __init__(
        self,
        name: str,
        document_id: str,
        port: int,
        rng: random.Random,
        person: BenchPerson | None = None,
    ) -> None:
        super().__init__(name=name, daemon=True)
        self.ledger = Ledger(name, person_id=person.person_id if person else None)
        self.document_id = document_id
        self.port = port
        self.rng = rng
        self.unanswered = 0
        self.refusals: Counter[str] = Counter()
        self.problems: list[str] = []
        self.stopped = threading.Event()
        self.given_up = threading.Event()
        self.headers = dict(person.headers) if person else {}
        self._queue: list[Sent] = []

    def run(self) -> None:
        while not self.given_up.is_set() and (self._queue or not self.stopped.is_set()):
            if not self.stopped.is_set() and len(self._queue) < MOST_WAITING:
                self._decide(self.rng.randint(1, 3))
            pause = self.rng.uniform(0.0, 0.04) if self._send() else RETRY_SECONDS
            self.given_up.wait(pause)

    def _decide(self, number: int) -> None:
        for _ in range(number):
            made = Sent(
                len(self.ledger.sent) + 1,
                self.rng.choice(("accept", "reject")),
                self.rng.choice(CONCEPTS),
            )
            self.ledger.sent.append(made)
            self._queue.append(made)

    def _send(self) -> bool:
        """Send what is not settled; whether it was taken."""
        message = {
            "batches": [
                {
                    "client": self.name,
                    "document_id": self.document_id,
                    "operations": [made._asdict() for made in self._queue],
                }
            ],
            "document": self.document_id,
            "after": -1,
            "lang": "en",
        }
        try:
            status, answer = post(self.port, message, self.headers)
        except (OSError, http.client.HTTPException):
            self.unanswered += 1
            return False
        return self._settle(status, answer)

    def _settle(self, status: int, answer: dict[str, Any]) -> bool:
        sentence = answer.get("problem")
        if status != 200 or sentence:
            if status in (200, 500, 503) and isinstance(sentence, str) and sentence.strip():
                self.refusals[sentence] += 1
            else:
                self.problems.append(f"{status} {json.dumps(answer)[:200]}")
        receipt = answer.get("receipts", {}).get(self.name, {"settled": [], "refused": []})
        self.problems += [f"refused: {refusal}" for refusal in receipt["refused"]]
        settled = set(receipt["settled"])
        self.ledger.acknowledged |= settled
        self._queue = [made for made in self._queue if made.sequence not in settled]
        return bool(settled)


def post(
    port: int, message: dict[str, Any], kept: dict[str, str] | None = None
) -> tuple[int, dict[str, Any]]:
    """Send decisions to a server, and return status and answer.

    Args:
        kept: further headers; a cookie that comes with the answer is kept there.
    Raises:
        OSError, http.client.HTTPException: no whole answer came.
    """
    connection = http.client.HTTPConnection("localhost", port, timeout=ANSWER_SECONDS)
    try:
        headers = {"Content-Type": "application/json", **(kept or {})}
        connection.request("POST", "/api/decisions", json.dumps(message), headers)
        response = connection.getresponse()
        content = response.read()
        if kept is not None and (cookie := response.getheader("Set-Cookie")):
            kept["Cookie"] = cookie.partition(";")[0]
    finally:
        connection.close()
    try:
        answer = json.loads(content)
    except ValueError:
        answer = {"text": content.decode(errors="replace")}
    return response.status, answer if isinstance(answer, dict) else {"text": str(answer)}


def finish(clients: Sequence[Client], seconds: float) -> list[str]:
    """Let clients send what they have, and stop; the names of those that could not."""
    for client in clients:
        client.stopped.set()
    deadline = time.monotonic() + seconds
    for client in clients:
        client.join(max(0.0, deadline - time.monotonic()))
    late = [client.name for client in clients if client.is_alive()]
    for client in clients:
        client.given_up.set()
        client.join(ANSWER_SECONDS)
    return late
