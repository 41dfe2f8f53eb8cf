"""What names in a text add to a model, and to no model at all."""

from __future__ import annotations

import gc
import weakref
from dataclasses import replace
from pathlib import Path

import pytest

from core.clinical.names.explanation import SOURCE, NamesExplanation
from core.clinical.names.index import index_file
from core.clinical.names.matcher import LexicalMatcher
from core.clinical.names.mentions import N_RECENT, named_in
from core.clinical.names.wordings import LexicalMatch
from core.clinical.ranking.ranker import shipped
from core.clinical.ranking.suggester import CodesSuggester
from core.documents.document import Document, Part
from core.errors import VocabularyError
from core.suggest.evidence.spans import Span
from core.suggest.opening import open_suggester, with_names
from core.vocabulary.concepts import Concept, Hierarchy
from tests.support.named_codes import named_codes

NOTE = Document.from_text("n", "Visit", "Dry cough. No pneumonia. Pain in the left knee, cough.")


def denied_in(document: Document, matcher: LexicalMatcher) -> set[str]:
    return {named.concept_id for named in named_in(document, matcher) if named.is_denied}


def test_names_are_ranked_by_what_such_names_are_worth(matcher: LexicalMatcher) -> None:
    cough, knee, pneumonia = named_in(NOTE, matcher)
    assert (cough.concept_id, len(cough.mentions)) == ("R05", 2)
    assert knee.concept_id == "M25.562"
    assert pneumonia.mentions[0].assertion is not None
    assert pneumonia.mentions[0].assertion.cue == "No"
    assert 0 < pneumonia.probability < knee.probability < cough.probability < 1


@pytest.mark.parametrize("text", ["Kidney has no stones.", "Kidney without stones."])
def test_what_a_name_denies_between_its_words_is_denied(matcher: LexicalMatcher, text: str) -> None:
    assert denied_in(Document.from_text("n", "", text), matcher) == {"N20.0"}
    said = text.replace("has no", "has two").replace("without", "full of")
    assert not denied_in(Document.from_text("n", "", said), matcher)


@pytest.mark.parametrize("words", ["ppx", "vaccine", "prophylaxis", "precautions"])
def test_what_is_prevented_is_not_there(matcher: LexicalMatcher, words: str) -> None:
    def statuses(text: str) -> dict[str, str]:
        found = named_in(Document.from_text("n", "", text), matcher)
        said = ((code.concept_id, code.mentions[0].assertion) for code in found)
        return {concept_id: why.status for concept_id, why in said if why}

    assert statuses(f"Hypertension, pneumonia {words} given.") == {"J18.9": "hypothetical"}
    assert not statuses(f"Hypertension, pneumonia. {words} given.")


def test_a_block_without_categories_is_no_code() -> None:
    kept = Hierarchy(
        [Concept("M00-M25", "urn:1", "M00-M25", {"en": "Arthropathies"}),
         Concept("M12.9", "urn:2", "M12.9", {"en": "Arthropathy, unspecified"})],
        vocabulary_id="icd10cm", version="kept",
    )  # fmt: skip
    (found,) = LexicalMatcher(kept).matches("arthropathy")
    assert found.concept_id == "M12.9"


def test_without_a_model_the_names_are_what_is_suggested(matcher: LexicalMatcher) -> None:
    alone = CodesSuggester(matcher, shipped("alone"))
    prediction = alone.suggest(NOTE)
    found = [suggestion.concept_id for suggestion in prediction.suggestions]
    assert set(found[:2]) == {"R05", "M25.562"}
    assert found[2:] == ["J18.9"]  # which the note denies
    assert {suggestion.source for suggestion in prediction.suggestions} == {SOURCE}
    assert [suggestion.rank for suggestion in prediction.suggestions] == [1, 2, 3]
    assert prediction.bundle_hash == alone.bundle_hash
    assert (prediction.n_tokens, prediction.n_tokens_read, prediction.n_windows) == (11, 11, 1)
    by_code = {suggestion.concept_id: suggestion for suggestion in prediction.suggestions}
    assert prediction.branch_probability["M25.56"] == by_code["M25.562"].probability
    assert prediction.branch_probability["X"] == prediction.suggestions[0].probability


def test_limit_and_threshold_hold_for_both(matcher: LexicalMatcher) -> None:
    alone = CodesSuggester(matcher, shipped("alone"))
    assert len(alone.suggest(NOTE, limit=1).suggestions) == 1
    assert alone.suggest(NOTE, threshold=0.999).suggestions == ()
    found = alone.suggest_batch([NOTE, NOTE], limit=2)
    assert [len(prediction.suggestions) for prediction in found] == [2, 2]


def test_evidence_is_the_words_of_the_name(matcher: LexicalMatcher) -> None:
    found = NamesExplanation(NOTE, matcher).evidence(["R05", "M25.562", "I10"])
    assert set(found) == {"R05", "M25.562"}
    (cough,) = found["R05"].passages
    assert (cough.text, cough.share, cough.is_name) == ("cough", 1.0, True)
    assert [NOTE.text[span.start : span.end] for span in cough.spans] == ["cough", "cough"]
    assert set(found["R05"].sources) == {SOURCE}


def test_evidence_begins_with_what_is_affirmed(matcher: LexicalMatcher) -> None:
    text = "No kidney stone. No calculus of kidney. Later a renal stone, then a kidney stone."
    note = Document.from_text("n", "", text)
    affirmed, both, denied = NamesExplanation(note, matcher).evidence(["N20.0"])["N20.0"].passages
    assert [affirmed.text, both.text, denied.text] == [
        "renal stone",
        "kidney stone",
        "calculus of kidney",
    ]
    assert [span.start for span in both.spans] == [text.rindex("kidney"), text.index("kidney")]


def test_without_its_name_a_code_is_not_probable(matcher: LexicalMatcher) -> None:
    explanation = NamesExplanation(NOTE, matcher)
    (cough,) = explanation.evidence(["R05"])["R05"].passages
    once, before = explanation.without("R05", cough.spans[:1])
    assert explanation.without("R05", cough.spans) == (0.0, before)
    assert 0 < once < before
    assert explanation.without("I10", [Span("text", 0, 3)]) == (0, 0)
    with pytest.raises(VocabularyError):
        explanation.without("nothing", [])


def test_sections_of_notes_count(matcher: LexicalMatcher) -> None:
    notes = (Part("Asthma.", "note"), Part("FAMILY HISTORY:\nPneumonia.", "note"))
    found = named_in(Document("e", "", notes), matcher)
    asserted = {named.concept_id: named.mentions[0].assertion for named in found}
    assert asserted["J45.90"] is None
    assert asserted["J18.9"] is not None
    assert asserted["J18.9"].status == "family"


def test_the_index_is_kept_where_it_can_be(tmp_path: Path) -> None:
    hierarchy = named_codes()
    kept = with_names(None, hierarchy, tmp_path)
    assert index_file(hierarchy, tmp_path).exists()
    (tmp_path / "file").write_text("")
    unkept = with_names(None, hierarchy, tmp_path / "file")
    assert kept is not None and unkept is not None
    assert kept.suggest(NOTE).suggestions == unkept.suggest(NOTE).suggestions


def test_a_vocabulary_without_names_and_model_has_no_suggester(tmp_path: Path) -> None:
    thesaurus = Hierarchy([], vocabulary_id="thesaurus", version="1")
    assert with_names(None, thesaurus, tmp_path) is None
    assert open_suggester(None, thesaurus, tmp_path) is None
    assert open_suggester(None, named_codes(), tmp_path, names=False) is None
    names = open_suggester(None, named_codes(), tmp_path)
    assert isinstance(names, CodesSuggester)


def test_a_document_is_looked_through_once_however_often_it_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    own = LexicalMatcher(named_codes())
    read: list[str] = []
    look = own.matches

    def matches(text: str) -> list[LexicalMatch]:
        read.append(text)
        return look(text)

    monkeypatch.setattr(own, "matches", matches)
    first = named_in(NOTE, own)
    assert denied_in(NOTE, own) == {"J18.9"}
    NamesExplanation(NOTE, own)
    assert named_in(NOTE, own) == first
    assert read == [NOTE.title, NOTE.text]
    for number in range(N_RECENT):
        named_in(replace(NOTE, title=f"Visit {number}"), own)
    read.clear()
    named_in(NOTE, own)
    assert read == [NOTE.title, NOTE.text], "only the last ones are kept"


def test_what_was_found_is_kept_no_longer_than_the_vocabulary() -> None:
    own = LexicalMatcher(named_codes())
    named_in(NOTE, own)
    gone = weakref.ref(own)
    del own
    gc.collect()
    assert gone() is None
