"""The record of what was measured: every table anew from the committed rows, and into the pages.

A page names a table between two comments, `<!-- table: ablation/table-dev.md#Cost -->` and
`<!-- end -->`: a file in docs/results and the beginning of a heading in it, or the file alone. A
heading that ends with "?" may be missing. `<!-- table: adapt against longer on dev -->` stands for
the differences from an arm of one's choice, and `ranker by kind against ranked on test` for those on
titles and on full texts.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from core.errors import ConfigError
from training.config import load_config
from training.judging.compare import SPLITS, write_pages
from training.judging.finished import finished_rows
from training.judging.folders import NOTHING_NAMED
from training.results.docbert_table import table_2
from training.results.report import kind_table
from training.results.speed_tables import ROWS, latency_page, speed_page
from training.results.student_table import student_page
from training.results.sweep_record import SPEC, sweep_texts
from training.results.timings import LATENCY

PAGES = ("README.md", "docs/results.md")
CONFIGS = Path(__file__).parents[1] / "configs"
SMALL_DATA, TABLE_2, STUDENTS = "small-data", "reuters-table2", "acts-student"
"""Folders whose rows have tables of their own."""
NOTHING_YET = "*Not measured yet.*"

_AGAINST = re.compile(
    r"(?P<name>\S+)(?P<by_kind> by kind)? against (?P<arm>\S+) on (?P<split>dev|test)"
)
_FIGURE = re.compile(r"(!\[[^\]]*\]\()([\w-]+\.svg\))")
_MARKED = re.compile(r"(<!-- table: (?P<source>[^\n]+?) -->\n).*?(<!-- end -->)", re.DOTALL)


def update_pages(root: Path, *, check: bool = False) -> list[Path]:
    """Write all tables and pages anew; returns those that changed.

    Args:
        root: of the project.
        check: write nothing.
    Raises:
        ConfigError: a page names a table that its file does not have, or `check` finds a page or a
            table that does not follow from the rows.
    """
    changed = [
        path
        for path, text in _all_texts(root, check=check)
        if not path.is_file() or path.read_text(encoding="utf-8") != text
    ]
    if check and changed:
        names = ", ".join(str(path.relative_to(root)) for path in changed)
        raise ConfigError(f"Out of date: {names}; python -m training results writes them anew.")
    return changed


def _all_texts(root: Path, *, check: bool) -> Iterator[tuple[Path, str]]:
    """Yield each file and its text; it is written after that, unless only checked."""
    for path, text in _tables(root / "docs" / "results"):
        yield path, text
        if not check:
            path.write_text(text, encoding="utf-8")
    for name in PAGES:
        page = root / name
        if page.is_file():
            text = filled(page.read_text(encoding="utf-8"), root / "docs" / "results", page.parent)
            yield page, text
            if not check:
                page.write_text(text, encoding="utf-8")


def _tables(results: Path) -> Iterator[tuple[Path, str]]:
    """Yield the tables of every comparison, study and measurement whose rows are here."""
    for folder in sorted(path for path in results.rglob("*") if path.is_dir()):
        if folder.name == SMALL_DATA and folder.parent == results:
            yield folder / "table-test.md", _small_data(folder)
        elif (folder / ROWS).is_file():
            yield folder / "table.md", speed_page(folder)
        elif any(folder.glob("*/utilization-*.csv")):
            yield from _utilization(folder)
        elif _is_comparison(folder, results):
            yield from _comparison(folder)
        if (folder / SPEC).is_file():
            yield from ((folder / name, text) for name, text in sweep_texts(folder).items())
        if (folder / LATENCY).is_file():
            yield folder / "latency.md", latency_page(folder)


def _is_comparison(folder: Path, results: Path) -> bool:
    """Return whether a folder holds rows with a table of their own, not those of a study."""
    own = folder.parent == results or any(folder.glob("table-*.md"))
    return own and folder.name != "rows" and any(_row_files(folder))


def _comparison(folder: Path) -> Iterator[tuple[Path, str]]:
    rows = {
        split: finished_rows([folder], split, NOTHING_NAMED)
        for split in SPLITS
        if any(_row_files(folder, split))
    }
    for split, page in write_pages(rows, title=folder.name, results=None).items():
        yield folder / f"table-{split}.md", page
        if folder.name == STUDENTS:
            yield folder / f"student-{split}.md", student_page(folder, rows[split], split=split)
    if folder.name == TABLE_2:
        title = "Table 2 of DocBERT (Adhikari et al. 2019), Reuters"
        yield folder / "table-2.md", table_2(rows, title=title)


def _row_files(folder: Path, split: str = "") -> Iterator[Path]:
    yield from folder.glob(f"*{split}.npz")
    yield from folder.glob(f"rows/*{split}.npz")


def _small_data(folder: Path) -> str:
    from training.results.label_table import page
    from training.studies.label_study import Study, cells_named

    config = load_config(CONFIGS / "small_data.toml")
    seeds = range(1, 6)
    return page(
        Study(base=config, groups=cells_named([]), seeds=seeds, results=folder, runs=folder)
    )


def _utilization(folder: Path) -> Iterator[tuple[Path, str]]:
    from training.studies.utilization import load_figures, report

    for query in ("cls", "mean"):
        figures = load_figures(folder, query)
        if figures:
            yield folder / f"table-{query}.md", report(figures)


def filled(page: str, results: Path, folder: Path | None = None) -> str:
    """Return a page with the tables that it names, as they are now.

    Args:
        folder: of the page, from which it finds the figures beside the tables.
    """

    def table(found: re.Match[str]) -> str:
        beside = (results / found["source"].partition("#")[0].strip()).parent
        place = os.path.relpath(beside, folder or results.parent)
        text = _FIGURE.sub(rf"\1{place}/\2", section(found["source"], results))
        return f"{found[1]}\n{text}\n\n{found[3]}"

    return _MARKED.sub(table, page)


def section(source: str, results: Path) -> str:
    """Return what stands under a heading of a file, or all below the title of a file.

    Raises:
        ConfigError: the file has no such heading.
    """
    differences = _AGAINST.fullmatch(source.strip())
    if differences:
        return _differences(results / differences["name"], differences)
    name, _, heading = source.partition("#")
    path = results / name.strip()
    if not path.is_file():
        return NOTHING_YET
    text = path.read_text(encoding="utf-8")
    if not heading:
        return re.sub(r"\A# [^\n]*\n+", "", text).strip() or NOTHING_YET
    try:
        return _below(heading.strip().removesuffix("?"), text, path)
    except ConfigError:
        if heading.strip().endswith("?"):
            return NOTHING_YET
        raise


def _differences(folder: Path, named: re.Match[str]) -> str:
    """Return the table of differences from an arm; nothing yet while that is not finished."""
    arm, split = named["arm"], named["split"]
    if not any(_row_files(folder, split)):
        return NOTHING_YET
    rows = finished_rows([folder], split, NOTHING_NAMED)
    if arm not in rows:
        return NOTHING_YET
    if named["by_kind"]:
        return kind_table(rows, arm)
    pages = write_pages({split: rows}, title=folder.name, results=None, against=arm)
    return _below(f"Differences from {arm}", pages[split], folder)


def _below(heading: str, text: str, path: Path) -> str:
    for part in re.split(r"^##+ ", text, flags=re.MULTILINE)[1:]:
        title, _, below = part.partition("\n")
        if title.startswith(heading):
            return below.strip()
    raise ConfigError(f"{path} has nothing under a heading “{heading}”.")
