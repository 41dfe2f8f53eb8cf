"""What a run prints while it trains, where its output is a file."""

from __future__ import annotations

import pytest

from training.fitting import progress
from training.fitting.progress import EpochBar


def test_a_file_gets_a_line_a_minute(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = iter([0.0, 30.0, 30.0, 60.0, 60.0, 60.0, 90.0, 90.0])
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(clock))
    bar = EpochBar(1, done=10, total=14, shown=True)
    bar.task = bar.bar.add_task("", total=14, epoch=2, rate=0.0, loss=0.0)
    bar.advance(30, 0.5)
    assert capsys.readouterr().out == "", "half a minute"
    bar.advance(30, 0.25)
    # 60 documents in 60 seconds; two of four batches are left, 30 seconds each.
    assert capsys.readouterr().out == (
        "epoch 2, batch 12 of 14: loss 0.2500, 1.0 documents/s, 1 minutes left in this epoch\n"
    )
    bar.advance(30, 0.25)
    assert capsys.readouterr().out == "", "a line a minute"


def test_other_processes_print_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "SECONDS_A_LINE", 0.0)
    with EpochBar(0, done=0, total=2, shown=False) as bar:
        bar.advance(1, 0.5)
    assert capsys.readouterr().out == ""
