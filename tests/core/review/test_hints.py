"""What was probably missed and what is doubtful, by hand on a small vocabulary."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.review import hints
from core.review.hints import HintSwitch, hint_switch, probably_missed, probably_odd
from core.suggest.suggestions import Prediction, Suggestion
from tests.support.fakes import hierarchy

TINY = hierarchy()


def prediction(own: dict[str, float] | None = None, **chances: float) -> Prediction:
    """Suggestions of concepts, named c101 and so on, with their probabilities."""
    best = sorted(((p, name[1:]) for name, p in chances.items()), reverse=True)
    rows = [
        Suggestion(i, f"https://example.org/{i}", None, i, p, p, rank)
        for rank, (p, i) in enumerate(best, start=1)
    ]
    return Prediction(tuple(rows), {}, 1, 1, 1, "h", "1", 0.0, own_probability=own or {})


def test_the_most_probable_undecided_ones_were_missed_three_at_most() -> None:
    found = prediction(c101=0.9, c102=0.8, c201=0.7, c202=0.6, c302=0.5)
    assert probably_missed(found, {}, TINY) == ("101", "102", "201")
    states = {"101": "accepted", "102": "rejected", "302": "open"}
    assert probably_missed(found, states, TINY) == ("201", "202")


def test_nothing_below_the_threshold_was_missed() -> None:
    found = prediction(c101=0.3, c102=0.29)
    assert probably_missed(found, {}, TINY) == ("101",)


def test_what_is_above_or_below_an_accepted_one_was_not_missed() -> None:
    found = prediction(c103=0.9, c104=0.8, c301=0.7, c303=0.6)
    assert probably_missed(found, {"104": "accepted", "301": "accepted"}, TINY) == ()
    rejected = {"104": "rejected", "301": "rejected"}
    assert probably_missed(found, rejected, TINY) == ("103", "303")


def test_what_is_ruled_out_was_not_missed() -> None:
    found = prediction(c101=0.9, c102=0.8, c302=0.7)
    assert probably_missed(found, {"m1": "excluded"}, TINY) == ("302",)
    assert probably_missed(found, {}, TINY, is_hidden=lambda i: i == "101") == ("102", "302")


def test_without_a_vocabulary_the_probabilities_alone_count() -> None:
    assert probably_missed(prediction(c103=0.9), {"104": "accepted"}, None) == ("103",)


def test_accepted_ones_are_odd_where_they_are_improbable_or_were_not_suggested() -> None:
    found = prediction(c101=0.9, c102=0.02, c201=0.01, c202=0.021)
    accepted = ["101", "102", "201", "202", "302"]
    assert probably_odd(found, accepted) == ("302", "201", "102")
    assert probably_odd(found, ["303", *accepted]) == ("303", "302", "201")


def test_a_broader_one_whose_probability_is_known_is_not_odd() -> None:
    assert probably_odd(prediction({"103": 0.4}, c104=0.5), ["103"]) == ()
    assert probably_odd(prediction({"103": 0.001}, c104=0.5), ["103"]) == ("103",)


def test_without_suggestions_nothing_is_odd() -> None:
    assert probably_odd(prediction(), ["101"]) == ()


# ---------------------------------------------------------------------- where it is shown


@pytest.mark.usefixtures("measured")
def test_it_is_shown_where_it_is_right_in_most_cases_and_quiet() -> None:
    assert hint_switch("tiny", has_model=True, has_text=False) == HintSwitch(True, False)
    assert hint_switch("tiny", has_model=True, has_text=True) == HintSwitch(False, True)


@pytest.mark.usefixtures("measured")
def test_what_was_not_measured_goes_by_a_vocabulary_without_a_model() -> None:
    for vocabulary, has_model in (("stw", True), ("stw", False), ("tiny", False)):
        found = hint_switch(vocabulary, has_model=has_model, has_text=False)
        assert found == HintSwitch(odd=True)
        assert hint_switch(vocabulary, has_model=has_model, has_text=True) == HintSwitch()
    assert hint_switch("icd10pcs", has_model=True, has_text=False) == HintSwitch(), "codes"


@pytest.mark.parametrize("text", ["", "[]", "{", '{"tiny": 3}', '{"tiny": {"titles": {"odd": 1}}}'])
def test_a_damaged_file_shows_nothing(measured: Path, text: str) -> None:
    measured.write_text(text)
    assert hint_switch("tiny", has_model=True, has_text=False) == HintSwitch()
    measured.unlink()
    assert hint_switch("tiny", has_model=True, has_text=False) == HintSwitch()


def test_the_measured_shares_of_the_bundles_are_there() -> None:
    known = json.loads(hints.MEASURED.read_text("utf-8"))
    assert {"eurovoc", "icd10cm", "icd9cm", hints.NO_MODEL} <= known.keys()
    assert hint_switch("eurovoc", has_model=True, has_text=False) == HintSwitch(True, True)
    assert hint_switch("icd10cm", has_model=True, has_text=True) == HintSwitch()
