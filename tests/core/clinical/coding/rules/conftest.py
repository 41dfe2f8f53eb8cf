"""ICD-10-CM as its package has it."""

from __future__ import annotations

import warnings

import pytest

from core.clinical.codes.icd10cm import icd10cm
from core.vocabulary.concepts import Hierarchy


@pytest.fixture(scope="session")
def tree() -> Hierarchy:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # in how the package reads its data
        return icd10cm()
