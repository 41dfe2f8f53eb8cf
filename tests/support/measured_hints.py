"""What was measured of hints, in a file of its own, in place of what comes with the program."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from core.review import hints

Kinds = Mapping[str, Mapping[str, list[float]]]

GOOD: Kinds = {
    kind: {"missed": [0.9, 0.1], "odd": [0.9, 0.1]} for kind in (hints.TITLES, hints.TEXTS)
}


def keep_measured(path: Path, kinds: Kinds = GOOD) -> None:
    """Write what was measured of the fake vocabulary, with a model and without."""
    path.write_text(json.dumps({"tiny": kinds, hints.NO_MODEL: kinds}), "utf-8")
