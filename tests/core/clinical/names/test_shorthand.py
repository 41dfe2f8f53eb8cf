"""Shorthand of notes: slashed words, small-letter abbreviations, and what depends on its surroundings."""

from __future__ import annotations

from functools import cache

import pytest

from core.clinical.names.clinical_words import words_of
from core.clinical.names.matcher import LexicalMatcher
from core.vocabulary.concepts import Concept, Hierarchy

CODES = {
    "C18.9": ("Malignant neoplasm of colon, unspecified",),
    "C34.90": ("Malignant neoplasm of lung",),
    "C50.919": ("Malignant neoplasm of breast",),
    "C78.00": ("Secondary malignant neoplasm of lung",),
    "C78.7": ("Secondary malignant neoplasm of liver",),
    "C79.51": ("Secondary malignant neoplasm of bone",),
    "C79.81": ("Secondary malignant neoplasm of breast",),
    "C79.9": ("Secondary malignant neoplasm of unspecified site", "Metastatic cancer NOS"),
    "F17.210": ("Nicotine dependence, cigarettes, uncomplicated", "Pack a day"),
    "I48.91": ("Atrial fibrillation with rapid ventricular response",),
    "J18.9": ("Pneumonia",),
    "J96.00": ("Acute respiratory failure",),
    "J96.90": ("Respiratory failure",),
    "K20": ("Bilateral pneumonia",),
    "N18.2": ("Chronic kidney disease, stage 2", "Chronic kidney disease 2"),
    "N18.9": ("Chronic kidney disease",),
    "N39.0": ("Urinary tract infection",),
    "L89.92": ("Pressure ulcer of unspecified site, stage 2",),
    "D50.9": ("Iron deficiency",),
    "R45.851": ("Suicidal ideation",),
    "S22": ("Rib fracture",),
    "T50.901": ("Drug overdose",),
    "T23.20": ("Burn of second degree of hand",),
    "T25.30": ("Burn of third degree of foot",),
}


@cache
def of_shorthand() -> LexicalMatcher:
    concepts = [
        Concept(code, f"urn:{code}", code, {"en": label}, {"en": tuple(others)} if others else {})
        for code, (label, *others) in CODES.items()
    ]
    return LexicalMatcher(Hierarchy(concepts, vocabulary_id="icd10cm", version="hand-written"))


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("b/l pneumonia", ["K20"]),
        ("CKD 2/2 pneumonia", ["N18.9", "J18.9"]),
        ("CKD 2", ["N18.2"]),
        ("acute resp failure d/t pna", ["J96.00", "J18.9"]),
        ("resp failure w/ UTI", ["J96.90", "N39.0"]),
        ("two UTIs, one uti", ["N39.0", "N39.0"]),
        ("afib w RVR", ["I48.91"]),
        ("rib fx", ["S22"]),
        ("iron def", ["D50.9"]),
        ("SI w/ plan, denies SI", ["R45.851", "R45.851"]),
        ("SI joint pain", []),
        ("intentional drug OD", ["T50.901"]),
        ("drug eluting stent, cataract OD", []),
        ("grade 2 pressure sore", ["L89.92"]),
        ("pressure injury, category II", ["L89.92"]),
        ("grade 2 sprain and pressure dressing", []),
        ("2nd degree hand burn", ["T23.20"]),
        ("partial thickness scald of the hand", ["T23.20"]),
        ("full-thickness burns of the feet", ["T25.30"]),
        ("hearing aids, a cap", []),
        ("colon ca, lung ca", ["C18.9", "C34.90"]),
        ("ca of the colon", ["C18.9"]),
        ("lung clear, ca 10.2; colon Ca 8.9", []),
        ("1 ppd, later half ppd", ["F17.210", "F17.210"]),
        ("PPD negative, PPD#2, PPD placed", []),
        # The first cancer and its spread.
        ("metastatic breast cancer", ["C79.9", "C50.919"]),
        ("metastatic adenocarcinoma of the colon", ["C79.9", "C18.9"]),
        ("breast cancer with metastases to bone", ["C50.919", "C79.51"]),
        ("breast ca w/ mets to bone, liver and lung", ["C50.919", "C79.51", "C78.7", "C78.00"]),
        ("colon cancer, metastatic to the liver", ["C18.9", "C78.7"]),
        ("bone and liver metastases from lung cancer", ["C79.51", "C78.7", "C34.90"]),
        ("metastatic lung cancer to the liver", ["C79.9", "C34.90", "C78.7"]),
        ("metastatic cancer to the liver", ["C78.7"]),
        ("breast metastases", ["C79.81"]),
    ],
)
def test_shorthand_is_read_as_what_it_stands_for(text: str, codes: list[str]) -> None:
    assert [match.concept_id for match in of_shorthand().matches(text)] == codes


def test_slashed_words_are_one_word_or_none() -> None:
    text = "w/o pain, s/p 2/2 c/w fall b/l"
    words = [text[word.start : word.end] for word in words_of(text)]
    assert words == ["w/o", "pain", "s/p", "fall", "b/l"]
    without, *_ = words_of("w/o pain")
    assert without.keys == ("without",)
