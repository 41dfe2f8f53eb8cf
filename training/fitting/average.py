"""Several runs become one: the mean of their weights, scored as a run is.

Runs that went on from the same weights lie close enough for the mean of their weights to do about
what the mean of their predictions does, at the cost of one model.
Source: Wortsman et al. (2022), Model soups, equation 1 with equal weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor

from core.errors import ConfigError
from training.config import RunConfig, load_config
from training.fitting.progress import TrainingProgress
from training.fitting.resume import begin, weights_in
from training.fitting.run import Run
from training.fitting.train import write_run
from training.judging.folders import RunFolder

SUMMED = ("steps", "documents_seen", "minutes")
"""What runs cost together."""


def average_runs(folders: Sequence[Path], out: Path) -> Path:
    """Write a run whose weights are the mean of those of other runs, which differ in their seed.

    Its configuration is that of the first; its steps, documents and minutes are those of all.

    Raises:
        ConfigError: there are fewer than two, one is not finished, or they differ in more than
            their seed.
    """
    if len(folders) < 2:
        raise ConfigError("Name two runs or more: the mean of one is the run itself.")
    runs = [RunFolder.finished(folder) for folder in folders]
    config = _common_config(folders)
    begin(config, out)
    run = Run(config, out)
    model = run.new_model(weights=folders[0] / "model.safetensors")
    model.load_state_dict(_mean_weights(folders))
    totals = {name: sum(found.facts[name] for found in runs) for name in SUMMED}
    progress = TrainingProgress(
        step=totals["steps"],
        documents=totals["documents_seen"],
        minutes=totals["minutes"],
        epochs=sum(found.facts["epochs"] for found in runs),
    )
    write_run(run, model, progress, {"averaged": " ".join(map(str, folders))})
    return out


def _common_config(folders: Sequence[Path]) -> RunConfig:
    configs = [load_config(folder / "config.toml") for folder in folders]
    first = configs[0]
    for config, folder in zip(configs, folders, strict=True):
        if config.replace("seed", first.seed).digest() != first.digest():
            raise ConfigError(
                f"{folder} differs from {folders[0]} in more than its seed: runs are averaged whose "
                "configurations are otherwise the same."
            )
    return first


def _mean_weights(folders: Sequence[Path]) -> dict[str, Tensor]:
    states = [weights_in(folder / "model.safetensors") for folder in folders]
    return {name: _mean([state[name] for state in states]) for name in states[0]}


def _mean(values: Sequence[Tensor]) -> Tensor:
    # Counts, such as positions, are the same in all runs.
    is_counted = not values[0].is_floating_point()
    return values[0] if is_counted else torch.stack(list(values)).mean(dim=0)
