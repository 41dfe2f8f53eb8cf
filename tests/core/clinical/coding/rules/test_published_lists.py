"""Principal diagnosis, age and sex, and marks on admission, by the lists of Medicare."""

from __future__ import annotations

import pytest

from core.clinical.coding.published import code_edits, fiscal_year_of
from core.clinical.stay import FEMALE, MALE, Stay
from core.vocabulary.concepts import Hierarchy
from tests.support.coded import mended, of_kind, told

YEAR = "fiscal year 2020; the codes are of 2026"


@pytest.mark.parametrize(
    ("codes", "kind", "severity"),
    [
        (["R29.710", "I63.511"], "unacceptable", "warning"),
        (["Z68.41", "E66.01"], "unacceptable", "warning"),
        (["D63.1", "N18.6"], "manifestation", "warning"),
        (["G63", "E85.1"], "manifestation", "error"),  # its title says so
        (["W19.XXXA", "S72.141A"], "externalCause", "error"),
        (["B96.20", "N39.0"], "agent", "warning"),
        (["I10"], "questionable", "note"),
    ],
)
def test_what_cannot_be_principal(
    tree: Hierarchy, codes: list[str], kind: str, severity: str
) -> None:
    (found,) = of_kind(kind, told(tree, *codes))
    assert (found.severity, found.concept_ids[0]) == (severity, codes[0])
    assert YEAR in found.source or found.source.startswith("Guidelines")
    if len(codes) > 1:
        assert mended(tree, found, codes) == codes[::-1]


def test_a_finding_says_another_year_than_that_of_the_codes(tree: Hierarchy) -> None:
    edits = code_edits()
    assert edits.source(tree) == "Medicare Code Editor 37, fiscal year 2020; the codes are of 2026"
    same = Hierarchy([], vocabulary_id="icd10cm", version="2019-10-01")
    assert edits.source(same, exempt=True) == "POA exempt list, fiscal year 2020"
    assert [fiscal_year_of(v) for v in ("2026-04-01", "2025-10-01", "2.3")] == [2026, 2026, None]


@pytest.mark.parametrize(
    ("code", "stay", "kind"),
    [
        ("N40.0", Stay(age_years=9, sex=MALE), "age"),
        ("O80", Stay(age_years=72, sex=FEMALE), "age"),
        ("Z00.110", Stay(age_years=3), "age"),
        ("C56.1", Stay(sex=MALE), "sex"),
        ("N40.1", Stay(sex=FEMALE), "sex"),
    ],
)
def test_age_and_sex(tree: Hierarchy, code: str, stay: Stay, kind: str) -> None:
    (found,) = of_kind(kind, told(tree, code, stay=stay))
    assert (found.severity, found.concept_ids) == ("warning", (code,))
    assert YEAR in found.source


def test_what_is_not_known_or_not_listed_is_left_alone(tree: Hierarchy) -> None:
    known = Stay(age_years=30, sex=FEMALE)
    codes = ["O80", "N40.0", "C56.1"]
    for stay in (None, Stay()):
        found = told(tree, *codes, stay=stay)
        assert of_kind("age", found) == of_kind("sex", found) == []
    assert of_kind("age", told(tree, "O80", "J18.9", stay=known)) == []


def test_several_codes_of_one_list_are_one_finding(tree: Hierarchy) -> None:
    (found,) = of_kind("age", told(tree, "O80", "Z3A.39", "Z37.0", stay=Stay(age_years=72)))
    assert found.concept_ids == ("O80", "Z3A.39", "Z37.0")
    assert "9 to 64 years, and this patient is 72" in found.sentence


def test_marks_are_asked_for_where_the_list_exempts_nothing(tree: Hierarchy) -> None:
    found = told(tree, "J18.9", "S72.141A", "W19.XXXA", "Z79.4", "I25.2", "Z66", "I10:Y")
    (unmarked,) = of_kind("unmarked", found)
    assert unmarked.severity == "warning"
    assert unmarked.concept_ids == ("J18.9", "S72.141A", "W19.XXXA", "Z66")
    assert unmarked.remedy is None


def test_an_exempt_code_needs_no_mark(tree: Hierarchy) -> None:
    (found,) = of_kind("exempt", told(tree, "J18.9:Y", "Z79.4:Y", "I25.2:N"))
    assert (found.severity, found.concept_ids) == ("note", ("Z79.4", "I25.2"))
    assert "POA exempt list, fiscal year 2020" in found.source
    assert found.remedy is not None
    assert found.remedy.present == {"Z79.4": "", "I25.2": ""}


@pytest.mark.parametrize(
    ("code", "exempt"),
    [
        ("Z79.4", True),
        ("J18.9", False),
        ("S72.141A", False),
        ("S72.141D", True),
        ("Z59.811", None),  # Z59.81, which it divides, is no code of 2020
        ("Z79.85", None),  # of 2022, and all beside it are exempt
        ("Z79.620", None),  # of 2022, as all beside it; what Z79 had in 2020 is exempt
        ("Z17.411", None),
        ("E66.813", False),
    ],
)
def test_codes_that_came_later_are_not_known(
    tree: Hierarchy, code: str, exempt: bool | None
) -> None:
    assert code_edits().is_exempt(code, tree) is exempt
