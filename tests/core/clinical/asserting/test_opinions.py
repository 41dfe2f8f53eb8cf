"""What the network makes of a condition, and when it overrules the rules."""

from __future__ import annotations

import re

import numpy as np
import pytest

from core.clinical.asserting.cues import HISTORICAL, HYPOTHETICAL, NEGATED
from core.clinical.asserting.network import AskedPlace, Opinion, Window, shipped
from core.clinical.asserting.opinions import Verdict, judged, second_opinions
from core.clinical.assertions import Assertion, Assertions
from core.clinical.names.wordings import Kind, LexicalMatch

NO = Assertion(NEGATED, "no", 0, 2)
TEXT = "no talk of gout"


def opinion(*chances: float) -> Opinion:
    """Of affirmed, denied, possible, past and other; what it heeded is "talk"."""
    return Opinion(np.array(chances, np.float32), 3, 7)


def name(text: str, condition: str, code: str = "M10.9") -> LexicalMatch:
    start = text.index(condition)
    return LexicalMatch(code, condition, start, start + len(condition), Kind.PREFERRED, 1)


@pytest.mark.parametrize(
    ("by_rules", "chances", "status", "affirmed"),
    [
        (None, (0.9, 0.1, 0, 0, 0), None, 1.0),
        (None, (0.8, 0.2, 0, 0, 0), None, 0.8),
        (None, (0.05, 0.7, 0.05, 0, 0.2), NEGATED, 0.1),
        (None, (0.05, 0.2, 0.05, 0, 0.7), HYPOTHETICAL, 0.1),
        (None, (0.4, 0.3, 0, 0, 0.3), None, 0.4),  # not sure enough to deny it
        (None, (0.1, 0, 0, 0.9, 0), HISTORICAL, 1.0),
        (None, (0.1, 0, 0.9, 0, 0), None, 1.0),  # what is possible is for the rules to say
        (NO, (0.96, 0.04, 0, 0, 0), None, 1.0),
        (NO, (0.94, 0.06, 0, 0, 0), NEGATED, 1.0),
    ],
)
def test_the_network_counts_where_it_is_sure(
    by_rules: Assertion | None, chances: tuple[float, ...], status: str | None, affirmed: float
) -> None:
    assertion, chance = judged(by_rules, opinion(*chances), TEXT)
    assert (assertion.status if assertion else None) == status
    assert chance == pytest.approx(affirmed)


def test_what_it_heeded_most_is_shown_as_the_cue() -> None:
    assertion, _ = judged(None, opinion(0, 1, 0, 0, 0), TEXT)
    assert assertion == Assertion(NEGATED, "talk", 3, 7)


@pytest.mark.parametrize(
    ("text", "cue", "status"),
    [
        ("gout in 2009", "2009", HISTORICAL),
        ("valve 2009, INR high. gout", "2009", None),  # a year of another sentence
        ("history: gout", "history", None),  # what that means, the rules know
    ],
)
def test_a_year_elsewhere_and_the_word_history_make_nothing_past(
    text: str, cue: str, status: str | None
) -> None:
    start = text.index(cue)
    past = Opinion(np.array((0.1, 0, 0, 0.9, 0), np.float32), start, start + len(cue))
    assertion, _ = judged(None, past, text, text.index("gout") + len("gout"))
    assert (assertion.status if assertion else None) == status


def test_of_history_and_of_what_a_section_says_the_rules_decide() -> None:
    past, family = Assertion(HISTORICAL, "had", 0, 3), Assertion("family", "Family history", 0, 14)
    names = [name(TEXT, "gout")] * 2
    assert second_opinions(TEXT, names, [past, family]) == [Verdict(past), Verdict(family)]


def test_of_vaccines_homes_and_causes_the_rules_decide() -> None:
    text = "Tetanus booster given."
    assert second_opinions(text, [name(text, "Tetanus booster", "Z23")], [None]) == [Verdict(None)]


def test_a_window_ends_with_whole_words() -> None:
    text = f"{'abcde ' * 40}gout{' vwxyz' * 40}"
    window = Window.around(240, 244, text)
    assert (window.text[window.start : window.end], window.at) == ("gout", 132)
    assert window.text == f"{'abcde ' * 18}gout{' vwxyz' * 18}"


@pytest.mark.parametrize(
    ("line", "condition", "status"),
    [
        ("Criteria for bipolar disorder are not met.", "bipolar disorder", NEGATED),
        ("Wife says she herself has influenza, mask given.", "influenza", HYPOTHETICAL),
        ("Leaflet on gout handed to the patient.", "gout", HYPOTHETICAL),
        ("Denies fever, chills, night sweats, weight loss.", "night sweats", NEGATED),
        ("No fever, rash, neck stiffness.", "rash", NEGATED),
        ("Pallor, icterus, cyanosis absent.", "icterus", NEGATED),
        ("Admitted with pneumonia, treated with ceftriaxone.", "pneumonia", None),
        ("Hypertension: poorly controlled", "Hypertension", None),
    ],
)
def test_wordings_that_no_rule_lists_are_understood(
    line: str, condition: str, status: str | None
) -> None:
    named = name(line, condition)
    by_rules = Assertions(line).at(named.start, named.end)
    [(assertion, _)] = second_opinions(line, [named], [by_rules])
    assert (assertion.status if assertion else None) == status


def test_a_condition_is_judged_alike_alone_and_among_others() -> None:
    text = "Denies chest pain. Admitted with pneumonia. Mother has asthma. " * 3
    places = [AskedPlace(n, n + 9) for n in range(0, 180, 9)]
    together = np.array([one.chances for one in shipped()(text, places)])
    alone = np.array([next(shipped()(text, [place])).chances for place in places])
    assert np.allclose(together, alone, atol=1e-4)
    assert not list(shipped()(text, []))


def test_a_blank_line_ends_what_is_read() -> None:
    text = "Father: asthma\n\nHypertension\n\nMother: gout"
    start = text.index("Hypertension")
    assert Window.around(start, start + 12, text) == Window("Hypertension", 0, 12, start)


def test_of_very_many_names_the_rules_decide() -> None:
    text = "Leaflet on gout handed out. " * 1_200
    names = [
        LexicalMatch("M10.9", "gout", match.start(), match.end(), Kind.PREFERRED, 1)
        for match in re.finditer("gout", text)
    ]
    verdicts = second_opinions(text, names, [None] * len(names))
    assert [one.assertion is not None for one in verdicts] == [True] * 1_000 + [False] * 200
