"""How decisions look on the tree, worked out by hand; and the same rule in the browser's script."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from typing import Any

import pytest

from core.review.decisions.tree import tree_states
from core.vocabulary.concepts import Concept, Hierarchy
from tests.support.browser.scripts import TREE_RULE, loaded


def hierarchy(links: dict[str, tuple[str, ...]]) -> Hierarchy:
    return Hierarchy(
        [Concept(i, f"http://x/{i}", None, {"en": i}, broader=b) for i, b in links.items()],
        vocabulary_id="tiny",
        version="1",
    )


# food > plants > olives, trade > olives; food > bread
HIERARCHY = hierarchy(
    {
        "food": (),
        "trade": (),
        "plants": ("food",),
        "olives": ("plants", "trade"),
        "bread": ("food",),
    }
)


def words(suggested: tuple[str, ...] = (), **decided: str) -> dict[str, str]:
    return tree_states(HIERARCHY, decided, suggested=suggested)


def test_nothing_decided_is_nothing_implied() -> None:
    assert words() == {}


def test_what_is_suggested_and_not_decided_is_unresolved() -> None:
    assert words(("olives",)) == {"olives": "unresolved"}


def test_an_accepted_concept_implies_all_its_ancestors_on_every_path() -> None:
    assert words(olives="accepted") == {
        "olives": "accepted",
        "plants": "implied",
        "food": "implied",
        "trade": "implied",
    }


def test_a_rejected_concept_says_nothing_about_any_other() -> None:
    assert words(("olives",), plants="rejected") == {"plants": "rejected", "olives": "unresolved"}


def test_what_was_decided_on_an_ancestor_stays_whatever_the_order() -> None:
    wanted = {"olives": "accepted", "plants": "rejected", "food": "accepted", "trade": "implied"}
    assert words(olives="accepted", plants="rejected", food="accepted") == wanted
    assert words(food="accepted", plants="rejected", olives="accepted") == wanted


def test_all_below_an_excluded_concept_is_excluded_by_any_path() -> None:
    assert words(("olives", "bread"), trade="excluded") == {
        "trade": "excluded",
        "olives": "below excluded",
        "bread": "unresolved",
    }
    assert words(("olives", "bread"), food="excluded") == {
        "food": "excluded",
        "olives": "below excluded",
        "plants": "below excluded",
        "bread": "below excluded",
    }


def test_an_accepted_concept_below_an_excluded_one_is_a_conflict() -> None:
    assert words(olives="accepted", food="excluded") == {
        "olives": "conflict",
        "plants": "below excluded",
        "food": "excluded",
        "trade": "implied",
    }


def test_an_open_category_is_settled_by_a_code_below_it() -> None:
    assert words(("olives",), plants="open") == {"plants": "open", "olives": "unresolved"}
    assert words(plants="open", olives="accepted")["plants"] == "implied"


def test_a_rejected_concept_below_an_excluded_one_stays_rejected() -> None:
    assert words(olives="rejected", trade="excluded")["olives"] == "rejected"


def test_a_concept_that_the_vocabulary_lost_keeps_its_state() -> None:
    assert words(gone="accepted") == {"gone": "accepted"}


RUN = """
const ancestorsOf = (cases) => (id) => new Set(cases.ancestors[id] || []);
const answers = JSON.parse(require("fs").readFileSync(0, "utf8")).map((one) =>
  Object.fromEntries([...treeStates(rule, ancestorsOf(one), new Map(Object.entries(one.decisions)),
    new Set(one.suggested))].map(([id, { word, causes, unresolved }]) => [id, [word, causes, unresolved]])));
console.log(JSON.stringify(answers));
"""


@pytest.mark.skipif(not shutil.which("node"), reason="no node to run the browser's script")
def test_the_browser_has_the_same_rule() -> None:
    """Two hundred random vocabularies with several broader concepts, and random decisions."""
    generator = random.Random(4)
    cases = [_random_case(generator) for _ in range(200)]
    answered = _run_script(
        loaded("tree/states.js") + TREE_RULE + RUN, [asked for asked, _ in cases]
    )
    for (asked, expected), answer in zip(cases, answered, strict=True):
        assert answer == expected, asked


def _random_case(generator: random.Random) -> tuple[dict[str, Any], dict[str, Any]]:
    names = [f"c{n}" for n in range(generator.randint(1, 14))]
    links = {
        name: tuple(generator.sample(names[:n], generator.randint(0, min(n, 2))))
        for n, name in enumerate(names)
    }
    vocabulary = hierarchy(links)
    kinds = ("accepted", "accepted", "rejected", "excluded", "open")
    decided = {n: {"state": generator.choice(kinds)} for n in names if generator.random() < 0.4} | (
        {"gone": {"state": "accepted"}} if generator.random() < 0.1 else {}
    )
    suggested = [name for name in names if generator.random() < 0.5]
    states = {concept_id: decision["state"] for concept_id, decision in decided.items()}
    expected = {
        concept_id: _explained(concept_id, word, vocabulary, states, suggested)
        for concept_id, word in tree_states(vocabulary, states, suggested=suggested).items()
    }
    ancestors = {name: sorted(vocabulary.ancestors(name)) for name in names}
    return {"ancestors": ancestors, "decisions": decided, "suggested": suggested}, expected


def _explained(
    concept_id: str, word: str, vocabulary: Hierarchy, decided: dict[str, str], suggested: list[str]
) -> list[Any]:
    """Word, causes, and whether a decision is still wanted."""
    if word in ("conflict", "below excluded"):
        excluded = {i for i, state in decided.items() if state == "excluded"}
        return [word, sorted(excluded & vocabulary.ancestors(concept_id)), False]
    if word != "implied":
        return [word, [], word == "unresolved"]
    accepted = [i for i, state in decided.items() if state == "accepted" and i in vocabulary]
    below = sorted(i for i in accepted if concept_id in vocabulary.ancestors(i))
    return [word, below, concept_id in suggested and concept_id not in decided]


def _run_script(code: str, asked: object) -> list[dict[str, Any]]:
    run = subprocess.run(
        ["node", "-e", code],
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    answers: list[dict[str, Any]] = json.loads(run.stdout)
    return answers
