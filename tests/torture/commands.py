"""Commands that are killed while a server works and people decide."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import closing
from itertools import count
from pathlib import Path

from core.home import PART
from core.review.store.backup import write_backup
from core.review.store.copying import n_rows, sums
from core.review.store.people import default_person, read_preferences, set_preference
from core.review.store.store import Store
from core.vocabulary.versions.vocabulary_versions import ABOUT, VocabularyVersions
from tests.support.fakes import hierarchy
from tests.torture.harness import POSTGRESQL, Run
from tests.torture.installation import Installation, stored_in_backup
from tests.torture.ledger import Ledger, compare
from tests.torture.programs import CORE, Program

SERVER_TOO = 0.25  # of the kills of a command meet the server as well
UNDISTURBED = 5  # every so many runs of a command are not killed
N_BULKY, BULK_BYTES = 200, 10_000  # documents that a backup takes a while to pack
N_COPIED = 400  # documents of the database that is copied
TURTLE = """@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix dct: <http://purl.org/dc/terms/> .
@prefix : <https://example.org/v/> .
:v a skos:ConceptScheme ; dct:title "Fish"@en ; <http://www.w3.org/2002/07/owl#versionInfo> "{}" .
"""
CONCEPT = ':c{0} a skos:Concept ; skos:inScheme :v ; skos:prefLabel "fish {0}"@en .\n'


class KilledCommand:
    """A command that is run again and again, and killed at a random moment of most of its runs.

    Args:
        environment: which home and database it works on.
    """

    def __init__(self, run: Run, environment: Mapping[str, str]) -> None:
        self.run, self.environment = run, environment
        self.seconds = 1.0  # that it takes where it is left alone
        self._number = count()

    def __call__(self, *arguments: str) -> int | None:
        """Run it once; its exit status, or None where it was killed."""
        log = self.run.folder / "command.log"
        program = Program(CORE, *arguments, log=log, **self.environment)
        if next(self._number) % UNDISTURBED == 0:
            status = program.ended()
            self.seconds = time.monotonic() - program.started
            self.run.check(status == 0, f"{arguments[0]} ended with {status}: {program.said()}")
            return status
        moment = self.run.rng.uniform(0.0, 1.1 * self.seconds)
        if program.kill_after(moment, all_of_it=self.run.rng.random() < 0.5):
            self.run.count_fault()
            return None
        self.run.check(program.status in (0, 1), f"{arguments[0]}: {program.said()}")
        return program.status


def restart_sometimes(run: Run, place: Installation) -> bool:
    """Kill the server, too, and start it again; afterwards nothing is left."""
    if run.rng.random() >= SERVER_TOO:
        return False
    run.count_fault()
    place.restart()
    left = place.left()
    run.check(not left, f"left after a start: {left}")
    return True


# ---------------------------------------------------------------------- importing


def importing(run: Run) -> None:
    """Import vocabularies, new versions and versions that are there: all stay readable."""
    place = run.serve()
    command, known = KilledCommand(run, place.environment), set[str]()
    file = run.folder / "fish.ttl"
    for number in run.faults():
        version = str(number // 4)
        concepts = "".join(CONCEPT.format(n) for n in range(300 + number % 3))
        file.write_text(TURTLE.format(version) + concepts, "utf-8")
        if command("vocabulary", str(file), "--import", "--id", "fish") == 0:
            known.add(version)
        restart_sometimes(run, place)
        found = readable_versions(run, place)
        run.check(known <= found, f"versions {sorted(known - found)} are gone")
        known |= found
    run.settle(place)
    readable_versions(run, place)


def readable_versions(run: Run, place: Installation) -> set[str]:
    """Read all versions that are there."""
    versions = VocabularyVersions(place.home)
    entries = versions.entries()
    for entry in entries:
        versions.load(entry.key)
    whole = {versions.place(entry.key) for entry in entries}
    there = {path.parent for path in versions.folder.glob(f"*/*/{ABOUT}")}
    unreadable = [path.name for path in there - whole if not path.name.startswith(".new-")]
    run.check(not unreadable, f"versions {unreadable} cannot be read")
    return {entry.version for entry in entries}


# ---------------------------------------------------------------------- backing up


def backing_up(run: Run) -> None:
    """Write backups: each is whole or not there, and has all that was acknowledged before."""
    place = run.serve()
    place.add(*(f"bulk-{n}" for n in range(N_BULKY)), text=run.rng.randbytes(BULK_BYTES).hex())
    command = KilledCommand(run, place.environment)
    outside = run.folder / "elsewhere"
    outside.mkdir()
    for number in run.faults():
        file = outside / f"{number}.zip"
        before = [Ledger(c.name, [], set(c.ledger.acknowledged)) for c in place.clients]
        status = command("backup", str(file))
        if file.exists():
            stored = stored_in_backup(file, run.folder)
            run.check(not compare(before, stored).lost, f"a backup lacks decisions ({status})")
            file.unlink()
        else:
            run.check(status != 0, "a backup is not there")
        if restart_sometimes(run, place):
            parts = [path.name for path in outside.glob(f"*{PART}")]
            run.check(not parts, f"left beside backups after a start: {parts}")
    run.settle(place)
    parts = [path.name for path in outside.glob(f"*{PART}")]
    run.outcome.n_left += len(parts)
    run.check(not parts, f"left beside backups: {parts}")


# ---------------------------------------------------------------------- restoring


def restoring(run: Run) -> None:
    """Restore backups: database and vocabulary are of the same one, and nothing is lost."""
    place = run.install(signs_in=False)  # after a restore, everybody would have to again
    place.add("act-0", "act-1")
    for name in ("1", "2"):
        write_state(place, name, run.folder / f"{name}.zip")
    place.start()
    place.decide(run.rng)
    command = KilledCommand(run, place.environment)
    for number in run.faults():
        command("restore", str(run.folder / f"{number % 2 + 1}.zip"))
        if restart_sometimes(run, place):
            check_state(run, place)
    run.settle(place)
    check_state(run, place)


def write_state(place: Installation, name: str, backup: Path) -> None:
    """A backup of a database and a vocabulary that name it."""
    versions = VocabularyVersions(place.home)
    for entry in versions.entries():
        folder = versions.place(entry.key)
        for path in folder.iterdir():
            path.unlink()
        folder.rmdir()
    fish = hierarchy()
    fish.vocabulary_id, fish.version = "fish", name
    versions.add(fish, file_name="fish.ttl", sha256=name, report={})
    with closing(place.open()) as store:
        set_preference(store, default_person(store).person_id, "state", name)
        write_backup(store, place.home, backup)


def check_state(run: Run, place: Installation) -> None:
    with closing(place.open()) as store:
        state = read_preferences(store, default_person(store).person_id)["state"]
    found = [entry.version for entry in VocabularyVersions(place.home).entries()]
    run.check(found == [state], f"database {state}, vocabularies {found}")


# ---------------------------------------------------------------------- migrating


def migrating(run: Run) -> None:
    """Copy a database: the second one is empty or whole, and can be copied to until it is."""
    place = run.install()
    fill(run, place)
    command = KilledCommand(run, place.environment)
    with closing(place.open()) as store, store.read() as connection:
        expected = sums(connection)
    target = CopyTarget(run)
    for _ in run.faults():
        status = command("migrate", place.url, target.url)
        with (
            closing(Store.open(target.url, busy_timeout_seconds=20.0)) as store,
            store.write(alone=True) as connection,  # behind what a server still takes back
        ):
            is_empty, found = not n_rows(connection), sums(connection)
        run.check(is_empty or found == expected, "the copy is neither empty nor whole")
        run.check(status != 0 or not is_empty, "the copy is empty after it was made")
        if not is_empty:
            target = CopyTarget(run)
    run.settle(place)


def fill(run: Run, place: Installation) -> None:
    """Documents to copy, and decisions of clients."""
    place.add(*(f"copied-{n}" for n in range(N_COPIED)), text="herring and sole " * 40)
    place.start()
    place.decide(run.rng)
    place.clients[0].stopped.wait(2.0)
    late = place.drain()
    run.check(not late, f"{late} could not save")
    place.kill()


class CopyTarget:
    """A database to copy to: a file, or one on a server in every second run."""

    numbers = count()

    def __init__(self, run: Run) -> None:
        name = next(self.numbers)
        on_server = run.outcome.store == POSTGRESQL and name % 2
        found = run.new_url() if on_server else None
        self.url = found or f"sqlite:///{run.folder}/copy-{name}.sqlite"
