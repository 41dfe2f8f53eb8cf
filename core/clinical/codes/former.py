"""The published mappings of ICD-9-CM and ICD-10-CM: where codes went, and where they came from.

Source: general equivalence mappings of the Centers for Medicare & Medicaid Services (public domain).
`python -m training.shipping.code_sets` makes the files. A mapping is no rule of coding: it names what
is near.
"""

from __future__ import annotations

import gzip
import json
from functools import lru_cache
from pathlib import Path

from core.paths import PROJECT_ROOT

PATH = PROJECT_ROOT / "assets" / "code_edits" / "former_codes.json.gz"
ICD9_PATH = PATH.with_name("icd9_codes.json.gz")


@lru_cache(maxsize=1)
def former_codes() -> dict[str, tuple[str, ...]]:
    """Return codes of ICD-10-CM by code of ICD-9-CM, all without their points."""
    return _mapping(PATH)


@lru_cache(maxsize=1)
def icd9_codes() -> dict[str, tuple[str, ...]]:
    """Return by code of ICD-10-CM the code of ICD-9-CM, or those that say it together, without points."""
    return _mapping(ICD9_PATH)


def _mapping(path: Path) -> dict[str, tuple[str, ...]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return {code: tuple(others.split()) for code, others in json.load(file)["codes"].items()}
