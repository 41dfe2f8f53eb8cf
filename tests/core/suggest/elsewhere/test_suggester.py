"""A model with a suggester on loopback beside it."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from core.documents.document import Document
from core.errors import VocabularyError
from core.suggest.elsewhere.choice import ANNIF, AllowedSuggesters, SuggesterElsewhere
from core.suggest.elsewhere.suggester import WithElsewhere, mean_chance
from core.suggest.evidence.spans import Span
from core.suggest.opening import open_elsewhere, with_names
from core.suggest.protocol import Explainer, FinishedDocument, Learner, find_part
from core.suggest.suggestions import Prediction
from tests.core.suggest.elsewhere.conftest import MemberOf
from tests.support.fakes import ROWS, FakePredictor, hierarchy
from tests.support.suggester_host import SuggesterHost

ACT = Document.from_text("act", "On honey", "Honey is sold.")


def uri(concept_id: str) -> str:
    return f"https://example.org/{concept_id}"


def chances(prediction: Prediction) -> dict[str, float]:
    return {row.concept_id: row.probability for row in prediction.suggestions}


def test_a_concept_gets_the_mean_of_both_probabilities_and_never_less_than_before(
    host: SuggesterHost, member_of: MemberOf, model: FakePredictor
) -> None:
    alone = chances(model.suggest(ACT))
    low = min(alone, key=lambda i: alone[i])
    host.results = [{"uri": uri(low), "score": 0.9}, {"uri": uri("201"), "score": 0.9}]
    found = WithElsewhere(model, member_of()).suggest(ACT)
    now = chances(found)
    assert alone[low] < 0.05
    assert now[low] == pytest.approx((0.9 + alone[low]) / 2)
    assert now["201"] == pytest.approx(max(alone["201"], (0.9 + alone["201"]) / 2))
    assert mean_chance(0.2, 0.6) == 0.6
    assert mean_chance(0.5, 0.0) == 0.25
    assert {i: p for i, p in now.items() if i not in (low, "201")} == {
        i: p for i, p in alone.items() if i not in (low, "201")
    }
    assert found.elsewhere is not None
    assert found.elsewhere.found == {
        low: (0.9, pytest.approx(alone[low], abs=1e-5)),
        "201": (0.9, pytest.approx(alone["201"], abs=1e-5)),
    }
    assert [row.rank for row in found.suggestions] == list(range(1, len(now) + 1))
    assert found.bundle_hash != model.bundle_hash


def test_a_concept_that_the_model_does_not_know_gets_broader_ones_and_a_source(
    host: SuggesterHost, member_of: MemberOf
) -> None:
    known = tuple(row for row in ROWS if row[0] != "303")
    model = FakePredictor(hierarchy(rows=known), least=0.0)
    host.results = [{"uri": uri("303"), "score": 0.7}]
    found = WithElsewhere(model, member_of()).suggest(ACT)
    new = next(row for row in found.suggestions if row.concept_id == "303")
    assert new.source == f"elsewhere: tiny-en at {host.name}"
    assert (new.pref_label, new.probability) == ("high-speed train", pytest.approx(0.35))
    assert found.branch_probability["m3"] >= 0.35
    assert "301" in found.own_probability


def test_where_it_fails_the_others_suggest_what_they_do_without_it(
    host: SuggesterHost, member_of: MemberOf, model: FakePredictor
) -> None:
    host.failing = "status"
    found = WithElsewhere(model, member_of()).suggest(ACT, limit=5)
    assert found.suggestions == model.suggest(ACT, limit=5).suggestions
    assert found.elsewhere is not None
    assert found.elsewhere.problem.endswith("is left out.")


def test_a_slow_one_delays_the_others_by_no_more_than_the_limit(
    host: SuggesterHost, member_of: MemberOf, model: FakePredictor
) -> None:
    host.seconds = 20
    began = time.monotonic()
    found = WithElsewhere(model, member_of(seconds=0.5)).suggest(ACT)
    assert time.monotonic() - began < 2
    assert found.suggestions == model.suggest(ACT).suggestions


def test_it_is_asked_while_the_model_reads(host: SuggesterHost, member_of: MemberOf) -> None:
    slow = FakePredictor(hierarchy(), seconds=1.0)
    host.seconds = 0.8
    began = time.monotonic()
    WithElsewhere(slow, member_of()).suggest(ACT)
    assert time.monotonic() - began < 1.6


def test_a_batch_is_answered_in_its_order(
    host: SuggesterHost, member_of: MemberOf, model: FakePredictor
) -> None:
    host.results = [{"uri": uri("104"), "score": 0.9}]
    documents = [Document.from_text(str(n), f"Honey {n}", "") for n in range(70)]
    joined = WithElsewhere(model, member_of())
    found = list(joined.suggest_batch(iter(documents), limit=20, threshold=0.1))
    assert len(found) == 70
    assert sorted(host.texts) == sorted(f"Honey {n}\n\n" for n in range(70))
    assert all(chances(one)["104"] >= 0.45 for one in found)


def test_what_a_document_denies_is_not_raised(
    host: SuggesterHost, member_of: MemberOf, model: FakePredictor
) -> None:
    host.results = [{"uri": uri("104"), "score": 0.9}]
    joined = WithElsewhere(model, member_of(), lambda _: ["104"])
    assert joined.suggest(ACT).suggestions == model.suggest(ACT).suggestions


def test_an_explanation_names_it_and_sends_nothing_more(
    host: SuggesterHost, member_of: MemberOf, model: FakePredictor
) -> None:
    host.results = [{"uri": uri("201"), "score": 0.9}, {"uri": uri("104"), "score": 0.5}]
    joined = WithElsewhere(model, member_of())
    joined.suggest(ACT)
    assert isinstance(joined, Explainer)
    explained = joined.explain(ACT)
    found = explained.evidence(["201", "104", "301"])
    assert found["201"].sources[joined.source] == pytest.approx(0.45)
    assert found["104"].sources[joined.source] == pytest.approx(0.25)
    assert joined.source not in (found["301"].sources if "301" in found else {})
    honey = Span("text", 0, 5)
    after, before = explained.without("104", [honey])
    own = chances(model.suggest(ACT)).get("104", 0.0)
    assert (after, before) == (pytest.approx((0.5 + own) / 2), pytest.approx((0.5 + own) / 2))
    with pytest.raises(VocabularyError):
        explained.without("unknown", [honey])
    assert len(host.asked) == 1


def test_it_stands_beside_what_suggests_in_a_project_which_learns(
    host: SuggesterHost, member_of: MemberOf, model: FakePredictor, tmp_path: Path
) -> None:
    host.results = [{"uri": uri("104"), "score": 0.9}]
    for own in (model, None):
        joined = with_names(own, hierarchy(), tmp_path, learns=True, member=member_of())
        assert joined is not None
        found = joined.suggest(ACT)
        assert chances(found)["104"] >= 0.45
        learner = find_part(joined, Learner)  # type: ignore[type-abstract]  # mypy#4717
        assert learner is not None
        learner.learn([FinishedDocument(ACT, 3, ("104",), ())])
        assert learner.learned() == {"act": 3}
        other = Document.from_text("other", "On soles", "Sole and herring.")
        assert chances(joined.suggest(other))["104"] >= 0.45
        assert (
            f"elsewhere: tiny-en at {host.name}"
            in joined.explain(other).evidence(["104"])["104"].sources
        )


def test_nothing_is_opened_where_nothing_is_asked_or_allowed(host: SuggesterHost) -> None:
    chosen = SuggesterElsewhere(ANNIF, host.address, "tiny-en")
    assert open_elsewhere(chosen, AllowedSuggesters(), hierarchy()) is None
    assert open_elsewhere(None, AllowedSuggesters((host.name,)), hierarchy()) is None
    assert open_elsewhere(chosen, AllowedSuggesters(("a.example",)), hierarchy()) is not None
