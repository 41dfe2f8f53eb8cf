"""Check boxes of forms: an empty one denies its item, a filled one affirms it."""

from __future__ import annotations

import pytest

from core.clinical.assertions import Assertions
from core.clinical.names.matcher import LexicalMatcher
from core.clinical.names.mentions import named_in
from core.documents.document import Document


@pytest.mark.parametrize(
    ("text", "denied", "affirmed"),
    [
        ("☐ Sepsis  ☒ Pneumonia", ["Sepsis"], ["Pneumonia"]),
        ("[ ] COPD [x] CHF\nGout", ["COPD"], ["CHF", "Gout"]),
        ("( ) DVT (X) PE\n( ) Gout ( ) Asthma", ["DVT", "Gout", "Asthma"], ["PE"]),
        ("- [] Sepsis, septic shock\n- ✓ Gout", ["Sepsis", "septic shock"], ["Gout"]),
        # A blank for a name is no box.
        ("Seen by Dr. ( ) for asthma", [], ["asthma"]),
        # A filled box ends what was denied before it, and words behind another box do not reach.
        ("Denies fever [x] Cough", ["fever"], ["Cough"]),
        ("[x] Pneumonia [ ] COVID negative", ["COVID"], ["Pneumonia"]),
        ("[x] No fever [x] Cough", ["fever"], ["Cough"]),
        # Boxes behind their items, and boxes of answers.
        ("Sepsis [ ]  Pneumonia [x]", ["Sepsis"], ["Pneumonia"]),
        ("Diabetes [x] yes [ ] no  Gout [ ] Yes [x] No", ["Gout"], ["Diabetes"]),
        ("Gout [x] No Asthma ☑ yes", ["Gout"], ["Asthma"]),
        # What is to be done denies nothing.
        ("[ ] repeat CXR for pneumonia\n[ ] Sepsis", ["Sepsis"], ["pneumonia"]),
        ("- [ ] f/u cultures of the sepsis\n- [ ] Please call about gout", [], ["sepsis", "gout"]),
        (
            "To do:\n[ ] pneumonia vaccine\n[ ] gout diet sheet\nForm\n[ ] COPD",
            ["COPD"],
            ["pneumonia", "gout"],
        ),
        ("[ ] CT: pneumonia", ["pneumonia"], []),
        ("[ ] Change in vision [ ] Contact dermatitis", ["vision", "dermatitis"], []),
    ],
)
def test_an_empty_box_denies_its_item(text: str, denied: list[str], affirmed: list[str]) -> None:
    assertions = Assertions(text)
    said = {
        what: assertions.at(text.index(what), text.index(what) + len(what))
        for what in (*denied, *affirmed)
    }
    assert [what for what, why in said.items() if why and why.status == "negated"] == denied


def test_no_name_reaches_over_a_box(list_matcher: LexicalMatcher) -> None:
    def codes(text: str) -> set[str]:
        return {
            code.concept_id for code in named_in(Document.from_text("n", "", text), list_matcher)
        }

    assert codes("[x] Chest pain") == {"R07.9"}
    assert codes("[x] Chest [x] Pain") == set()
