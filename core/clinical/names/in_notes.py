"""Names by which notes call what codes stand for, beside the labels of the code system."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from core.settings import PROJECT_ROOT

FOLDER = PROJECT_ROOT / "assets" / "names"


@lru_cache(maxsize=4)
def names_in_notes(vocabulary_id: str) -> Mapping[str, tuple[str, ...]]:
    """Return names by code; none of a vocabulary without a file in `assets/names`."""
    path = FOLDER / f"{vocabulary_id}.tsv"
    if not path.is_file():
        return {}
    rows = (line.split("\t") for line in path.read_text("utf-8").splitlines())
    return {row[0]: tuple(row[1].split("|")) for row in rows if not row[0].startswith("#")}
