"""More specific codes by the words beside names."""

from __future__ import annotations

import pytest

from core.clinical.names.clinical_words import key_of
from core.clinical.stays.detail import stated


@pytest.mark.parametrize(
    ("label", "words"),
    [
        (
            "Laceration without foreign body of left hand, initial encounter",
            ["laceration", "left", "hand"],
        ),
        (
            "Horseshoe tear of retina without detachment, right eye",
            ["horseshoe", "tear", "retina", "right", "eye"],
        ),
        (
            "Displaced fracture of olecranon process without intraarticular extension of right ulna, initial"
            " encounter for closed fracture",
            ["displaced", "fracture", "olecranon", "process", "right", "ulna"],
        ),
        ("Concussion without loss of consciousness, initial encounter", ["concussion"]),
        (
            "Epilepsy, unspecified, not intractable, with status epilepticus",
            ["epilepsy", "status", "epilepticus"],
        ),
    ],
)
def test_what_is_missing_hides_no_side_and_no_site(label: str, words: list[str]) -> None:
    assert stated(label) == {key_of(word) for word in words}
