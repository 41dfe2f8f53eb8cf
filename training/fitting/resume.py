"""What a run finds when it starts: its folder (finished, half done or empty) and weights."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file
from torch import Tensor, nn

from core.errors import ConfigError
from training.config import RunConfig, load_config
from training.fitting.loop import BEST, CHECKPOINT
from training.judging.folders import RunFolder

ORIGINS = "origins.json"
"""Checksums of the teacher and of the word vectors that a run started with."""

KEPT = ("run.json", "metrics.json", CHECKPOINT, BEST, "log.jsonl", ORIGINS)
"""Files that show that a folder has been used before."""


Command = Literal["train", "adapt"]
_FIRST_LINE = "# Of `python -m training {}`; `python -m training resume` goes on with it."


def is_finished(config: RunConfig, out: Path) -> bool:
    """Return whether the folder holds this very run, trained to its end.

    Raises:
        ConfigError: it holds the end of another run, or one that cannot be read.
    """
    if not (out / "run.json").is_file():
        return False
    try:
        digest = RunFolder(out).facts.get("digest")
    except ConfigError as error:
        raise ConfigError(f"{error} With --fresh the run is trained anew.") from error
    if digest != config.digest():
        raise ConfigError(f"{out} holds another run; give another --out, or --fresh.")
    return True


def begin(config: RunConfig, out: Path, *, fresh: bool = False, command: Command = "train") -> None:
    """Make the folder ready to be trained in, and write config.toml.

    With `fresh`, the files of an earlier run are deleted first: a process that is killed on its way
    must not leave a result that the same command would take for its own.

    Raises:
        ConfigError: a run of another configuration was started there.
    """
    out.mkdir(parents=True, exist_ok=True)
    for name in KEPT if fresh else ():
        (out / name).unlink(missing_ok=True)
    checkpoint = out / CHECKPOINT
    if checkpoint.is_file():
        state = torch.load(checkpoint, weights_only=True, map_location="cpu", mmap=True)
        if state["digest"] != config.digest():
            raise ConfigError(
                f"{checkpoint} belongs to another configuration; give another --out, or --fresh."
            )
    text = f"{_FIRST_LINE.format(command)}\n\n{config.to_toml()}"
    (out / "config.toml").write_text(text, encoding="utf-8")


def command_of(out: Path) -> Command:
    """Return the command that started a folder, which stands in its config.toml above the settings.

    The settings are those of either command.

    Raises:
        ConfigError: no run was started there.
    """
    try:
        text = (out / "config.toml").read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(
            f"{out} holds no run that was started by `train` or `adapt`: there is no config.toml "
            "in it."
        ) from error
    return "adapt" if text.startswith(_FIRST_LINE.format("adapt")) else "train"


def begun_config(out: Path) -> RunConfig:
    """Return the configuration of a run that was started in a folder.

    Raises:
        ConfigError: no run was started there, as in the folder of a baseline.
    """
    command_of(out)
    return load_config(out / "config.toml")


def load_weights(model: nn.Module, path: Path, *, strict: bool = True) -> None:
    """Put the tensors of a file in their places in a model.

    Args:
        strict: every tensor of the model must be there, and no other.
    Raises:
        ConfigError: the file is not there, is damaged, or is of another model.
    """
    weights = weights_in(path)
    if not weights.keys() & model.state_dict().keys():
        raise ConfigError(f"{path} holds no weights of this model.")
    try:
        model.load_state_dict(weights, strict=strict)
    except RuntimeError as error:
        reason = str(error).strip().splitlines()[-1].strip()
        raise ConfigError(f"{path} holds weights of another model ({reason})") from error


def shape_in(path: Path, name: str) -> tuple[int, ...]:
    """Return the shape of one tensor of a file; its numbers are not read.

    Raises:
        ConfigError: the file is not there, is damaged, or has no such tensor.
    """
    try:
        with safe_open(path, framework="pt") as weights:
            return tuple(weights.get_slice(name).get_shape())
    except (OSError, SafetensorError) as error:
        raise _no_weights(path, error) from error


def weights_in(path: Path) -> dict[str, Tensor]:
    """Return the tensors of a file by name.

    Raises:
        ConfigError: the file is not there, or is damaged.
    """
    try:
        return load_file(path)
    except (OSError, SafetensorError) as error:
        raise _no_weights(path, error) from error


def _no_weights(path: Path, error: Exception) -> ConfigError:
    return ConfigError(f"{path} holds no weights that can be read ({error}): train the run anew.")
