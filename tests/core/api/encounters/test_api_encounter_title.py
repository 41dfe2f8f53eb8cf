"""What somebody called an encounter is no reason for a code."""

from __future__ import annotations

from core.api.evidence import _described, _in_notes
from core.suggest.evidence.spans import Evidence, Passage, Span

FOUND = Evidence(
    (
        Passage("Pneumonia", 0.7, (Span("title", 0, 9), Span("text", 0, 9))),
        Passage("Pneumonia", 0.3, (Span("title", 0, 9),)),
    ),
    {},
)


def test_the_title_of_an_encounter_is_not_marked_but_that_of_an_act_is() -> None:
    (passage,) = _described(_in_notes(FOUND), {})["passages"]
    assert (passage["field"], passage["others"]) == ("text", [])
    first, second = _described(FOUND, {})["passages"]
    assert (first["field"], second["field"]) == ("title", "title")
