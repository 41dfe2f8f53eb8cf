"""The pages of docs/results that follow from committed rows, written anew as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from core.errors import ConfigError
from training.judging.compare import SPLITS, TABLES, on_one_page, write_pages
from training.judging.finished import finished_rows
from training.judging.folders import NOTHING_NAMED
from training.judging.rows import row_paths
from training.results.docbert_table import table_2
from training.results.speed_tables import latency_page
from training.results.timings import LATENCY

TABLE_2 = "reuters-table2"
"""The folder whose rows have a table of their own, as the paper has it."""
UTILIZATION = "utilization.json"


def update_pages(results: Path, *, check: bool = False) -> list[Path]:
    """Write the pages of all studies whose rows are in a folder; returns those that changed.

    Args:
        check: write nothing.
    Raises:
        ConfigError: rows are damaged, or `check` finds a page that does not follow from them.
    """
    changed = []
    for path, text in _pages(results):
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            continue
        changed.append(path)
        if not check:
            path.write_text(text, encoding="utf-8")
    if check and changed:
        names = ", ".join(str(path.relative_to(results)) for path in changed)
        raise ConfigError(f"Out of date: {names}; python -m training results writes them anew.")
    return changed


def _pages(results: Path) -> Iterator[tuple[Path, str]]:
    for folder in sorted(path for path in results.rglob("*") if path.is_dir()):
        if (folder / UTILIZATION).is_file():
            yield from _utilization(folder)
        elif row_paths(folder):
            yield from _comparison(folder)
        if (folder / LATENCY).is_file():
            yield folder / "latency.md", latency_page(folder)


def _comparison(folder: Path) -> Iterator[tuple[Path, str]]:
    rows = {
        split: finished_rows([folder], split, NOTHING_NAMED)
        for split in SPLITS
        if row_paths(folder, f"-{split}")
    }
    pages = write_pages(rows, title=folder.name, results=None)
    yield folder / TABLES, on_one_page(pages)
    if folder.name == TABLE_2:
        title = "Table 2 of DocBERT (Adhikari et al. 2019), Reuters"
        yield folder / "table-2.md", table_2(rows, title=title)


def _utilization(folder: Path) -> Iterator[tuple[Path, str]]:
    from training.studies.utilization import load_figures, report

    for query in ("cls", "mean"):
        figures = load_figures(folder, query)
        if figures:
            yield folder / f"table-{query}.md", report(figures)
