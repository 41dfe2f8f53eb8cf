"""The committed tables and the pages say what the committed rows say."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from core.errors import ConfigError
from core.settings import PROJECT_ROOT
from training.__main__ import main
from training.judging.rows import ResultRow
from training.results.committed import NOTHING_YET, filled, section, update_pages

RESULTS = PROJECT_ROOT / "docs" / "results"
ROWS = sorted(RESULTS.glob("*/rows/*.npz"))


def test_every_table_and_page_is_what_the_rows_say() -> None:
    assert update_pages(PROJECT_ROOT, check=True) == []


@pytest.mark.parametrize("path", ROWS, ids=lambda path: f"{path.parts[-3]}/{path.stem}")
def test_every_row_says_what_it_cost_and_what_made_it(path: Path) -> None:
    row = ResultRow.load(path)
    for fact in ("minutes", "documents_seen", "steps", "seed"):
        assert float(row.facts[fact]) > 0
    assert row.facts["commit"]
    assert path.stem == f"{row.facts['arm']}-s{row.facts['seed']}-{row.facts['split']}"


def test_a_page_takes_the_tables_that_it_names(tmp_path: Path) -> None:
    (tmp_path / "study").mkdir()
    (tmp_path / "study" / "table-dev.md").write_text(
        "# study: dev\n\n## First (%)\n\n| a |\n\n## Second\n\n| b |\n", encoding="utf-8"
    )
    page = (
        "Before\n<!-- table: study/table-dev.md#Second -->\nold\n<!-- end -->\nbetween\n"
        "<!-- table: study/none.md -->\n<!-- end -->\nafter\n"
    )
    text = filled(page, tmp_path)
    assert "-->\n\n| b |\n\n<!-- end -->\nbetween" in text
    assert "old" not in text
    assert NOTHING_YET in text
    assert filled(text, tmp_path) == text
    whole = section("study/table-dev.md", tmp_path)
    assert whole.startswith("## First (%)")
    assert section("study/table-dev.md#First", tmp_path) == "| a |"
    assert section("study/table-dev.md#Third?", tmp_path) == NOTHING_YET
    with pytest.raises(ConfigError, match="nothing under a heading “Third”"):
        section("study/table-dev.md#Third", tmp_path)


def test_differences_can_be_taken_from_any_arm() -> None:
    table = section("ablation against last_half on dev", RESULTS)
    assert "minus last_half" in table.splitlines()[0]
    assert "| flat " in table
    assert section("ablation against hybrid on dev", RESULTS) == NOTHING_YET
    assert section("none against flat on dev", RESULTS) == NOTHING_YET


def test_differences_on_titles_and_on_texts_make_up_the_whole() -> None:
    # 1,827 titles and 123 full texts; both differences are rounded to a tenth of a point.
    lines = section("longer-training by kind against before on test", RESULTS).splitlines()
    cells = {line.split("|")[1].strip(): [c.strip() for c in line.split("|")] for line in lines}
    assert cells["before"][3:5] == cells["before"][7:9] == ["–", "–"]
    titles, texts = float(cells["linear"][3]), float(cells["linear"][7])
    assert (1827 * titles + 123 * texts) / 1950 == pytest.approx(-8.44, abs=0.06)
    low, high = cells["linear"][8].split(" … ")
    assert float(low) < texts < float(high)


def test_what_is_out_of_date_is_named_and_written(tmp_path: Path) -> None:
    results = tmp_path / "docs" / "results"
    (results / "small" / "rows").mkdir(parents=True)
    for path in (RESULTS / "ablation" / "rows").glob("flat-s1-*.npz"):
        shutil.copy(path, results / "small" / "rows")
    page = tmp_path / "README.md"
    page.write_text("<!-- table: small/table-dev.md#Cost -->\n<!-- end -->\n", encoding="utf-8")

    with pytest.raises(ConfigError, match=r"table-dev\.md, .*README\.md; python -m training"):
        update_pages(tmp_path, check=True)
    assert not (results / "small" / "table-dev.md").exists()
    assert len(update_pages(tmp_path)) == 3
    assert "| flat | 1    |" in page.read_text(encoding="utf-8")
    assert update_pages(tmp_path, check=True) == []


def test_the_command_only_looks_where_asked(monkeypatch, tmp_path: Path, capsys) -> None:
    monkeypatch.setattr("training.cli.measure.PROJECT_ROOT", tmp_path)
    (tmp_path / "docs" / "results").mkdir(parents=True)
    assert main(["results", "--check"]) == 0
    (tmp_path / "README.md").write_text("<!-- table: x.md -->\n<!-- end -->", encoding="utf-8")
    assert main(["results", "--check"]) == 1
    assert "Out of date: README.md" in capsys.readouterr().err
    assert main(["results"]) == 0
    assert capsys.readouterr().out.strip() == str(tmp_path / "README.md")
