"""`python -m tests.fuzz [--seconds 600] [--seed 1] [--only NAME]`: fuzz until the time is over.

Each failure is printed with its target and the seed of its change, by which it is made again.
"""

from __future__ import annotations

import argparse
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
from pathlib import Path
from typing import NamedTuple

from core.errors import StrataError
from tests.fuzz.targets import Target, mutated, targets

HANG_SECONDS = 10


class Failure(NamedTuple):
    """A changed file that was neither read nor refused."""

    name: str
    seed: int
    problem: str


class _HangError(BaseException):
    """Reading takes too long."""


def _hang(*_: object) -> None:
    raise _HangError


def failures(target: Target, seed: int, folder: Path) -> list[Failure]:
    """Return what is wrong with the way in which a changed file is taken; mostly nothing."""
    place = folder / "place" / "inner"
    place.mkdir(parents=True)
    before = signal.signal(signal.SIGVTALRM, _hang)
    signal.setitimer(signal.ITIMER_VIRTUAL, HANG_SECONDS)
    problem = ""
    try:
        target.read(place / target.name, mutated(target.content, random.Random(seed)))
    except StrataError as error:
        problem = "" if str(error).strip() else "an empty sentence"
    except (Exception, _HangError) as error:  # noqa: BLE001 - which is what is looked for
        where = traceback.extract_tb(error.__traceback__)[-1]
        problem = f"{type(error).__name__}: {str(error)[:150]} ({where.filename}:{where.lineno})"
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
    if [path.name for path in place.parent.iterdir()] != ["inner"]:
        problem = "something was written outside"
    shutil.rmtree(place.parent)
    return [Failure(target.name, seed, problem)] if problem else []


def main() -> int:
    """Fuzz every target in turn.

    Returns:
        1 where a file was neither read nor refused.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    rng, n_files, n_failures = random.Random(arguments.seed), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        chosen = [found for found in targets(Path(folder)) if arguments.only in found.name]
        before = _megabytes()
        until = time.monotonic() + arguments.seconds
        while time.monotonic() < until:
            for target in chosen:
                n_files += 1
                for failure in failures(target, rng.getrandbits(32), Path(folder)):
                    n_failures += 1
                    print(failure, flush=True)
    more = _megabytes() - before
    print(f"{n_files:,} files, {n_failures:,} failures, at most {more:,.0f} MB over the baseline")
    return 1 if n_failures else 0


def _megabytes() -> float:
    """The most memory that this process has held, on Linux."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


if __name__ == "__main__":
    sys.exit(main())
