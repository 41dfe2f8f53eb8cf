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


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("G1P0 at 39w1d. NSVD of a viable infant.", {"Z3A.39", "Z37.0", "O80"}),
        ("G1P0 at 39w1d. VAVD. Delivered viable female infant.", {"Z3A.39", "Z37.0"}),
        ("G1P0 at 35w0d. NSVD of a viable boy.", {"Z3A.35", "Z37.0"}),
        ("G1P0 at 24w2d. Rubella non-immune.", {"Z3A.24", "Z28.39", "O09.892"}),
        (
            "G1P0 at 39w1d. NSVD, viable boy. Rubella nonimmune.",
            {"Z3A.39", "Z37.0", "Z28.39", "O80"},
        ),
    ],
)
def test_a_birth_in_the_words_of_the_ward(note: MakesNote, text: str, codes: set[str]) -> None:
    assert {one.code for one in births(note(text))} == codes


@pytest.mark.parametrize(
    ("text", "named", "code", "replaced"),
    [
        ("Pyelonephritis", {"N10": "Pyelonephritis"}, "O23.02", ("N10",)),
        ("Hypokalemia", {"E876": "Hypokalemia"}, "O99.282", ()),
        ("Malnutrition", {"E46": "Malnutrition"}, "O25.12", ()),
        ("Steroid diabetes", {"E099": "Steroid diabetes"}, "O24.812", ()),
    ],
)
def test_what_complicates_a_pregnancy_has_its_code(
    note: MakesNote, text: str, named: dict[str, str], code: str, replaced: tuple[str, ...]
) -> None:
    found = {one.code: one for one in births(note(f"G1P0 at 24w2d. {text}.", **named))}
    assert found[code].replaced == replaced


def test_a_newborn_has_codes_of_newborns(note: MakesNote) -> None:
    text = "Newborn nursery note, mother of 30. Jaundice. Hypoglycemia. Evaluated for sepsis."
    found = {one.code: one for one in births(note(text, R17="Jaundice", E162="Hypoglycemia"))}
    assert found.keys() == {"Z38.00", "P59.9", "P70.4", "Z05.1"}
    assert found["P70.4"].replaced == ("E16.2",)
    early = note("Newborn nursery note at 34w0d, mother of 30. Jaundice.", R17="Jaundice")
    assert "P59.0" in {one.code for one in births(early)}
    ill = note(
        "Newborn nursery note. Pneumonia. Mother had jaundice.", R17="jaundice", J189="Pneumonia"
    )
    assert {one.code for one in births(ill)} == {"Z38.00", "P23.9"}


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("Mother GBS positive, not treated.", {"P00.82"}),
        ("Exposed to maternal GBS.", {"P00.82"}),
        ("Mother group B strep carrier. Sepsis ruled out.", {"Z05.1"}),
        ("GBS+ mother. Observed for sepsis, cultures negative.", {"P00.82", "Z05.1"}),
        ("Mother GBS negative. No evaluation for sepsis.", set()),
        ("Mother GBS unknown.", set()),
        ("In utero exposure to cocaine and marijuana.", {"P04.41", "P04.81"}),
        ("Methadone exposed infant.", {"P04.14"}),
        ("Mother smokes.", set()),
        (
            "Chorioamnionitis and prolonged rupture of membranes, evaluated for sepsis.",
            {"P02.78", "P01.1", "Z05.1"},
        ),
        ("Mother had chorioamnionitis.", set()),
    ],
)
def test_what_a_newborn_is_affected_by_is_coded(
    note: MakesNote, text: str, codes: set[str]
) -> None:
    found = {one.code for one in births(note(f"Newborn note. Baby girl of her mother. {text}"))}
    assert found == codes


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("G1P0 at 36 weeks, GBS+ on screening", "O99.820"),
        ("G1P0 at 36 weeks, group B strep bacteriuria", "O99.820"),
        ("G2P1 at 39 weeks, GBS pos. Vaginal delivery of a live infant.", "O99.824"),
    ],
)
def test_a_mother_carries_group_b_streptococcus_in_her_pregnancy(
    note: MakesNote, text: str, code: str
) -> None:
    assert code in {one.code for one in births(note(text))}
    negative = text.replace("GBS+", "GBS negative").replace("GBS pos", "GBS neg")
    if negative != text:
        assert code not in {one.code for one in births(note(negative))}


def test_a_carrier_state_of_the_mother_is_not_on_the_record_of_her_newborn(note: MakesNote) -> None:
    made = note("Newborn note. Baby boy. Mother is well. GBS positive.", Z22330="GBS positive")
    assert of_the_mother(made) == ["Z22.330"]
