"""Names and a model's codes, ranked together."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.clinical.familiar import KnownDocuments
from core.clinical.names.explanation import SOURCE
from core.clinical.names.matcher import LexicalMatcher
from core.clinical.names.mentions import named_in
from core.clinical.ranking.features import FEATURES, CodeFeatures
from core.clinical.ranking.known import CodeCounts
from core.clinical.ranking.ranker import CodeRanker, ranker_of, shipped
from core.clinical.ranking.suggester import VERSION, CodesSuggester
from core.documents.document import Document
from core.errors import BundleError, VocabularyError
from core.vocabulary.concepts import Concept, Hierarchy
from tests.support.unsure_codes import UnsureSuggester

NOTE = Document.from_text("n", "Visit", "Dry cough. No pneumonia. Pain in the left knee, cough.")


def test_without_a_model_names_are_ranked_and_what_is_denied_is_last(names: CodesSuggester) -> None:
    prediction = names.suggest(NOTE)
    codes = [one.concept_id for one in prediction.suggestions]
    assert set(codes[:2]) == {"R05", "M25.562"} and codes[-1] == "J18.9"
    assert {one.source for one in prediction.suggestions} == {SOURCE}
    assert prediction.suggestions[-1].probability < 0.1
    assert names.denied(NOTE) == {"J18.9": "negated"}
    assert {one.concept_id: one.denied for one in prediction.suggestions if one.denied} == {
        "J18.9": "negated"
    }
    assert "J18.9" not in [one.concept_id for one in prediction.wanting]


def test_what_a_note_denies_is_last_though_the_model_is_sure(both: CodesSuggester) -> None:
    prediction = both.suggest(NOTE)
    chances = {one.concept_id: one.probability for one in prediction.suggestions}
    assert chances["J18.9"] < 0.1 and chances["J18.0"] < 0.3
    assert [one.concept_id for one in prediction.suggestions][-2:] != ["R05", "M25.562"]
    assert [one.concept_id for one in prediction.suggestions if one.denied] == ["J18.9"]
    assert min(chances["I10"], chances["M25.562"]) > max(chances["J18.9"], chances["J18.0"])


def test_what_a_model_suggested_is_ranked_alike_without_the_model_itself(
    names: CodesSuggester, both: CodesSuggester
) -> None:
    # As folds are judged: the rules for stays are for notes that no model has read.
    assert both.model is not None
    note = Document.from_text("n", "", "DISCHARGE DIAGNOSES:\n1. Pneumonia\n2. Cough")
    found = both.model.suggest(note, limit=300)
    without = CodesSuggester(names.features.matcher, shipped("beside"))
    assert without.ranked(note, found).chances == both.ranked(note, found).chances
    assert without.ranked(note, found).chances != without.chances(note)


def test_the_network_judges_no_report_that_is_like_the_learned_ones(
    names: CodesSuggester, matcher: LexicalMatcher
) -> None:
    note = Document.from_text("n", "", "Wife says she herself has pneumonia, mask given.")
    assert names.denied(note) == {"J18.9": "hypothetical"}
    knowing = replace(shipped("beside"), documents=KnownDocuments.of([note]))
    model = UnsureSuggester(matcher.hierarchy)
    by_rules = CodesSuggester(matcher, knowing, model, alone=shipped("alone"))
    assert by_rules.is_familiar(note) and not by_rules.denied(note)
    [passage] = by_rules.explain(note).evidence(["J18.9"])["J18.9"].passages
    assert passage.text == "pneumonia"
    assert by_rules.denied(NOTE) == {"J18.9": "negated"}


def test_headings_alone_have_no_codes(both: CodesSuggester) -> None:
    template = "DISCHARGE SUMMARY\nHOSPITAL COURSE:\n\nMEDICATIONS:\n"
    assert not both.suggest(Document.from_text("n", "", template)).suggestions
    assert both.suggest(Document.from_text("n", "", f"{template}Aspirin.")).suggestions
    assert both.suggest(Document.from_text("n", "", "Feels unwell.")).suggestions


def test_a_branch_is_as_probable_as_its_best_code(both: CodesSuggester) -> None:
    prediction = both.suggest(NOTE)
    best = prediction.suggestions[0].probability
    assert prediction.branch_probability["X"] == best
    assert prediction.bundle_hash == f"empty+{VERSION}" == both.bundle_hash


def test_limit_and_threshold_hold(both: CodesSuggester) -> None:
    assert len(both.suggest(NOTE, limit=1).suggestions) == 1
    assert both.suggest(NOTE, threshold=0.999).suggestions == ()
    in_batch = list(both.suggest_batch([NOTE, NOTE]))
    assert in_batch[0].suggestions == in_batch[1].suggestions == both.suggest(NOTE).suggestions


def test_without_its_name_a_code_is_less_probable(names: CodesSuggester) -> None:
    explanation = names.explain(NOTE)
    (cough,) = explanation.evidence(["R05"])["R05"].passages
    assert (cough.text, cough.is_name) == ("cough", True)
    after, before = explanation.without("R05", cough.spans)
    assert after == 0 < before == names.chances(NOTE)["R05"]
    with pytest.raises(VocabularyError):
        explanation.without("nothing", [])


def test_a_specific_code_stands_before_a_vague_one_of_its_category(matcher: LexicalMatcher) -> None:
    suggester = CodesSuggester(matcher, shipped("alone"))
    note = Document.from_text("n", "", "Mild intermittent asthma. Asthma since childhood. Asthma.")
    chances = suggester.chances(note)
    assert chances["J45.2"] > chances.get("J45.90", 0.0)


def test_of_a_finding_named_in_two_ways_one_code_is_likely(matcher: LexicalMatcher) -> None:
    suggester = CodesSuggester(matcher, shipped("alone"))
    twice = Document.from_text("n", "", "Mild intermittent asthma. Asthma. Asthma.")
    chances = suggester.chances(twice)
    assert chances["J45.2"] > 0.5
    assert chances.get("J45.90", 0.0) <= 1 - chances["J45.2"]
    once = Document.from_text("n", "", "Asthma. Asthma.")
    assert suggester.chances(once)["J45.90"] > 0.5
    apart = Document.from_text("n", "", "Cough. Asthma. Asthma.")
    assert suggester.chances(apart)["J45.90"] > 0.5


def test_features_are_numbers_of_each_candidate(matcher: LexicalMatcher) -> None:
    counts = CodeCounts.of([(["R05"], ["R05", "I10"]), (["R05"], [])], ["I10"])
    assert (counts.named, counts.right, counts.given["I10"]) == ({"R05": 2}, {"R05": 1}, 1)
    found = CodeFeatures(matcher, counts)(
        NOTE, named_in(NOTE, matcher), UnsureSuggester(matcher.hierarchy).suggest(NOTE)
    )
    assert found.rows.shape == (len(found.ids), len(FEATURES)) and np.isfinite(found.rows).all()
    cough = found.ids.index("R05")
    assert found.column("is_named")[cough] == 1 and found.column("n_mentions")[cough] > 1
    assert found.column("n_named_there")[cough] == pytest.approx(np.log(3))
    assert found.column("is_named")[found.ids.index("I10")] == 0
    assert found.column("is_learned")[found.ids.index("M25.562")] == 0


def test_a_ranker_is_read_as_it_was_written(tmp_path: Path) -> None:
    own = shipped("beside")
    CodeRanker(own.ranker, CodeCounts.of([(["R05"], ["R05"])], ["R05"])).save(tmp_path)
    again = ranker_of(tmp_path)
    assert again.counts.named == {"R05": 1} and again.counts.learned == {"R05"}
    rows = np.zeros((2, len(FEATURES)), np.float32)
    assert (again.ranker.text(rows) == own.ranker.text(rows)).all()
    assert ranker_of(None) is own
    (tmp_path / "code_counts.json").write_text("[]")
    with pytest.raises(BundleError, match="counts of codes"):
        ranker_of(tmp_path)


def test_by_names_alone_a_symptom_comes_behind_an_established_disease() -> None:
    matcher = LexicalMatcher(
        Hierarchy(
            [
                *chapter("X", "Diseases of the respiratory system", "J18.9", "Pneumonia"),
                *chapter("R", "Symptoms, signs and abnormal findings", "R50.9", "Fever"),
            ],
            vocabulary_id="icd10cm",
            version="hand-written",
        )
    )
    suggester = CodesSuggester(matcher, shipped("alone"))
    texts = {"a": "Fever.", "b": "Pneumonia. Fever.", "c": "No pneumonia. Fever."}
    odds = {}
    for name, text in texts.items():
        chance = suggester.chances(Document.from_text(name, "", text))["R50.9"]
        odds[name] = chance / (1 - chance)
    assert odds["b"] < 0.5 * min(odds["a"], odds["c"])


def chapter(top: str, label: str, code: str, name: str) -> list[Concept]:
    return [
        Concept(top, f"urn:{top}", top, {"en": label}, {}, (), assignable=False),
        Concept(code, f"urn:{code}", code, {"en": name}, {}, (top,)),
    ]


def test_a_faint_code_beside_a_probable_one_of_its_category_has_no_row(
    matcher: LexicalMatcher,
) -> None:
    suggester = CodesSuggester(matcher, shipped("alone"))
    chances = suggester.chances(Document.from_text("n", "", "Mild intermittent asthma. Asthma."))
    assert all(chance >= 0.1 for code, chance in chances.items() if code.startswith("J45"))
    assert chances["J45.2"] >= 0.5
