"""How a password is kept and compared: by Argon2id, with the parameters of RFC 9106."""

from __future__ import annotations

from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError

from core.errors import StoreError

LEAST_CHARACTERS, MOST_CHARACTERS = 12, 200
LENGTH = (
    f"A password has {LEAST_CHARACTERS} to {MOST_CHARACTERS} characters; a sentence that you "
    "remember is a good one."
)
_HASHER = PasswordHasher()


def hashed(password: str) -> str:
    """Return what is kept of a password.

    Raises:
        StoreError: it is too short or too long.
    """
    if not LEAST_CHARACTERS <= len(password) <= MOST_CHARACTERS:
        raise StoreError(LENGTH)
    return _HASHER.hash(password)


def is_password(kept: str | None, given: str) -> bool:
    """Return whether a password is the one that is kept.

    It takes as long where none is kept, so that the time does not tell which names there are.
    """
    try:
        _HASHER.verify(kept or _of_nobody(), given[: MOST_CHARACTERS + 1])
    except (Argon2Error, InvalidHashError):
        return False
    return kept is not None


@cache
def _of_nobody() -> str:
    return _HASHER.hash("nobody has this one")
