"""What somebody called an encounter is no reason for a code."""

from __future__ import annotations

from core.api.evidence import _described
from core.suggest.evidence.spans import Evidence, Passage, Span
from core.suggest.names.assertions import Assertions

TITLE, TEXT = "Pneumonia", "Pneumonia of the right lower lobe."
FOUND = Evidence(
    (
        Passage("Pneumonia", 0.7, (Span("title", 0, 9), Span("text", 0, 9))),
        Passage("Pneumonia", 0.3, (Span("title", 0, 9),)),
    ),
    {},
)
SAID = {"title": Assertions(TITLE), "text": Assertions(TEXT)}


def test_the_title_of_an_encounter_is_not_marked_but_that_of_an_act_is() -> None:
    (passage,) = _described(FOUND, SAID)["passages"]
    assert (passage["field"], passage["others"]) == ("text", [])
    first, second = _described(FOUND, {})["passages"]
    assert (first["field"], second["field"]) == ("title", "title")
