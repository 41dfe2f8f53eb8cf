"""README and docs/results.md show the committed results, and so does the bundle's manifest."""

import json
import re

import pytest

from core.paths import PROJECT_ROOT
from training.judging.rows import ROWS, ResultRow

RESULTS = PROJECT_ROOT / "docs" / "results" / "eurovoc" / ROWS
README = (PROJECT_ROOT / "README.md").read_text(encoding="utf-8")
PAGE = (PROJECT_ROOT / "docs" / "results.md").read_text(encoding="utf-8")
TEXTS = ("titles", "full_texts")


def figures(beginning: str, text: str = README) -> list[str]:
    """Return the numbers of the first table row of a text that begins so."""
    line = next(line for line in text.splitlines() if line.startswith(f"| {beginning}"))
    return re.findall(r"\d+\.\d", line.replace(beginning, "", 1))


def percent(row: ResultRow, metrics: list[str], subset: str = "all") -> list[str]:
    return [f"{100 * row.mean(metric, subset):.1f}" for metric in metrics]


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("**Strata** |", "eurovoc"),
        ("its two suggesters, averaged without a ranker |", "mean-of-two"),
        ("the guided suggester alone |", "guided"),
        ("the linear suggester alone |", "linear"),
        ("omikuji Bonsai", "omikuji-bonsai"),
        ("omikuji Parabel |", "omikuji-parabel"),
    ],
)
def test_descriptors(name, row):
    result = ResultRow.load(RESULTS / f"{row}-test")
    expected = percent(result, ["ndcg@5", "p@5", "f1@5"])
    expected += [percent(result, ["ndcg@5"], subset)[0] for subset in TEXTS]
    assert figures(name) == expected


def test_the_bundle_carries_its_own_figures():
    bundle = PROJECT_ROOT / "assets" / "models" / "eurovoc" / "bundle.json"
    metrics = json.loads(bundle.read_text(encoding="utf-8"))["metrics"]
    for split in ("dev", "test"):
        result = ResultRow.load(RESULTS / f"eurovoc-{split}")
        for subset, values in result.means.items():
            for metric, value in values.items():
                assert metrics[split][subset][metric] == pytest.approx(value, abs=1e-4)


def test_a_row_of_the_results_page_is_one_of_a_page_of_its_study():
    pages = (PROJECT_ROOT / "docs" / "results").rglob("*.md")
    measured = {cells for page in pages for cells in rows_of(page.read_text(encoding="utf-8"))}
    _, _, answers = PAGE.partition("## Finished questions")
    assert set(rows_of(PAGE)) - set(rows_of(answers)) <= measured


def rows_of(page: str) -> list[tuple[str, ...]]:
    """Return the cells of every row of every table, but for the lines below headings."""
    rows = (line.strip("|").split("|") for line in page.splitlines() if line.startswith("|"))
    return [tuple(cell.strip() for cell in row) for row in rows if not set(row[0]) <= set(" -")]
