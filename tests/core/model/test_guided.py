"""The guided classifier: which layers a level teaches, what padding does, what the heads read."""

import pytest
import torch

from core.errors import PlanError
from core.model.guided import LevelHeads, Shape
from core.model.plans import PLAN_NAMES, build_plan
from tests.support.models.tiny_model import tiny_model

pytestmark = pytest.mark.usefixtures("seed_of_three")

LEVEL_SIZES = (2, 3, 4, 5, 3, 2)


def inputs(n_documents: int = 3, n_tokens: int = 9) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(1)
    input_ids = torch.randint(5, 60, (n_documents, n_tokens), generator=generator)
    return input_ids, torch.ones_like(input_ids)


@pytest.mark.parametrize("pooling", ["cls", "mean"])
@pytest.mark.parametrize("plan", PLAN_NAMES)
def test_a_loss_on_a_level_reaches_its_layers_and_those_below_and_none_above(plan, pooling):
    model = tiny_model(plan, level_sizes=LEVEL_SIZES, n_layers=12, pooling=pooling)
    logits = model(*inputs()).levels.split(LEVEL_SIZES, dim=1)
    for of_level, layers in zip(logits, model.level_heads.plan.layers, strict=True):
        model.zero_grad()
        of_level.square().sum().backward(retain_graph=True)
        for number, layer in enumerate(model.encoder.encoder.layer, start=1):
            norms = [p.grad.abs().sum().item() for p in layer.parameters() if p.grad is not None]
            assert (sum(norms) > 0) == (number <= max(layers)), f"layer {number} of {layers}"


def test_each_head_of_a_pair_reads_two_vectors():
    model = tiny_model("in_pairs", level_sizes=LEVEL_SIZES, n_layers=12)
    assert [head.in_features for head in model.level_heads.levels] == [32] * 6
    assert model(*inputs()).levels.shape == (3, sum(LEVEL_SIZES))


@pytest.mark.parametrize("pooling", ["cls", "mean"])
def test_padding_changes_no_logit(pooling):
    model = tiny_model("last_half", pooling=pooling).eval()
    input_ids, mask = inputs()
    padded_ids = torch.cat([input_ids, torch.zeros(3, 7, dtype=torch.long)], dim=1)
    padded_mask = torch.cat([mask, torch.zeros(3, 7, dtype=torch.long)], dim=1)
    with torch.inference_mode():
        short, long = model(input_ids, mask), model(padded_ids, padded_mask)
    torch.testing.assert_close(short.levels, long.levels, atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(short.assigned, long.assigned, atol=1e-5, rtol=1e-5)


def test_cls_pooling_reads_the_first_vector_and_mean_pooling_the_average():
    for pooling in ("cls", "mean"):
        model = tiny_model(pooling=pooling).eval()
        input_ids, mask = inputs()
        last = model.encoder(input_ids=input_ids, attention_mask=mask).last_hidden_state
        expected = last[:, 0] if pooling == "cls" else last.mean(dim=1)
        torch.testing.assert_close(model.pooled_layers(input_ids, mask)[6], expected)


def test_heads_can_be_left_out():
    assert tiny_model("none")(*inputs()).levels is None
    assert tiny_model(n_assigned=0)(*inputs()).assigned is None


def test_a_plan_that_the_encoder_cannot_carry_is_refused():
    with pytest.raises(PlanError, match="at least 12 layers"):
        tiny_model("in_pairs", level_sizes=LEVEL_SIZES, n_layers=6)


def test_a_shape_is_read_back_from_a_manifest_and_settings_that_are_off_are_passed_over() -> None:
    shape = tiny_model("last_half", pooling="mean").shape
    assert Shape.from_dict({**shape.to_dict(), "unheard_of": "none"}) == shape
    with pytest.raises(ValueError, match="unheard_of"):
        Shape.from_dict({**shape.to_dict(), "unheard_of": "on"})


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
