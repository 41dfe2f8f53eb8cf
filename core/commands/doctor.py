"""`python -m core doctor`: whether everything of an installation is whole, and what to do where not.

It reads and compares; it changes nothing and sends nothing anywhere.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated
from urllib.parse import quote

from typer import Exit, Option, Typer

from core.api.protection.access_key import KEY_FILE, access_key
from core.boundaries import BUNDLE_RECORDS, system_reason
from core.commands.options import PLAIN
from core.errors import ConfigError, StoreError, StrataError
from core.home import HomeLock, checksum_of, is_private, leftovers, own_files
from core.model.bundle.cards import find_bundles
from core.model.bundle.manifest import read_manifest
from core.review.audit.log import look_at_log
from core.review.people.accounts import has_accounts
from core.review.store import database, schema
from core.settings import Settings
from core.version import __version__
from core.vocabulary.versions.vocabulary_versions import ABOUT, VocabularyVersions

LEAST_FREE_BYTES = 500_000_000
PEOPLE = range(1_000, 60_000)  # their numbers on Linux; below are those of services
NO_SHELLS = ("nologin", "false", "")
RESTORE_A_BACKUP = "Restore a backup: python -m core restore FILE."
MEND_THE_KEY = "Write a key of at least 16 characters there, and let the server read it."
OTHER_VERSION = "Update Strata, or name another database in STRATA_DATABASE_URL."
COMPARE_THE_LOG = (
    "Compare it with the log in a backup, and ask who can write to the database; restoring does not "
    "change what is here."
)
START_THE_SERVER = "Start the server, which mends it."

app = Typer(**PLAIN)


@dataclass(frozen=True, slots=True)
class HealthFinding:
    """What was looked at, and how it is.

    Attributes:
        remedy: what to do; "" where nothing is wrong.
    """

    subject: str
    sentence: str
    remedy: str = ""

    @property
    def is_well(self) -> bool:
        """Whether nothing is to be done."""
        return not self.remedy


@app.command()
def doctor(
    *, as_json: Annotated[bool, Option("--json", help="print one JSON object")] = False
) -> None:
    """Look whether everything here is whole: database, model bundles, imported vocabularies,
    rights, who can reach a server, what killed programs left, room on the disk, versions. Nothing
    is changed, and nothing is sent anywhere. The exit code is 1 where something is wrong.
    """
    findings = examine(Settings.from_env())
    is_well = all(finding.is_well for finding in findings)
    if as_json:
        rows = [asdict(finding) | {"is_well": finding.is_well} for finding in findings]
        print(json.dumps({"is_well": is_well, "findings": rows}, indent=1, ensure_ascii=False))
    else:
        for finding in findings:
            print(f"{'ok ' if finding.is_well else 'BAD'}  {finding.subject}: {finding.sentence}")
            if finding.remedy:
                print(f"     {finding.remedy}")
    if not is_well:
        raise Exit(1)


def examine(settings: Settings) -> list[HealthFinding]:
    """Examine an installation and return the findings, in a fixed order."""
    looks: tuple[Callable[[Settings], Iterator[HealthFinding]], ...] = (
        _versions,
        _database,
        _log,
        _bundles,
        _vocabularies,
        _rights,
        _access,
        _fetching,
        _programs,
        _leftovers,
        _disk,
    )
    return [finding for look in looks for finding in look(settings)]


def _versions(_: Settings) -> Iterator[HealthFinding]:
    versions = f"Strata {__version__}, schema {database.HEAD}, Python {platform.python_version()}"
    yield HealthFinding("Versions", f"{versions}, SQLite {sqlite3.sqlite_version}.")


# ---------------------------------------------------------------------- database


def _database(settings: Settings) -> Iterator[HealthFinding]:
    file = database.sqlite_file(settings.database_url)
    if file is None:
        yield _server(settings.database_url)
        return
    if not file.exists():
        yield HealthFinding("Database", "There is none yet; the server makes it.")
        return
    try:
        problems, n_events = schema.examine(file)
    except StoreError as error:
        yield HealthFinding("Database", str(error), OTHER_VERSION)
        return
    if problems:
        sentence = f"{file} is not whole: {schema.in_short(problems)}."
        yield HealthFinding("Database", sentence, RESTORE_A_BACKUP)
    else:
        yield HealthFinding("Database", f"{file} is whole, with {n_events:,} decision steps.")


def _server(url: str) -> HealthFinding:
    shown = database.without_password(url)
    try:
        state = schema.examine_server(url)
    except StoreError as error:
        remedy = "Look whether the server runs, and at STRATA_DATABASE_URL."
        return HealthFinding("Database", str(error), remedy)
    if state.problems:
        sentence = f"{shown} is not whole: {schema.in_short(state.problems)}."
        return HealthFinding("Database", sentence, RESTORE_A_BACKUP)
    if state.version is None:
        return HealthFinding("Database", f"{shown} is empty; the server makes its tables.")
    if state.version != database.HEAD:
        sentence = f"{shown} has schema {state.version}; the server upgrades it when it starts."
        return HealthFinding("Database", sentence)
    return HealthFinding("Database", f"{shown} is whole, with {state.n_events:,} decision steps.")


def _for_reading(settings: Settings) -> str | None:
    """Return the address by which nothing is changed; None where there is no database yet."""
    file = database.sqlite_file(settings.database_url)
    if file is None:
        return settings.database_url
    return f"sqlite:///file:{quote(str(file))}?mode=ro&uri=true" if file.exists() else None


def _log(settings: Settings) -> Iterator[HealthFinding]:
    """Whether the audit log is as it was written, where there is one."""
    url = _for_reading(settings)
    if url is None:
        return
    state = database.look(url, look_at_log)
    if state is None:
        return  # of an earlier schema, or what is wrong with the database was said
    if state.misfit is not None:
        sentence = f"Event {state.misfit:,} does not fit: the log was changed there, or before it."
        yield HealthFinding("Audit log", sentence, COMPARE_THE_LOG)
    elif state.n_events:
        sentence = f"All {state.n_events:,} events fit. The newest has the hash {state.last_hash}."
        yield HealthFinding("Audit log", sentence)


# ---------------------------------------------------------------------- bundles, vocabularies


def _bundles(settings: Settings) -> Iterator[HealthFinding]:
    cards = [card for card in find_bundles(settings) if card.directory.exists()]
    for card in cards:
        problem = card.problem or _changed_file(card.directory)
        remedy = f"Get the bundle {card.directory.name} again." if problem else ""
        yield HealthFinding("Model bundle", problem or f"{card.directory} is whole.", remedy)
    if not cards:
        place = f"{settings.bundle_dir} or {settings.own_models}"
        sentence = f"There is none in {place}; only names in the text are found."
        yield HealthFinding("Model bundle", sentence)


def _changed_file(directory: Path) -> str:
    """Return a sentence that names the changed file of a bundle; "" where none has changed."""
    try:
        with BUNDLE_RECORDS.translated("The manifest in {where} is damaged.", where=directory):
            for name, facts in read_manifest(directory)["files"].items():
                if checksum_of(directory / name) != facts["sha256"]:
                    return f"{name} in {directory} is not what it was when the bundle was made."
    except OSError as error:
        return f"{directory} cannot be read: {system_reason(error)}."
    except StrataError as error:
        return str(error)
    return ""


def _vocabularies(settings: Settings) -> Iterator[HealthFinding]:
    versions = VocabularyVersions(settings.home)
    entries = versions.entries()
    named = {versions.place(entry.key) for entry in entries}
    there = {path.parent for path in versions.folder.glob(f"*/*/{ABOUT}")}
    for folder in sorted(there - named):
        yield HealthFinding("Vocabulary", f"{folder} cannot be read.", "Import its file again.")
    for entry in entries:
        title = f"{entry.vocabulary_id} {entry.version}"
        try:
            n_concepts = len(versions.load(entry.key))
        except StrataError as error:
            yield HealthFinding("Vocabulary", f"{title}: {error}", "Import its file again.")
        else:
            yield HealthFinding("Vocabulary", f"{title} has {n_concepts:,} concepts.")


# ---------------------------------------------------------------------- the home and the disk


def _rights(settings: Settings) -> Iterator[HealthFinding]:
    home = settings.home
    paths = [path for path in (home, *own_files(home)) if path.exists()]
    others = [path for path in paths if not is_private(path)]
    if others:
        sentence = f"Others can read {len(others):,} of {len(paths):,} files, such as {others[0]}."
        yield HealthFinding("Rights", sentence, START_THE_SERVER)
    else:
        yield HealthFinding("Rights", f"Nobody else can read {home}.")


def _access(settings: Settings) -> Iterator[HealthFinding]:
    """Whether people sign in, or a server asks for a key; where neither, whether others on this
    machine can use it.
    """
    try:
        key = access_key(settings, "localhost")
    except ConfigError as error:
        yield HealthFinding("Access", f"No server starts here. {error}", MEND_THE_KEY)
        return
    url = _for_reading(settings)
    told_apart = settings.user_header or settings.openid
    if told_apart or (url is not None and database.look(url, has_accounts)):
        yield HealthFinding("Access", "Whoever works here signs in by name.")
        return
    if key is not None:
        yield HealthFinding("Access", "A server here asks for the access key.")
        return
    file = settings.home / KEY_FILE
    others = login_users()
    if not others:
        yield HealthFinding("Access", "Nobody else signs in on this machine.")
        return
    such = f"{len(others):,} others can sign in here, such as " if len(others) > 1 else ""
    can = "" if such else " can sign in here"
    sentence = (
        "A server without an access key answers everybody who works on this machine; "
        f"{such}{others[0]}{can}."
    )
    remedy = f"Write a key of at least 16 characters into {file}, and start the server again."
    yield HealthFinding("Access", sentence, remedy)


def _fetching(settings: Settings) -> Iterator[HealthFinding]:
    if settings.fetch_hosts:
        hosts = ", ".join(settings.fetch_hosts)
        yield HealthFinding("Fetching", f"Acts may be fetched from {hosts}, and nothing else.")
    else:
        yield HealthFinding("Fetching", "Off: no host is listed in STRATA_FETCH.")
    if settings.suggester_hosts or settings.suggester_hosts_inside:
        hosts = ", ".join((*settings.suggester_hosts, *settings.suggester_hosts_inside))
        sentence = f"Projects may ask {hosts}; texts of documents are sent there then."
    else:
        sentence = "Off: no host is listed in STRATA_SUGGESTERS."
    yield HealthFinding("Suggesters elsewhere", sentence)
    if settings.openid:
        yield HealthFinding("Sign-in elsewhere", f"People may sign in by {settings.openid.issuer}.")


def _programs(settings: Settings) -> Iterator[HealthFinding]:
    """Report whether programs are answered, and which sites and people can reach them."""
    if not settings.rest:
        yield HealthFinding("Programs", "Off: nothing is answered below /v1 (STRATA_REST).")
        return
    sites = ", ".join(settings.rest_origins)
    also = f", also to pages of {sites}" if sites else ""
    yield HealthFinding("Programs", f"Answered below /v1{also}.")


def login_users() -> list[str]:
    """Return the other people who can sign in to this machine, as far as it lists them."""
    try:
        import pwd
    except ImportError:  # Windows
        return []
    people = [
        entry
        for entry in pwd.getpwall()
        if entry.pw_uid in PEOPLE and Path(entry.pw_shell).name not in NO_SHELLS
    ]
    return sorted(entry.pw_name for entry in people if entry.pw_uid != os.getuid())


def _leftovers(settings: Settings) -> Iterator[HealthFinding]:
    paths = leftovers(settings.home)
    alone = HomeLock.alone(settings.home) if paths else None
    if alone is None:
        nothing = "Nothing was left by programs that were killed."
        yield HealthFinding("Leftovers", "A server works here." if paths else nothing)
        return
    alone.close()
    sentence = f"Programs that were killed left {len(paths):,}, such as {paths[0]}."
    yield HealthFinding("Leftovers", sentence, START_THE_SERVER)


def _disk(settings: Settings) -> Iterator[HealthFinding]:
    place = next(path for path in (settings.home, *settings.home.parents) if path.exists())
    free = shutil.disk_usage(place).free
    held = sum(path.stat().st_size for path in own_files(settings.home) if path.is_file())
    least = max(LEAST_FREE_BYTES, held)
    sentence = f"{free / 1e9:,.1f} GB are free, {held / 1e9:,.1f} GB are used here."
    remedy = "A backup or a restore may not fit; free some space." if free < least else ""
    yield HealthFinding("Disk", sentence, remedy)
