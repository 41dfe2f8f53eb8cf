"""Utilisation: values by hand, extreme cases, and what padding and batches may not change."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import MPNetConfig, MPNetModel

from core.errors import ConfigError, PlanError
from tests.support.attention_layers import two_layers
from tests.support.models.tiny_model import tiny_encoder, tiny_model
from training.studies.attention_measures import (
    Batches,
    Meter,
    Utilization,
    angular_distances,
    divergences,
    entropies,
    measure_queries,
)
from training.studies.utilization import FILE, load_figures, save_figures

LN2, LN3, LN5 = math.log(2), math.log(3), math.log(5)


def batch(lengths: list[int], width: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Documents of these lengths, each the same in every batch, padded to a width."""
    ids, mask = torch.zeros(len(lengths), width, dtype=torch.long), torch.zeros(len(lengths), width)
    for row, length in enumerate(lengths):
        generator = torch.Generator().manual_seed(length)
        ids[row, :length] = torch.randint(5, 60, (length,), generator=generator)
        mask[row, :length] = 1
    return ids, mask.long()


def lively_encoder(n_layers: int = 3) -> torch.nn.Module:
    """Random, with attention that is far from even."""
    torch.manual_seed(3)
    encoder = tiny_encoder(n_layers)
    for name, parameter in encoder.named_parameters():
        if "query.weight" in name or "key.weight" in name:
            torch.nn.init.normal_(parameter, std=0.7)
    return encoder


def measure(encoder: torch.nn.Module, batches: Batches, query: str = "cls") -> Utilization:
    return measure_queries(encoder, batches, [query])[query]


def matrices(figures: Utilization) -> dict[str, np.ndarray]:
    names = ("angular", "kl_layers", "entropy", "kl_heads", "head_entropy", "head_distinctness")
    return {name: getattr(figures, name) for name in names}


def assert_same(ours: Utilization, theirs: Utilization, tolerance: float = 1e-5) -> None:
    assert (ours.query, ours.n_documents) == (theirs.query, theirs.n_documents)
    for name, matrix in matrices(ours).items():
        np.testing.assert_allclose(matrix, matrices(theirs)[name], atol=tolerance, err_msg=name)


def test_angles_are_shares_of_half_a_turn():
    vectors = torch.tensor([[3.0, 0.0], [0.0, 1.0], [-2.0, 0.0], [1.0, 1.0]], dtype=torch.double)
    expected = torch.tensor([0.0, 0.5, 1.0, 0.25], dtype=torch.double)
    torch.testing.assert_close(angular_distances(vectors)[0], expected)
    assert angular_distances(vectors).diagonal().tolist() == [0.0] * 4


def test_entropy_is_in_nats_and_averaged_over_query_rows():
    rows = torch.tensor([[0.5, 0.5, 0.0], [1.0, 0.0, 0.0]])
    assert entropies(rows).item() == pytest.approx(LN2 / 2)


def test_divergences_by_hand_are_not_symmetric():
    p, q = torch.tensor([[0.5, 0.5]]), torch.tensor([[0.25, 0.75]])
    kl = divergences(torch.stack([p, q]).double())
    assert kl[0, 1].item() == pytest.approx(0.5 * math.log(2) + 0.5 * math.log(2 / 3))
    assert kl[1, 0].item() == pytest.approx(0.25 * math.log(0.5) + 0.75 * math.log(1.5))
    assert kl.diagonal().tolist() == [0.0, 0.0]


def test_two_layers_of_two_heads_by_hand():
    # Layer 1 averages its heads (1, 0) and (0, 1) to (½, ½), layer 2 its equal ones to (¼, ¾).
    heads = torch.tensor([[[[0.75, 0.25]], [[0.25, 0.75]]], [[[0.25, 0.75]], [[0.25, 0.75]]]])
    meter = Meter("cls")
    meter.update(torch.tensor([[1.0, 0.0], [0.0, 3.0]]), heads)
    figures = meter.compute()
    quarter = 0.25 * math.log(4) + 0.75 * math.log(4 / 3)
    assert figures.angular[0, 1] == pytest.approx(0.5)
    np.testing.assert_allclose(figures.entropy, [LN2, quarter], atol=1e-7)
    forth = 0.5 * math.log(2) + 0.5 * math.log(2 / 3)
    assert figures.kl_layers[0, 1] == pytest.approx(forth)
    np.testing.assert_allclose(figures.head_entropy, [[quarter] * 2] * 2, atol=1e-7)
    # Both orders of the pair: 0.75 ln 3 + 0.25 ln ⅓ = ½ ln 3.
    np.testing.assert_allclose(figures.kl_heads, [LN3 / 2, 0], atol=1e-7)
    np.testing.assert_allclose(figures.head_distinctness, [[LN3 / 2] * 2, [0, 0]], atol=1e-7)
    assert figures.uniform_entropy == pytest.approx(LN2)


def test_cls_rows_and_all_rows_differ_and_documents_weigh_the_same():
    sharp, even = [1.0, 0.0], [0.5, 0.5]
    short = torch.tensor([[[sharp, even]]])
    long = torch.full((1, 1, 4, 4), 0.25)
    values = {}
    for query in ("cls", "mean"):
        meter = Meter(query)
        for attention in (short, long):
            meter.update(torch.ones(1, 2), attention)
        values[query] = meter.compute().entropy[0]
    assert values["cls"] == pytest.approx((0 + 2 * LN2) / 2)
    assert values["mean"] == pytest.approx((LN2 / 2 + 2 * LN2) / 2)


def test_even_attention_has_the_entropy_of_the_word_pieces_and_heads_that_agree():
    encoder = lively_encoder()
    for name, parameter in encoder.named_parameters():
        if "query" in name:
            torch.nn.init.zeros_(parameter)
    for figures in measure_queries(encoder, [batch([5, 3], 9)]).values():
        np.testing.assert_allclose(figures.entropy, [(LN5 + LN3) / 2] * 3, atol=1e-6)
        np.testing.assert_allclose(figures.head_entropy, (LN5 + LN3) / 2, atol=1e-6)
        np.testing.assert_allclose(figures.kl_layers, 0, atol=1e-6)
        np.testing.assert_allclose(figures.kl_heads, 0, atol=1e-6)
        assert figures.uniform_entropy == pytest.approx((LN5 + LN3) / 2)


def test_layers_that_change_nothing_are_at_distance_zero():
    encoder = lively_encoder(2)
    for name, parameter in encoder.encoder.layer[1].named_parameters():
        # Both residual branches of the upper layer add nothing to what is normalised already.
        if "output.dense" in name:
            torch.nn.init.zeros_(parameter)
    figures = measure(encoder, [batch([6], 6)])
    np.testing.assert_allclose(figures.angular, 0, atol=1e-4)


@pytest.mark.parametrize("query", ["cls", "mean"])
def test_batches_and_padding_change_nothing(query):
    encoder = lively_encoder()
    lengths = [4, 9, 6]
    whole = measure(encoder, [batch(lengths, 9)], query)
    wide = measure(encoder, [batch(lengths, 17)], query)
    singly = measure(encoder, [batch([n], n) for n in lengths], query)
    assert_same(whole, wide)
    assert_same(whole, singly)
    assert whole.kl_heads.min() > 0.01


def test_the_encoder_is_left_as_it_was():
    model = tiny_model().train()
    kernel = model.encoder.config._attn_implementation
    hooks = model.encoder.encoder.layer[0].attention.self._forward_hooks
    model(*batch([4], 4))
    before = list(hooks)
    measure(model.encoder, [batch([4], 4)])
    assert model.encoder.training
    assert model.encoder.config._attn_implementation == kernel
    assert list(hooks) == before


def test_the_segments_of_pairs_are_read():
    plain = measure_queries(lively_encoder(), [batch([6], 6)], ["cls"])["cls"]
    second = measure_queries(
        lively_encoder(),
        [batch([6], 6)],
        ["cls"],
        segments=lambda ids: {"token_type_ids": torch.ones_like(ids)},
    )["cls"]
    assert np.abs(plain.entropy - second.entropy).max() > 1e-4


def test_nothing_to_measure_is_refused():
    with pytest.raises(ConfigError, match="no documents"):
        measure(lively_encoder(), [])


def test_mpnet_is_measured_by_the_attention_that_it_gives() -> None:
    torch.manual_seed(3)
    config = MPNetConfig(
        vocab_size=64, hidden_size=8, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=16, attn_implementation="eager",
    )  # fmt: skip
    encoder = MPNetModel(config).eval()
    ids, mask = batch([3, 6], 6)
    found = measure(encoder, [(ids, mask)])
    with torch.inference_mode():
        alone = [
            encoder(ids[row : row + 1, :n], output_attentions=True) for row, n in ((0, 3), (1, 6))
        ]
    by_hand = [
        torch.stack([entropies(layer[0].mean(dim=0)[:1]) for layer in one.attentions])
        for one in alone
    ]
    assert found.n_documents == 2
    assert found.entropy == pytest.approx(
        torch.stack(by_hand).mean(dim=0).numpy().ravel(), abs=1e-4
    )


def test_an_encoder_that_is_built_otherwise_is_refused():
    encoder = torch.nn.Linear(2, 2)
    encoder.config = tiny_encoder(1).config
    encoder.set_attn_implementation = lambda kernel: None
    with pytest.raises(PlanError, match="built like BERT"):
        measure(encoder, [batch([4], 4)])


def test_a_file_keeps_every_model(tmp_path: Path):
    figures = two_layers()
    save_figures(figures, tmp_path / "run")
    save_figures(replace(figures, name="other", query="mean"), tmp_path / "run")
    save_figures(figures, tmp_path / "run")
    (loaded,) = load_figures(tmp_path / "run", "cls")
    assert_same(figures, loaded)
    assert (loaded.name, loaded.about) == ("by hand", {"split": "dev"})
    assert len(load_figures(tmp_path / "run")) == 2
    assert load_figures(tmp_path) == []


def test_a_damaged_file_is_refused(tmp_path: Path):
    for text in ("", '[{"query": "cls"}]', "[1]"):
        (tmp_path / FILE).write_text(text)
        with pytest.raises(ConfigError, match="utilisation file"):
            load_figures(tmp_path)
