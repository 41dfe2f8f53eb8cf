"""Memory that does not suffice: a sentence with the batch size to try."""

import pytest
import torch

from core.errors import ConfigError
from tests.support.models.workshop import make_workshop
from training.config import OptimConfig, ReadingConfig, load_config
from training.fitting.memory import advice, within_memory
from training.fitting.run import Run
from training.fitting.train import fit


def too_large(*_: object) -> torch.Tensor:
    """Asks for more than any machine has."""
    return torch.empty(1 << 60)


def test_half_the_batch_keeps_the_update():
    said = advice(OptimConfig(batch_size=32), ReadingConfig())
    assert "batches of 32 inputs of up to 512 tokens" in said
    assert "optim.batch_size = 16 with optim.accumulate = 2" in said
    assert "updates of 32 inputs (now 32)" in said
    again = advice(OptimConfig(batch_size=5, accumulate=2), ReadingConfig())
    assert "batch_size = 2 with optim.accumulate = 5" in again


def test_one_document_at_a_time_can_only_be_shorter():
    said = advice(OptimConfig(batch_size=1), ReadingConfig(max_length_tokens=512))
    assert "max_length_tokens = 256 (now 512)" in said


@pytest.mark.parametrize(
    "error",
    [MemoryError(), torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB")],
)
def test_what_counts_as_a_shortage(error):
    with (
        pytest.raises(ConfigError, match="not enough memory"),
        within_memory(OptimConfig(), ReadingConfig()),
    ):
        raise error


def test_a_run_that_outgrows_the_machine_says_so(tmp_path, monkeypatch):
    config = load_config(make_workshop(tmp_path) / "run.toml")
    run = Run(config, tmp_path / "out")
    run.out.mkdir()
    monkeypatch.setattr(run, "new_loss", lambda: too_large)
    with pytest.raises(ConfigError, match=r"optim\.batch_size = 4 with optim\.accumulate = 2"):
        fit(run)
