"""The keys of programs: what each may do, kept in the home folder as checksums alone."""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import Any

from core.errors import StoreError
from core.home import PRIVATE_FOLDER, file_version, written_whole

_LOG = logging.getLogger(__name__)

PROGRAM_KEYS_FILE = "program-keys.json"
READ, LEARN = "read", "learn"
EVERYTHING = frozenset({READ, LEARN})
MOST_KEYS, LONGEST_NAME = 100, 60
PREFIX = "strata-"  # by which programs that look for secrets in texts know a key
BAD_NAME = f"Give the key a name of 1 to {LONGEST_NAME} characters, such as the program's."
TOO_MANY = f"There are {MOST_KEYS} keys already; revoke one that is not used."
UNWRITTEN = "The keys cannot be stored in {file} ({reason}); nothing was changed."
UNREADABLE = "The keys in {file} cannot be read, so no program's key is known. Mend or remove it."


@dataclass(frozen=True, slots=True)
class ProgramKey:
    """What is kept of a key.

    Attributes:
        digest: SHA-256 of the key, which has 256 random bits and needs no slower one.
        made_at: ISO 8601, in UTC.
        person_id: for whom it acts; None for the first person, where it was made before others came.
    """

    key_id: str
    name: str
    scopes: frozenset[str]
    digest: str
    made_at: str
    person_id: int | None = None


class ProgramKeys:
    """The keys of the programs that may ask a server.

    Servers of one home know of each other's changes: the file is read again when it has changed.

    Args:
        file: holds them; None to keep none.
    """

    def __init__(self, file: Path | None = None) -> None:
        self._file = file
        self._lock = Lock()
        self._version: tuple[int, int] | None = None
        self._known: dict[str, ProgramKey] = {}

    def listed(self) -> list[ProgramKey]:
        """Return all keys, the oldest first.

        Raises:
            StoreError: the file is damaged.
        """
        with self._lock:
            return list(self._read().values())

    def find(self, key: str) -> ProgramKey | None:
        """Return what is known of a key; None where it is none, was revoked, or cannot be read."""
        digest = _digest(key)
        try:
            listed = self.listed()
        except StoreError:
            _LOG.warning("the keys of programs cannot be read")
            return None
        matching = [key for key in listed if hmac.compare_digest(key.digest, digest)]
        return matching[0] if matching else None

    def make(self, name: str, scopes: Iterable[str], *, person_id: int | None = None) -> str:
        """Make a key, and return it this once.

        Args:
            person_id: for whom it acts.
        Raises:
            StoreError: it has no usable name or scope, or cannot be kept.
        """
        name, wanted = " ".join(name.split()), frozenset(scopes)
        if not 0 < len(name) <= LONGEST_NAME or not name.isprintable():
            raise StoreError(BAD_NAME)
        if not wanted or not wanted <= EVERYTHING:
            raise StoreError(f"A key allows {READ} or {LEARN}, or both.")
        key = f"{PREFIX}{secrets.token_urlsafe(32)}"
        now = datetime.now(UTC).isoformat(timespec="seconds")
        made = ProgramKey(secrets.token_hex(6), name, wanted, _digest(key), now, person_id)
        with self._lock:
            listed = self._read()
            if len(listed) >= MOST_KEYS:
                raise StoreError(TOO_MANY)
            self._write(listed | {made.key_id: made})
        return key

    def revoke(self, key_id: str) -> None:
        """Have a key open nothing any more, from the next request on.

        Raises:
            StoreError: this cannot be kept.
        """
        with self._lock:
            self._write({i: key for i, key in self._read().items() if i != key_id})

    def _read(self) -> dict[str, ProgramKey]:
        version = file_version(self._file)
        if self._file is None or version is None:
            return {}
        if version != self._version:
            try:
                rows = json.loads(self._file.read_text("utf-8"))
                self._known = {key.key_id: key for key in map(_key, rows)}
            except (OSError, ValueError, TypeError, KeyError) as error:
                raise StoreError(UNREADABLE.format(file=self._file)) from error
            self._version = version
        return dict(self._known)

    def _write(self, keys: Mapping[str, ProgramKey]) -> None:
        if self._file is None:
            raise StoreError("This server keeps no keys for programs.")
        rows = [asdict(key) | {"scopes": sorted(key.scopes)} for key in keys.values()]
        try:
            self._file.parent.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
            with written_whole(self._file) as part:
                part.write_text(json.dumps(rows, indent=1), "utf-8")
        except OSError as error:
            sentence = UNWRITTEN.format(file=self._file, reason=error.strerror or error)
            raise StoreError(sentence) from error


def _key(row: Mapping[str, Any]) -> ProgramKey:
    texts = {name: str(row[name]) for name in ("key_id", "name", "digest", "made_at")}
    person_id = row.get("person_id")
    return ProgramKey(
        scopes=frozenset(row["scopes"]) & EVERYTHING,
        person_id=person_id if isinstance(person_id, int) else None,
        **texts,
    )


def _digest(key: str) -> str:
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
