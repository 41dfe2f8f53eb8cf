"""Rules applied to a note of a stay, as it is served."""

from __future__ import annotations

from dataclasses import replace

from core.clinical.familiar import KnownDocuments
from core.clinical.ranking.ranker import shipped
from core.clinical.ranking.suggester import CodesSuggester
from core.clinical.stays.conditions.sides import sides
from core.clinical.stays.note import LONGEST_SENTENCE, StayNote
from core.documents.document import Document
from core.vocabulary.concepts import Concept, Hierarchy
from tests.core.clinical.stays.conftest import MakesNote
from tests.support.fakes import FakePredictor
from tests.support.unsure_codes import WORDS, of_words

NOTE = Document.from_text(
    "d", "", "Diagnoses:\n1. Obesity, BMI 37.4\n2. Hypertension\n\nMother had diabetes."
)


def test_a_code_of_a_rule_is_suggested_with_the_words_that_say_it(stays: CodesSuggester) -> None:
    chances = stays.chances(NOTE)
    assert min(chances["Z68.37"], chances["E66.9"], chances["I10"]) >= 0.5
    evidence = stays.explain(NOTE).evidence(["Z68.37"])["Z68.37"]
    assert [passage.text for passage in evidence.passages] == ["BMI 37.4"]


def test_a_model_that_has_learned_from_other_notes_keeps_no_words_of_rules(
    stays: CodesSuggester,
) -> None:
    foreign = KnownDocuments.of([of_words(*WORDS)])
    beside = replace(shipped("beside"), documents=foreign)
    model = FakePredictor(stays.hierarchy)
    suggester = CodesSuggester(stays.matcher, beside, model, shipped("alone"))
    assert not suggester.is_familiar(NOTE)
    evidence = suggester.explain(NOTE).evidence(["Z68.37"])["Z68.37"]
    assert [passage.text for passage in evidence.passages] == ["BMI 37.4"]


def test_no_code_of_a_rule_stands_for_what_is_denied(stays: CodesSuggester) -> None:
    assert stays.chances(NOTE).get("E11.9", 0.0) < 0.2
    said = Document.from_text("d", "", "No obesity. BMI 37.4. Hypertension.")
    assert "Z68.37" not in stays.chances(said)


def test_a_disease_in_the_full_words_of_a_code_is_likely(stays: CodesSuggester) -> None:
    said = Document.from_text("d", "", "Traumatic pneumothorax on the left, drained.")
    assert stays.chances(said)["S27.0XXA"] >= 0.5


def test_what_is_over_is_behind_its_code_of_having_had_it(stays: CodesSuggester) -> None:
    def chances(text: str) -> dict[str, float]:
        return dict(stays.chances(Document.from_text("d", "", text)))

    past = "PMH: pneumonia 2015, hypertension."
    over = chances(past)
    assert over["J18.9"] <= 0.15 and min(over["Z87.01"], over["I10"]) >= 0.5
    assert chances(f"{past} He now presents with pneumonia.")["J18.9"] >= 0.5
    assert chances(f"{past}\n\nHOSPITAL COURSE:\nPneumonia.")["J18.9"] >= 0.5


def test_an_injury_needs_no_words_of_its_visit_to_be_likely(stays: CodesSuggester) -> None:
    said = Document.from_text("d", "", "Laceration of the left forearm.")
    assert stays.chances(said)["S51.812A"] >= 0.5
    toxic = Document.from_text("d", "", "Acute liver injury by acetaminophen.")
    assert stays.chances(toxic)["S36.119A"] < 0.5


def test_a_crisis_goes_with_its_hypertension(stays: CodesSuggester) -> None:
    said = Document.from_text("d", "", "Hypertensive emergency. Hypertension.")
    chances = stays.chances(said)
    assert min(chances["I16.1"], chances["I10"]) >= 0.5


def test_pneumonia_is_coded_beside_the_disease_that_it_infects(stays: CodesSuggester) -> None:
    chances = stays.chances(Document.from_text("d", "", "COPD with pneumonia."))
    assert min(chances["J44.0"], chances["J18.9"]) >= 0.5


def test_a_sentence_without_an_end_is_cut(note: MakesNote) -> None:
    text = "Short. " + "word " * 500
    made = note(text)
    assert made.sentence(3) == (0, 6)
    assert made.sentence(7) == (6, 6 + LONGEST_SENTENCE)
    assert made.sentence(len(text) - 1) == (6 + 2 * LONGEST_SENTENCE, len(text))


def test_rules_build_on_likely_codes_that_are_not_denied(note: MakesNote) -> None:
    made = replace(note("Obesity."), chances={"I10": 0.9, "E66.9": 0.2, "N18.31": 0.1, "R05": 0.8})
    assert replace(made, barred=frozenset({"R05"})).codes == ["E66.9", "I10"]


def test_what_is_over_is_no_suggestion_that_waits(stays: CodesSuggester) -> None:
    note = Document.from_text(
        "n", "", "PAST MEDICAL HISTORY:\n1. Pneumonia 2019 (resolved)\n2. HTN"
    )
    denied = {one.concept_id: one.denied for one in stays.suggest(note).suggestions}
    assert denied["J18.9"] == "historical"
    assert denied["Z87.01"] == denied["I10"] == ""


def test_a_code_at_the_top_of_a_table_has_no_sides() -> None:
    label = {"en": "Sprain of ligament of unspecified knee, initial encounter"}
    flat = Hierarchy(
        [Concept("S83.519A", "urn:S83.519A", "S83.519A", label)],
        vocabulary_id="icd10cm",
        version="own",
    )
    knee = StayNote(Document.from_text("d", "", "R knee pop."), flat, {"S83.519A": 0.8}, ())
    assert list(sides(knee)) == []
