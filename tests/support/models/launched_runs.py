"""Runs of several processes, started by `accelerate launch` or torchrun as on two machines."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from core.settings import PROJECT_ROOT
from tests.support.browser.server import free_port
from training.config import RunConfig

PATIENCE = 300.0


class LaunchedRun:
    """One run as two machines would have it: a launcher on each, with one process each."""

    def __init__(self, config: Path, out: Path) -> None:
        self.words = ["-m", "training", "train", str(config), "--out", str(out)]
        self.launchers: list[subprocess.Popen[str]] = []

    def start(self, launcher: str = "accelerate") -> None:
        port = free_port()
        self.launchers = [self._launched(launcher, rank, port) for rank in range(2)]

    def _launched(self, launcher: str, rank: int, port: int) -> subprocess.Popen[str]:
        options = {
            "accelerate": [
                *("-m", "accelerate.commands.launch", "--multi_gpu", "--num_machines=2"),
                *("--num_processes=2", f"--machine_rank={rank}", "--main_process_ip=127.0.0.1"),
                *(f"--main_process_port={port}", "--mixed_precision=no", "--dynamo_backend=no"),
            ],
            "torchrun": [
                *("-m", "torch.distributed.run", "--nnodes=2", "--nproc-per-node=1"),
                *(f"--node-rank={rank}", "--master-addr=127.0.0.1", f"--master-port={port}"),
            ],
        }
        return run_apart(options[launcher] + self.words)

    def wait(self) -> tuple[list[int], str]:
        """Wait for both; their exit codes and what they said."""
        said = [process.communicate(timeout=PATIENCE)[0] for process in self.launchers]
        return [process.returncode for process in self.launchers], "".join(said)


def run_apart(words: list[str]) -> subprocess.Popen[str]:
    """Start Python with these words, on one thread."""
    return subprocess.Popen(
        [sys.executable, *words],
        cwd=PROJECT_ROOT,
        env=os.environ | {"OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


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
    for key, value in (still | changes).items():
        config = config.replace(key, value)
    return config


def losses(out: Path) -> list[tuple[float, float | None]]:
    """Training loss and dev loss of each epoch."""
    lines = [json.loads(line) for line in (out / "log.jsonl").read_text().splitlines()]
    return [(line["train_loss"], line.get("dev_loss")) for line in lines if "train_loss" in line]
