"""Notes of mothers and of newborns."""

from __future__ import annotations

from core.clinical.stays.births import patient_of, said_of_birth
from tests.core.clinical.stays.conftest import MakesNote

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


def test_the_words_of_chapter_15_are_those_of_the_time(note: MakesNote) -> None:
    assert "childbirth" in said_of_birth(note(DELIVERY), ["O14.10"])
    assert {"third", "trimest"} <= said_of_birth(note("G2P1 at 33+1."), ["O60.00"])
    assert not said_of_birth(note("G2P1 at 33+1."), ["J45.909"])
