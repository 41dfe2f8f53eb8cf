"""The results as one HTML file: figures and plots in it, links that go on, nothing fetched."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from core.errors import ConfigError
from core.settings import PROJECT_ROOT
from training.results.html_page import html_page

PAGE = """# Results & more

See [rows](results/rows.md) and [a paper](https://example.org/x).

![curve](curve.svg)

| Depth   | 1    | 2    | Micro |
| ------- | ---- | ---- | ----- |
| #Labels | 2    | 4    | 6     |
| flat    | 90.0 | 80.0 | 85.0  |
| <b>     | 70.5 ± 1.0 | – | 70.0 |
"""


def test_a_page_holds_its_figures_and_a_plot_of_every_table_by_depth(tmp_path: Path) -> None:
    (tmp_path / "results.md").write_text(PAGE, "utf-8")
    (tmp_path / "curve.svg").write_text("<svg id='own'></svg>", "utf-8")
    page = html_page(tmp_path / "results.md", tmp_path / "out")
    assert "<title>Results &amp; more</title>" in page
    assert "<svg id='own'></svg>" in page
    assert page.count("<svg") == 2
    plot = page[page.index("R-Precision (%) by depth") :]
    # Two points of flat and one of the other arm, whose name is text, and a sign in the legend.
    assert plot.count('<circle class="c0"') == 2 + 2
    assert plot.count('<rect class="c1"') == 1 + 2
    assert "&lt;b&gt;" in plot and "<b>" not in page
    assert 'href="../results/rows.md"' in page and 'href="https://example.org/x"' in page


def test_headings_have_the_ids_that_links_in_the_page_go_to(tmp_path: Path) -> None:
    headings = (
        "# 2. Guided BERT, at *twelve* `model.plan` (a_b)\n\n## Cost\n\n### Cost\n\n## Müh-e\n"
    )
    (tmp_path / "page.md").write_text(headings, "utf-8")
    page = html_page(tmp_path / "page.md", tmp_path)
    ids = re.findall(r'<h\d id="([^"]*)">', page)
    assert ids == ["2-guided-bert-at-twelve-modelplan-a_b", "cost", "cost-1", "müh-e"]


def test_a_figure_that_is_missing_is_named(tmp_path: Path) -> None:
    (tmp_path / "results.md").write_text(PAGE, "utf-8")
    with pytest.raises(ConfigError, match=r"no figure .*curve\.svg"):
        html_page(tmp_path / "results.md", tmp_path)
    with pytest.raises(ConfigError, match=r"There is no .*none\.md"):
        html_page(tmp_path / "none.md", tmp_path)


def test_the_committed_results_become_a_page_that_fetches_nothing(tmp_path: Path) -> None:
    source = PROJECT_ROOT / "docs" / "results.md"
    page = html_page(source, tmp_path)
    by_depth = len(re.findall(r"^\| Depth +\|", source.read_text("utf-8"), re.MULTILINE))
    assert page.count("R-Precision (%) by depth</text>") >= by_depth > 5
    links = re.findall(r'href="#([^"]*)"', page)
    assert len(links) >= 3 and all(f' id="{link}"' in page for link in links)
    assert not re.search(r"<(?:script|img|link|iframe)\b", page)
    assert "<!-- table" not in page and "&lt;!-- table" not in page
