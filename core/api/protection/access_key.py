"""The access key: who may use a server that answers other machines, until there are accounts."""

from __future__ import annotations

import ipaddress
import os
import secrets
import sys
from pathlib import Path

from core.errors import ConfigError
from core.settings import Settings

KEY_FILE = "access-key"
LEAST_CHARACTERS = 16
NO_KEY = (
    "Strata would answer other machines here (server.address is {address}), so it needs an access "
    "key. Set STRATA_ACCESS_KEY to one of at least 16 characters, or write it into {file}; or "
    "answer this machine alone, with --server.address=localhost."
)
TOO_SHORT = "The access key in {place} is shorter than 16 characters; choose a longer one."


def access_key(settings: Settings, address: str | None) -> str | None:
    """Return the key that a server asks for; None where it answers its own machine alone.

    Where one may be made and there is none, it is made, printed and kept in the home folder.

    Args:
        address: that the server is bound to; None for all that the machine has.
    Raises:
        ConfigError: there is no key, and other machines would be answered; or it is too short.
    """
    file = settings.home / KEY_FILE
    key = settings.access_key or _read(file)
    if key is None and not is_loopback(address):
        if not settings.makes_access_key:
            raise ConfigError(NO_KEY.format(address=address or "not set", file=file))
        key = _make(file)
    if key is not None and len(key) < LEAST_CHARACTERS:
        place = "STRATA_ACCESS_KEY" if settings.access_key else file
        raise ConfigError(TOO_SHORT.format(place=place))
    return key


def is_loopback(address: str | None) -> bool:
    """Return whether only this machine reaches an address."""
    if address == "localhost":
        return True
    try:
        parsed = ipaddress.ip_address(address or "")
    except ValueError:
        return False
    return (getattr(parsed, "ipv4_mapped", None) or parsed).is_loopback


def _read(file: Path) -> str | None:
    try:
        return file.read_text("utf-8").strip()
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise ConfigError(f"The access key in {file} cannot be read. {error}") from error


def _make(file: Path) -> str:
    key = secrets.token_urlsafe(24)
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as key_file:
            key_file.write(f"{key}\n")
    except FileExistsError:  # another server on this home was faster
        return _read(file) or ""
    except OSError as error:
        raise ConfigError(f"No access key can be kept in {file}. {error}") from error
    sys.stdout.write(f"Access key (shown once, kept in {file}): {key}\n")
    sys.stdout.flush()
    return key
