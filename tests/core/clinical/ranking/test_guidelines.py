"""Codes that say several conditions of a note."""

from __future__ import annotations

import pytest

from core.clinical.names.matcher import LexicalMatcher
from core.clinical.ranking.guidelines import AT_LEAST, combinations_of, with_combinations
from core.clinical.ranking.ranker import shipped
from core.clinical.ranking.suggester import CodesSuggester
from core.documents.document import Document
from core.vocabulary.concepts import Concept, Hierarchy

LABELS = {
    "A41.51": "Sepsis due to Escherichia coli [E. coli]",
    "B96.20": "Unspecified Escherichia coli [E. coli] as the cause of diseases classified elsewhere",
    "E11.22": "Type 2 diabetes mellitus with diabetic chronic kidney disease",
    "E11.65": "Type 2 diabetes mellitus with hyperglycemia",
    "E11.9": "Type 2 diabetes mellitus without complications",
    "I10": "Essential (primary) hypertension",
    "I11.0": "Hypertensive heart disease with heart failure",
    "I12.9": "Hypertensive chronic kidney disease with stage 1 through stage 4",
    "I13.0": "Hypertensive heart and chronic kidney disease with heart failure",
    "I50.9": "Heart failure, unspecified",
    "J13": "Pneumonia due to Streptococcus pneumoniae",
    "J44.0": "Chronic obstructive pulmonary disease with (acute) lower respiratory infection",
    "J44.9": "Chronic obstructive pulmonary disease, unspecified",
    "K70": "Alcoholic liver disease",
    "K70.30": "Alcoholic cirrhosis of liver without ascites",
    "K70.31": "Alcoholic cirrhosis of liver with ascites",
    "N13.2": "Hydronephrosis with renal and ureteral calculous obstruction",
    "N13.30": "Unspecified hydronephrosis",
    "N18.31": "Chronic kidney disease, stage 3a",
    "N20.0": "Calculus of kidney",
    "N39.0": "Urinary tract infection, site not specified",
    "R18.8": "Other ascites",
    "R73.9": "Hyperglycemia, unspecified",
}


CODES = Hierarchy(
    [
        Concept(
            code, f"urn:{code}", code, {"en": label}, {},
            ("K70",) if code.startswith("K70.") else (), assignable=code != "K70",
        )
        for code, label in LABELS.items()
    ],
    vocabulary_id="icd10cm",
    version="hand-written",
)  # fmt: skip


def combined(chances: dict[str, float], said: list[str]) -> dict[str, float]:
    return with_combinations(chances, combinations_of(chances, said, CODES))


@pytest.mark.parametrize(
    ("said", "both", "replaced"),
    [
        (["I10", "N18.31"], "I12.9", ["I10"]),
        (["I10", "I50.9"], "I11.0", ["I10"]),
        (["I10", "I50.9", "N18.31"], "I13.0", ["I10"]),
        (["E11.9", "N18.31"], "E11.22", ["E11.9"]),
        (["E11.9", "R73.9"], "E11.65", ["E11.9", "R73.9"]),
        (["J13", "J44.9"], "J44.0", ["J44.9"]),
        (["K70.30", "R18.8"], "K70.31", ["K70.30", "R18.8"]),
        (["A41.51", "B96.20"], "A41.51", ["B96.20"]),
        (["A41.51", "B96.20", "N39.0"], "A41.51", []),  # the germ is that of the infection, too
    ],
)
def test_one_code_that_says_both_is_before_what_it_replaces(
    said: list[str], both: str, replaced: list[str]
) -> None:
    found = combined(dict.fromkeys(said, 0.8), said)
    assert found[both] == 0.8
    assert {i: found[i] for i in replaced} == pytest.approx(dict.fromkeys(replaced, 0.18))
    assert all(found[i] == 0.8 for i in said if i not in replaced)


def test_a_combination_is_likely_where_both_parts_are_said() -> None:
    found = combined({"I10": 0.9, "N18.31": 0.3}, ["I10", "N18.31"])
    assert found["I12.9"] == AT_LEAST > found["I10"]


def test_a_combination_is_as_likely_as_the_best_names_of_its_parts() -> None:
    # The list of diagnoses says I13.0 where another place says hypertension alone.
    chances = {"I10": 0.3, "I12.9": 0.9, "I50.9": 0.8, "N18.31": 0.7}
    assert combined(chances, list(chances))["I13.0"] == 0.8


def test_a_combination_has_the_evidence_of_its_parts() -> None:
    suggester = CodesSuggester(LexicalMatcher(CODES), shipped("alone"))
    note = Document.from_text("n", "", "Hypertension. Heart failure. Hypertension, heart failure.")
    found = suggester.by_rules(note)
    assert found is not None and found.parts == {"I11.0": ("I10", "I50.9")}
    prediction = suggester.suggest(note)
    chances = {one.concept_id: one.probability for one in prediction.suggestions}
    assert chances["I11.0"] > chances["I10"]
    passages = suggester.explain(note).evidence(["I11.0"])["I11.0"].passages
    assert {one.text.lower() for one in passages} == {"hypertension", "heart failure"}
