"""The figures of the Insights page, by values computed by hand on a tree of nine concepts."""

from __future__ import annotations

import numpy as np
import pytest

from core.errors import BundleError
from core.insights.confusion import confusion
from core.insights.decisions import SuggestionOutcome, decision_statistics
from core.insights.groups import by_branch, by_depth, by_frequency
from core.insights.judged import Judged
from core.insights.reliability import reliability
from core.insights.report import insights_of, load_insights
from core.vocabulary.concepts import Concept, Hierarchy
from core.vocabulary.labels import LabelSpace

# Two divisions; animals > (cat > kitten, dog), plants > (tree, herb); thyme is below herb.
ROWS = (
    ("A", "ANIMALS", ()),
    ("P", "PLANTS", ()),
    ("cat", "cat", ("A",)),
    ("dog", "dog", ("A",)),
    ("herb", "herb", ("P",)),
    ("tree", "tree", ("P",)),
    ("kitten", "kitten", ("cat",)),
    ("puppy", "puppy", ("dog",)),
    ("thyme", "thyme", ("herb",)),
)
SPACE = LabelSpace(
    Hierarchy(
        [
            Concept(i, f"https://example.org/{i}", None, {"en": label}, broader=above,
                    assignable=not i.isupper())
            for i, label, above in ROWS
        ],
        vocabulary_id="pets",
        version="1",
    )
)  # fmt: skip


def scores(*rows: dict[str, float], empty: float = 0.0) -> np.ndarray:
    matrix = np.full((len(rows), len(SPACE)), empty)
    for row, values in zip(matrix, rows, strict=True):
        for concept_id, value in values.items():
            row[SPACE.column(concept_id)] = value
    return matrix


def judged(assigned: list[list[str]], *rows: dict[str, float], **more: object) -> Judged:
    return Judged(SPACE, assigned, assigned=scores(*rows), **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("assigned", "suggested", "relation"),
    [
        ("kitten", "kitten", "right"),
        ("kitten", "cat", "broader"),
        ("cat", "kitten", "narrower"),
        ("cat", "dog", "sibling"),  # both directly below a division
        ("cat", "puppy", "same_branch"),
        ("kitten", "puppy", "same_branch"),
        ("kitten", "thyme", "other_branch"),
    ],
)
def test_a_prediction_is_classed_by_its_place(assigned, suggested, relation):
    found = confusion(judged([[assigned]], {suggested: 0.9}))
    assert found is not None
    assert {name for name, n in found.counts.items() if n} == {relation}
    level = int(SPACE.levels[SPACE.column(suggested)])
    assert found.by_level == {level: found.counts}


def test_as_many_are_classed_as_were_assigned_and_each_once():
    # Cat is right; dog is a sibling of cat and broader than puppy: the nearer relation counts.
    found = confusion(
        judged([["cat", "puppy"], []], {"cat": 0.9, "dog": 0.8, "herb": 0.7}, {"tree": 0.9})
    )
    assert found is not None
    assert found.counts["right"] == 1
    assert found.counts["broader"] == 1
    assert sum(found.counts.values()) == 2
    (pair,) = found.pairs
    assert (pair.suggested, pair.assigned, pair.n_documents) == ("dog", "puppy", 1)


def test_divisions_are_never_predictions():
    found = confusion(judged([["cat"]], {"A": 0.9, "thyme": 0.2}))
    assert found is not None
    assert found.counts["other_branch"] == 1


def test_depth_counts_the_documents_with_a_label_there():
    one = Judged(
        SPACE,
        [["cat"], ["thyme"], []],
        levels=scores(
            {"A": 0.9, "dog": 0.8, "cat": 0.1}, {"P": 0.9, "herb": 0.9, "thyme": 0.9}, {}
        ),
    )
    first, second, third, micro = by_depth(one, depth=3)
    assert (first.level, first.n_documents, first.level_heads) == (1, 2, 1.0)
    assert (second.n_labels, second.n_documents, second.level_heads) == (4, 2, 0.5)
    assert (third.n_documents, third.level_heads, third.branch) == (1, 1.0, None)
    # A and dog for A and cat; P, herb and thyme for all three.
    assert (micro.level, micro.level_heads) == (0, pytest.approx((1 / 2 + 1) / 2))
    assert [row.level for row in by_depth(one)] == [1, 2, 3, 0]


def test_a_branch_holds_what_is_below_its_top_concept():
    one = judged(
        [["cat", "thyme"], ["tree"]],
        {"cat": 0.9, "dog": 0.6, "thyme": 0.2},
        {"tree": 0.7},
        threshold=0.5,
        training_ids=[["cat"], ["cat", "tree"]],
    )
    animals, plants = by_branch(one)
    assert (animals.label, animals.n_labels, animals.n_documents) == ("ANIMALS", 4, 1)
    assert (animals.precision, animals.recall, animals.n_training) == (0.5, 1.0, 2)
    assert (plants.precision, plants.recall, plants.n_gold) == (1.0, 0.5, 2)
    assert plants.in_first_ten == 1.0  # ten of seven: everything is among the first
    assert plants.r_precision == 1.0


def test_frequency_is_that_of_the_training_documents():
    training = [["cat"]] * 51 + [["dog"]] * 50 + [["herb"]] * 9
    one = judged([["cat"], ["dog", "tree"]], {"cat": 0.9}, {"cat": 0.8}, threshold=0.5,
                 training_ids=training)  # fmt: skip
    frequent, few, rare, unseen = by_frequency(one)
    assert [row.name for row in by_frequency(one)] == ["frequent", "few", "rare", "unseen"]
    assert [row.n_labels for row in (frequent, few, rare, unseen)] == [1, 1, 1, 4]
    assert (frequent.precision, frequent.recall) == (0.5, 1.0)
    assert (few.recall, unseen.recall, unseen.n_gold) == (0.0, 0.0, 1)


def test_without_a_threshold_only_ranks_are_judged():
    (first, *_) = by_branch(judged([["cat"]], {"cat": 0.9}))
    assert (first.precision, first.recall, first.r_precision) == (None, None, 1.0)


def test_reliability_compares_probability_and_share():
    one = judged(
        [["cat"], ["cat"]],
        {"cat": 0.85, "dog": 0.15, "tree": 0.005},
        {"cat": 0.85, "dog": 0.85},
        branch=scores({"A": 1.0}, {"A": 1.0}),
    )
    assigned, branch = reliability(one)
    ninth = assigned.bins[8]
    assert (ninth.low, ninth.high, ninth.n_pairs) == (0.8, 0.9, 3)
    assert (ninth.probability, ninth.share) == (pytest.approx(0.85), pytest.approx(2 / 3, abs=1e-5))
    assert (assigned.bins[1].n_pairs, assigned.bins[1].share) == (1, 0.0)
    assert assigned.bins[0].n_pairs == 0  # less than 1 % is left out
    expected = (3 * (0.85 - 2 / 3) + 1 * 0.15) / 4
    assert assigned.error == pytest.approx(expected, abs=1e-5)
    assert (branch.name, branch.error) == ("branch", 0.0)


def test_the_file_gives_back_what_was_measured(tmp_path):
    measured = insights_of(
        judged([["cat"], []], {"cat": 0.9}, {"dog": 0.5}, threshold=0.5), {"split": "dev"}
    )
    path = tmp_path / "insights" / "insights-dev.json"
    measured.save(path)
    assert load_insights(path) == measured
    assert measured.facts["n_documents"] == 2
    assert "NaN" not in path.read_text()


def test_without_an_assigned_head_labels_count_with_what_is_broader():
    levels = scores({"A": 0.9, "dog": 0.8, "cat": 0.7})
    levels[:, SPACE.column("thyme")] = -np.inf  # a level that is not learned
    one = Judged(SPACE, [["cat"]], training_ids=[["cat"]] * 51 + [["dog"]], levels=levels)
    found = insights_of(one, {})
    assert found.facts["labels"] == "augmented"
    assert (found.curves, len(found.depth)) == ((), 4)
    animals, plants = found.branches
    assert (animals.n_labels, animals.n_gold, animals.n_training) == (5, 2, 104)
    assert (animals.r_precision, animals.in_first_ten, animals.precision) == (0.5, 1.0, None)
    assert (plants.n_labels, plants.r_precision) == (3, None)
    assert [row.n_labels for row in found.frequency] == [2, 0, 1, 5]
    assert found.confusion is not None
    assert (found.confusion.counts["right"], found.confusion.counts["sibling"]) == (1, 1)


def test_labels_without_a_tree_have_no_place_on_it():
    flat = LabelSpace(
        Hierarchy(
            [Concept(i, f"urn:{i}", None, {"en": i}) for i in ("earn", "grain")],
            vocabulary_id="flat",
            version="1",
        )
    )
    one = Judged(flat, [["earn"]], assigned=np.array([[0.9, 0.1]]))
    assert confusion(one) is None
    assert [row.label for row in by_branch(one)] == ["earn", "grain"]


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"format": "other"}'])
def test_a_damaged_file_is_a_sentence(tmp_path, content):
    path = tmp_path / "insights-dev.json"
    path.write_text(content)
    with pytest.raises(BundleError, match=r"insights-dev\.json"):
        load_insights(path)
    with pytest.raises(BundleError, match="cannot be read"):
        load_insights(tmp_path / "none.json")


def test_decisions_are_counted_by_rank_and_probability():
    first = [
        SuggestionOutcome(True, 0.9, 1),
        SuggestionOutcome(False, 0.6, 2),
        SuggestionOutcome(True),
    ]
    found = decision_statistics([first, [SuggestionOutcome(True, 0.65, 30)], []])
    assert (found.n_documents, found.n_shown, found.n_taken, found.n_added) == (3, 3, 3, 1)
    rows = [(row.first, row.last, row.n_shown, row.n_taken) for row in found.ranks]
    assert rows == [(1, 1, 1, 1), (2, 3, 1, 0), (21, None, 1, 1)]
    sixth = found.curve.bins[6]
    assert (sixth.n_pairs, sixth.share) == (2, 0.5)
    assert decision_statistics([]).curve.error is None
