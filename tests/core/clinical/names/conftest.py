"""Matchers of names over a few codes."""

from __future__ import annotations

import pytest

from core.clinical.names.matcher import LexicalMatcher
from core.clinical.names.past_conditions import PastConditions
from core.vocabulary.concepts import Concept, Hierarchy
from tests.support.named_codes import named_codes


@pytest.fixture(scope="module")
def matcher() -> LexicalMatcher:
    return LexicalMatcher(named_codes())


CODES_IN_LISTS = {
    "I10": ("Essential (primary) hypertension", "Hypertension"),
    "I11.0": ("Hypertensive heart disease with heart failure",),
    "I13.2": ("Hypertensive heart and chronic kidney disease",),
    "I25.10": ("Atherosclerotic heart disease of native coronary artery without angina pectoris",),
    "I26.99": ("Pulmonary embolism",),
    "I27.20": ("Pulmonary hypertension, unspecified",),
    "I50.1": ("Left ventricular failure, unspecified", "Cardiac asthma"),
    "I50.9": ("Heart failure, unspecified", "Congestive heart failure NOS"),
    "J44.9": ("Chronic obstructive pulmonary disease, unspecified",),
    "J45.909": ("Asthma",),
    "J81.1": ("Pulmonary edema NOS",),
    "M06.9": ("Rheumatoid arthritis, unspecified",),
    "M25.552": ("Pain in left hip",),
    "M25.561": ("Pain in right knee",),
    "M25.562": ("Pain in left knee",),
    "M25.569": ("Pain in unspecified knee",),
    "N19": ("Unspecified kidney failure",),
    "R06.02": ("Shortness of breath",),
    "R07.1": ("Chest pain on breathing",),
    "R07.9": ("Chest pain, unspecified",),
    "R11.2": ("Nausea with vomiting, unspecified",),
    "S72.00": ("Hip fracture",),
}


@pytest.fixture(scope="module")
def list_matcher() -> LexicalMatcher:
    concepts = [
        Concept(code, f"urn:{code}", code, {"en": label}, {"en": tuple(others)} if others else {})
        for code, (label, *others) in CODES_IN_LISTS.items()
    ]
    return LexicalMatcher(Hierarchy(concepts, vocabulary_id="icd10cm", version="hand-written"))


# code, label, broader code
CODES_OF_HISTORY = (
    ("II", "Neoplasms (C00-D49)", ""),
    ("C61", "Malignant neoplasm of prostate", "II"),
    ("IX", "Diseases of the circulatory system (I00-I99)", ""),
    ("I10", "Essential (primary) hypertension", "IX"),
    ("I21", "Acute myocardial infarction", "IX"),
    ("I21.3", "ST elevation (STEMI) myocardial infarction of unspecified site", "I21"),
    ("I21.9", "Acute myocardial infarction, unspecified", "I21"),
    ("I25.2", "Old myocardial infarction", "IX"),
    ("I63.9", "Cerebral infarction, unspecified", "IX"),
    ("I82.409", "Acute embolism and thrombosis of unspecified deep veins of leg", "IX"),
    ("I82.509", "Chronic embolism and thrombosis of unspecified deep veins of leg", "IX"),
    ("J18.9", "Pneumonia, unspecified organism", "IX"),
    ("J42", "Unspecified chronic bronchitis", "IX"),
    ("N99.9", "Acute and chronic nephritis", "IX"),
    ("Q54.9", "Hypospadias, unspecified", "IX"),
    ("XIX", "Injury, poisoning and certain other consequences of external causes", ""),
    ("S43.0", "Dislocation of shoulder", "XIX"),
    ("XXI", "Factors influencing health status", ""),
    ("Z85.46", "Personal history of malignant neoplasm of prostate", "XXI"),
    ("Z86.73", "Personal history of transient ischemic attack (TIA), and cerebral infarction"
     " without residual deficits", "XXI"),
    ("Z86.718", "Personal history of other venous thrombosis and embolism", "XXI"),
    ("Z87.01", "Personal history of pneumonia (recurrent)", "XXI"),
    ("Z87.19", "Personal history of other diseases of the digestive system", "XXI"),
    ("Z87.710", "Personal history of (corrected) hypospadias", "XXI"),
)  # fmt: skip


@pytest.fixture(scope="module")
def history_matcher() -> LexicalMatcher:
    above = {broader for _, _, broader in CODES_OF_HISTORY}
    concepts = (
        Concept(code, f"urn:{code}", code, {"en": label}, broader=(broader,) if broader else (),
                assignable=code not in above)
        for code, label, broader in CODES_OF_HISTORY
    )  # fmt: skip
    return LexicalMatcher(Hierarchy(concepts, vocabulary_id="icd10cm", version="hand-written"))


@pytest.fixture
def past(history_matcher: LexicalMatcher) -> PastConditions:
    return history_matcher.past


CLABSI = "Central line-associated bloodstream infection (CLABSI)"
# code, label, broader code, inclusion term
CODES_OF_WARDS = (
    ("B95.61", "Methicillin susceptible Staphylococcus aureus infection", "", ""),
    ("B95.62", "Methicillin resistant Staphylococcus aureus infection", "", ""),
    ("F10.230", "Alcohol dependence with withdrawal, uncomplicated", "", ""),
    ("F10.239", "Alcohol dependence with withdrawal, unspecified", "", ""),
    ("F43.0", "Acute stress reaction", "", ""),
    ("H52.00", "Hypermetropia, unspecified eye", "", ""),
    ("I21.4", "Non-ST elevation (NSTEMI) myocardial infarction", "", ""),
    ("I21.A1", "Myocardial infarction type 2", "", ""),
    ("I35.1", "Nonrheumatic aortic (valve) insufficiency", "", ""),
    ("I70.1", "Atherosclerosis of renal artery", "", ""),
    ("M84.30XA", "Stress fracture, unspecified site, initial encounter", "", ""),
    ("N17.9", "Acute kidney failure, unspecified", "", ""),
    ("N18.9", "Chronic kidney disease, unspecified", "", ""),
    ("Q53.9", "Undescended testicle, unspecified", "", ""),
    ("R56.9", "Unspecified convulsions", "", ""),
    ("R78.81", "Bacteremia", "", ""),
    ("S72.00", "Fracture of unspecified part of neck of femur", "", "Hip break"),
    ("S72.009A", "Fracture of neck of femur, initial encounter", "S72.00", ""),
    ("S72.009D", "Fracture of neck of femur, subsequent encounter", "S72.00", ""),
    ("T80.211", "Bloodstream infection due to central venous catheter", "", CLABSI),
    ("T80.211A", "Bloodstream infection, initial encounter", "T80.211", ""),
    ("T80.211D", "Bloodstream infection, subsequent encounter", "T80.211", ""),
    ("Z86.11", "Personal history of tuberculosis", "", ""),
)


@pytest.fixture(scope="module")
def noted() -> LexicalMatcher:
    concepts = [
        Concept(code, f"urn:{code}", code, {"en": label}, {"en": (term,)} if term else {},
                broader=(broader,) if broader else (),
                assignable=code not in {above for _, _, above, _ in CODES_OF_WARDS})
        for code, label, broader, term in CODES_OF_WARDS
    ]  # fmt: skip
    return LexicalMatcher(Hierarchy(concepts, vocabulary_id="icd10cm", version="hand-written"))
