"""What a reviewer's harder sentences say: doubt, new clauses, answers, and people in the family."""

from __future__ import annotations

import pytest

from core.documents.document import Document
from core.suggest.names.assertions import Assertions
from core.suggest.names.cues import HYPOTHETICAL, NEGATED

AFFIRMED = "affirmed"


def status_of(text: str, mention: str) -> str:
    start = text.index(mention)
    said = Assertions(text).at(start, start + len(mention))
    return said.status if said else AFFIRMED


def cue_of(text: str, mention: str) -> str:
    said = Assertions(text).at(text.index(mention), text.index(mention) + len(mention))
    return said.cue if said else ""


@pytest.mark.parametrize(
    ("text", "mention"),
    [
        ("Pneumonia is not improving.", "Pneumonia"),
        ("Her diabetes was not well controlled, nor was hypertension treated.", "diabetes"),
        ("Diabetes was not well controlled, gout was painful.", "gout"),
        ("Pain was not relieved.", "Pain"),
        ("The fracture was not displaced.", "fracture"),
        ("Heart failure is not decompensated.", "Heart failure"),
        ("The rash has not resolved.", "rash"),
        ("He did not respond to antibiotics for pneumonia.", "pneumonia"),
        ("No longer able to swallow, dysphagia.", "dysphagia"),
        ("Absent breath sounds, pneumothorax on film.", "pneumothorax"),
    ],
)
def test_to_be_not_better_is_to_be_there(text: str, mention: str) -> None:
    assert status_of(text, mention) == AFFIRMED


@pytest.mark.parametrize(
    ("text", "mention", "status"),
    [
        ("Laryngospasm did not occur.", "Laryngospasm", NEGATED),
        ("Arrhythmia hasn't occurred since.", "Arrhythmia", NEGATED),
        ("CT excludes pulmonary embolism.", "pulmonary embolism", NEGATED),
        ("Low suspicion for appendicitis.", "appendicitis", NEGATED),
        ("Exclude vestibular schwannoma.", "vestibular schwannoma", HYPOTHETICAL),
        ("MRI does not exclude meningitis.", "meningitis", HYPOTHETICAL),
        ("Warned of symptoms of retinal tear.", "retinal tear", HYPOTHETICAL),
        ("Precautions for retinal detachment were given.", "retinal detachment", HYPOTHETICAL),
        ("Her pneumonia did not develop an abscess.", "pneumonia", AFFIRMED),
        ("Pneumonia, which he had never had, occurred.", "Pneumonia", AFFIRMED),
    ],
)
def test_what_did_not_occur_or_is_warned_of_is_not_there(
    text: str, mention: str, status: str
) -> None:
    assert status_of(text, mention) == status


@pytest.mark.parametrize(
    ("text", "mention"),
    [
        ("Pneumonia is not excluded.", "Pneumonia"),
        ("PE was not ruled out.", "PE"),
        ("Pneumonia has not been ruled out.", "Pneumonia"),
        ("Pneumonia hasn't been ruled out.", "Pneumonia"),
        ("Lymphoma has not yet been excluded.", "Lymphoma"),
        ("We have not ruled out sepsis.", "sepsis"),
    ],
)
def test_what_is_not_ruled_out_is_possible(text: str, mention: str) -> None:
    assert status_of(text, mention) == "hypothetical"


@pytest.mark.parametrize(
    ("text", "mention"),
    [
        ("He was ruled out for MI.", "MI"),
        ("MI was ruled out.", "MI"),
        ("A mass is not palpable.", "mass"),
        ("Effusion has not been seen.", "Effusion"),
        ("Ascites wasn't found.", "Ascites"),
        ("Fever: none", "Fever"),
        ("Chest pain: denies", "Chest pain"),
        ("Fever - no", "Fever"),
        ("Cough: yes, fever: no, rash: none.", "fever"),
        ("Cough: yes, fever: no, rash: none.", "rash"),
        ("Pneumonia: No   Sepsis: Yes   Diabetes: N", "Pneumonia"),
        ("Pneumonia: No   Sepsis: Yes   Diabetes: N", "Diabetes"),
        ("Diabetes\tN\nStroke\tY", "Diabetes"),
        ("Diabetes? No. On diet.", "Diabetes"),
        ("COPD w/o exacerbation.", "exacerbation"),
        ("CT neg for PE.", "PE"),
        ("Acute CVA -- r/o'd by MRI.", "CVA"),
    ],
)
def test_denials_are_seen_behind_the_mention_and_in_answers(text: str, mention: str) -> None:
    assert status_of(text, mention) == "negated"


@pytest.mark.parametrize(
    ("text", "mention"),
    [("Pneumonia: No   Sepsis: Yes   Diabetes: N", "Sepsis"), ("Diabetes\tN\nStroke\tY", "Stroke")],
)
def test_an_answer_says_nothing_of_what_is_asked_next(text: str, mention: str) -> None:
    assert status_of(text, mention) == AFFIRMED


def test_an_answer_is_told_without_its_colon() -> None:
    assert cue_of("Fever: none\nCough", "Fever") == "none"


@pytest.mark.parametrize(
    ("text", "mention"),
    [
        ("CT negative for stroke, positive for hemorrhage.", "hemorrhage"),
        ("Denies fever, endorses cough.", "cough"),
        ("Denies fever, reports cough.", "cough"),
        ("Denies fever and reports cough.", "cough"),
        ("No fever, has cough.", "cough"),
        ("No fever with productive cough.", "cough"),
        ("No fever, there is a rash.", "rash"),
        ("Cough: yes, fever: no", "Cough"),
        ("Fever: no, cough: yes", "cough"),
        ("Fever - no cough was heard", "Fever"),
    ],
)
def test_a_new_clause_ends_what_was_denied(text: str, mention: str) -> None:
    assert status_of(text, mention) == AFFIRMED


@pytest.mark.parametrize(
    ("text", "mention", "status"),
    [
        ("His wife has HIV.", "HIV", "family"),
        ("Dad has asthma.", "asthma", "family"),
        ("Mum had a stroke, and a sib has diabetes.", "diabetes", "family"),
        ("Mom says he has asthma.", "asthma", AFFIRMED),
        ("Husband with tuberculosis.", "tuberculosis", "family"),
        ("Daughter drove her to hospital with chest pain.", "chest pain", AFFIRMED),
        ("Lives with his wife, has asthma.", "asthma", AFFIRMED),
        ("Per her husband she had a seizure.", "seizure", AFFIRMED),
        ("His wife denies fever.", "fever", "negated"),
        ("Previously healthy woman with acute cholecystitis.", "cholecystitis", AFFIRMED),
        ("Past few days of fever.", "fever", AFFIRMED),
        ("For the past three weeks weakness.", "weakness", AFFIRMED),
        ("Past stroke.", "stroke", "historical"),
    ],
)
def test_people_and_days_are_no_cues_by_themselves(text: str, mention: str, status: str) -> None:
    assert status_of(text, mention) == status


def test_white_space_without_end_takes_no_time() -> None:
    assert status_of(" \n" * 3_000 + "No fever", "fever") == "negated"


def test_a_document_is_looked_through_once() -> None:
    first, again = (Document.from_text("n", title, "No fever.") for title in ("One", "Two"))
    assert Assertions.of_document(first) is Assertions.of_document(again)


@pytest.mark.parametrize(
    ("text", "mention", "status"),
    [
        (
            "Deep vein thrombosis of the right leg was suspected on the fifth day and ruled out.",
            "Deep vein thrombosis",
            "negated",
        ),
        (
            "Embolism was thought of because of tachycardia, and excluded by CT.",
            "Embolism",
            "negated",
        ),
        ("Liver cancer was looked for with ultrasound and CT and not found.", "cancer", "negated"),
        # What stands behind the verb is not what "and" goes on about.
        (
            "Embolism was thought of because of tachycardia after a long walk on the ward and excluded.",
            "tachycardia",
            AFFIRMED,
        ),
        (
            "Hypertension was treated with two drugs and embolism was ruled out.",
            "Hypertension",
            AFFIRMED,
        ),
        ("Endocarditis not suspected.", "Endocarditis", "negated"),
        ("Endocarditis suspected on admission.", "Endocarditis", "hypothetical"),
        ("Endocarditis suspected per cardiology.", "Endocarditis", "hypothetical"),
        ("1. Endocarditis suspected\n2. Anemia", "Endocarditis", "hypothetical"),
        ("Rash after antibiotics given for suspected cellulitis.", "Rash", AFFIRMED),
        ("Rash after amoxicillin given for a suspected infection.", "Rash", AFFIRMED),
        ("Rash after antibiotics given for suspected cellulitis.", "cellulitis", "hypothetical"),
        ("Flu neg, pneumonia.", "Flu", "negated"),
    ],
)
def test_a_verb_behind_and_speaks_of_the_subject_of_the_sentence(
    text: str, mention: str, status: str
) -> None:
    assert status_of(text, mention) == status


def test_what_is_ruled_out_does_not_reach_over_a_result() -> None:
    text = "Ketoacidosis, pH 7.1, cerebral edema ruled out."
    assert status_of(text, "cerebral edema") == "negated"
    assert status_of(text, "Ketoacidosis") == AFFIRMED
    assert status_of("Ketoacidosis, cerebral edema ruled out.", "Ketoacidosis") == "negated"
