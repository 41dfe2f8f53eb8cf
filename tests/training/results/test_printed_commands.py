"""The commands of docs/results.md find the committed rows finished: they are what rows came from."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from core.settings import PROJECT_ROOT
from training.__main__ import main
from training.cli.options import CONFIGS, RESULTS
from training.config import load_config
from training.judging import compare
from training.judging.compare import Comparison
from training.studies.label_study import LABELS, PLAIN, Study, cells_named

PAGE = (PROJECT_ROOT / "docs" / "results.md").read_text("utf-8")
COMPARE = "-m training compare"


def printed_commands(page: str, folder: Path) -> Iterator[list[str]]:
    """Yield the words of each command that compares, as bash makes them of variables and loops.

    `python` prints its words there instead of running, and bash finds no other program.
    """
    blocks = [block for block in page.split("```")[1::2] if COMPARE in block]
    # Restricted (-r), bash runs no path and writes no file.
    script = "\n".join([r"python() { printf '%s\037' " + '"$@"; echo; }', *blocks])
    done = subprocess.run(
        [shutil.which("bash") or "bash", "-rc", script],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env={"PATH": ""},
    )
    for line in done.stdout.splitlines():
        words = line.split("\037")[:-1]
        if words[:3] == COMPARE.split():
            yield words[2:]


def finished_rows(comparison: Comparison) -> int:
    """Return how many rows of a comparison are there, all of them fresh."""
    for split in comparison.splits:
        # By itself: of some runs only dev was kept.
        replace(comparison, splits=(split,), check=None).require_ready()
    return sum(len(of) for split in comparison.rows().values() for of in split.values())


def test_a_printed_command_finds_its_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found: dict[Path, int] = {}

    def look(comparison: Comparison, *, against: str = "") -> dict[str, str]:
        configured = [arm.configure(comparison.base, 1) for arm in comparison.arms]
        # Else the next seed might learn in another precision, where that is faster.
        assert all(config.optim.precision != "auto" for config in configured), comparison.results
        number = finished_rows(comparison)
        found[comparison.results] = found.get(comparison.results, 0) + number
        return {"dev": "a table"}

    monkeypatch.chdir(PROJECT_ROOT)
    monkeypatch.setattr(compare, "write_tables", look)
    for words in printed_commands(PAGE, tmp_path):
        # What trains says the same of a stale row; the tables alone need no network.
        assert main([*words, "--tables-only"]) == 0, (words, capsys.readouterr().err)

    assert len(found) > 10
    assert all(found.values())


def test_the_study_of_small_data_finds_its_rows(tmp_path: Path) -> None:
    study = Study(
        base=load_config(CONFIGS / "small_data.toml"),
        groups=cells_named([]),
        seeds=[1, 2, 3, 4, 5],
        results=RESULTS / "small-data",
        runs=tmp_path,
    )
    for cell in study.cells():
        assert finished_rows(study.tuning(cell)), cell.name
        for seed in study.seeds:
            assert finished_rows(study.comparison(cell, seed, (PLAIN, LABELS))), cell.name


def test_variables_and_loops_of_a_command_are_bashs(tmp_path: Path) -> None:
    block = (
        "A=optim.epochs=2\ntouch kept\n"
        f'for seed in 1 2; do python {COMPARE} x.toml --arm "a b:$A" \\\n  --seeds $seed; done\n'
        "python -m training adapt x.toml > /tmp/x\n"
    )
    words = list(printed_commands(f"Text\n```\n{block}```\n", tmp_path))
    assert words == [
        ["compare", "x.toml", "--arm", "a b:optim.epochs=2", "--seeds", seed] for seed in "12"
    ]
    assert not list(tmp_path.iterdir())
