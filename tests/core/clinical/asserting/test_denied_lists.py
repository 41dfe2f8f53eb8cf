"""Lists that are denied as a whole, of which the network is not asked."""

from __future__ import annotations

import pytest

from core.clinical.asserting.denied_lists import is_of_denied_list


@pytest.mark.parametrize(
    ("text", "condition", "expected"),
    [
        ("No diabetes, hypertension, asthma.", "hypertension", True),
        ("No diabetes, hypertension, asthma.", "asthma", True),
        ("No gout or psoriasis", "psoriasis", True),
        ("No gout or psoriasis", "gout", True),
        ("No gout, psoriasis, or asthma\nHypertension", "gout", True),
        ("No fever, cough.", "cough", False),
        ("No fever, cough for three days, rash.", "cough", False),
        ("No fever, has cough, rash, or chills.", "rash", False),
        ("No fever. Cough, rash, chills.", "rash", False),
    ],
)
def test_a_list_behind_a_cue_is_denied_where_it_has_names_alone(
    text: str, condition: str, expected: bool
) -> None:
    start = text.index(condition)
    assert is_of_denied_list(start, start + len(condition), len("No"), text) is expected


def test_what_stands_before_the_cue_is_in_no_list() -> None:
    assert not is_of_denied_list(0, 4, 8, "Gout, no asthma, fever, cough.")
