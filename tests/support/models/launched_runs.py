"""Runs of two processes, started by torchrun or as a launcher starts them."""

from __future__ import annotations

import json
from pathlib import Path

from tests.support.browser.server import free_port
from tests.support.models.network_workshop import changed
from tests.support.processes import call, forks
from training.config import RunConfig

PATIENCE = 300.0
FORKED = "tests.support.models.forked_runs"
ON_ONE_THREAD = {"OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo"}


def launched(config: Path, out: Path) -> list[int]:
    """Train in two processes, and return the status of their launcher."""
    words = ["-m", "training", "train", str(config), "--out", str(out)]
    options = ["--standalone", "--nproc-per-node=2"]
    launcher = call(f"{FORKED}:torchrun", *options, *words, **ON_ONE_THREAD)
    return forks().run(launcher, seconds=PATIENCE)


def trained_together(config: Path, out: Path, *, second: str = "training") -> list[int]:
    """Train in two processes as launchers start them, without a launcher; return their statuses.

    Args:
        second: function of `forked_runs` that the second of them calls.
    """
    known = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port())}
    words = ("train", str(config), "--out", str(out))
    ranked = [
        call(f"{FORKED}:{function}", *words, **ON_ONE_THREAD, **known, RANK=rank, LOCAL_RANK=rank)
        for rank, function in (("0", "training"), ("1", second))
    ]
    return forks().run(*ranked, seconds=PATIENCE)


def without_chance(config: RunConfig, **changes: object) -> RunConfig:
    """The configuration without what each process draws for itself."""
    still = {
        "model.dropout": 0.0,
        "model.encoder_dropout": 0.0,
        "reading.token_dropout": 0.0,
        "reading.windows_per_document": 0,
        "optim.epochs": 3,
        "optim.precision": "fp32",
        "optim.dev_losses": 20,
    }
    return changed(config, still | changes)


def losses(out: Path) -> list[tuple[float, float | None]]:
    """Training loss and dev loss of each epoch."""
    lines = [json.loads(line) for line in (out / "log.jsonl").read_text().splitlines()]
    return [(line["train_loss"], line.get("dev_loss")) for line in lines if "train_loss" in line]
