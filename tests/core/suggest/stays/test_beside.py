"""What is not coded beside another code."""

from __future__ import annotations

import pytest

from core.suggest.stays.beside import behind, is_kept
from tests.core.suggest.stays.conftest import MakesNote


@pytest.mark.parametrize(
    ("text", "named", "gone"),
    [
        (
            "melena, bleeding duodenal ulcer",
            {"K921": "melena", "K264": "bleeding duodenal ulcer"},
            "K92.1",
        ),
        ("GDM and diabetes", {"O24410": "GDM", "E119": "diabetes"}, "E11.9"),
        (
            "pulmonary edema, heart failure",
            {"J811": "pulmonary edema", "I509": "heart failure"},
            "J81.1",
        ),
        ("Hb fell, anemia", {"W19XXXA": "fell", "D649": "anemia"}, "W19.XXXA"),
        (
            "aspiration pneumonia, RLL pneumonia",
            {"J690": "aspiration pneumonia", "J189": "RLL pneumonia"},
            "J18.9",
        ),
        ("metastatic, in bone", {"C799": "metastatic", "C7951": "bone"}, "C79.9"),
        ("homeless, on the street", {"Z5900": "homeless", "Z5902": "on the street"}, "Z59.00"),
        ("DM2. Potassium treated with insulin/D50", {"E119": "DM2", "Z794": "insulin"}, "Z79.4"),
        (
            "elective left hip replacement",
            {"M1612": "left hip", "Z96642": "left hip replacement"},
            "Z96.642",
        ),
    ],
)
def test_one_of_two_is_not_given(
    note: MakesNote, text: str, named: dict[str, str], gone: str
) -> None:
    assert set(behind(note(text, **named))) == {gone}


def test_what_stands_alone_is_given(note: MakesNote) -> None:
    assert not list(behind(note("melena", K921="melena")))
    assert not list(behind(note("DM2 on home insulin", E119="DM2", Z794="insulin")))
    assert not list(behind(note("in liver and lung", C787="liver", C7800="lung")))
    assert not list(behind(note("hip replacement in 2019", Z96642="hip replacement")))


def test_deficits_and_severe_sepsis_are_no_mere_symptoms(note: MakesNote) -> None:
    stroke = note("stroke with aphasia, fever", I639="stroke", R4701="aphasia", R509="fever")
    assert is_kept("R47.01", stroke) and not is_kept("R50.9", stroke)
    assert is_kept("R56.9", stroke)
    assert not is_kept("R56.9", note("epilepsy", G40909="epilepsy"))


def test_pain_of_a_joint_belongs_to_the_fracture_of_its_side(note: MakesNote) -> None:
    text = "right hip pain, fracture of right femur"
    named = {"S72141A": "fracture of right femur"}
    assert set(behind(note(text, M25551="right hip pain", **named))) == {"M25.551"}
    other = note(text.replace("right hip", "left hip"), M25552="left hip pain", **named)
    assert not list(behind(other))


@pytest.mark.parametrize(
    ("text", "named", "gone"),
    [
        (
            "acute on chronic diastolic heart failure, chronic diastolic heart failure",
            {
                "I5033": "acute on chronic diastolic heart failure",
                "I5032": "chronic diastolic heart failure",
            },
            "I50.32",
        ),
        ("type 1 diabetes, DKA", {"E109": "type 1 diabetes", "E1010": "DKA"}, "E10.9"),
        ("influenza, influenza A", {"J111": "influenza", "J101": "influenza A"}, "J11.1"),
        (
            "hypertensive heart and kidney disease",
            {"I1310": "hypertensive heart and kidney disease", "N289": "kidney disease"},
            "N28.9",
        ),
    ],
)
def test_what_another_code_says_is_not_given(
    note: MakesNote, text: str, named: dict[str, str], gone: str
) -> None:
    assert set(behind(note(text, **named))) == {gone}


def test_a_diabetes_has_several_complications(note: MakesNote) -> None:
    text = "diabetes with retinopathy, diabetic kidney disease"
    named = {"E11319": "diabetes with retinopathy", "E1122": "diabetic kidney disease"}
    assert not list(behind(note(text, **named)))


def test_a_fever_belongs_to_a_pneumonia(note: MakesNote) -> None:
    made = note("fever, pneumonia", R509="fever", J189="pneumonia")
    assert not is_kept("R50.9", made) and set(behind(made)) == {"R50.9"}


def test_an_earlier_operation_counts_beside_a_disease_of_its_organ(note: MakesNote) -> None:
    text = "cataract surgery, heart failure, glaucoma"
    earlier = {"Z9849": "cataract surgery"}
    assert set(behind(note(text, I509="heart failure", **earlier))) == {"Z98.49"}
    assert not list(behind(note(text, H409="glaucoma", **earlier)))


@pytest.mark.parametrize(
    ("text", "named", "gone"),
    [
        # An unspecified part beside a specific one, of one bone and side.
        (
            "left hip fracture, subcapital fracture of left femur",
            {"S72002A": "left hip fracture", "S72012A": "subcapital fracture of left femur"},
            {"S72.002A"},
        ),
        (
            "fracture of neck of femur, basal fracture of right neck",
            {"S72009A": "fracture of neck of femur", "S72041A": "basal fracture of right neck"},
            {"S72.009A"},
        ),
        (
            "left hip fracture, subcapital fracture of right femur",
            {"S72002A": "left hip fracture", "S72011A": "subcapital fracture of right femur"},
            set(),
        ),
        (
            "left hip fracture, subcapital fracture",
            {"S72002A": "left hip fracture", "S72019A": "subcapital fracture"},
            set(),
        ),
        # What another code says already excludes no third one.
        (
            "left hip fracture, fracture of left femur",
            {"S72002A": "left hip fracture", "S7292XA": "fracture of left femur"},
            {"S72.92XA"},
        ),
        # One and several.
        (
            "rib fracture, left rib fractures",
            {"S2239XA": "rib fracture", "S2242XA": "left rib fractures"},
            {"S22.39XA"},
        ),
        (
            "left rib fracture after a fall",
            {"S2232XA": "left rib fracture", "S2242XA": "left rib fracture"},
            {"S22.42XA"},
        ),
        (
            "right rib fracture, ribs 4 to 6 fractured on the left",
            {"S2231XA": "right rib fracture", "S2242XA": "ribs 4 to 6 fractured on the left"},
            set(),
        ),
    ],
)
def test_of_a_fracture_that_is_named_twice_the_specific_one_is_given(
    note: MakesNote, text: str, named: dict[str, str], gone: set[str]
) -> None:
    assert set(behind(note(text, **named))) == gone
