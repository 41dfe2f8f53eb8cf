"""A home in which enough is finished to retrain."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.settings import Settings
from tests.support.garden_home import finished_garden
from tests.support.models.tiny_ranker import write_ranked_bundle


@pytest.fixture
def garden_home(tmp_path: Path) -> Settings:
    return finished_garden(tmp_path / "home")


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """The tiny bundle with a ranker."""
    write_ranked_bundle(tmp_path / "bundle")
    return tmp_path / "bundle"


@pytest.fixture
def newer(tmp_path: Path) -> Path:
    """Ten acts as JSON Lines, of 2030 and 2031."""
    rows = [
        {
            "id": f"a{n}",
            "date": f"20{30 + n % 2}-01-{n + 1:02}",
            "title": "Railway ticket" if n % 2 else "The fish quota",
            "text": "A spade in the bay" if n < 4 else "",
            "concepts": ["203"] if n % 2 else ["106", "101"],
        }
        for n in range(10)
    ]
    path = tmp_path / "newer.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    return path
