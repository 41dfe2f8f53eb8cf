"""The program's files."""

from __future__ import annotations

import pytest

from tests.support import structure
from tests.support.structure import PROJECT_ROOT, Module


@pytest.fixture(scope="module")
def program() -> dict[str, Module]:
    return structure.read_modules(PROJECT_ROOT)
