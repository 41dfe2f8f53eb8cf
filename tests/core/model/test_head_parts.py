"""Parts of a hierarchy for attention heads: whole branches of about equal size, or random ones."""

from __future__ import annotations

import numpy as np
import pytest

from core.errors import PlanError
from core.model.guided_heads import HeadSpec, branch_parts, shuffled
from tests.support.models.label_trees import space


def test_whole_branches_go_to_the_part_that_is_smallest(pets):
    assert pets.concept_ids == ("a", "b", "c", "d", "e", "g", "f")
    assert branch_parts(pets, 3, 2).tolist() == [0, 1, 1, 0, 0, 1, 0]
    assert branch_parts(pets, 3, 3).tolist() == [0, 1, 2, 0, 0, 1, 0]
    assert branch_parts(pets, 1, 3).tolist() == [0, 1, 2]


def test_a_label_under_two_branches_counts_to_the_first():
    both = space(a="", b="", c="a b", d="b", e="c d")
    assert branch_parts(both, 3, 2).tolist() == [0, 1, 0, 1, 0]


def test_more_heads_than_branches_are_refused(pets):
    with pytest.raises(PlanError, match=r"4 guided heads .* test has 3"):
        branch_parts(pets, 3, 4)


def test_random_parts_keep_their_sizes_at_every_level():
    parts = np.array([0, 1, 1, *([0] * 20), *([1] * 10)])
    dealt = shuffled(parts, [3, 30], seed=5)
    assert sorted(dealt[:3]) == sorted(parts[:3])
    assert np.bincount(dealt[3:]).tolist() == [20, 10]
    assert dealt.tolist() != parts.tolist()
    assert dealt.tolist() == shuffled(parts, [3, 30], seed=5).tolist()


def test_a_specification_names_plan_heads_and_kind(pets):
    assert HeadSpec.parse("last_half:4") == HeadSpec("last_half", 4, "branches")
    assert HeadSpec.parse("flat:2:random") == HeadSpec("flat", 2, "random")
    assert HeadSpec.parse("flat:2").parts(pets, 3, seed=1).tolist() == [0, 1, 1, 0, 0, 1, 0]
    drawn = HeadSpec.parse("flat:2:random").parts(pets, 3, seed=1)
    assert np.bincount(drawn).tolist() == [4, 3]


@pytest.mark.parametrize("text", ["", "flat", "flat:", "flat:x", "flat:2:other", "flat:2:random:3"])
def test_a_specification_of_another_form_is_refused(text):
    with pytest.raises(PlanError, match="such as last_half:4"):
        HeadSpec.parse(text)
    with pytest.raises(PlanError, match="At least one"):
        HeadSpec.parse("flat:0")
