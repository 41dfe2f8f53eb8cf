"""A deeper encoder out of a trained one: its layers on top of themselves.

Source: Gong et al. (2019), Efficient Training of BERT by Progressively Stacking: layer i of the
shallow model initialises layers i and i + n of one twice as deep, which is then trained on.
"""

from __future__ import annotations

import re
from pathlib import Path

import torch
from torch import Tensor, nn
from transformers import AutoTokenizer, PreTrainedConfig

from core.errors import ConfigError
from core.model.guided import empty_encoder, load_encoder

_LAYER = re.compile(r"^(?P<before>.*\blayers?\.)(?P<number>\d+)(?P<after>\..*)$")


def stack_encoder(source: str, out: Path, *, times: int = 2) -> Path:
    """Write the encoder `source` with its layers repeated `times` times, and its tokenizer.

    Args:
        source: hub id or folder.
        out: folder that `model.encoder` of a configuration can name.
    Raises:
        ConfigError: fewer than two times, or an encoder whose layers are not found.
    """
    if times < 2:
        raise ConfigError(f"An encoder is stacked two times or more often, not {times}.")
    stacked = stacked_encoder(load_encoder(source), times=times)
    out.mkdir(parents=True, exist_ok=True)
    stacked.save_pretrained(out)  # type: ignore[operator]
    AutoTokenizer.from_pretrained(source).save_pretrained(out)
    return out


def stacked_encoder(shallow: nn.Module, *, times: int) -> nn.Module:
    """A new encoder with the layers 1 … n of `shallow`, then 1 … n again, and so on.

    Raises:
        ConfigError: the parameters of its layers cannot be told from their names.
    """
    config = shallow.config
    assert isinstance(config, PreTrainedConfig)
    n_layers: int = config.num_hidden_layers
    deeper = type(config).from_dict(config.to_dict() | {"num_hidden_layers": n_layers * times})
    encoder = empty_encoder(deeper)
    weights = shallow.state_dict()
    try:
        encoder.load_state_dict(
            {name: _source(name, weights, n_layers) for name in encoder.state_dict()}
        )
    except KeyError as error:
        raise ConfigError(f"The encoder has no parameter {error} to stack.") from error
    return encoder


def _source(name: str, weights: dict[str, Tensor], n_layers: int) -> Tensor:
    """What a parameter of the deeper encoder starts from."""
    layer = _LAYER.match(name)
    if layer is None:
        return weights[name]
    number = int(layer["number"]) % n_layers
    return torch.clone(weights[f"{layer['before']}{number}{layer['after']}"])
