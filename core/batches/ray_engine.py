"""Parts computed by actors of a Ray cluster: one on this machine, or one that is there.

Not Ray Data: its readers end at a broken row, its order has to be bought with memory, and it goes
on after a kill by an id that has to be unique, for which it reads everything again. Here the driver
reads, a part is the unit of work, and an actor writes what it has computed itself.
"""

from __future__ import annotations

import os
import sys
import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from core.batches.chosen import ChosenSuggester
from core.batches.engines import PRECISION, PartWriter, StartedEngine, own_precision
from core.batches.parts import BatchPart
from core.batches.record import FinishedPart
from core.boundaries import message
from core.errors import ConfigError, StrataError
from core.paths import PROJECT_ROOT

INSTALL = (
    "The engine ray needs Ray, which is not installed: pip install -r requirements-ray.txt, in the "
    "environment of Strata, on every machine."
)
PARTS_AT_A_TIME = 2
"""Of a worker: one that it computes, and one that waits for it."""
MOST_LOSSES = 3
ATTEMPTS = 3
"""To start Ray here, which gives a machine 30 seconds, however busy it is."""
WAIT_SECONDS = 60.0
HANDED_ON = (
    *("STRATA_HOME", "STRATA_DATABASE_URL", "STRATA_BUNDLE", "STRATA_BACKEND"),
    *("STRATA_LANGUAGE", PRECISION),
)
"""Variables that workers on other machines get as they are here."""


class PartWorker:
    """What an actor runs: one suggester, for one part after the other."""

    def __init__(self, chosen: ChosenSuggester, writer: PartWriter) -> None:
        self.chosen, self.writer = chosen, writer

    def load(self) -> str:
        """Load the suggester, and return what identifies it.

        Not when the actor is made: Ray would hide why it cannot be loaded.
        """
        self.suggester = self.chosen.open()
        return self.suggester.bundle_hash

    def write(self, part: BatchPart) -> FinishedPart:
        """Suggest for a part, and write it."""
        return self.writer.write(self.suggester, part)


@dataclass(slots=True, eq=False)
class _Actor:
    """An actor of the cluster, and the parts that it was given."""

    handle: Any
    is_ready: bool = False
    parts: list[BatchPart] = field(default_factory=list)


class RayEngine:
    """Computes parts by actors, each on a core or a GPU of its own.

    Args:
        address: of a cluster, such as `ray://head:10001` or `head:6379`; "" for one on this
            machine, which ends with this process.
        n_workers: actors; 0 for one a GPU, or where there is none one a core.
    Raises:
        ConfigError: Ray is not installed.
    """

    def __init__(
        self,
        chosen: ChosenSuggester,
        writer: PartWriter,
        *,
        address: str = "",
        n_workers: int = 0,
    ) -> None:
        self.chosen, self.writer = chosen.absolute(), writer
        self.address, self.n_workers = address, n_workers
        os.environ["RAY_USAGE_STATS_ENABLED"] = "0"  # Ray would send its counts of use
        os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
        try:
            import ray
        except ImportError as error:
            raise ConfigError(INSTALL) from error
        self._ray = ray
        self._actors: list[_Actor] = []
        self._asked: dict[Any, tuple[_Actor, BatchPart | None]] = {}
        self._losses: Counter[int] = Counter()
        self._suggester = ""

    def start(self, precision: str) -> StartedEngine:
        """Join the cluster, and wait for the first actor with its suggester.

        Raises:
            ConfigError: there is no cluster, or nothing to compute on.
            StrataError: the suggester cannot be loaded.
        """
        self._join()
        cluster = self._ray.cluster_resources()
        gpus, cores = int(cluster.get("GPU", 0)), int(cluster.get("CPU", 0))
        # Graphics cards choose for themselves; processors compute in what this one chose.
        chosen = precision or ("auto" if gpus else own_precision(self.chosen))
        n_workers = self.n_workers or gpus or cores
        self._make = self._remote(chosen, share=min(1.0, gpus / n_workers) if gpus else 0.0)
        for _ in range(n_workers):
            self._add()
        while not any(actor.is_ready for actor in self._actors):
            self._wait(f"No worker has a suggester yet; the cluster has {cores} cores.")
        return StartedEngine(self._suggester, chosen, n_workers)

    def finish(self, parts: Iterable[BatchPart]) -> Iterator[FinishedPart]:
        """Write parts in the order in which actors are done with them.

        Raises:
            ConfigError: a part ended its worker three times.
        """
        waiting = iter(parts)
        again: deque[BatchPart] = deque()
        while True:
            self._hand_out(again, waiting)
            if not any(part for _, part in self._asked.values()):
                return
            answer = self._wait("", again)
            if answer is not None:
                yield answer

    def close(self) -> None:
        """Leave the cluster; one of this machine ends."""
        self._ray.shutdown()

    # ------------------------------------------------------------------ the cluster

    def _join(self) -> None:
        where = {"address": self.address} if self.address else self._local()
        for attempts_left in reversed(range(ATTEMPTS)):
            try:
                self._ray.init(
                    **where, log_to_driver=False, logging_level="ERROR", namespace="strata"
                )
                return
            except Exception as error:  # Ray raises bare ones where a machine is too busy for it
                self._ray.shutdown()
                if attempts_left and not self.address:
                    continue
                asked = f"at {self.address}" if self.address else "on this machine"
                raise ConfigError(f"Ray does not start {asked}: {message(error)}") from error

    def _local(self) -> dict[str, Any]:
        n_cores = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count()
        return {
            "num_cpus": self.n_workers or n_cores,
            "include_dashboard": False,
        }

    def _remote(self, precision: str, *, share: float) -> Any:
        """Return what makes actors, on a core and a share of a GPU each."""
        names = {name: os.environ[name] for name in HANDED_ON if name in os.environ}
        if precision not in ("", "auto"):
            names[PRECISION] = precision
        environment = names | {"PYTHONPATH": str(PROJECT_ROOT), "HF_HUB_OFFLINE": "1"}
        made = self._ray.remote(PartWorker)
        return made.options(
            num_cpus=1,
            num_gpus=share,
            max_restarts=0,
            runtime_env={"env_vars": environment},
        )

    def _add(self) -> None:
        actor = _Actor(self._make.remote(self.chosen, self.writer))
        self._actors.append(actor)
        self._asked[actor.handle.load.remote()] = (actor, None)

    # ------------------------------------------------------------------ parts

    def _hand_out(self, again: deque[BatchPart], waiting: Iterator[BatchPart]) -> None:
        """Give every ready actor parts while it has room, a first part to each before any second."""
        for room in range(PARTS_AT_A_TIME):
            for actor in self._actors:
                if not actor.is_ready or len(actor.parts) > room:
                    continue
                part = again.popleft() if again else next(waiting, None)
                if part is None:
                    return
                actor.parts.append(part)
                self._asked[actor.handle.write.remote(part)] = (actor, part)

    def _wait(self, impatient: str, again: deque[BatchPart] | None = None) -> FinishedPart | None:
        """Wait for one answer; the parts of an actor that was lost go into `again`."""
        done, _ = self._ray.wait(list(self._asked), num_returns=1, timeout=WAIT_SECONDS)
        if not done:
            if impatient:
                sys.stderr.write(f"{impatient}\n")
            return None
        actor, part = self._asked.pop(done[0])
        try:
            answer = self._ray.get(done[0])
        except self._ray.exceptions.RayTaskError as error:
            raise (error.cause if isinstance(error.cause, StrataError) else error) from error
        except self._ray.exceptions.RayError as error:
            self._lose(actor, part, again, error)
            return None
        if part is None:
            self._take(actor, answer)
            return None
        actor.parts.remove(part)
        finished: FinishedPart = answer
        return finished

    def _take(self, actor: _Actor, suggester: str) -> None:
        """Let an actor compute once its suggester is the same as that of the others.

        Raises:
            ConfigError: it is another one.
        """
        self._suggester = self._suggester or suggester
        if suggester != self._suggester:
            raise ConfigError(
                f"One machine of the cluster suggests with {suggester}, another with "
                f"{self._suggester}: the same bundle has to lie at the same place on all of them."
            )
        actor.is_ready = True

    def _lose(
        self,
        actor: _Actor,
        part: BatchPart | None,
        again: deque[BatchPart] | None,
        error: Exception,
    ) -> None:
        """Have another actor take the place of one that has ended, and its parts computed again.

        Raises:
            ConfigError: that happens too often.
        """
        if actor not in self._actors:  # its first lost part has said so
            return
        self._actors.remove(actor)
        for asked in [ref for ref, (whose, _) in self._asked.items() if whose is actor]:
            del self._asked[asked]
        first = actor.parts[0] if actor.parts else part
        number = -1 if first is None else first.number
        self._losses[number] += 1
        if self._losses[number] >= MOST_LOSSES:
            reason = message(error)
            what = "starting" if first is None else f"part {number}"
            raise ConfigError(
                f"Workers ended {MOST_LOSSES} times at {what}, perhaps for want of memory; the "
                f"same command goes on from here, with fewer --workers or another input. ({reason})"
            ) from error
        if again is not None:
            again.extendleft(reversed(actor.parts))
        sys.stderr.write("a worker was lost; another one takes its place\n")
        time.sleep(0.5)
        self._add()
