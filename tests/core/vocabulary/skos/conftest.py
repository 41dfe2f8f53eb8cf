"""A reader of the tiny thesaurus with changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.vocabulary.skos.reader import SkosReading, read_skos
from tests.support.places import TINY_SKOS


@pytest.fixture
def read_changed(tmp_path: Path):
    def read(*changes: tuple[str, str], more: str = "") -> SkosReading:
        text = TINY_SKOS.read_text("utf-8")
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        path = tmp_path / "changed.ttl"
        path.write_text(text + more, "utf-8")
        return read_skos(path)

    return read
