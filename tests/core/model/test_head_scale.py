"""One size for what the level heads read: its numbers, what reads it, and how it is folded in."""

from __future__ import annotations

from copy import deepcopy

import numpy as np
import pytest
import torch

from core.model.bundle.bundle import load_bundle
from core.model.guided import GuidedClassifier, LevelHeads
from core.model.head_scale import FrozenScale, fold
from core.model.plans import build_plan
from core.suggest.backends.openvino import OpenVinoBackend
from core.suggest.backends.torch import TorchBackend
from tests.support.models.tiny_bundle import save_tiny, tiny_label_space
from tests.support.models.tiny_model import tiny_model

pytestmark = pytest.mark.usefixtures("seed_of_three")

INPUT_IDS = torch.tensor([[2, 7, 9, 11, 3], [2, 8, 30, 12, 3], [2, 20, 21, 22, 3]])
MASK = torch.ones_like(INPUT_IDS)
# Two documents: the means are (2, 5), the variances (1, 0), and so the spread is √½.
VECTORS = torch.tensor([[1.0, 5.0], [3.0, 5.0]])


def measured(model: GuidedClassifier) -> GuidedClassifier:
    """Measure the scales of a model on the texts of this file."""
    pooled = model.eval().pooled_layers(INPUT_IDS, MASK)
    for layer, scale in model.head_scales.items():
        scale.measure(pooled[int(layer)].detach())
    return model


def test_vectors_are_centred_and_divided_by_one_spread() -> None:
    scale = FrozenScale(2)
    scale.measure(VECTORS)
    torch.testing.assert_close(scale.centre, torch.tensor([2.0, 5.0]))
    torch.testing.assert_close(scale.spread, torch.tensor(0.5**0.5))
    expected = torch.tensor([[-0.2 * 2**0.5, 0.0], [0.2 * 2**0.5, 0.0]])
    torch.testing.assert_close(scale(VECTORS), expected)
    assert list(scale.parameters()) == []
    assert set(scale.state_dict()) == {"centre", "spread"}


def test_a_layer_that_never_varies_gives_zeros() -> None:
    scale = FrozenScale(2)
    scale.measure(torch.ones(3, 2))
    assert torch.equal(scale(torch.ones(3, 2)), torch.zeros(3, 2))


def test_half_precision_rounds_what_is_centred() -> None:
    # 16 and 16.02 are one number in bf16.
    scale = FrozenScale(1)
    scale.measure(torch.tensor([[16.0], [16.02]]))
    with torch.autocast("cpu", dtype=torch.bfloat16):
        found = scale(torch.tensor([[16.0], [16.02]]))
    torch.testing.assert_close(found, torch.tensor([[-0.2], [0.2]]), atol=1e-3, rtol=0)


def test_a_head_takes_in_the_scales_of_the_layers_that_it_reads() -> None:
    one, two, head = FrozenScale(2), FrozenScale(2), torch.nn.Linear(4, 1)
    one.measure(VECTORS)
    two.centre.copy_(torch.tensor([0.0, 1.0]))
    two.spread.fill_(0.1)
    head.weight.data.copy_(torch.tensor([[1.0, 2.0, 3.0, 4.0]]))
    head.bias.data.fill_(0.5)
    fold(head, [one, two])
    first = 0.2 * 2**0.5
    torch.testing.assert_close(head.weight.data, torch.tensor([[first, 2 * first, 6.0, 8.0]]))
    # b − W'·c = 0.5 − (first · 2 + 2 · first · 5 + 8 · 1)
    torch.testing.assert_close(head.bias.data, torch.tensor([0.5 - 12 * first - 8.0]))


@pytest.mark.parametrize("pooling", ["cls", "mean"])
@pytest.mark.parametrize("kind", ["frozen", "layer_norm"])
def test_the_level_heads_alone_read_it(kind: str, pooling: str) -> None:
    model = tiny_model("last_half", head_scale=kind, pooling=pooling)
    if kind == "frozen":
        measured(model)
    pooled = model.eval().pooled_layers(INPUT_IDS, MASK)
    scaled = {int(layer): scale(pooled[int(layer)]) for layer, scale in model.head_scales.items()}
    assert sorted(scaled) == [4, 5, 6]
    if kind == "layer_norm":
        by_hand = (pooled[4] - pooled[4].mean(1, keepdim=True)) / (
            pooled[4].var(1, correction=0, keepdim=True) + 1e-5
        ).sqrt()
        torch.testing.assert_close(scaled[4], by_hand)
    served = model(INPUT_IDS, MASK)
    torch.testing.assert_close(served.levels, model.level_heads(scaled))
    torch.testing.assert_close(served.assigned, model.assigned_head(pooled[6]))
    # Without dropout, training reads the same.
    trained = model.train()(INPUT_IDS, MASK)
    torch.testing.assert_close(trained.levels, served.levels)
    torch.testing.assert_close(trained.assigned, served.assigned)


def test_dropout_comes_after_the_scale() -> None:
    model = measured(tiny_model("flat", head_scale="frozen", dropout=0.5)).train()
    seen: list[torch.Tensor] = []
    model.level_heads.levels[0].register_forward_pre_hook(lambda _, given: seen.append(given[0]))
    model(INPUT_IDS, MASK)
    scaled = model.head_scales["6"](model.pooled_layers(INPUT_IDS, MASK)[6])
    left = seen[0] != 0
    assert 0 < left.sum() < left.numel()
    torch.testing.assert_close(seen[0][left], 2 * scaled[left])


@pytest.mark.parametrize(("plan", "n_layers"), [("flat", 6), ("last_half", 6), ("in_pairs", 12)])
def test_folded_heads_give_the_same_logits(plan: str, n_layers: int) -> None:
    model = tiny_model(plan, n_layers=n_layers, head_scale="frozen")
    plain = tiny_model(plan, n_layers=n_layers)
    before = measured(model).train()(INPUT_IDS, MASK)
    model.fold_scales()
    after = model(INPUT_IDS, MASK)
    for head in ("levels", "assigned"):
        difference = (getattr(after, head) - getattr(before, head)).abs().max()
        assert difference < 1e-4, head
    assert model.shape == plain.shape and model.head_scales is None
    assert model.state_dict().keys() == plain.state_dict().keys()
    twice = deepcopy(model.state_dict())
    model.fold_scales()
    assert all(torch.equal(twice[name], value) for name, value in model.state_dict().items())


def test_a_layer_norm_stays_in_the_model() -> None:
    model = tiny_model("last_half", head_scale="layer_norm")
    model.fold_scales()
    assert model.shape.head_scale == "layer_norm"
    assert model.head_scales is not None
    model(INPUT_IDS, MASK).levels.sum().backward()
    assert all(p.grad is not None for p in model.head_scales.parameters())


def test_everything_else_starts_as_without_it() -> None:
    states = []
    for kind in ("none", "frozen", "layer_norm"):
        torch.manual_seed(5)
        states.append(tiny_model("last_half", head_scale=kind).state_dict())
    plain, *others = states
    for state in others:
        assert all(torch.equal(state[name], value) for name, value in plain.items())


def test_a_bundle_serves_a_layer_norm_with_both_back_ends(tmp_path) -> None:
    space = tiny_label_space()
    sizes = tuple(len(space.level_columns(level)) for level in (1, 2, 3))
    model = tiny_model(
        "last_half",
        level_sizes=sizes,
        n_assigned=int(space.assignable.sum()),
        head_scale="layer_norm",
    ).eval()
    for scale in model.head_scales.values():
        torch.nn.init.normal_(scale.weight)
        torch.nn.init.normal_(scale.bias)
    save_tiny(tmp_path, model, space)
    served, _ = load_bundle(tmp_path).guided
    expected = model(INPUT_IDS, MASK).levels.detach()
    torch.testing.assert_close(served(INPUT_IDS, MASK).levels, expected, atol=0.05, rtol=0.05)
    windows = INPUT_IDS.tolist()
    one = TorchBackend(deepcopy(model), device="cpu", dtype=torch.float32).logits(windows)
    other = OpenVinoBackend(model, dtype=torch.float32).logits(windows)
    np.testing.assert_allclose(other.levels, one.levels, atol=2e-5)


def test_level_heads_learn_from_what_bf16_would_round_away() -> None:
    heads = LevelHeads(build_plan("flat", n_layers=2, n_levels=1), (3,), 4)
    documents = torch.full((2, 4), 10.0)
    documents[1, 0] += 0.001  # a step of bf16 is 0.0625 here
    with torch.autocast("cpu", dtype=torch.bfloat16):
        logits = heads({2: documents})
    weights = heads.levels[0].weight[:, 0]
    assert logits.dtype == torch.float32
    assert torch.allclose(logits[1] - logits[0], 0.001 * weights, atol=1e-5)
    assert logits[1].ne(logits[0]).all()
