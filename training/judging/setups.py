"""What a run is, for tables that set it beside others: its name, its parts and its command."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from core.insights.result_rows import name_of
from training.config import RunConfig, load_config
from training.judging.arms import portable_digest
from training.judging.recorded import shown_place

BARE_NAMES = ("model", "encoder")
"""Names of folders that say nothing; the folder above says more."""


def config_of(folder: Path) -> RunConfig | None:
    """The configuration of a run folder; None of a baseline's."""
    path = folder / "config.toml"
    return load_config(path) if path.is_file() else None


def identity_of(folder: Path) -> dict[str, Any]:
    """Arm, seed and digest of a run as `compare` names them; a baseline goes by its folder."""
    config = config_of(folder)
    digest = {} if config is None else {"digest": portable_digest(config)}
    return {**name_of(folder), **digest}


def setup_of(config: RunConfig) -> dict[str, Any]:
    """The settings that a table of models names, places by their last part."""
    network, distill, optim = config.network, config.distill, config.optim
    setup: dict[str, Any] = {
        "preset": config.preset,
        "max_length_tokens": config.reading.max_length_tokens,
        "epochs": optim.epochs,
        "batch_size": optim.batch_size,
        "max_minutes": optim.max_minutes,
    }
    if network.kind == "none" or network.vectors == "encoder":
        setup["encoder"] = place_name(config.model.encoder)
    if network.kind != "none":
        words = network.vectors
        setup["network"] = network.kind
        setup["vectors"] = words if words in ("random", "encoder") else place_name(words)
    if distill.teacher:
        setup["teacher"] = place_name(distill.teacher)
        setup["transfer_copies"] = distill.copies
    return setup


def place_name(place: str) -> str:
    """The last part of a place or hub id that says something."""
    path = Path(place)
    return path.parent.name if path.name in BARE_NAMES and path.parent.name else path.name


def command_of_run(folder: Path) -> str:
    """The command that trains a run folder again, in a place of its own."""
    return f"python -m training train {shown_place(folder / 'config.toml')}"
