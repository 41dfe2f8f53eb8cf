"""What exports state of codes of a stay: the edition that each is of, and exemptions."""

from __future__ import annotations

from datetime import date

import pytest

from core.clinical.coding.exported import edition_of, mark_of
from core.clinical.stay import Stay
from core.vocabulary.concepts import Hierarchy
from tests.support.coded import icd9


@pytest.mark.parametrize(
    ("code", "discharged", "edition"),
    [
        ("I10", date(2020, 2, 12), "2019-10-01"),
        ("U07.1", date(2020, 4, 2), "2020-04-01"),
        ("I10", date(2026, 5, 1), "2026-04-01"),
        ("U07.1", date(2020, 2, 12), "2026-04-01"),  # none of that day
        ("I10", None, "2026-04-01"),
        ("I10", date(2140, 1, 1), "2026-04-01"),
    ],
)
def test_the_edition_of_a_code_is_that_in_force_at_discharge(
    tree: Hierarchy, code: str, discharged: date | None, edition: str
) -> None:
    assert edition_of(code, tree, Stay(discharged=discharged)) == edition


def test_other_systems_have_the_version_of_their_files() -> None:
    assert edition_of("428.0", icd9(), Stay(discharged=date(2014, 1, 1))) == "test"


@pytest.mark.parametrize(
    ("present", "code", "mark"),
    [("", "Z79.4", "exempt"), ("", "I10", ""), ("Y", "I10", "Y"), ("Y", "Z79.4", "Y")],
)
def test_an_exempt_code_says_so(tree: Hierarchy, present: str, code: str, mark: str) -> None:
    assert mark_of(present, code, tree, Stay()) == mark
    assert mark_of(present, code, tree, Stay(encounter_class="clinic")) == ""
    assert mark_of("", "V10.3", icd9(), Stay()) == ""
