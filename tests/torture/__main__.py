"""`python -m tests.torture --kills N [--seconds N] [--seed N] [--only NAME …]`: kill, and count.

Each scenario runs on SQLite and on PostgreSQL where both matter; the kills, and the seconds where
these are bounded, are divided among them. The same seed gives the same choices, but not the same
moments: those are up to the machine.

Reading order: `ledger` (what was sent, acknowledged and stored), `clients` (who decides),
`installation` (a home with its servers), `programs` (commands to kill), `harness` (what a scenario
gets), and the scenarios: `deciding`, `commands`, `resuming`, `faults`.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from tests.support.postgres import PostgresServer, missing_postgres, running_postgres
from tests.torture.commands import backing_up, importing, migrating, restoring
from tests.torture.deciding import deciding, two_servers
from tests.torture.faults import clock_set_back, disk_full, locked, read_only
from tests.torture.harness import NEITHER, POSTGRESQL, SQLITE, Outcome, Run, Scenario, perform
from tests.torture.resuming import predicting, training

BOTH = (SQLITE, POSTGRESQL)
LONG_SECONDS = 900.0  # runs of more have time for a lock of a minute
COLUMNS = (
    *("scenario", "store", "faults", "sent", "acknowledged", "stored", "lost", "doubled"),
    *("out of order", "misnamed", "integrity", "left", "seconds"),
)


class Entry(NamedTuple):
    """A scenario, the databases that it runs on, and its share of the kills and the seconds."""

    scenario: Scenario
    stores: tuple[str, ...]
    weight: float

    @property
    def name(self) -> str:
        return self.scenario.__name__.replace("_", "-")


# A lock of a minute weighs little, as the seconds of one are many.
SCENARIOS = (
    Entry(deciding, BOTH, 5.0),
    Entry(importing, BOTH, 2.0),
    Entry(backing_up, BOTH, 2.0),
    Entry(restoring, BOTH, 2.0),
    Entry(migrating, BOTH, 2.0),
    Entry(predicting, BOTH, 1.5),
    Entry(training, (NEITHER,), 1.0),
    Entry(two_servers, BOTH, 1.0),
    Entry(disk_full, (SQLITE,), 0.5),
    Entry(read_only, BOTH, 0.3),
    Entry(locked, BOTH, 0.05),
    Entry(clock_set_back, BOTH, 0.3),
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the scenarios, and print what they found.

    Returns:
        1 where something is wrong.
    """
    arguments = _parser().parse_args(argv)
    signal.signal(
        signal.SIGTERM, lambda *_: sys.exit(1)
    )  # servers and disks are put away then, too
    only = set(arguments.only)
    chosen = [entry for entry in SCENARIOS if not only or entry.name in only]
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="strata-torture-")))
        server = _postgres(stack)
        pairs = [(entry, store) for entry in chosen for store in entry.stores]
        runnable = [pair for pair in pairs if pair[1] != POSTGRESQL or server is not None]
        outcomes = list(_outcomes(runnable, server, folder, arguments))
    print("\n" + table(outcomes))
    wrong = [outcome for outcome in outcomes if outcome.problems]
    for outcome in wrong:
        print(f"\n{outcome.name} on {outcome.store}:", *outcome.problems[:20], sep="\n  ")
    total = sum(outcome.faults for outcome in outcomes)
    print(f"\n{total:,} kills and faults, {len(wrong)} of {len(outcomes)} scenarios failed")
    return 1 if wrong else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.torture", description=__doc__)
    parser.add_argument("--kills", type=int, default=60, help="of all scenarios together")
    parser.add_argument("--seconds", type=float, default=1e9, help="end after so many")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="*", default=[], choices=[e.name for e in SCENARIOS])
    return parser


def _postgres(stack: ExitStack) -> PostgresServer | None:
    """A server for all scenarios; None, with a line, where there is none."""
    if missing := missing_postgres():
        print(f"without PostgreSQL: {missing}")
        if os.environ.get("STRATA_REQUIRE_POSTGRES") == "1":
            raise SystemExit(1)
        return None
    return stack.enter_context(running_postgres())


def _outcomes(
    pairs: Sequence[tuple[Entry, str]],
    server: PostgresServer | None,
    folder: Path,
    arguments: argparse.Namespace,
) -> Iterator[Outcome]:
    """Run one scenario after the other; time that one leaves is divided among the others."""
    ends = time.monotonic() + arguments.seconds
    weights = [entry.weight for entry, _ in pairs]
    for number, (entry, store) in enumerate(pairs):
        own = folder / f"{entry.name}-{store}"
        own.mkdir()
        left = ends - time.monotonic()
        run = Run(
            Outcome(entry.name, store),
            own,
            random.Random(f"{arguments.seed}-{entry.name}-{store}"),
            server.database if server is not None and store == POSTGRESQL else _file,
            n_kills=max(1, round(arguments.kills * entry.weight / sum(weights))),
            deadline=time.monotonic() + left * entry.weight / sum(weights[number:]),
            is_short=arguments.seconds < LONG_SECONDS,
        )
        outcome = perform(entry.scenario, run)
        if server is not None:
            server.give_back()
        if not outcome.problems:
            shutil.rmtree(own, ignore_errors=True)
        print(_line(outcome), flush=True)
        yield outcome


def _file() -> None:
    """The usual database of a home."""


def _line(outcome: Outcome) -> str:
    state = f"FAILED: {outcome.problems[0][:300]}" if outcome.problems else "ok"
    how = f" ({outcome.how})" if outcome.how else ""
    return (
        f"{outcome.name} on {outcome.store}{how}: {outcome.faults} faults, "
        f"{outcome.counts.stored:,} decisions, {outcome.seconds:.0f} s: {state}"
    )


def table(outcomes: Sequence[Outcome]) -> str:
    """All outcomes as a table in Markdown."""
    rows = [COLUMNS, tuple("-" * len(column) for column in COLUMNS), *map(_row, outcomes)]
    widths = [max(len(row[n]) for row in rows) for n in range(len(COLUMNS))]
    return "\n".join(
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |"
        for row in rows
    )


def _row(outcome: Outcome) -> tuple[str, ...]:
    counts = outcome.counts
    numbers = (outcome.faults, counts.sent, counts.acknowledged, counts.stored)
    wrong = (counts.lost, counts.doubled, counts.out_of_order, counts.misnamed)
    return (
        f"{outcome.name} ({outcome.how})" if outcome.how else outcome.name,
        outcome.store,
        *(f"{number:,}" for number in (*numbers, *wrong)),
        "whole" if outcome.is_whole and not outcome.problems else "BAD",
        str(outcome.n_left),
        f"{outcome.seconds:.0f}",
    )


if __name__ == "__main__":
    sys.exit(main())
