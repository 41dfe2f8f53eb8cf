from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

from sqlalchemy import select

from core.review.decisions.recording import (
    Operation,
    current,
)
from core.review.store.predictions import save_prediction
from core.review.store.store import Store
from core.review.store.tables import decision_event
from tests.support.stores import (
    acknowledged,
    prediction,
    send,
    states,
)


def test_a_decision_is_stored_quickly_on_a_document_with_a_long_past(store: Store) -> None:
    save_prediction(store, "act", prediction(300), settings={})
    past = [Operation(i, ("accept", "reject")[i % 2], f"c{i % 300 + 1}") for i in range(1, 1001)]
    send(store, *past)
    assert len(states(store)) == 300
    seconds = []
    for sequence in range(1001, 1101):
        started = time.process_time()
        send(store, Operation(sequence, "accept", f"c{sequence - 1000}"))
        seconds.append(time.process_time() - started)
    assert sorted(seconds)[50] < 0.01  # 2 ms on an idle core


N_KILLS = int(os.environ.get("STRATA_KILLS", "2"))  # `make torture` asks for two hundred
CLICKING = """
import sys
from core.review.decisions.recording import record
from core.review.store.people import default_person
from core.review.store.store import Store

store = Store.open(sys.argv[1])
me = default_person(store).person_id
for first in range(int(sys.argv[2]), 10**9):
    # As the browser does: what may not have arrived is sent again with the new one.
    queue = [
        {"sequence": n, "action": "accept", "concept_id": f"c{n}"} for n in (first, first + 1)
    ]
    receipt = record(
        store, document_id="act", person_id=me, client_id="tab", operations=queue
    )
    print(*receipt.stored, flush=True)
"""


def test_what_was_acknowledged_survives_sigkill_and_is_there_once(
    store: Store, tmp_path: Path
) -> None:
    chance, url = random.Random(3), f"sqlite:///{tmp_path}/strata.sqlite"
    told: set[int] = set()
    for _ in range(N_KILLS):
        process = subprocess.Popen(
            [sys.executable, "-c", CLICKING, url, str(max(told, default=1))],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        lines = [process.stdout.readline()]
        time.sleep(chance.uniform(0.01, 0.3))
        process.send_signal(signal.SIGKILL)
        lines += process.stdout.readlines()
        process.stdout.close()
        process.wait()
        whole = [line for line in lines if line.endswith("\n")]
        told.update(int(number) for line in whole for number in line.split())
    assert len(told) > 10
    with store.read() as connection:
        stored = list(connection.scalars(select(decision_event.c.sequence)))
    assert len(stored) == len(set(stored))
    assert told <= set(stored)
    assert len(set(stored) - told) <= 2 * N_KILLS  # stored, but killed before it could say so
    assert set(current(store, "act")) == {f"c{number}" for number in stored}
    assert acknowledged(store, "tab") == max(stored)
