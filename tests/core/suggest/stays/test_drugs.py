"""What drugs did, and what was done with them."""

from __future__ import annotations

import pytest

from core.suggest.stays.drugs import categories, drugs
from core.vocabulary.concepts import Hierarchy
from tests.core.suggest.stays.conftest import MakesNote


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("Neuropathy from vincristine.", ["T45.1X5A"]),
        ("Steroid-induced hyperglycemia.", ["T38.0X5A"]),
        ("Ulcer due to NSAID. He took ibuprofen.", ["T39.315A"]),
        ("She skipped insulin for three days.", ["T38.3X6A", "Z91.128"]),
        ("Had not filled his lisinopril, could not afford it.", ["T46.4X6A", "Z91.120"]),
        ("Overdose of sertraline with intent to die.", ["T43.222A"]),
        ("Accidental oxycodone overdose.", ["T40.2X1A"]),
        ("Took warfarin for years.", []),
        ("Oxycodone stopped on day two.", []),
        ("Rash not due to penicillin.", []),
    ],
)
def test_adverse_effects_underdosing_and_poisoning(
    note: MakesNote, text: str, codes: list[str]
) -> None:
    assert [one.code for one in drugs(note(text))] == codes


def test_every_code_of_the_table_exists(tree: Hierarchy) -> None:
    for begin in set(categories().values()):
        assert f"{begin}1A" in tree and tree[f"{begin}1A"].assignable
