"""Pregnancy, delivery and newborn."""

from __future__ import annotations

import pytest

from core.vocabulary.concepts import Hierarchy
from tests.support.coded import of_kind, told


def test_a_pregnancy_goes_with_its_weeks(tree: Hierarchy) -> None:
    (found,) = of_kind("weeks", told(tree, "O14.13", "O24.410"))
    assert (found.concept_ids, found.source) == (("O14.13",), "Guidelines I.C.21.c.11")
    assert found.remedy is not None
    assert (found.remedy.words, found.remedy.add) == ("Choose a code of Z3A", ("Z3A",))
    assert of_kind("weeks", told(tree, "O14.13", "Z3A.34")) == []


@pytest.mark.parametrize("code", ["O03.4", "O86.4", "O99.03", "O91.23", "O94"])
def test_an_abortion_or_what_comes_after_birth_has_no_weeks(tree: Hierarchy, code: str) -> None:
    assert of_kind("weeks", told(tree, code)) == []


def test_weeks_go_with_a_pregnancy(tree: Hierarchy) -> None:
    found = told(tree, "N39.0:Y", "Z3A.28")
    assert [one.concept_ids for one in of_kind("weeks", found)] == [("Z3A.28",)]
    assert of_kind("codeFirst", found) == []
    assert of_kind("weeks", told(tree, "Z34.02", "Z3A.28")) == []


@pytest.mark.parametrize("code", ["O80", "O82", "O60.14X0", "O70.0", "O99.824", "O69.0XX0"])
def test_a_delivery_goes_with_its_outcome(tree: Hierarchy, code: str) -> None:
    (found,) = of_kind("outcome", told(tree, code))
    assert found.remedy is not None
    assert found.remedy.add == (("Z37.0",) if code == "O80" else ("Z37",))
    assert of_kind("outcome", told(tree, code, "Z37.2")) == []


@pytest.mark.parametrize("codes", [("O60.02",), ("O14.13",), ("O70.0", "Z39.0")])
def test_no_outcome_is_asked_of_what_is_no_delivery_here(
    tree: Hierarchy, codes: tuple[str, ...]
) -> None:
    assert of_kind("outcome", told(tree, *codes)) == []


def test_an_infection_of_the_urinary_tract_is_one_of_the_pregnancy(tree: Hierarchy) -> None:
    (found,) = of_kind("infection", told(tree, "N10", "Z3A.24", "O99.282"))
    assert found.remedy is not None and found.remedy.add == ("O23",)
    assert of_kind("infection", told(tree, "N10", "Z3A.24", "O23.02")) == []
    assert of_kind("infection", told(tree, "N10")) == []
