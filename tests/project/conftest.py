"""The program's files."""

from __future__ import annotations

import pytest

from tests.support import structure
from tests.support.structure import PROJECT_ROOT, Module


@pytest.fixture(scope="session")
def program() -> dict[str, Module]:
    """Parsed once: that takes seconds, and nothing changes it."""
    return structure.read_modules(PROJECT_ROOT)
