"""Where codes of ICD-9-CM went: the codes of ICD-10-CM that the published mappings name for each.

Source: general equivalence mappings of the Centers for Medicare & Medicaid Services (public domain).
`python -m training.shipping.code_sets` makes the file. A mapping is no rule of coding: it names what
is near.
"""

from __future__ import annotations

import gzip
import json
from functools import lru_cache

from core.settings import PROJECT_ROOT

PATH = PROJECT_ROOT / "assets" / "code_edits" / "former_codes.json.gz"


@lru_cache(maxsize=1)
def former_codes() -> dict[str, tuple[str, ...]]:
    """Return codes of ICD-10-CM by code of ICD-9-CM, all without their points."""
    with gzip.open(PATH, "rt", encoding="utf-8") as file:
        return {code: tuple(went.split()) for code, went in json.load(file)["codes"].items()}
