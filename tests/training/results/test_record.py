"""The committed pages say what the committed rows say."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from core.errors import ConfigError
from core.paths import PROJECT_ROOT
from training.__main__ import main
from training.judging.rows import ROWS, ResultRow, row_paths
from training.results.committed import update_pages

RESULTS = PROJECT_ROOT / "docs" / "results"
KEPT = [path for file in sorted(RESULTS.glob(f"*/{ROWS}")) for path in row_paths(file.parent)]
TRAINED = [path for path in KEPT if re.search(r"-s\d+-", path.name) and path.parent.name == ROWS]


def test_every_page_is_what_the_rows_say() -> None:
    assert update_pages(RESULTS, check=True) == []


def says_all(path: Path) -> bool:
    facts = ResultRow.load(path).facts
    numbers = [float(facts[fact]) for fact in ("minutes", "documents_seen", "steps", "seed")]
    name = f"{facts['arm']}-s{facts['seed']}-{facts['split']}"
    return min(numbers) > 0 and bool(facts["commit"]) and path.name == name


def test_every_row_says_what_it_cost_and_what_made_it() -> None:
    assert TRAINED
    assert [path for path in TRAINED if not says_all(path)] == []


def test_what_is_out_of_date_is_named_and_written(tmp_path: Path) -> None:
    (tmp_path / "small").mkdir()
    shutil.copy(RESULTS / "ablation" / ROWS, tmp_path / "small")
    with pytest.raises(ConfigError, match=r"small/table\.md; python -m training"):
        update_pages(tmp_path, check=True)
    assert not (tmp_path / "small" / "table.md").exists()
    assert len(update_pages(tmp_path)) == 1
    assert "| flat           | 1 " in (tmp_path / "small" / "table.md").read_text("utf-8")
    assert update_pages(tmp_path, check=True) == []


def test_the_command_only_looks_where_asked(monkeypatch, tmp_path: Path, capsys) -> None:
    monkeypatch.setattr("training.cli.measure.RESULTS", tmp_path)
    assert main(["results", "--check"]) == 0
    (tmp_path / "small").mkdir()
    shutil.copy(RESULTS / "acts-student" / ROWS, tmp_path / "small")
    assert main(["results", "--check"]) == 1
    assert "Out of date: small/table.md" in capsys.readouterr().err
    assert main(["results"]) == 0
    assert str(tmp_path / "small" / "table.md") in capsys.readouterr().out
