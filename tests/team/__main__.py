"""A team through its proxy, as compose's profile `team` has it: `python -m tests.team --sessions 50`.

First sessions of two projects decide on the fake model, and an app is killed in the middle and
started again. Then, with `--load`, sessions work on the shipped bundle as in `tests.bench.load`, on one
process and on two behind the proxy, both on PostgreSQL, in turns.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
import sys
import tempfile
from pathlib import Path

import numpy as np

from tests.bench.load import ALLOCATOR, MIX, Load, prepare, wait_until_read
from tests.support.postgres import running_postgres
from tests.team.proxied import Team, running
from tests.team.rounds import run_round


def main() -> int:
    """Print what was found; 1 where anything was lost, doubled, or in the wrong place."""
    parser = argparse.ArgumentParser(prog="python -m tests.team", description=__doc__)
    parser.add_argument("--sessions", type=int, default=50)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--load", type=int, default=0, metavar="ROUNDS")
    options = parser.parse_args()
    is_whole = True
    if not options.load:
        with running_postgres() as postgres, tempfile.TemporaryDirectory() as folder:
            found = run_round(
                Path(folder),
                postgres.database(),
                sessions=options.sessions,
                seconds=options.seconds,
            )
        sys.stdout.write(f"{found}\n")
        wrong = [*found.decisions.problems(), *found.problems]
        is_whole = not wrong and not found.elsewhere and not found.let_in
    for _ in range(options.load):
        for n in (1, 2):
            measure(n, options.sessions, options.seconds)
    return 0 if is_whole else 1


def measure(n: int, n_sessions: int, seconds: int) -> None:
    """Print how quickly so many processes answer."""
    with running_postgres() as postgres, tempfile.TemporaryDirectory() as folder:
        url = postgres.database()
        document_ids = prepare(url)
        with running(Team(Path(folder), url, fake=False, n=n, **ALLOCATOR)) as team:
            team.servers[0].wait_for_model()
            wait_until_read(url)
            # One process is asked without the proxy, as those who run Strata alone do.
            load = Load(team if n > 1 else team.servers[0], document_ids)  # type: ignore[arg-type]
            asyncio.run(_run(load, n_sessions, seconds))
    sys.stdout.write(
        f"{n} process{'es' * (n > 1)}, {n_sessions} sessions, load {os.getloadavg()}\n"
    )
    for kind in MIX:
        if load.seconds[kind]:
            p50, p95 = 1000 * np.percentile(load.seconds[kind], [50, 95])
            said = f"{len(load.seconds[kind]):6}  p50 {p50:5.0f} ms  p95 {p95:6.0f} ms"
            sys.stdout.write(f"  {kind:9}{said}  {dict(load.statuses[kind])}\n")
    sys.stdout.flush()


async def _run(load: Load, n_sessions: int, seconds: int) -> None:
    gc.disable()
    sessions = [asyncio.create_task(load.run(number)) for number in range(n_sessions)]
    await asyncio.sleep(seconds)
    load.is_over.set()
    await asyncio.gather(*sessions)


if __name__ == "__main__":
    sys.exit(main())
