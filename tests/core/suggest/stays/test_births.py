"""Notes of mothers and of newborns."""

from __future__ import annotations

import pytest

from core.suggest.stays.births import births, of_the_mother, patient_of, said_of_birth
from tests.core.suggest.stays.conftest import MakesNote

NEWBORN = (
    "Newborn discharge summary. Baby girl born here by cesarean at 34 weeks 2 days, 2,180 g, after "
    "a pregnancy with asthma. Mother well. Jaundice."
)
DELIVERY = "G2P1 at 39w2d. Vaginal delivery of a living boy, Apgar 9. Anemia, iron. GBS positive."


def test_who_the_patient_is() -> None:
    assert patient_of("", NEWBORN) == "newborn"
    assert patient_of("", DELIVERY) == "mother"
    assert patient_of("Delivery summary", "Birth weight 3 kg, to the mother.") == "mother"
    assert patient_of("", "A man of 60 whose mother had asthma.") == ""


def test_a_newborn_has_weeks_weight_and_the_way_of_its_birth(note: MakesNote) -> None:
    assert {one.code for one in births(note(NEWBORN))} == {"P07.37", "P07.18", "Z38.01"}


def test_what_the_mother_has_is_not_the_newborns(note: MakesNote) -> None:
    both = note(NEWBORN, J45909="asthma", P590="Jaundice")
    assert of_the_mother(both) == ["J45.909"]
    assert not of_the_mother(note("A man of 60 whose mother had asthma.", J45909="asthma"))


def test_a_delivery_has_weeks_outcome_and_what_complicates_it(note: MakesNote) -> None:
    found = {one.code: one for one in births(note(DELIVERY, D509="Anemia", Z22330="GBS positive"))}
    assert found.keys() == {"Z3A.39", "Z37.0", "O99.02", "O99.824"}
    assert found["O99.824"].replaced == ("Z22.330",) and not found["O99.02"].replaced


@pytest.mark.parametrize(
    ("weeks", "code"), [("12w1d", "O99.511"), ("20 weeks", "O99.512"), ("33+1", "O99.513")]
)
def test_before_birth_the_trimester_counts(note: MakesNote, weeks: str, code: str) -> None:
    found = births(note(f"G2P1 at {weeks}, undelivered. Asthma.", J4520="Asthma"))
    assert code in [one.code for one in found]


def test_the_words_of_chapter_15_are_those_of_the_time(note: MakesNote) -> None:
    assert "childbirth" in said_of_birth(note(DELIVERY), ["O14.10"])
    assert {"third", "trimest"} <= said_of_birth(note("G2P1 at 33+1."), ["O60.00"])
    assert not said_of_birth(note("G2P1 at 33+1."), ["J45.909"])
