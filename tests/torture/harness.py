"""What a scenario gets, and what is said of it at the end."""

from __future__ import annotations

import random
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.torture.installation import Installation, stored_in_backup
from tests.torture.ledger import Comparison, compare

SQLITE, POSTGRESQL, NEITHER = "sqlite", "postgresql", "-"


@dataclass
class Outcome:
    """A row of the table.

    Attributes:
        faults: kills that met a running process, or faults of another kind.
        is_whole: the integrity checks and the doctor found nothing.
        n_left: what killed programs left after the last start.
        how: what kind of fault it was, where there are several.
        problems: sentences; none where all is well.
    """

    name: str
    store: str
    faults: int = 0
    counts: Comparison = field(default_factory=Comparison)
    is_whole: bool = True
    n_left: int = 0
    seconds: float = 0.0
    how: str = ""
    problems: list[str] = field(default_factory=list)


@dataclass
class Run:
    """A scenario that runs on one kind of database.

    Attributes:
        folder: of its own.
        new_url: the address of an empty database; None for the usual file.
        n_kills: how many are wanted; fewer where the deadline comes first.
    """

    outcome: Outcome
    folder: Path
    rng: random.Random
    new_url: Callable[[], str | None]
    n_kills: int
    deadline: float
    is_short: bool = False
    installations: list[Installation] = field(default_factory=list)

    def faults(self) -> Iterator[int]:
        """Count faults until there are enough, or the time is over; at least one."""
        number = 0
        while number == 0 or (
            self.outcome.faults < self.n_kills and time.monotonic() < self.deadline
        ):
            yield number
            number += 1

    def count_fault(self) -> None:
        """Count a kill, or another fault."""
        self.outcome.faults += 1

    def install(self, *, signs_in: bool = True, **environment: str) -> Installation:
        """Make an installation, which is closed at the end."""
        home = self.folder / f"home-{len(self.installations)}"
        made = Installation(home, self.new_url(), signs_in=signs_in, **environment)
        self.installations.append(made)
        return made

    def serve(self, **environment: str) -> Installation:
        """Make an installation where people decide."""
        place = self.install(**environment)
        place.start()
        place.decide(self.rng)
        return place

    def check(self, is_so: object, problem: str) -> None:
        """Note a problem unless something is so."""
        if not is_so:
            self.outcome.problems.append(problem)

    def settle(self, installation: Installation, *, is_answered: bool = False) -> None:
        """Start anew, let clients end, and look at everything.

        Args:
            is_answered: no server was killed, so that every message had to be answered.
        """
        if is_answered:
            number = sum(client.unanswered for client in installation.clients)
            self.check(not number, f"{number} messages had no answer")
        installation.restart()
        late = installation.drain()
        self.check(not late, f"{', '.join(late)} could not save within a minute")
        for client in installation.clients:
            self.outcome.problems += client.problems[:3]
        installation.restart()
        installation.kill()
        left, damage = installation.left(), installation.damage()
        self.outcome.n_left += len(left)
        self.outcome.is_whole &= not damage
        self.outcome.problems += [*left, *damage]
        self.compare(installation)

    def compare(self, installation: Installation) -> None:
        """Compare clients with the database and what restores have put aside."""
        kept = sorted((installation.home / "backups").glob("*.zip"))
        aside = [stored_in_backup(path, self.folder) for path in kept]
        ledgers = [client.ledger for client in installation.clients]
        self.outcome.counts = compare(ledgers, installation.stored(), *aside)
        self.outcome.problems += self.outcome.counts.problems()


Scenario = Callable[[Run], None]


def perform(scenario: Scenario, run: Run) -> Outcome:
    """Run a scenario, and return what is to be said of it."""
    started = time.monotonic()
    try:
        scenario(run)
    except Exception as error:  # noqa: BLE001 - the other scenarios run all the same
        where = "".join(traceback.format_tb(error.__traceback__)[-3:])
        said = sum(
            (client.refusals for place in run.installations for client in place.clients), Counter()
        )
        run.outcome.problems.append(f"{type(error).__name__}: {error}\n{where}{said}")
    finally:
        for installation in run.installations:
            installation.close()
    run.outcome.seconds = time.monotonic() - started
    return run.outcome
