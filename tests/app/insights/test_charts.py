"""Pictures of a document and of a batch: every place of a concept, states by more than colour."""

from __future__ import annotations

import json
from dataclasses import dataclass

from core.documents.document import Document
from core.review.decisions.tree import rule
from core.review.reports.usage import Branch
from core.review.store.rules import Rules
from pages.charts.branches import branch_figure
from pages.charts.document import ROOT, Piece, document_figure, document_pieces
from pages.charts.style import LOOKS, plain
from tests.support.fakes import FakePredictor, hierarchy

VOCABULARY = hierarchy()
PREDICTION = FakePredictor(VOCABULARY).suggest(Document.from_text("", "On sole", "sole"))


@dataclass
class Decided:
    state: str


def pieces(n_shown: int = 9, **decisions: str) -> list[Piece]:
    decided = {concept_id[1:]: Decided(state) for concept_id, state in decisions.items()}
    return document_pieces(
        VOCABULARY,
        PREDICTION,
        decided,  # type: ignore[arg-type]
        n_shown=n_shown,
        language="en",
        title="On sole",
    )


def test_what_a_rule_hides_is_drawn_where_it_is_decided_alone() -> None:
    rules = Rules(frozenset({"102"}), frozenset({"m2"}))
    decided = {"201": Decided("accepted")}
    found = document_pieces(
        VOCABULARY,
        PREDICTION,
        decided,  # type: ignore[arg-type]
        n_shown=9,
        language="en",
        title="On sole",
        rules=rules,
    )
    drawn = set(states(found))
    assert "101" in drawn and "201" in drawn
    assert drawn.isdisjoint({"102", "104", "202"})  # 104 and 202 are below m2


def states(found: list[Piece]) -> dict[str, str]:
    return {piece.place.split("\n")[-1]: piece.state for piece in found if piece.place != ROOT}


def test_a_concept_is_drawn_at_every_place_and_the_document_above_all() -> None:
    found = pieces(n_shown=1)
    places = [piece.place.replace("\n", "/") for piece in found if piece.label == "sole"]
    assert places == ["d1/m1/103/104", "d1/m2/103/104"]
    assert found[0] == Piece(ROOT, "", "On sole", "above", None)
    assert {piece.above for piece in found[1:]} <= {piece.place for piece in found}


def test_states_are_those_of_the_tree() -> None:
    found = states(pieces(_104="accepted", _201="rejected", _m3="excluded"))
    assert (found["104"], found["103"], found["d1"]) == ("accepted", "implied", "implied")
    assert (found["201"], found["m3"], found["301"]) == ("rejected", "excluded", "below excluded")
    assert found["102"] == "unresolved"
    assert states(pieces(_m1="excluded", _102="accepted"))["102"] == "conflict"


def test_every_state_of_the_tree_has_a_look() -> None:
    assert {row["word"] for row in rule()} <= set(LOOKS)
    assert document_figure(pieces(_103="open"), sunburst=False, dark=False).data


def test_a_figure_has_a_sign_or_a_pattern_for_every_decision() -> None:
    decided = [LOOKS[state] for state in LOOKS if state not in {"unresolved", "above"}]
    assert all(look.sign for look in decided)
    for sunburst in (False, True):
        for dark in (False, True):
            figure = document_figure(pieces(_104="accepted"), sunburst=sunburst, dark=dark)
            (trace,) = figure.data
            assert "✓ sole" in trace.labels
            assert len(trace.ids) == len(set(trace.ids))


def test_hostile_labels_are_text() -> None:
    hostile = "<a href='javascript:alert(1)'>x</a> $\\alpha$" + "y" * 10_000
    figure = document_figure(
        [Piece(ROOT, "", hostile, "above", None), Piece("1", ROOT, hostile, "accepted", 0.5)],
        sunburst=False,
        dark=False,
    )
    written = json.dumps(figure.to_dict(), default=str)
    assert "<a" not in written
    assert "$" not in written
    assert len(written) < 10_000
    assert plain("a & b") == "a &amp; b"


def test_bars_carry_their_numbers_and_a_pattern() -> None:
    figure = branch_figure([Branch("d1", 3, 2)], {"d1": "AGRICULTURE"}, dark=False)
    accepted, rejected = figure.data
    assert (accepted.text, rejected.text) == (("3",), ("2",))
    assert accepted.marker.pattern.shape != rejected.marker.pattern.shape
