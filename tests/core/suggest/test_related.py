"""What a model suggests stands behind what search is sure of."""

from __future__ import annotations

from dataclasses import replace

from core.suggest.related import ConceptSearch, wants_related, with_related
from core.vocabulary.search.hits import Why
from core.vocabulary.skos.reader import read_skos
from tests.support.fakes import FakePredictor
from tests.support.places import TINY_SKOS


def test_related_concepts_follow_the_sure_ones_before_the_mended(tiny_index) -> None:
    (spade,) = tiny_index.search("spade", divisions=False)
    mended = tiny_index.search("flour")[0].__class__(
        "202", "flour", "flour", "en", "202", "flour", "flour", Why.MENDED
    )
    found = with_related(
        [spade, mended], {"106": 0.9, "204": 0.4, "gone": 0.9}, tiny_index, language="en", limit=9
    )
    assert [(hit.concept_id, hit.why) for hit in found] == [
        ("106", Why.EXACT),
        ("204", Why.RELATED),
        ("202", Why.MENDED),
    ]


def test_enough_sure_hits_need_no_model(tiny_index) -> None:
    (spade,) = tiny_index.search("spade", divisions=False)
    assert wants_related("spade", [spade])
    assert not wants_related("spade", [spade] * 5)
    assert not wants_related("0806", [])


def test_a_model_is_opened_by_the_first_query_that_wants_it(tiny_index) -> None:
    opened = []

    def suggester() -> FakePredictor:
        opened.append(True)
        return FakePredictor(read_skos(TINY_SKOS).hierarchy)

    search = ConceptSearch(tiny_index, suggester)
    assert not search.find("106") or not opened
    first = search.find("spade")
    assert first[0].concept_id == "106"
    assert {hit.why for hit in first[1:]} <= {Why.RELATED}
    search.find("flour")
    assert len(opened) == 1


def test_words_that_nobody_knows_are_not_asked_for(tiny_index) -> None:
    search = ConceptSearch(tiny_index, lambda: FakePredictor(read_skos(TINY_SKOS).hierarchy))
    assert search.find("xyzzyq") == []


def test_what_is_hardly_related_is_left_out(tiny_index) -> None:
    """“animal show” stood among what is related to foreign terrorist fighters."""

    def near(concept_id: str):
        return replace(tiny_index.hit(concept_id, "en"), why=Why.RELATED)

    by_words = [near(concept_id) for concept_id in ("101", "102", "103", "104")]
    # Alone they are worth 0.3, 0.15, 0.1 and 0.075, of which the last counts nothing.
    alone = with_related(by_words, {}, tiny_index, language="en", limit=9)
    assert [hit.concept_id for hit in alone] == ["101", "102", "103"]
    # Beside 0.3 + 0.8 only what is worth a fifth of it stays: 0.22.
    suggested = {"101": 0.8, "104": 0.2, "106": 0.21, "204": 0.25}
    beside = with_related(by_words, suggested, tiny_index, language="en", limit=9)
    assert [hit.concept_id for hit in beside] == ["101", "104", "204"]
