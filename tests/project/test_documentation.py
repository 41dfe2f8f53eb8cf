"""README and docs: their example runs, their links lead somewhere, and the index is complete."""

from __future__ import annotations

import re

import pytest

from core.paths import PROJECT_ROOT

DOCS = PROJECT_ROOT / "docs"
PAGES = [PROJECT_ROOT / "README.md", *sorted(DOCS.glob("*.md"))]
LINK = re.compile(r"\]\(([^)\s#]*)(?:#([^)\s]*))?\)")


def anchors(text: str) -> set[str]:
    """Return the names under which the headings of a page can be linked to."""
    headings = re.findall(
        r"^#+ (.+)$", re.sub(r"```.*?```", "", text, flags=re.DOTALL), re.MULTILINE
    )
    plain = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings)
    return {heading.replace(" ", "-") for heading in plain}


def test_the_notebook_example_prints_suggestions(capsys, monkeypatch) -> None:
    monkeypatch.chdir(PROJECT_ROOT)
    readme = (PROJECT_ROOT / "README.md").read_text("utf-8")
    exec(readme.split("```python\n")[1].split("```")[0], {})
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 10
    assert any(line.endswith("  honey") for line in lines)
    probabilities = [float(line.split()[0]) for line in lines]
    assert probabilities == sorted(probabilities, reverse=True)


def test_the_readme_is_read_in_five_minutes() -> None:
    assert len((PROJECT_ROOT / "README.md").read_text("utf-8").splitlines()) <= 200


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_files_and_headings(page) -> None:
    for path, anchor in LINK.findall(page.read_text("utf-8")):
        if path.startswith(("http:", "https:", "mailto:")):
            continue
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{page.name} links to {path}"
        if anchor and target.suffix == ".md":
            assert anchor in anchors(target.read_text("utf-8")), f"{page.name}: {path}#{anchor}"


def test_the_index_names_every_page() -> None:
    index = (DOCS / "README.md").read_text("utf-8")
    linked = {path for path, _ in LINK.findall(index)}
    assert {page.name for page in DOCS.glob("*.md")} - {"README.md"} <= linked


def test_the_files_that_the_architecture_names_are_there() -> None:
    text = (DOCS / "architecture.md").read_text("utf-8")
    named = re.findall(r"`((?:core|pages|training|assets|tests)/[\w/.]+)`", text)
    assert len(named) > 30
    missing = [path for path in named if "NAME" not in path and not (PROJECT_ROOT / path).exists()]
    assert missing == []
