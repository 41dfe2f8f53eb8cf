"""Pretrained encoders: from a folder, the local cache of the hub, or the hub itself."""

from __future__ import annotations

import re
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import HTTPError

import torch
from huggingface_hub import constants, try_to_load_from_cache
from safetensors import SafetensorError
from torch import nn
from transformers import AutoConfig, AutoModel
from transformers.utils import logging

from core.errors import ConfigError
from core.model.guided import without_pooler

_HUB_ID = re.compile(r"\w[\w.-]*(?:/[\w.-]+)?")
HUB_SECONDS = 10.0  # that the hub has for its answer
_REMEDY = "name a folder that holds one, or a hub id, in model.encoder or with --encoder."


def load_encoder(name_or_folder: str, *, dropout: float | None = None) -> nn.Module:
    """Return a pretrained encoder by hub id or folder, with its dropout replaced where one is
    given.

    Raises:
        ConfigError: there is no such encoder, or it cannot be loaded.
    """
    # The pooler that is left out on purpose would be reported as a surprise.
    logging.set_verbosity_error()
    with loading_encoder(name_or_folder):
        config = AutoConfig.from_pretrained(name_or_folder)
        if dropout is not None:
            config.hidden_dropout_prob = config.attention_probs_dropout_prob = dropout
        encoder: nn.Module = AutoModel.from_pretrained(
            name_or_folder, config=config, dtype=torch.float32, **without_pooler(config)
        )
    return encoder


@contextmanager
def loading_encoder(name_or_folder: str) -> Iterator[None]:
    """Say in one sentence why an encoder, or its tokenizer, cannot be loaded.

    The hub is asked once whether it is there, before `transformers` is, which goes on asking a hub
    that is out of reach for minutes.

    Args:
        name_or_folder: hub id or folder.
    Raises:
        ConfigError: there is no such folder, nothing to load in it, no such model on the hub, or
            no hub.
    """
    folder = Path(name_or_folder)
    if name_or_folder and folder.is_dir():
        if not (folder / "config.json").is_file():
            raise ConfigError(f"{folder} holds no encoder, for it has no config.json: {_REMEDY}")
    elif not _HUB_ID.fullmatch(name_or_folder):
        raise ConfigError(f"There is no encoder folder {name_or_folder!r}: {_REMEDY}")
    elif not isinstance(try_to_load_from_cache(name_or_folder, "config.json"), str):
        _require_hub(name_or_folder)
    try:
        yield
    except (OSError, ValueError, KeyError, SafetensorError) as error:
        reason = next(iter(str(error).strip().splitlines()), type(error).__name__)
        raise ConfigError(
            f"The encoder {name_or_folder} cannot be loaded ({reason}): {_REMEDY}"
        ) from error


def _require_hub(name: str) -> None:
    sentence = f"There is no folder {name}, and the hub that may have it {{}}: {_REMEDY}"
    if constants.HF_HUB_OFFLINE:
        raise ConfigError(sentence.format("is switched off by HF_HUB_OFFLINE"))
    request = urllib.request.Request(constants.ENDPOINT, method="HEAD")
    try:
        urllib.request.urlopen(request, timeout=HUB_SECONDS).close()
    except HTTPError:
        return  # it answers, if only to say no; what it has, `transformers` finds out
    except OSError as error:
        reason = getattr(error, "reason", error)
        raise ConfigError(sentence.format(f"cannot be reached ({reason})")) from error
