"""Decisions that come with a bundle: kept whole, opened for another version, and not forgotten."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from core.errors import BundleError
from core.suggest.calibration import Platt
from core.suggest.cold_start.document_ids import anonymous_id
from core.suggest.cold_start.suggester import ColdStartSuggester, default_ranker
from core.suggest.correction.bundled import (
    FILE,
    KEPT_TERMS,
    BundledDecisions,
)
from core.suggest.correction.suggester import CorrectedSuggester, default_corrector
from core.suggest.ranking.decided import SparseRow
from core.suggest.ranking.features import CORRECTION_FEATURES
from core.suggest.ranking.ranker import Blend, BlendedRanker
from core.vocabulary.concepts import Concept
from tests.support.fakes import FakePredictor
from tests.support.garden import SLUGS, finished, garden, note

SLIMY = note(100, "Slimy visitors ate more lettuce, new traps were set")
KEY = b"k" * 32
BLEND = Blend(0.0, Platt(0.5, -1.0))


def decisions(corrector: BlendedRanker | None = None) -> BundledDecisions:
    """Return ten notes about snails, on one of which a hedgehog was rejected."""
    local = ColdStartSuggester.of_vocabulary(garden())
    said = [local.said_by(row) for row in SLUGS[:-1]]
    suggested = {"snail": 0.25, "hedgehog": 0.5}
    last = finished(SLUGS[-1].document, ("snail",), ("hedgehog",), version=7)
    said.append(
        local.said_by(
            type(last)(last.document, last.version, last.assigned, last.rejected, suggested)
        )
    )
    rows = zip(said, SLUGS, strict=True)
    said = [replace(one, document_id=anonymous_id(row.document, KEY)) for one, row in rows]
    ranker = corrector or BlendedRanker(None, default_ranker(), BLEND, BLEND)
    return BundledDecisions(tuple(local.concept_ids), tuple(said), ranker, KEY)


def suggester(bundled: BundledDecisions) -> CorrectedSuggester:
    hierarchy = garden()
    labels = partial(ColdStartSuggester.of_vocabulary, hierarchy)
    return CorrectedSuggester(FakePredictor(hierarchy), hierarchy, labels, bundled=bundled)


def chance(corrected: CorrectedSuggester, concept_id: str = "snail") -> float:
    rows = corrected.suggest(SLIMY, limit=300).suggestions
    return {row.concept_id: row.probability for row in rows}[concept_id]


def test_what_is_kept_is_read_as_it_was(tmp_path: Path) -> None:
    kept = decisions()
    kept.save(tmp_path)
    read = BundledDecisions.load(tmp_path)
    assert read.concept_ids == ("hedgehog", "snail"), "those that documents name, and no others"
    snail, hedgehog = read.concept_ids.index("snail"), read.concept_ids.index("hedgehog")
    by_id = {one.document_id: one for one in read.documents}
    assert set(by_id) == {one.document_id for one in kept.documents}
    last = by_id[anonymous_id(SLUGS[-1].document, KEY)]
    assert (last.version, last.assigned.tolist(), last.rejected.tolist()) == (
        7,
        [snail],
        [hedgehog],
    )
    assert dict(
        zip(last.suggested.columns.tolist(), last.suggested.values.tolist(), strict=True)
    ) == {
        snail: 0.25,
        hedgehog: 0.5,
    }
    before = next(one for one in kept.documents if one.document_id == last.document_id)
    assert last.terms.columns.tolist() == before.terms.columns.tolist()
    assert last.terms.values == pytest.approx(before.terms.values, abs=1e-3)
    assert (read.corrector.own, read.corrector.title) == (None, BLEND)
    assert "lettuce" not in (tmp_path / FILE).read_bytes().decode("latin-1")


def test_another_version_has_its_own_positions_and_may_lack_concepts() -> None:
    (*_, last) = decisions().of({"snail": 40})
    assert (last.assigned.tolist(), last.rejected.tolist()) == ([40], [])
    assert last.suggested.columns.tolist() == [40]
    (*_, last) = decisions().of({"hedgehog": 3, "snail": 1})
    assert last.suggested.columns.tolist() == [1, 3]
    assert last.suggested.values.tolist() == [0.25, 0.5]


def test_only_the_heaviest_terms_of_a_document_are_kept(tmp_path: Path) -> None:
    kept = decisions()
    (first, *rest) = kept.documents
    long = SparseRow(np.arange(400, dtype=np.int32), np.linspace(0, 1, 400, dtype=np.float32))
    longer = type(first)(
        first.document_id, first.version, first.assigned, first.rejected, first.standing, long
    )
    BundledDecisions(kept.concept_ids, (longer, *rest), kept.corrector).save(tmp_path)
    read = next(
        one
        for one in BundledDecisions.load(tmp_path).documents
        if one.document_id == first.document_id
    )
    assert read.terms.columns.tolist() == list(range(400 - KEPT_TERMS, 400))


def test_a_file_that_was_changed_is_refused(tmp_path: Path) -> None:
    decisions().save(tmp_path)
    file = tmp_path / FILE
    file.write_bytes(file.read_bytes()[:-200])
    with pytest.raises(BundleError, match=r"The decisions in .* are damaged"):
        BundledDecisions.load(tmp_path)


def test_the_decisions_of_a_bundle_take_part_from_the_first_document_on() -> None:
    bundled = suggester(decisions())
    alone = FakePredictor(garden()).suggest(SLIMY, limit=300)
    before = {row.concept_id: row.probability for row in alone.suggestions}["snail"]
    assert before < 0.1 < chance(bundled)
    assert bundled.learned() == {}


def test_what_is_learned_here_goes_and_what_came_with_the_bundle_stays() -> None:
    bundled = suggester(decisions())
    before = chance(bundled)
    bundled.learn([finished(row.document, ("hedgehog",), version=9) for row in SLUGS])
    assert chance(bundled) < before
    bundled.forget(list(bundled.learned()))
    assert chance(bundled) == before
    other = note(0, "Another document of the same id")
    bundled.learn([finished(other, ("rake",))])
    bundled.forget(list(bundled.learned()))
    same = finished(SLUGS[-1].document, (), version=7)
    bundled.learn([same])
    assert dict(bundled.learned()) == {SLUGS[-1].document.document_id: 7}
    assert chance(bundled) == before, "the bundle knows what was decided up to this version"


def test_a_concept_that_the_bundle_does_not_know_is_suggested_by_its_label() -> None:
    slug = Concept("slug", "http://x/slug", None, {"en": "slimy visitor"}, broader=("animals",))
    hierarchy = garden(slug)
    labels = partial(ColdStartSuggester.of_vocabulary, hierarchy)
    model = FakePredictor(garden())
    both = CorrectedSuggester(model, hierarchy, labels, new={"slug"}, bundled=decisions())
    rows = {row.concept_id: row for row in both.suggest(SLIMY, limit=300).suggestions}
    assert rows["slug"].source == "lexical"
    assert rows["snail"].probability > 0.1


def test_the_log_odds_of_two_rankers_are_averaged_and_calibrated() -> None:
    own, general = default_corrector(), default_ranker()
    rows = np.random.default_rng(0).normal(size=(5, len(CORRECTION_FEATURES))).astype(np.float32)
    n_general = len(general.features)
    scorer = BlendedRanker(own, general, Blend(0.8, Platt(2.0, -1.0)), BLEND).scorer(has_text=False)
    theirs = general.title.log_odds(rows[:, :n_general])
    expected = 0.8 * own.title.log_odds(rows) + 0.2 * theirs
    assert scorer.log_odds(rows) == pytest.approx(expected, abs=1e-5)
    assert scorer(rows) == pytest.approx(1 / (1 + np.exp(1 - 2 * expected)), abs=1e-5)
    counted = scorer.contributions(rows)
    assert counted.shape == rows.shape
    own_part = own.title.contributions(rows)
    assert counted[:, n_general:] == pytest.approx(0.8 * own_part[:, n_general:])
    assert counted[:, :n_general] != pytest.approx(own_part[:, :n_general])
