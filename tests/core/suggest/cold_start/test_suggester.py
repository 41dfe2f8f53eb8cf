"""Suggestions without a model: from labels at once, and from what was decided."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from core.documents.document import Document
from core.errors import VocabularyError
from core.suggest.cold_start.finished import TextReading
from core.suggest.cold_start.suggester import (
    LEXICAL,
    MAX_WORDS,
    NEIGHBOURS,
    ColdStartSuggester,
    expected,
    spoken,
)
from core.suggest.correction.suggester import CorrectedSuggester
from core.suggest.evidence.spans import Evidence
from core.suggest.opening import with_names
from core.suggest.protocol import Explainer, Learner, find_part
from core.suggest.suggestions import Prediction
from core.vocabulary.concepts import Concept, Hierarchy
from core.vocabulary.versions.comparison import new_concepts
from tests.support.fakes import EmptySuggester
from tests.support.garden import SLUGS, finished, garden, note

MOWING = note(100, "Sharpening a lawn mower", "The lawn-mowers of two gardens. Rakes are cleaned.")
SLIMY = note(101, "Slimy visitors ate more lettuce, new traps were set")


def found(suggester: ColdStartSuggester, document: Document) -> dict[str, float]:
    """Return the suggestions, best first, with their probabilities."""
    return {row.concept_id: row.probability for row in suggester.suggest(document).suggestions}


def test_labels_in_the_text_are_suggested_at_once(suggester: ColdStartSuggester) -> None:
    prediction = suggester.suggest(MOWING)
    assert prediction.suggestions[0].concept_id == "lawn-mower"
    assert {row.concept_id for row in prediction.suggestions} == {"lawn-mower", "lawn", "rake"}
    assert {row.source for row in prediction.suggestions} == {LEXICAL}
    assert prediction.branch_probability["tools"] >= prediction.suggestions[0].probability
    assert not prediction.truncated


def test_a_text_without_labels_has_no_suggestions(suggester: ColdStartSuggester) -> None:
    assert found(suggester, SLIMY) == {}
    assert found(suggester, note(1, "", "")) == {}


def test_finished_documents_teach_what_no_label_says(suggester: ColdStartSuggester) -> None:
    suggester.learn(SLUGS)
    prediction = suggester.suggest(SLIMY)
    assert prediction.suggestions[0].concept_id == "snail"
    assert prediction.suggestions[0].source == NEIGHBOURS
    assert prediction.suggestions[0].probability > 0.5


def test_one_finished_document_teaches_nothing_for_unlike_ones(
    suggester: ColdStartSuggester,
) -> None:
    suggester.learn(SLUGS[:1])
    unlike = note(102, "A letter to visitors", "The traps of the old town are open in the evening.")
    assert found(suggester, unlike) == {}
    assert set(found(suggester, SLIMY)) == {"snail"}


def test_what_is_forgotten_leaves_the_scores_of_before(suggester: ColdStartSuggester) -> None:
    before = suggester.suggest(MOWING).suggestions
    suggester.learn(SLUGS[:5])
    between = suggester.suggest(SLIMY).suggestions
    suggester.learn(SLUGS[5:])
    assert suggester.suggest(SLIMY).suggestions != between
    suggester.forget([finished.document.document_id for finished in SLUGS[5:]])
    assert suggester.suggest(SLIMY).suggestions == between
    suggester.forget([finished.document.document_id for finished in SLUGS])
    assert suggester.suggest(MOWING).suggestions == before
    assert suggester.learned() == {}


def test_a_rejected_label_sinks(suggester: ColdStartSuggester) -> None:
    rakes = [note(n, f"The rake of neighbour {n}", "It is lent.") for n in range(12)]
    asked = note(99, "A rake that was lost")
    at_first = found(suggester, asked)["rake"]
    suggester.learn([finished(rake, ()) for rake in rakes])
    untouched = found(suggester, asked)["rake"]
    suggester.learn([finished(rake, (), ("rake",), version=2) for rake in rakes])
    rejected = found(suggester, asked)["rake"]
    assert at_first > untouched > rejected
    suggester.learn([finished(rake, ("rake",), version=3) for rake in rakes])
    assert found(suggester, asked)["rake"] > at_first


def test_labels_sink_that_are_ruled_out_with_their_branch(suggester: ColdStartSuggester) -> None:
    rakes = [note(n, f"The rake of neighbour {n}", "Spades and snails.") for n in range(12)]
    suggester.learn([finished(rake, ("spade",), ("rake",)) for rake in rakes])
    rejected = found(suggester, note(99, "A rake that was lost"))
    ruled_out = [
        replace(finished(rake, ("spade",), ("tools",), version=2), excluded=("tools",))
        for rake in rakes
    ]
    suggester.learn(ruled_out)
    assert found(suggester, note(99, "A rake that was lost")) == rejected
    learned = suggester.said_by(replace(ruled_out[0], suggested={"lawn-mower": 0.4, "lawn": 0.2}))
    names = {suggester.concept_ids[n] for n in learned.rejected}
    assert names == {"tools", "rake", "lawn-mower"}  # what is assigned is not; snails are no tools


def test_what_the_vocabulary_lacks_is_not_learned(suggester: ColdStartSuggester) -> None:
    suggester.learn([finished(note(1, "A rake"), ("gone", "rake"))])
    assert found(suggester, note(2, "A rake"))
    assert suggester.learned() == {"note-1": 1}


def test_it_says_where_labels_stand_and_who_had_the_concept(suggester: ColdStartSuggester) -> None:
    assert isinstance(suggester, Explainer)
    evidence = suggester.explain(MOWING).evidence(["lawn-mower", "snail"])
    spans = {(s.field, s.start, s.end) for p in evidence["lawn-mower"].passages for s in p.spans}
    assert spans == {("title", 13, 23), ("text", 4, 15)}
    assert evidence["lawn-mower"].sources.keys() == {LEXICAL}
    assert evidence["snail"].passages == ()
    suggester.learn(SLUGS)
    grounds = suggester.explain(SLIMY).evidence(["snail"])["snail"].grounds
    assert grounds is not None and grounds.is_local
    assert (grounds.n_assigned, grounds.n_similar, grounds.n_compared) == (10, 10, 10)
    assert "similar" in grounds.counted_for
    without, before = suggester.explain(MOWING).without("rake", [])
    assert without == before > 0
    with pytest.raises(VocabularyError):
        suggester.explain(MOWING).without("nothing", [])


def test_a_text_longer_than_a_book_is_cut(suggester: ColdStartSuggester) -> None:
    prediction = suggester.suggest(note(1, "Rakes", "word " * MAX_WORDS + "greenhouse"))
    assert [row.concept_id for row in prediction.suggestions] == ["rake"]
    assert prediction.truncated
    assert prediction.n_tokens_read == MAX_WORDS + 1


def test_labels_are_looked_for_in_a_language_of_the_vocabulary() -> None:
    labels = {"de": "Gewächshaus"}
    house = Concept("1", "https://example.org/1", None, labels)
    german = Hierarchy([house], vocabulary_id="garten", version="1")
    assert spoken(german, "en") == "de"
    suggester = ColdStartSuggester.of_vocabulary(german)
    assert found(suggester, note(1, "Zwei Gewächshäuser")).keys() == {"1"}
    other = Concept("1", "https://example.org/1", None, {"xx-YY": "kasvihuone"})
    unknown = Hierarchy([other], vocabulary_id="garten", version="1")
    assert found(ColdStartSuggester.of_vocabulary(unknown), note(1, "kasvihuone")).keys() == {"1"}


@pytest.mark.parametrize(
    ("preferred", "other"), [("", ""), ("en", ""), ("", "en"), ("en-gb", "en-gb"), ("en", "en-us")]
)
def test_labels_without_a_language_and_of_a_variety_are_of_it(preferred: str, other: str) -> None:
    hedge = Concept("1", "https://e.org/1", None, {preferred: "hedge"}, {other: ("box tree",)})
    french = Concept("2", "https://e.org/2", None, {preferred: "rake", "fr": "râteau"})
    hierarchy = Hierarchy([hedge, french], vocabulary_id="garden", version="1")
    suggester = ColdStartSuggester.of_vocabulary(hierarchy, language="en")
    assert found(suggester, note(1, "Hedges")).keys() == {"1"}
    assert found(suggester, note(1, "Two box trees")).keys() == {"1"}


@pytest.mark.parametrize(
    ("language", "labels", "text", "wanted"),
    [
        (
            "ja",
            ["漁業", "漁業政策", "鉄道"],
            "沿岸の漁業政策に関する規則。漁業を営む。",
            {"1", "2"},
        ),
        ("zh", ["渔业", "铁路", "食品"], "关于海洋渔业和食品安全的条例。", {"1", "3"}),
        ("th", ["ประมง", "รถไฟ"], "นโยบายการประมงชายฝั่ง", {"1"}),
        ("en", ["oil", "boil"], "Boiled oils", {"1", "2"}),
    ],
)
def test_labels_are_found_where_no_spaces_stand_between_words(
    language: str, labels: list[str], text: str, wanted: set[str]
) -> None:
    concepts = [
        Concept(f"{n}", f"https://e.org/{n}", None, {language: label})
        for n, label in enumerate(labels, start=1)
    ]
    hierarchy = Hierarchy(concepts, vocabulary_id="v", version="1")
    suggester = ColdStartSuggester.of_vocabulary(hierarchy, language=language)
    document = note(1, text)
    assert found(suggester, document).keys() == wanted
    evidence = suggester.explain(document).evidence(sorted(wanted))
    assert all(evidence[concept_id].passages for concept_id in wanted)


# ---------------------------------------------------------------------- beside a model


def test_what_a_model_does_not_know_is_suggested_by_its_label(tmp_path) -> None:
    model = EmptySuggester(garden())
    newer = garden(Concept("robot", "https://example.org/robot", None, {"en": "mowing robot"}))
    new = new_concepts(newer, model.vocabulary)
    assert new == {"robot"}
    both = with_names(model, newer, tmp_path, new=new)
    assert isinstance(both, CorrectedSuggester)
    assert find_part(both, Learner) is not None  # type: ignore[type-abstract]
    assert both.bundle_hash != model.bundle_hash
    suggested = both.suggest(note(1, "A mowing robot beside the rake")).suggestions
    assert [row.concept_id for row in suggested] == ["robot"]
    assert with_names(model, garden(), tmp_path, new=new_concepts(garden(), garden())) is model


@pytest.mark.parametrize("of_codes", [False, True])
def test_what_is_to_be_expected_rises_with_what_is_finished(*, of_codes: bool) -> None:
    rows = expected(of_codes=of_codes)
    assert rows[0].n_decided == 0 and len(rows) > 3
    assert [row.n_decided for row in rows] == sorted(row.n_decided for row in rows)
    right = [row.right[0] for row in rows]
    assert (np.diff(right) >= 0).all() and right[-1] > right[0]
    assert all(0 < row.right[1] < 5 for row in rows)


def test_the_protocol_is_that_of_a_learner(suggester: ColdStartSuggester) -> None:
    assert isinstance(suggester, Learner)
    assert isinstance(suggester.suggest(MOWING), Prediction)


class SeesNothing:
    """Looks through texts elsewhere, and knows no concept: names of codes are found by others."""

    def reading(self, document: Document) -> TextReading:
        return TextReading(n_tokens=len(document.text.split()))

    def labels(self, *asked: object) -> dict[str, Evidence]:
        return {}


def test_a_code_that_nothing_looks_for_has_evidence_without_passages() -> None:
    codes = ColdStartSuggester.of_codes(garden(), lambda hierarchy, language: SeesNothing())
    evidence = codes.explain(MOWING).evidence(["lawn-mower", "nowhere"])
    assert list(evidence) == ["lawn-mower"]
    assert evidence["lawn-mower"].passages == ()
