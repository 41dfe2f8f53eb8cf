"""Passages: phrases around the words that speak loudest, and no small word alone."""

from __future__ import annotations

import numpy as np
import pytest

from core.documents.document import Document
from core.suggest.evidence.passages import passages
from core.suggest.evidence.spans import DocumentWords


def words(text: str) -> DocumentWords:
    document = Document.from_text("1", "", text)
    return DocumentWords(document, len(text), lambda field: bytes(len(field) + 1))


def shown(text: str, scores: list[float]) -> list[str]:
    return [passage.text for passage in passages(words(text), np.array(scores, dtype=np.float32))]


QUIET = [0.1] * 6


def test_a_phrase_takes_in_nearly_as_loud_neighbours_over_a_small_word() -> None:
    text = "quota of fish and more words that say nothing more"
    assert shown(text, [5, 0.1, 4, 0.1, *QUIET]) == ["quota of fish"]


@pytest.mark.parametrize("small", ["the", "The", "of", "not", "which"])
def test_a_small_word_is_no_passage_however_loud_it_is(small: str) -> None:
    text = f"{small}. A quota. And more words that say nothing more"
    scores = [9, 0.1, 5, 0.1, *QUIET]
    assert shown(text, scores) == ["quota"]


def test_the_loudest_others_are_shown_where_only_small_words_are_loud() -> None:
    text = "the. the. the. fish. bay"
    assert shown(text, [9, 9, 9, 0.2, 0.1]) == ["fish", "bay"]


def test_small_words_alone_or_silence_show_nothing() -> None:
    assert shown("the of and", [3, 2, 1]) == []
    assert shown("fish quota bay", [0, -1, 0]) == []


def test_a_small_word_stays_inside_a_phrase_and_falls_from_its_ends() -> None:
    text = "the quota of the bay and many more words say nothing here at all today"
    scores = [4, 5, 4, 4, 5, 4, *QUIET, 0.1, 0.1, 0.1]
    assert shown(text, scores) == ["quota of the bay"]


@pytest.mark.parametrize(
    ("text", "scores", "phrases"),
    [
        ("The Union (EU) 2018 pays", [0, 1, 1, 1, 0], ["Union (EU)"]),
        ("fish (cod and hake) caught", [9, 9, 0, 0, 0], ["fish"]),
        ("under 2018 643 alone", [0, 9, 9, 0], []),
        ("fish [hake] sold", [0, 9, 9], ["[hake] sold"]),
    ],
)
def test_a_phrase_is_no_number_and_has_no_half_bracket(
    text: str, scores: list[float], phrases: list[str]
) -> None:
    assert shown(text, scores)[:1] == phrases
