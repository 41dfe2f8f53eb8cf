"""What a retrained bundle calls the documents that it came with.

In the home where they are finished they are to be known again; elsewhere nobody may find out which
they were. So their ids are keyed, and the key stays in the home.
"""

from __future__ import annotations

import hmac
from hashlib import sha256
from pathlib import Path
from secrets import token_bytes

from core.documents.document import Document, fingerprint
from core.home import lock_file, open_private

KEY_FILE, KEY_BYTES = "bundle-key", 32


def anonymous_id(document: Document, key: bytes) -> str:
    """Return the same for the same id and text, from which neither can be read or guessed.

    Args:
        key: of the home; empty for bundles of versions that had none.
    """
    content = f"{document.document_id}\0{fingerprint(document)}".encode()
    return hmac.new(key, content, sha256).hexdigest() if key else sha256(content).hexdigest()


def read_key(home: Path) -> bytes:
    """Return the key of a home; empty where there is none, or it cannot be read."""
    try:
        return (home / KEY_FILE).read_bytes()
    except OSError:
        return b""


def key_of(home: Path) -> bytes:
    """Return the key of a home, made where there is none, for its owner alone.

    Raises:
        OSError: it cannot be written.
    """
    with open_private(home / KEY_FILE) as file:
        lock_file(file, wait=True)
        key = file.read()
        if len(key) != KEY_BYTES:  # new, or of a program that was killed here
            key = token_bytes(KEY_BYTES)
            file.seek(0)
            file.truncate()
            file.write(key)
        return key
