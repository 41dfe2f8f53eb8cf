from __future__ import annotations

from pathlib import Path

import pytest
import torch

from core.errors import ConfigError
from tests.support.models.tiny_model import tiny_encoder
from tests.support.models.workshop import make_workshop
from training.fitting.encoders.pretrained import load_encoder
from training.fitting.encoders.resize import stack_encoder, stacked_encoder


def states(encoder: torch.nn.Module, ids: torch.Tensor) -> tuple[torch.Tensor, ...]:
    with torch.no_grad():
        return encoder.eval()(input_ids=ids, output_hidden_states=True).hidden_states


def test_the_first_layers_of_the_deeper_encoder_are_the_shallow_one() -> None:
    torch.manual_seed(0)
    shallow = tiny_encoder(3)
    ids = torch.tensor([[2, 7, 9, 3]])
    before, after = states(shallow, ids), states(stacked_encoder(shallow, times=2), ids)
    assert len(after) == 7  # the embeddings and six layers
    for layer in range(4):
        torch.testing.assert_close(after[layer], before[layer])


def test_the_upper_half_repeats_the_parameters_of_the_lower() -> None:
    torch.manual_seed(0)
    deeper = stacked_encoder(tiny_encoder(2), times=2)
    lower, upper = deeper.encoder.layer[0], deeper.encoder.layer[2]
    for one, other in zip(lower.parameters(), upper.parameters(), strict=True):
        assert torch.equal(one, other)
        assert one.data_ptr() != other.data_ptr()  # they are trained apart


def test_a_stacked_folder_is_an_encoder_like_any_other(tmp_path: Path) -> None:
    workshop = make_workshop(tmp_path)
    out = stack_encoder(str(workshop / "encoder"), tmp_path / "stacked")
    assert load_encoder(str(out)).config.num_hidden_layers == 8
    assert (out / "tokenizer.json").is_file()


def test_once_is_no_stack(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="two times"):
        stack_encoder("anything", tmp_path, times=1)
