"""Conditions by the names that wards give them, of the whole of ICD-10-CM."""

from __future__ import annotations

import pytest

from core.clinical.ranking.suggester import CodesSuggester
from core.documents.document import Document
from tests.core.clinical.ranking.conftest import EVEN


def _likely(text: str, suggester: CodesSuggester) -> set[str]:
    (prediction,) = suggester.suggest_batch([Document.from_text("d", "", text)], threshold=EVEN)
    return {code.concept_id for code in prediction.suggestions}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Fever after the trip, diagnosed with dengue.", "A90"),
        ("Swab grew: pharyngeal gonorrhoea.", "A54.5"),
        ("Colonoscopy: tubular adenoma, ascending colon.", "D12.2"),
        ("Ultrasound shows a submucous fibroid.", "D25.0"),
        ("Bloods: factor V Leiden, heterozygous.", "D68.51"),
        ("Palpable multinodular goitre.", "E04.2"),
        ("Refeeding syndrome on day 3 of feeds.", "E87.8"),
        ("Tumour lysis after the first cycle.", "E88.3"),
        ("In clinic with dyspraxia.", "F82"),
        ("Treated for Guillain-Barre.", "G61.0"),
        ("Seen for focal seizures.", "G40.109"),
        ("Weak arm after the fit: Todd's paresis.", "G83.84"),
        ("Branch retinal vein occlusion OS.", "H34.8322"),
        ("Angiogram clean: Takotsubo.", "I51.81"),
        ("CT: right MCA infarct.", "I63.511"),
        ("CTA: left carotid dissection.", "I77.71"),
        ("X-ray: RML collapse.", "J98.11"),
        ("CT: mesenteric ischemia.", "K55.059"),
        ("Bile leak from the cystic stump.", "K91.89"),
        ("Hand-foot syndrome, dose held.", "L27.1"),
        ("Theatre found necrotising fasciitis.", "M72.6"),
        ("Advanced coxarthrosis on the left.", "M16.12"),
        ("Curettings: complex atypical hyperplasia.", "N85.02"),
        ("Section for cord prolapse.", "O69.0XX0"),
        ("Sildenafil for ED since prostatectomy.", "N52.9"),
        ("PMH: UC, gout.", "K51.90"),
        ("PMH: AF, BPH.", "I48.91"),
        ("Boxer's fracture, splinted.", "S62.339A"),
        ("Here for a clotted fistula.", "T82.868A"),
        ("Port infection, line out.", "T80.219A"),
    ],
)
def test_what_a_ward_calls_it_is_likely(names_alone: CodesSuggester, text: str, code: str) -> None:
    assert code in _likely(text, names_alone)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Pertussis PCR pending.", "A37.90"),
        ("LBP 118/74, HR 80.", "M54.50"),
        ("Sent to ED with CP.", "G80.9"),
        ("UA/UC sent.", "K51.90"),
        ("Grave outlook explained to the son.", "E05.00"),
        ("A low sodium diet.", "E87.1"),
    ],
)
def test_letters_and_words_with_another_meaning_are_not(
    names_alone: CodesSuggester, text: str, code: str
) -> None:
    assert code not in _likely(text, names_alone)
