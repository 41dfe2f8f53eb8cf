"""What both kinds of suggesters elsewhere are sent, and what is made of what they answer."""

from __future__ import annotations

import json

from core.documents.document import Document
from core.suggest.elsewhere.choice import MOST_TEXT, MOST_TITLE

LIMIT = 30
"""Concepts that are asked for, and looked at, at most."""


def sent_text(document: Document) -> tuple[str, str]:
    """Return the beginning of title and text, which are sent; half of a character is none."""
    cut = document.title[:MOST_TITLE], document.text[:MOST_TEXT]
    title, text = (part.encode("utf-8", errors="replace").decode("utf-8") for part in cut)
    return title, text


def json_of(content: bytes | str) -> object:
    """Return what JSON says; None where it is none, or nested too deeply."""
    try:
        found: object = json.loads(content)
    except (ValueError, RecursionError):
        return None
    return found
