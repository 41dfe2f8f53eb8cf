"""What the benchmark of code systems prints; the figures themselves are measured on idle machines."""

from __future__ import annotations

from pathlib import Path

from tests.support.files.code_files import write_release, write_table, write_tree
from training.benchmarks.code_systems import levels, measured


def test_levels_stand_beside_the_papers_with_their_differences(tmp_path: Path) -> None:
    for write in (write_tree, write_release, write_table):
        write(tmp_path)
    lines = list(levels(tmp_path))
    assert "| 1 | 4 | 4 | +0 |" in lines
    assert lines[-1].startswith("| all | 38 | 22,395 | ")
    assert "3 divisions without a title" in lines[1]


def test_without_the_files_there_is_no_table(tmp_path: Path) -> None:
    assert list(levels(tmp_path / "none")) == []


def test_what_is_reported_are_medians_over_processes() -> None:
    assert measured("print('warned about something'); print(1, 2.5, 30)", 2) == (1, 2.5, 30)
