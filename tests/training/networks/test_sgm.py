"""The sequence generation model: sequences, exact padding, logits that tell the best path."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
import torch
from torch import Tensor

from core.errors import ConfigError
from core.model.guided import GuidedClassifier, Shape
from core.model.networks import build_network
from core.suggest.backends.torch import TorchBackend
from tests.support.models.preset_networks import preset_network
from training.networks import NETWORKS
from training.networks.label_decoder import NOTHING, in_order
from training.networks.sequence_generator import SequenceGenerator, build_classifier
from training.networks.sgm import SgmEncoder

N_LABELS = 5
WINDOWS = [[2, 7, 8, 9, 3], [2, 10, 3], [2, 11, 12, 13, 14, 15, 16, 3]]


def shape(**changed: object) -> Shape:
    settings: dict[str, object] = {"plan": "none", "dropout": 0.0, **changed}
    return Shape(level_sizes=(2, 3), n_assigned=N_LABELS, **settings)  # type: ignore[arg-type]


def generator(seed: int = 0, *, vocab_size: int = 20, **changed: object) -> SequenceGenerator:
    """A random model of a few thousand parameters, in evaluation."""
    torch.manual_seed(seed)
    config = preset_network("sgm", vocab_size, vector_size=8, hidden_units=6)
    made = build_classifier(build_network(config, NETWORKS), shape(**changed))
    assert isinstance(made, SequenceGenerator)
    return made.eval()


def padded_to(n_tokens: int, windows: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
    ids = torch.zeros(len(windows), n_tokens, dtype=torch.long)
    mask = torch.zeros_like(ids)
    for row, window in enumerate(windows):
        ids[row, : len(window)] = torch.tensor(window)
        mask[row, : len(window)] = 1
    return ids, mask


def test_labels_come_by_rank_then_the_end_then_nothing() -> None:
    y_true = torch.tensor([[1.0, 0, 1, 1], [0, 0, 0, 0], [0, 1, 0, 0], [1, 1, 1, 1]])
    rank = torch.tensor([2, 0, 3, 1])
    gold = in_order(y_true, rank)
    end, no = 4, NOTHING
    assert gold.tolist() == [
        [3, 0, 2, end, no],
        [end, no, no, no, no],
        [1, end, no, no, no],
        [1, 3, 0, 2, end],
    ]


@pytest.mark.parametrize("n_tokens", [8, 16, 24])
def test_padding_changes_nothing(n_tokens: int) -> None:
    made = generator()
    with torch.inference_mode():
        together = made.search(*padded_to(n_tokens, WINDOWS))
        for row, window in enumerate(WINDOWS):
            alone = made.search(*padded_to(len(window), [window]))
            torch.testing.assert_close(together.mass[row], alone.mass[0])
            torch.testing.assert_close(together.log_prob[row], alone.log_prob[0])


def test_both_directions_are_read() -> None:
    encoder = generator().encoder
    assert isinstance(encoder, SgmEncoder)
    ids, mask = padded_to(5, [[2, 7, 8, 9, 3], [2, 7, 8, 9, 4], [5, 7, 8, 9, 3]])
    with torch.inference_mode():
        states, last = encoder.read(ids, mask)
    half = encoder.config.hidden_units
    assert not torch.allclose(states[0, 0], states[1, 0], atol=1e-5)
    assert not torch.allclose(states[0, 4], states[2, 4], atol=1e-5)
    torch.testing.assert_close(last[:, half:], states[:, 0, half:])
    torch.testing.assert_close(last[:, :half], states[:, -1, :half])


def test_what_is_at_least_even_odds_is_the_best_path() -> None:
    made = generator(1)
    for parameter in made.decoder.parameters():
        torch.nn.init.normal_(parameter, std=1.5)
    torch.manual_seed(2)
    windows = torch.randint(5, 20, (30, 6)).tolist()
    with torch.inference_mode():
        found = made.search(*padded_to(6, windows))
    logits = TorchBackend(made, dtype=torch.float32).logits(windows).assigned
    assert logits is not None
    assert torch.equal(torch.from_numpy(logits) >= 0, found.labels)
    assert 0 < found.labels.float().mean() < 1


def test_training_gives_sequences_and_evaluation_logits() -> None:
    made = generator()
    ids, mask = padded_to(8, WINDOWS)
    y_true = torch.eye(3, N_LABELS)
    told = made.train()(ids, mask, y_true)
    assert told.assigned is None and told.levels is None
    assert told.sequences.log_probs.shape == (3, 2, N_LABELS + 1)
    measured = made.eval()(ids, mask, y_true)
    assert measured.assigned.shape == (3, N_LABELS)
    torch.testing.assert_close(measured.sequences.log_probs, told.sequences.log_probs)
    assert made(ids, mask).sequences is None


def test_the_loss_is_that_of_the_whole_sequence() -> None:
    made = generator()
    ids, mask = padded_to(8, WINDOWS)
    y_true = torch.tensor([[1.0, 0, 1, 0, 0], [0, 0, 0, 0, 1], [0, 0, 0, 0, 0]])
    with torch.inference_mode():
        together = made(ids, mask, y_true).sequences.negative_log_likelihood()
        alone = [
            made(ids[i : i + 1], mask[i : i + 1], y_true[i : i + 1])
            .sequences.negative_log_likelihood()
            .item()
            for i in range(3)
        ]
    assert together.item() == pytest.approx(sum(alone) / 3, rel=1e-5)


def test_the_gradient_reaches_every_parameter() -> None:
    made = generator().train()
    y_true = torch.tensor([[1.0, 1, 1, 0, 0], [0, 0, 0, 0, 1], [0, 0, 0, 0, 0]])
    made(*padded_to(8, WINDOWS), y_true).sequences.negative_log_likelihood().backward()
    for name, parameter in made.named_parameters():
        assert parameter.grad is not None and parameter.grad.isfinite().all(), name
        assert parameter.grad.abs().sum() > 0, name


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"plan": "flat"}, "set model.plan = “none”, not “flat”"),
        ({"label_embeddings": "random"}, "label_embeddings"),
        ({"objective": "single_label"}, "any number of labels"),
    ],
)
def test_what_a_generated_sequence_cannot_give_is_refused(
    changed: dict[str, object], said: str
) -> None:
    with pytest.raises(ConfigError, match=said):
        generator(**changed)


def test_half_precision_finds_what_full_precision_finds() -> None:
    made = generator(5)
    ids, mask = padded_to(16, WINDOWS)
    y_true = torch.tensor([[1.0, 1, 1, 0, 0], [0, 0, 0, 0, 1], [0, 0, 0, 0, 0]])
    exact = made.search(ids, mask).mass
    with torch.autocast("cpu", torch.bfloat16):
        told = made.train()(ids, mask, y_true).sequences
        found = made.eval().search(ids, mask)
    assert told.log_probs.dtype == found.mass.dtype == torch.float32
    assert told.negative_log_likelihood().isfinite()
    torch.testing.assert_close(found.mass, exact, atol=0.02, rtol=0.1)


def test_another_network_gets_heads() -> None:
    config = preset_network("lstm_reg", 20, vector_size=8, hidden_units=6)
    made = build_classifier(build_network(config, NETWORKS), shape(plan="flat"))
    assert type(made) is GuidedClassifier
