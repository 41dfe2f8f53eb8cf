"""What was measured of hints, in place of what comes with the program."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.review import hints


@pytest.fixture
def measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Shares that are just enough or just not, and odd ones alone without a model."""
    path = tmp_path / "measured.json"
    monkeypatch.setattr(hints, "MEASURED", path)
    kinds = {
        "titles": {"missed": [0.501, 1.5], "odd": [0.9, 1.51]},
        "full texts": {"missed": [0.5, 0.1], "odd": [0.6, 1.0]},
    }
    path.write_text(json.dumps({"tiny": kinds, "no model": {"titles": {"odd": [0.7, 1.0]}}}))
    return path
