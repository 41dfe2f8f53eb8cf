"""Codes as people type them."""

from __future__ import annotations

import pytest

from core.clinical.queries.typed_codes import codes_meant, former_meant
from core.vocabulary.concepts import Hierarchy


@pytest.mark.parametrize(
    ("query", "codes"),
    [
        ("E 11.9", "E11.9"),
        ("e119", "E11.9"),
        ("icd10 E11.65", "E11.65"),
        ("ICD-10-CM: N18.6", "N18.6"),
        ("W21.89A", "W21.89XA"),
        ("S72.141X", "S72.141A S72.141B S72.141C S72.141D"),
        ("W21.89", "W21.89"),
        ("S72.14", "S72.14"),
        ("E11.99", "E11.9"),
        ("C diff", ""),
        ("A1C", ""),
        ("H1N1", ""),
        ("B12 deficiency", ""),
        ("", ""),
    ],
)
def test_a_code_is_found_as_it_is_typed(tree: Hierarchy, query: str, codes: str) -> None:
    assert codes_meant(query, tree)[:4] == codes.split()


@pytest.mark.parametrize(
    ("query", "former", "first"),
    [
        ("428.0", "428.0", "I50.9"),
        ("25000", "250.00", "E11.9"),
        ("V45.81", "V45.81", "Z95.1"),
        ("icd9 401.9", "401.9", "I10"),
        ("E888.9", "E888.9", "W19.XXXA"),
        ("E11.9", "", ""),
        ("999.99", "", ""),
    ],
)
def test_a_code_of_icd9cm_leads_to_where_it_went(
    tree: Hierarchy, query: str, former: str, first: str
) -> None:
    shown, codes = former_meant(query, tree)
    assert (shown, codes[:1]) == (former, [first] if first else [])
