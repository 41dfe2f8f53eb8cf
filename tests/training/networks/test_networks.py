"""Small networks: padding changes nothing, all of them learns, and each survives a bundle's manifest."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from core.errors import ConfigError
from core.model.guided import GuidedClassifier, Shape
from core.model.networks import LstmReg, Network, NetworkConfig, build_network, is_network
from core.model.token_terms import token_states
from tests.support.models.preset_networks import preset_network
from training.networks import NETWORKS
from training.networks.convolutional import WordFilters

KINDS = sorted(NETWORKS)
SMALL = {
    "vector_size": 8,
    "hidden_units": 4,
    "channels": 3,
    "bottleneck": 6,
    "pool": 3,
    "max_sentence_tokens": 5,
}
PERIOD = 7


def small(kind: str, **settings: object) -> Network:
    torch.manual_seed(0)
    config = preset_network(kind, 40, **{**SMALL, "sentence_ends": (PERIOD,), **settings})
    return build_network(config, NETWORKS)


def texts(*lengths: int, padded_to: int = 0) -> tuple[Tensor, Tensor]:
    """Ids from 1 and mask; the same words whatever the padding."""
    drawn = torch.randint(1, 40, (len(lengths), 64), generator=torch.Generator().manual_seed(3))
    width = padded_to or max(lengths)
    mask = (torch.arange(width) < torch.tensor(lengths)[:, None]).long()
    return drawn[:, :width] * mask, mask


@pytest.mark.parametrize("kind", KINDS)
def test_padding_changes_nothing(kind: str) -> None:
    network = small(kind).eval()
    vectors = network(*texts(9, 2, 20, 1))
    assert vectors.shape == (4, network.config.hidden_size)
    torch.testing.assert_close(network(*texts(9, 2, 20, 1, padded_to=50)), vectors)
    ids, mask = texts(9, 2, 20, 1)
    torch.testing.assert_close(network(ids.masked_fill(mask == 0, 5), mask), vectors)
    for row, length in enumerate((9, 2, 20, 1)):
        alone = network(ids[row : row + 1, :length], mask[row : row + 1, :length])
        torch.testing.assert_close(alone[0], vectors[row])


@pytest.mark.parametrize("kind", KINDS)
def test_gradients_reach_all_parameters(kind: str) -> None:
    network = small(kind)
    network(*texts(30, 12, 25, 20)).square().sum().backward()
    missed = [n for n, p in network.named_parameters() if p.grad is None or not p.grad.any()]
    assert missed == []


@pytest.mark.parametrize("kind", KINDS)
def test_training_draws_the_same_with_the_same_seed_and_serving_draws_nothing(kind: str) -> None:
    network, given = small(kind, embedding_dropout=0.4), texts(12, 9)
    draws = []
    for seed in (1, 1, 2):
        torch.manual_seed(seed)
        draws.append(network(*given))
    torch.testing.assert_close(draws[0], draws[1])
    assert not torch.allclose(draws[0], draws[2])
    network.eval()
    assert torch.equal(network(*given), network(*given))


@pytest.mark.parametrize("kind", KINDS)
def test_a_configuration_survives_a_manifest(kind: str) -> None:
    config = preset_network(kind, 40, widths=[1, 2])
    assert NetworkConfig.from_dict(config.to_diff_dict()).to_diff_dict() == config.to_diff_dict()
    assert config.num_hidden_layers == 1


def test_what_the_words_add_is_the_vector() -> None:
    network = small("lstm_reg").eval()
    assert isinstance(network, LstmReg)
    ids, mask = texts(9, 2, 20, 1)
    shares = network.shares(ids, mask)
    torch.testing.assert_close(shares.sum(dim=1), network(ids, mask))
    assert not shares[mask == 0].any()


@pytest.mark.parametrize("kind", KINDS)
def test_bf16_changes_a_vector_a_little(kind: str) -> None:
    network, given = small(kind).eval(), texts(9, 2, 20, 1)
    exact = network(*given)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        vectors = network(*given)
    # A bf16 number has eight bits, so each rounding is off by at most 2^-8 of its size. A product
    # rounds both factors and what it gives; no network here has more than two products in a row
    # between two that saturate (tanh, sigmoid, a maximum), which pass on no more than they get.
    off = 2 * 3 * 2**-8 * exact.abs().max().item()
    torch.testing.assert_close(vectors.float(), exact, atol=off, rtol=0)


@pytest.mark.parametrize("units", [8, 16])
@pytest.mark.parametrize("width", [1, 2, 8])
def test_filters_are_right_where_an_encoder_computes_in_bf16(units: int, width: int) -> None:
    torch.manual_seed(0)
    filters = WordFilters(preset_network("kim_cnn", 40, vector_size=units, widths=[width]))
    vectors = torch.randn(4, 20, units)
    (exact,) = filters(vectors)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        (found,) = filters(vectors)
    off = 3 * 2**-8 * exact.abs().max().item()
    torch.testing.assert_close(found.float(), exact, atol=off, rtol=0)


def test_terms_of_the_words_and_the_bias_are_the_logits() -> None:
    model = GuidedClassifier(
        small("lstm_reg"), Shape("flat", level_sizes=(2, 3), n_assigned=5)
    ).eval()
    ids, mask = texts(9, 2, 20, 1)
    assert model.assigned_head is not None
    terms = token_states(model, ids, mask).terms(model.assigned_head, torch.arange(5)).sum(dim=1)
    output = model(ids, mask)
    torch.testing.assert_close(terms + model.assigned_head.bias, output.assigned)
    assert output.levels.shape == (4, 5)


def test_embedding_dropout_leaves_out_whole_words() -> None:
    network = small("lstm_reg", embedding_dropout=0.5)
    ids = torch.tensor([[4, 5, 6, 4, 5, 6]])
    plain = network.embeddings.word_embeddings(ids)
    for _ in range(5):
        vectors = network.embeddings(ids, torch.ones_like(ids))
        for place in range(6):
            word, made_up = vectors[0, place], 2 * plain[0, place]
            assert torch.equal(word, torch.zeros(8)) or torch.allclose(word, made_up)
        assert torch.equal(vectors[0, :3], vectors[0, 3:])
    network.eval()
    assert torch.equal(network.embeddings(ids, torch.ones_like(ids)), plain)


def test_an_unknown_kind_or_a_senseless_size_is_refused() -> None:
    assert is_network("lstm_reg")
    assert not is_network("bert")
    with pytest.raises(ConfigError, match="no network “cnn”; take one of"):
        build_network(NetworkConfig(model_type="cnn", vocab_size=3), NETWORKS)
    with pytest.raises(ConfigError, match="hidden_units is 0: it must be at least 1"):
        preset_network("lstm_reg", 3, hidden_units=0)
    with pytest.raises(ConfigError, match="weight_drop is 1: it must be at least 0 and below 1"):
        preset_network("lstm_reg", 3, weight_drop=1)
