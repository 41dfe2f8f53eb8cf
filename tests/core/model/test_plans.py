"""Guidance plans against the tables of the paper."""

import itertools

import pytest

from core.errors import PlanError
from core.model.plans import PLAN_NAMES, build_plan
from core.paths import PROJECT_ROOT

PAPER = {  # Manginas et al. (2020), section 3: 12 layers, 6 levels
    "flat": "12, 12, 12, 12, 12, 12",
    "last_half": "7, 8, 9, 10, 11, 12",
    "one_by_one": "2, 4, 6, 8, 10, 12",
    "in_pairs": "(1,2), (3,4), (5,6), (7,8), (9,10), (11,12)",
    "hybrid": "4, 5, (6,7), (8,9), (10,11), 12",
}
SIX_LAYERS = {
    "flat": "6, 6, 6, 6, 6, 6",
    "last_half": "4, 4, 5, 5, 6, 6",
    "one_by_one": "1, 2, 3, 4, 5, 6",
}


@pytest.mark.parametrize("name", PAPER)
def test_twelve_layers_and_six_levels_give_the_papers_plan(name):
    assert str(build_plan(name, n_layers=12, n_levels=6)) == PAPER[name]


@pytest.mark.parametrize("name", SIX_LAYERS)
def test_six_layers(name):
    assert str(build_plan(name, n_layers=6, n_levels=6)) == SIX_LAYERS[name]


@pytest.mark.parametrize(("name", "needed"), [("in_pairs", 12), ("hybrid", 9)])
def test_a_plan_that_cannot_be_built_says_how_many_layers_it_needs(name, needed):
    with pytest.raises(PlanError, match=f"at least {needed} layers"):
        build_plan(name, n_layers=6, n_levels=6)
    assert len(build_plan(name, n_layers=needed, n_levels=6).layers) == 6


@pytest.mark.parametrize("name", PLAN_NAMES)
def test_every_plan_that_is_built_goes_from_general_to_specific(name):
    for n_layers, n_levels in itertools.product([2, 4, 6, 12, 24], range(1, 9)):
        try:
            plan = build_plan(name, n_layers=n_layers, n_levels=n_levels)
        except PlanError:
            continue
        flat = [layer for layers in plan.layers for layer in layers]
        assert len(plan.layers) == n_levels
        assert flat == sorted(flat)
        assert 1 <= flat[0] and flat[-1] == n_layers


def test_names_of_the_paper_are_understood():
    assert build_plan("LAST-SIX", n_layers=12, n_levels=6).name == "last_half"
    with pytest.raises(PlanError, match="no plan"):
        build_plan("sideways", n_layers=12, n_levels=6)
    with pytest.raises(PlanError, match="at least one level"):
        build_plan("flat", n_layers=12, n_levels=0)


@pytest.mark.parametrize("page", ["laboratory.md", "glossary.md"])
def test_whoever_writes_a_configuration_finds_every_plan(page):
    text = (PROJECT_ROOT / "docs" / page).read_text("utf-8").lower().replace("-", "_")
    assert [name for name in PLAN_NAMES if name not in text] == []
