"""A model that is corrected by what was decided, and left alone where nothing was."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from core.suggest.cold_start.suggester import ColdStartSuggester
from core.suggest.correction.explanation import CORRECTED
from core.suggest.correction.probabilities import FEW, mixed
from core.suggest.correction.suggester import CorrectedSuggester
from core.suggest.protocol import FinishedDocument, Learner, find_part
from core.vocabulary.concepts import Concept
from tests.support.fakes import FakePredictor
from tests.support.garden import SLUGS, finished, garden, note, slimy

SLIMY = note(100, "Slimy visitors ate more lettuce, new traps were set")
RAKES = note(101, "A rake and a spade")


def found(suggester: CorrectedSuggester, document=SLIMY) -> dict[str, float]:
    rows = suggester.suggest(document, limit=300).suggestions
    return {row.concept_id: row.probability for row in rows}


def read(suggester: CorrectedSuggester, *documents: FinishedDocument) -> list[FinishedDocument]:
    """Return finished documents with what the model had given their concepts."""
    return [replace(one, suggested=dict(suggester.chances(one.document))) for one in documents]


def test_where_nothing_was_decided_all_is_as_the_model_says(corrected: CorrectedSuggester) -> None:
    alone = corrected.model.suggest(SLIMY, limit=300)
    prediction = corrected.suggest(SLIMY, limit=300)
    assert found(corrected) == {row.concept_id: row.probability for row in alone.suggestions}
    assert prediction.bundle_hash == alone.bundle_hash
    assert prediction.branch_probability == alone.branch_probability
    assert prediction.own_probability == alone.own_probability
    assert prediction.model_probability == pytest.approx(found(corrected), abs=1e-5)


def test_what_was_decided_on_similar_documents_is_suggested_more(
    corrected: CorrectedSuggester,
) -> None:
    before = found(corrected)
    corrected.learn(read(corrected, *SLUGS))
    after = found(corrected)
    assert before["snail"] < 0.1 < after["snail"]
    assert max(after, key=lambda i: after[i]) == "snail"
    assert corrected.suggest(SLIMY).model_probability == pytest.approx(before, abs=1e-5)


def test_one_document_is_enough_for_what_the_model_hardly_knows(
    corrected: CorrectedSuggester,
) -> None:
    """A concept that came into use since is weighed without the model, from its first document."""
    hardly = {"snail": 0.04, "lettuce": 0.4}
    before = corrected.explained(SLIMY, hardly).chances["snail"]
    corrected.learn(read(corrected, SLUGS[0]))
    after = corrected.explained(SLIMY, hardly).chances["snail"]
    known = corrected.explained(SLIMY, {"snail": 0.06, "lettuce": 0.4}).chances["snail"]
    assert before == 0.04
    assert after > 0.2 > known > 0.06, "the model still counts ten times where it knows more"


def test_what_is_forgotten_leaves_nothing_behind(corrected: CorrectedSuggester) -> None:
    before = found(corrected)
    first, *others = read(corrected, *SLUGS)
    corrected.learn([first])
    one = found(corrected)
    assert one != before
    corrected.learn(others)
    assert found(corrected) != one
    corrected.forget([other.document.document_id for other in others])
    assert found(corrected) == one
    assert dict(corrected.learned()) == {"note-0": 1}
    corrected.forget(["note-0"])
    assert found(corrected) == before


def test_a_rejection_counts_more_than_what_was_left_untouched(
    corrected: CorrectedSuggester,
) -> None:
    rakes = [note(n, f"A rake in week {n}") for n in range(10)]
    asked = note(200, "A rake in another week")
    untouched = read(corrected, *(finished(rake, ("mulching",)) for rake in rakes))
    corrected.learn(untouched)
    left = found(corrected, asked)["rake"]
    corrected.learn(read(corrected, *(finished(rake, ("mulching",), ("rake",)) for rake in rakes)))
    assert found(corrected, asked)["rake"] < left


def test_a_concept_without_narrower_ones_is_no_branch_beside_itself(
    corrected: CorrectedSuggester,
) -> None:
    asked = note(200, "A rake in another week, rake, rake and spade")
    rakes = [note(n, f"A rake in week {n}, rake, rake and spade") for n in range(14)]
    before = {row.concept_id: row for row in corrected.suggest(asked).suggestions}
    corrected.learn(read(corrected, *(finished(one, ("mulching",), ("rake",)) for one in rakes)))
    prediction = corrected.suggest(asked)
    after = {row.concept_id: row for row in prediction.suggestions}
    assert after["rake"].branch_probability == after["rake"].probability < 0.3
    assert before["rake"].probability > 0.5
    # What the model says of the tools themselves stays.
    assert prediction.branch_probability["tools"] >= before["rake"].probability


def test_the_correction_counts_half_with_the_first_documents() -> None:
    model = np.array([-2.0], np.float32)
    assert mixed(model, np.array([0.5], np.float32), 0) == pytest.approx(1 / (1 + np.exp(2)))
    assert mixed(model, np.array([0.5], np.float32), FEW) == pytest.approx(1 / (1 + np.exp(1)))


def test_branches_are_raised_to_what_is_below_them(corrected: CorrectedSuggester) -> None:
    corrected.learn(read(corrected, *SLUGS))
    prediction = corrected.suggest(SLIMY)
    snail = next(row for row in prediction.suggestions if row.concept_id == "snail")
    assert prediction.branch_probability["animals"] >= snail.branch_probability
    assert snail.branch_probability >= snail.probability
    assert prediction.own_probability["animals"] == found(corrected)["animals"]


def test_a_batch_is_corrected_like_single_documents(corrected: CorrectedSuggester) -> None:
    corrected.learn(read(corrected, *SLUGS))
    batch = corrected.suggest_batch([SLIMY, RAKES], limit=3, threshold=0.05)
    single = [corrected.suggest(d, limit=3, threshold=0.05) for d in (SLIMY, RAKES)]
    assert [p.suggestions for p in batch] == [p.suggestions for p in single]
    assert all(len(p.suggestions) <= 3 for p in single)
    assert all(row.probability >= 0.05 for p in single for row in p.suggestions)


def test_it_is_found_as_what_learns(corrected: CorrectedSuggester) -> None:
    learner = find_part(corrected, Learner)  # type: ignore[type-abstract]
    assert learner is corrected
    n_updates = corrected.n_updates
    corrected.learn(SLUGS[:1])
    assert corrected.n_updates > n_updates


# ---------------------------------------------------------------------- what no model knows


def with_robots() -> CorrectedSuggester:
    """Return what suggests from a newer version, which has one concept more."""
    older, robot = garden(), Concept("robot", "https://example.org/r", None, {"en": "robot"})
    newer = garden(robot)
    labels = partial(ColdStartSuggester.of_vocabulary, newer)
    return CorrectedSuggester(FakePredictor(older), newer, labels, new={"robot"})


def test_a_new_concept_is_suggested_by_its_label_and_by_what_was_decided() -> None:
    suggester = with_robots()
    alone = {
        row.concept_id: row.probability
        for row in suggester.model.suggest(note(1, "A robot with a rake"), limit=300).suggestions
    }
    named = found(suggester, note(1, "A robot with a rake"))
    assert {i: named[i] for i in alone} == alone
    assert set(named) - set(alone) == {"robot"}
    assert "robot" not in found(suggester, SLIMY)
    suggester.learn(read(suggester, *(finished(slimy(n), ("robot",)) for n in range(10))))
    assert found(suggester, SLIMY)["robot"] > 0.3


# ---------------------------------------------------------------------- why


def test_evidence_says_what_the_model_found_and_what_was_decided(
    corrected: CorrectedSuggester,
) -> None:
    rake = note(1, "A rake for slimy visitors who ate the lettuce")
    (before,) = corrected.explain(rake).evidence(["rake"]).values()
    assert CORRECTED not in before.sources and before.here is None
    corrected.learn(read(corrected, *SLUGS))
    explained = corrected.explain(rake).evidence(["rake", "snail"])
    assert explained["rake"].passages == before.passages
    assert explained["rake"].sources[CORRECTED] == pytest.approx(found(corrected, rake)["rake"])
    here = explained["snail"].here
    assert here is not None and here.is_local
    assert (here.n_assigned, here.n_similar, here.n_compared) == (10, 10, 10)
    assert "similar" in here.counted_for


def test_a_label_is_evidence_where_the_model_finds_none() -> None:
    suggester = with_robots()
    evidence = suggester.explain(note(1, "A robot")).evidence(["robot"])["robot"]
    assert [passage.text for passage in evidence.passages] == ["robot"]
    assert evidence.sources == {
        "lexical": pytest.approx(found(suggester, note(1, "A robot"))["robot"])
    }


def test_without_a_passage_the_correction_is_made_again(corrected: CorrectedSuggester) -> None:
    document = note(1, "A rake", "Slimy visitors ate the lettuce, traps were set. A rake.")
    corrected.learn(read(corrected, *SLUGS))
    explanation = corrected.explain(document)
    spans = explanation.evidence(["rake"])["rake"].passages[0].spans
    after, before = explanation.without("rake", spans)
    assert before == pytest.approx(found(corrected, document)["rake"])
    assert after < before
