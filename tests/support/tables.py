"""Tables in Markdown, as tests compare them."""

from __future__ import annotations

import re


def unpadded(page: str) -> str:
    """Return a page without the blanks that make the columns of its tables even."""
    return re.sub(r" +\|", " |", page)
