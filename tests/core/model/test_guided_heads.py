"""Guided attention heads: what each reads, whom its loss reaches, and what is served."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from core.errors import PlanError
from core.model.attention import observe_attention
from core.model.bundle.bundle import load_bundle
from core.model.guided import GuidedOutput
from core.model.guided_heads import GuidedHeads, build_guided_heads
from core.model.plans import build_plan
from tests.support.models.tiny_bundle import save_tiny, tiny_label_space
from tests.support.models.tiny_model import tiny_encoder, tiny_model, tiny_tokenizer
from tests.support.models.workshop import make_workshop
from training.config import load_config
from training.fitting.losses import GuidedLoss, HeadsLoss, Targets
from training.fitting.run import Run
from training.fitting.start_weights import NameVectors

pytestmark = pytest.mark.usefixtures("seed_of_three")

LN2 = math.log(2)
SIZES = (2, 3, 4)


def inputs() -> tuple[torch.Tensor, torch.Tensor]:
    input_ids = torch.randint(5, 60, (3, 9), generator=torch.Generator().manual_seed(1))
    return input_ids, torch.ones_like(input_ids)


def test_each_label_reads_its_own_head_alone_by_hand():
    heads = GuidedHeads(build_plan("flat", n_layers=1, n_levels=2), (2, 1), head_size=2, n_heads=2)
    heads.set_parts(np.array([1, 0, 1]))
    heads.levels[0].weight.data = torch.tensor([[1.0, 0.0], [0.0, 1.0]])
    heads.levels[1].weight.data = torch.tensor([[2.0, -1.0]])
    heads.levels[0].bias.data = torch.tensor([0.5, 0.0])
    heads.levels[1].bias.data = torch.tensor([0.0])
    # Head 1 gives (1, 2), head 2 gives (3, 4), a third is not guided.
    logits = heads({1: torch.tensor([[1.0, 2.0, 3.0, 4.0, 9.0, 9.0]])})
    assert logits.tolist() == [[3.5, 2.0, 2.0]]


def test_a_level_of_two_layers_reads_the_same_head_of_both():
    plan = build_plan("in_pairs", n_layers=2, n_levels=1)
    heads = GuidedHeads(plan, (2,), head_size=1, n_heads=2)
    heads.levels[0].weight.data = torch.tensor([[1.0, 10.0], [1.0, 10.0]])
    heads.levels[0].bias.data.zero_()
    logits = heads({1: torch.tensor([[1.0, 2.0]]), 2: torch.tensor([[3.0, 4.0]])})
    assert logits.tolist() == [[31.0, 42.0]]


def test_weights_start_at_what_the_own_head_gives_for_the_name_by_hand():
    plan = build_plan("in_pairs", n_layers=2, n_levels=1)
    heads = GuidedHeads(plan, (2,), head_size=2, n_heads=2)
    heads.set_parts(np.array([1, 0]))
    # Two labels after one that has no head here, three heads of two units.
    lower = torch.arange(18.0).reshape(3, 3, 2)
    heads.turn_to({1: lower, 2: -lower}, [1, 2], scale=4.0)
    # Half of 4 times head 2 of label 1 and head 1 of label 2, of both layers.
    assert heads.levels[0].weight.tolist() == [
        [16.0, 18.0, -16.0, -18.0],
        [24.0, 26.0, -24.0, -26.0],
    ]


def test_names_are_read_through_the_heads():
    model = tiny_model(guided_heads="last_half:2")
    vectors = NameVectors(model, tiny_tokenizer(), [["fish"], ["tax", "loan"], ["bay"]], "cpu")
    assert sorted(vectors.by_head) == model.guided_heads.layers
    for of_layer in vectors.by_head.values():
        assert of_layer.shape == (3, 4, 4)
        torch.testing.assert_close(of_layer.norm(dim=2), torch.ones(3, 4))
    layer = model.guided_heads.layers[0]
    ids = torch.tensor(
        [tiny_tokenizer().encode(name).ids for name in ("fish", "tax", "loan", "bay")]
    )
    seen = []
    with observe_attention(
        model.encoder, [layer], lambda _, outputs, __: seen.append(outputs[:, 0])
    ):
        model.eval()(ids, torch.ones_like(ids))
    head = seen[0].detach().view(4, 4, 4)[:, 2]
    means = torch.stack([head[0], (head[1] + head[2]) / 2, head[3]])
    expected = torch.nn.functional.normalize(means - means.mean(dim=0), dim=1)
    torch.testing.assert_close(vectors.by_head[layer][:, 2], expected, atol=1e-5, rtol=1e-4)


def test_heads_are_read_before_they_are_mixed():
    model = tiny_model(guided_heads="last_half:2").train()
    inner = model.encoder.encoder.layer[3].attention
    model(*inputs())
    before = model(*inputs()).heads
    torch.nn.init.normal_(inner.output.dense.weight)
    level_1 = slice(0, SIZES[0])
    # Layer 4 learns level 1: what lies above its heads does not count, what lies in them does.
    assert torch.equal(model(*inputs()).heads[:, level_1], before[:, level_1])
    torch.nn.init.normal_(inner.self.value.weight)
    assert not torch.equal(model(*inputs()).heads[:, level_1], before[:, level_1])


def test_a_label_teaches_its_head_and_no_other_of_the_layer():
    model = tiny_model(guided_heads="flat:2").train()
    model.guided_heads.set_parts(np.array([0, 1, 0, 0, 0, 0, 1, 1, 1]))
    model(*inputs()).heads[:, 1].sum().backward()
    value = model.encoder.encoder.layer[5].attention.self.value.weight.grad
    reached = value.view(4, 4, 16).abs().sum(dim=(1, 2)) > 0
    assert reached.tolist() == [False, True, False, False]
    assert model.encoder.encoder.layer[5].attention.output.dense.weight.grad is None


def test_guided_heads_change_no_other_logit_and_are_silent_outside_training():
    plain, guided = (tiny_model(guided_heads=spec) for spec in ("none", "last_half:2"))
    guided.load_state_dict(plain.state_dict(), strict=False)
    ours, theirs = guided.train()(*inputs()), plain.train()(*inputs())
    torch.testing.assert_close(ours.levels, theirs.levels)
    assert ours.heads.shape == (3, sum(SIZES)) and theirs.heads is None
    assert guided.eval()(*inputs()).heads is None


def test_the_other_heads_start_the_same_with_guided_heads_and_without():
    first, second = [], []
    for spec, found in (("none", first), ("last_half:2", second)):
        torch.manual_seed(5)
        found += [
            p for n, p in tiny_model(guided_heads=spec).named_parameters() if "guided" not in n
        ]
    assert all(torch.equal(a, b) for a, b in zip(first, second, strict=True))


def test_padding_changes_no_logit_of_a_guided_head():
    model = tiny_model(guided_heads="last_half:2").train()
    ids, mask = inputs()
    wide = [torch.nn.functional.pad(x, (0, 7)) for x in (ids, mask)]
    torch.testing.assert_close(model(ids, mask).heads, model(*wide).heads, atol=1e-5, rtol=1e-5)


def test_too_many_heads_and_too_few_layers_are_refused():
    config = tiny_encoder(2).config
    assert build_guided_heads("none", SIZES, config) is None
    with pytest.raises(PlanError, match="has 4 heads a layer, not 5"):
        build_guided_heads("flat:5", SIZES, config)
    with pytest.raises(PlanError, match="in_pairs needs an encoder of at least 6 layers"):
        build_guided_heads("in_pairs:2", SIZES, config)


def test_the_loss_by_hand():
    targets = Targets(torch.tensor([[1.0, 0.0, 1.0, 0.0]]), torch.zeros(1, 0))
    logits = torch.tensor([[0.0, 0.0, 0.0, 2.0]])
    output = GuidedOutput(levels=None, assigned=None, heads=logits)
    expected = (3 * LN2 + math.log(1 + math.e**2)) / 4
    assert HeadsLoss((1, 3), 0.5)(output, targets).item() == pytest.approx(expected / 2)
    summed = HeadsLoss((1, 3), 0.5, "sum")
    assert summed(output, targets).item() == pytest.approx(4 * expected / 2)
    assert HeadsLoss((1, 3))(replace(output, heads=None), targets).item() == 0
    both = GuidedLoss((1, 3), extra=(summed,))
    levels = replace(output, levels=torch.zeros(1, 4))
    assert both(levels, targets).item() == pytest.approx(LN2 + 2 * expected)


def test_a_run_ties_branches_to_heads_and_their_loss_to_its_own(tmp_path: Path):
    config = load_config(make_workshop(tmp_path) / "run.toml")
    runs = {
        spec: Run(config.replace("model.guided_heads", spec), tmp_path)
        for spec in ("none", "last_half:2", "last_half:2:random")
    }
    models = {spec: run.new_model() for spec, run in runs.items()}
    assert models["none"].guided_heads is None and runs["none"].new_loss().extra == ()
    branches, random = (models[spec].guided_heads.parts for spec in list(runs)[1:])
    assert branches.tolist() != random.tolist()
    assert branches.bincount().tolist() == random.bincount().tolist()
    term = HeadsLoss(runs["none"].level_sizes, 1.0, "sum")
    assert runs["last_half:2"].new_loss().extra == (term,)


def test_a_bundle_leaves_guided_heads_out(tmp_path: Path):
    space = tiny_label_space()
    sizes = tuple(len(space.level_columns(level)) for level in (1, 2, 3))
    model = tiny_model(level_sizes=sizes, n_assigned=0, guided_heads="last_half:2")
    save_tiny(tmp_path, model, space)
    bundle = load_bundle(tmp_path)
    assert bundle.model.guided_heads is None
    assert bundle.manifest["shape"]["guided_heads"] == "none"
