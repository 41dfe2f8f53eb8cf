"""Cancers that are over, and those that are treated or there."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from core.suggest.names.clinical_words import words_of
from core.suggest.stays.cancers import cancers
from core.suggest.stays.taken import no_longer_taken
from tests.core.suggest.stays.conftest import MakesNote


@pytest.mark.parametrize(
    ("text", "named", "code"),
    [
        ("breast cancer 2005 s/p mastectomy", {"C50919": "breast cancer"}, "Z85.3"),
        (
            "Colon cancer s/p resection 2012, no evidence of disease",
            {"C189": "Colon cancer"},
            "Z85.038",
        ),
        (
            "Prostate cancer treated with radiation in 2010, in remission",
            {"C61": "Prostate cancer"},
            "Z85.46",
        ),
        ("History of colon cancer s/p hemicolectomy, gout", {"C189": "colon cancer"}, "Z85.038"),
        (
            "Bladder cancer. TURBT eight years ago, disease free since.",
            {"C679": "Bladder cancer"},
            "Z85.51",
        ),
        ("Hodgkin lymphoma treated in 1998.", {"C8190": "Hodgkin lymphoma"}, "Z85.71"),
        (
            "Breast cancer, mastectomy 2011, completed five years of tamoxifen",
            {"C50919": "Breast cancer"},
            "Z85.3",
        ),
        # What is told of another condition says nothing of the cancer.
        (
            "PMH: prostate cancer s/p prostatectomy 2014, CKD stage 4",
            {"C61": "prostate cancer", "N184": "CKD stage 4"},
            "Z85.46",
        ),
    ],
)
def test_a_cancer_that_was_treated_in_the_past_is_a_history(
    note: MakesNote, text: str, named: dict[str, str], code: str
) -> None:
    (found,) = cancers(note(text, **named))
    assert found.code == code
    assert len(found.replaced) == 1 and found.replaced[0].startswith("C")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Breast cancer, mastectomy 2011, on tamoxifen", {"C50919": "Breast cancer"}),
        (
            "PMH: prostate cancer s/p prostatectomy 2014.\nMedications: leuprolide",
            {"C61": "prostate cancer"},
        ),
        ("Right hemicolectomy for colon cancer, POD 3.", {"C189": "colon cancer"}),
        ("PMH: colon cancer, resection planned", {"C189": "colon cancer"}),
        ("PMH: lung cancer s/p chemoradiation, on durvalumab", {"C3490": "lung cancer"}),
        ("Prostate cancer s/p prostatectomy 2012, recurrent", {"C61": "Prostate cancer"}),
        ("Metastatic colon cancer, hemicolectomy 2019", {"C189": "colon cancer"}),
        ("PMH: colon cancer, appendicitis 2005", {"C189": "colon cancer", "K3580": "appendicitis"}),
        # Lymphomas have codes of their own for a remission.
        ("Hodgkin lymphoma in remission", {"C8190": "Hodgkin lymphoma"}),
        ("Colon cancer", {"C189": "Colon cancer"}),
    ],
)
def test_what_is_treated_or_there_is_no_history(
    note: MakesNote, text: str, named: dict[str, str]
) -> None:
    assert not list(cancers(note(text, **named)))


def test_an_operation_in_the_year_of_the_note_may_be_that_of_the_stay(note: MakesNote) -> None:
    made = note("Colon cancer, resected 2026", C189="Colon cancer")
    assert list(cancers(made))
    (part,) = made.document.parts
    dated = replace(made.document, parts=(replace(part, date=date(2026, 3, 1)),))
    assert not list(cancers(replace(made, document=dated)))


def test_a_drug_that_was_taken_to_the_end_is_no_long_term_use(note: MakesNote) -> None:
    taken = note("Completed 5 years of tamoxifen.", Z79810="tamoxifen")
    assert no_longer_taken(taken) == ["Z79.810"]
    assert not no_longer_taken(note("Has had 2 years of tamoxifen.", Z79810="tamoxifen"))


def test_a_year_behind_an_abbreviated_cancer_is_no_level_of_calcium() -> None:
    def keys(text: str) -> set[str]:
        return {key for word in words_of(text) for key in word.keys}

    assert "malign" in keys("breast ca 2005")
    assert "malign" not in keys("renal Ca 9.1") | keys("kidney ca 2.4")
