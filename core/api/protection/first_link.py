"""The link by which a server behind an access key gets its first administrator."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from pathlib import Path

from core.errors import StrataError
from core.home import PRIVATE_FILE
from core.review.people.sign_ins import INVITED_DAYS, invite_first
from core.review.store.store import Store

LINK_FILE = "first-link"  # in the home folder
SHOWN = (
    "Nobody signs in by name here yet, and the access key opens everything. To give people names, open this "
    "link at the address of this server and choose a password: it makes the first administrator, once, "
    f"within {INVITED_DAYS} days (shown once, kept in {{file}}): {{link}}\n"
)

_LOG = logging.getLogger(__name__)


def show_first_link(store: Callable[[], Store], home: Path, address: str) -> None:
    """Print the link at the first start of a home, unless somebody signs in or was invited.

    Nothing changes before it is used. A home where it cannot be made starts without it.

    Args:
        store: opens the store.
        address: of the server, as this machine reaches it.
    """
    file = home / LINK_FILE
    try:
        if file.exists():
            return
        # First of all, so that nobody is invited by a link that cannot be shown.
        file.touch(PRIVATE_FILE, exist_ok=False)
        token = _invited(store, file)
        if token is None:
            return
        link = f"{address.rstrip('/')}/sign-in?link={token}"
        file.write_text(f"{link}\n", "utf-8")
    except (StrataError, OSError) as error:
        _LOG.warning("no link for a first administrator could be made (%s)", type(error).__name__)
        return
    sys.stdout.write(SHOWN.format(file=file, link=link))
    sys.stdout.flush()


def _invited(store: Callable[[], Store], file: Path) -> str | None:
    """What the link holds; the file goes where there is none."""
    token = None
    try:
        token = invite_first(store())
    finally:
        if token is None:
            file.unlink(missing_ok=True)
    return token
