"""Names of codes, corrected by what was decided on other notes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

import numpy as np
import pytest

from core.clinical.encounters import Note, encounter
from core.documents.document import Document
from core.suggest.cold_start.suggester import ColdStartSuggester
from core.suggest.correction.probabilities import calibrated_here
from core.suggest.correction.suggester import CorrectedSuggester
from core.suggest.protocol import FinishedDocument
from tests.support.garden import finished, note
from tests.support.named_codes import named_codes

KNEE = note(100, "Visit", "Swollen joint after the fall, cannot climb the stairs.")
DENIED = note(101, "Visit", "Wheezing at night. No pneumonia.")


def knees(number: int) -> list[Document]:
    text = "Swollen joint since the fall, stairs are hard to climb, week {}."
    return [note(n, "Visit", text.format(n)) for n in range(number)]


def learn(suggester: CorrectedSuggester, documents: Sequence[FinishedDocument]) -> None:
    suggester.learn([replace(one, suggested=suggester.chances(one.document)) for one in documents])


def chances(suggester: CorrectedSuggester, document: Document) -> dict[str, float]:
    return {row.concept_id: row.probability for row in suggester.suggest(document).suggestions}


def test_codes_of_similar_notes_are_suggested_and_forgotten_again(
    named: CorrectedSuggester,
) -> None:
    before = chances(named, KNEE)
    assert "M25.569" not in before
    learn(named, [finished(knee, ("M25.569",)) for knee in knees(12)])
    rows = named.suggest(KNEE).suggestions
    assert [(row.concept_id, row.source) for row in rows[:1]] == [("M25.569", "neighbours")]
    named.forget(list(named.learned()))
    assert chances(named, KNEE) == before


FALL = (
    "Slipped on wet leaves in the yard and landed on the left side. Unable to stand, the leg is turned "
    "outward. Taken to the operating room on the next day, and walked with a frame on the third."
)
SALT = (
    "Brought in confused after a week of nausea. Sodium was 118 on a water tablet, which was stopped. "
    "Fluids were limited on the next day, and the sodium rose slowly over three days."
)


def stays(*texts: str) -> list[Document]:
    kind = "Discharge summary"
    found = enumerate(texts, start=1)
    return [encounter(f"stay-{n}", "", [Note(text, kind, date(2026, 3, n))]) for n, text in found]


@pytest.mark.parametrize("finished_stays", [(FALL,), (FALL, FALL)])
def test_unlike_notes_get_no_codes_of_one_or_two_finished_stays(
    named: CorrectedSuggester, finished_stays: tuple[str, ...]
) -> None:
    *fallen, unlike, like = stays(*finished_stays, SALT, f"{FALL} The wound healed.")
    learn(named, [finished(stay, ("M25.569", "I10")) for stay in fallen])
    assert chances(named, unlike) == {}
    assert set(chances(named, like)) == {"M25.569", "I10"}


def test_what_a_note_denies_is_not_raised_by_what_was_decided(
    named: CorrectedSuggester,
) -> None:
    before = chances(named, DENIED)["J18.9"]
    coughs = [note(n, "Visit", f"Wheezing at night, pneumonia, week {n}.") for n in range(12)]
    learn(named, [finished(cough, ("J18.9",)) for cough in coughs])
    assert chances(named, DENIED)["J18.9"] <= before
    affirmed = note(102, "Visit", "Wheezing at night. Pneumonia.")
    assert chances(named, affirmed)["J18.9"] > 0.7


def test_names_of_codes_are_not_looked_for_twice(named: CorrectedSuggester) -> None:
    learn(named, [finished(knee, ("M25.569",)) for knee in knees(2)])
    assert named.local().candidates.matcher is None
    assert named.suggest(note(3, "Visit", "Cough")).suggestions[0].source == "lexical"


def test_probabilities_are_made_to_say_how_often_codes_are_right_here(
    named: CorrectedSuggester,
) -> None:
    """A code that stands in every note and is right in a quarter of them."""
    as_learned = CorrectedSuggester(named.model, named.hierarchy, named.local)
    notes = [note(n, "Visit", f"Cough in week {n}.") for n in range(80)]
    right = [("R05",) if n % 4 == 0 else () for n in range(80)]
    learn(named, [finished(one, codes) for one, codes in zip(notes, right, strict=True)])
    new = note(99, "Visit", "Cough in week 81.")
    found, before = (chances(one, new)["R05"] for one in (named, as_learned))
    assert before > 0.5
    assert found == pytest.approx(0.25, abs=0.15)


def test_categories_are_as_probable_as_the_codes_below_them(named: CorrectedSuggester) -> None:
    visit = note(99, "Visit", "Bronchopneumonia in week 81. Cough.")
    before = named.suggest(visit)
    visits = [note(n, "Visit", f"Bronchopneumonia in week {n}. Cough.") for n in range(40)]
    learn(named, [finished(one, ("R05",)) for one in visits])
    after = named.suggest(visit)
    codes = [
        {row.concept_id: (row.probability, row.branch_probability) for row in found.suggestions}
        for found in (before, after)
    ]
    assert codes[0]["J18.0"][0] > 0.5 and codes[1]["J18.0"][0] < 0.1
    assert all(own == branch for own, branch in codes[1].values())
    assert after.branch_probability["J18"] == codes[1]["J18.0"][0]
    assert after.branch_probability["X"] == codes[1]["R05"][0]


def test_a_calibration_leaves_out_what_no_model_has_read() -> None:
    local = ColdStartSuggester.of_codes(named_codes())
    local.learn([finished(knee, ("M25.569",)) for knee in knees(3)])

    def never(rows: object, number: int) -> np.ndarray:
        raise AssertionError

    platt = calibrated_here(local.candidates, local.experience(), never)
    assert (platt.slope, platt.bias) == (1.0, 0.0)
