"""The artery of a stroke with its own side."""

from __future__ import annotations

import pytest

from core.suggest.stays.beside import behind
from core.suggest.stays.strokes import strokes
from tests.core.suggest.stays.conftest import MakesNote


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("stroke of the left middle cerebral artery with right hemiplegia", "I63.512"),
        ("Right hemiparesis after a stroke in the left MCA territory", "I63.512"),
        ("stroke, L MCA, R hemiparesis", "I63.512"),
        ("Left hemiplegia due to thrombotic stroke of the right MCA", "I63.311"),
        ("Cardioembolic stroke, left posterior cerebral artery", "I63.432"),
        ("stroke due to right ICA occlusion", "I63.231"),
        ("stroke. CTA: occlusion of the left M1 segment.", "I63.512"),
    ],
)
def test_a_side_belongs_to_the_artery_behind_it(note: MakesNote, text: str, code: str) -> None:
    (found,) = strokes(note(text, I639="stroke"))
    assert found.code == code and found.replaced == ("I63.9",)


@pytest.mark.parametrize(
    "text",
    [
        "stroke with right hemiplegia",
        "stroke. No occlusion of the left MCA.",
        "stroke, left and right MCA: left MCA and right MCA occluded",
        "stroke. CT also has an old left MCA infarct.",
        "stroke. Stent in the left carotid artery.",
    ],
)
def test_no_artery_has_a_side_of_something_else(note: MakesNote, text: str) -> None:
    assert not list(strokes(note(text, I639="stroke")))


def test_an_old_infarct_of_a_scan_is_not_coded_as_a_new_one(note: MakesNote) -> None:
    assert list(behind(note("CT: old right MCA infarct", I63511="right MCA infarct"))) == [
        "I63.511"
    ]
    assert not list(behind(note("A 61 year old man with right MCA infarct", I63511="infarct")))
    assert not list(behind(note("Old age, new MCA infarct", I63511="MCA infarct")))
