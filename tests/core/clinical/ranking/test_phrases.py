"""What training texts teach of phrases, and which codes they bring."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.clinical.names.matcher import LexicalMatcher
from core.clinical.names.mentions import named_in
from core.clinical.ranking.features import N_OF_MODEL, NONE, CodeFeatures
from core.clinical.ranking.known import CodeCounts
from core.clinical.ranking.phrases import FILE, LearnedPhrases, phrases_of
from core.documents.document import Document
from core.errors import BundleError
from core.suggest.suggestions import Prediction, Suggestion


def note(text: str) -> Document:
    return Document.from_text("n", "", text)


def learned(*texts: tuple[str, tuple[str, ...]]) -> LearnedPhrases:
    return LearnedPhrases.of((phrases_of(note(text), ()), codes) for text, codes in texts)


PHRASES = learned(
    ("Barking at night.", ("R05",)),
    ("Barking at night.", ("R05",)),
    ("Barking dog.", ("I10",)),
    ("Nothing else.", ()),
)


def test_phrases_are_words_their_neighbours_and_names(matcher: LexicalMatcher) -> None:
    words = [phrases_of(note(text), ()) for text in ("red eye", "red. eye", "red, itchy eye")]
    assert list(map(len, words)) == [3, 2, 6]
    assert set(words[1].tolist()) < set(words[0].tolist())
    assert (phrases_of(note("Red Eyes"), ()) == words[0]).all()
    text = note("dry cough")
    assert len(phrases_of(text, named_in(text, matcher))) == 4


def test_what_is_denied_or_of_the_family_is_in_no_phrase(matcher: LexicalMatcher) -> None:
    def phrases(text: str) -> set[int]:
        return set(phrases_of(note(text), named_in(note(text), matcher)).tolist())

    coughing = phrases("Cough.")
    assert coughing and coughing <= phrases("Fever and cough.")
    for text in ("No cough.", "Mother had cough.", "Return if cough."):
        assert not coughing & phrases(text), text
    assert coughing <= phrases("Probable cough.")  # a coder codes it


def test_a_share_leans_on_the_share_of_all_texts() -> None:
    # The code is usual in half of the texts, which counts for two beside the texts of a phrase.
    found = PHRASES(phrases_of(note("barking"), ()))["R05"]
    assert found.best == pytest.approx((2 + 2 * 0.5) / (3 + 2), abs=1e-3)
    found = PHRASES(phrases_of(note("Barking at night"), ()))["R05"]
    assert (found.best, found.second) == pytest.approx(((2 + 1) / (2 + 2),) * 2, abs=1e-3)
    assert found.n_phrases == 3  # "barking", "night", and both
    assert PHRASES.codes == ("R05",)  # the other code was given once


def test_of_texts_without_known_phrases_nothing_is_said() -> None:
    assert PHRASES(phrases_of(note("A quiet day"), ())) == {}
    assert LearnedPhrases.of([])(phrases_of(note("barking"), ())) == {}
    apart = learned(("one", ("R05",)), ("two", ("R05",)))
    assert apart(phrases_of(note("one two"), ())) == {}


def test_phrases_are_read_as_they_were_written(tmp_path: Path) -> None:
    CodeCounts(n_documents=4, phrases=PHRASES).save(tmp_path)
    again = CodeCounts.load(tmp_path).phrases
    barking = phrases_of(note("barking"), ())
    assert again(barking) == PHRASES(barking) != {}
    (tmp_path / FILE).write_bytes(b"nothing")
    with pytest.raises(BundleError, match="is damaged"):
        CodeCounts.load(tmp_path)
    CodeCounts().save(tmp_path / "..")
    assert not (tmp_path / ".." / FILE).exists()


def test_a_code_far_down_takes_part_where_a_phrase_speaks_for_it(matcher: LexicalMatcher) -> None:
    far = [f"Q{n:02}" for n in range(N_OF_MODEL)] + ["R05", "R42"]
    rows = tuple(
        Suggestion(code, "", code, code, 0.5 / (n + 1), 0.0, n + 1) for n, code in enumerate(far)
    )
    found = Prediction(rows, {}, 1, 1, 1, "", "", 0.0)
    with_phrases = CodeFeatures(matcher, replace(CodeCounts(), phrases=PHRASES))
    candidates = with_phrases(note("Barking at night"), (), found)
    assert {"R05"} == set(candidates.ids) - set(far[:N_OF_MODEL])
    spoken = candidates.column("phrase")
    assert spoken[candidates.ids.index("R05")] == pytest.approx(np.log(3), abs=1e-2)
    assert spoken[0] == NONE
    assert "R05" not in CodeFeatures(matcher, CodeCounts())(note("Barking"), (), found).ids
