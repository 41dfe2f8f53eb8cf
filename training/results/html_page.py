"""The results as one HTML file with plots, which needs neither the network nor other files.

A table by depth is drawn below itself, from its own numbers, up to five rows to a plot; the SVG
figures that a page shows are put into it.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from html import escape
from itertools import pairwise
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

from core.errors import ConfigError
from training.results.line_figure import COLOURS, line_figure

STYLE = (
    "body{max-width:64rem;margin:2rem auto;padding:0 1rem;font:16px/1.5 system-ui,sans-serif}"
    "table{border-collapse:collapse;font-size:14px;display:block;overflow-x:auto}"
    "th,td{padding:.2rem .6rem;border-bottom:1px solid #ccc;text-align:left}"
    "pre{overflow-x:auto;padding:.6rem;background:#f3f3f3}svg{max-width:100%}"
    "@media (prefers-color-scheme:dark){body,pre{background:#1b1b1b;color:#ddd}a{color:#6cc0cc}}"
)
DEPTH = "Depth"
_MEAN = re.compile(r"\d+\.\d")


def html_page(source: Path, folder: Path) -> str:
    """Return a page of Markdown as HTML.

    Args:
        folder: where the file will lie, from which its links start.
    Raises:
        ConfigError: the page or a figure that it shows is not there.
    """
    if not source.is_file():
        raise ConfigError(f"There is no {source}.")
    # No HTML of the page's own: what looks like it is text.
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    text = re.sub(r"^<!--.*?-->\n", "", source.read_text(encoding="utf-8"), flags=re.MULTILINE)
    tokens = list(_with_plots(markdown.parse(text)))
    for token in (inner for outer in tokens for inner in outer.children or ()):
        _make_whole(token, source.parent, folder)
    _name_headings(tokens)
    body = markdown.renderer.render(tokens, markdown.options, {})
    title = next((token.content for token in tokens if token.type == "inline"), source.stem)
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}'
        '</title><meta name="viewport" content="width=device-width">'
        f"<style>{STYLE}</style></head><body>\n{body}</body></html>\n"
    )


def _name_headings(tokens: Sequence[Token]) -> None:
    """Give headings the ids that GitHub gives them, to which links in the page go."""
    times: Counter[str] = Counter()
    for heading, text in pairwise(tokens):
        if heading.type != "heading_open":
            continue
        words = "".join(part.content for part in text.children or ())
        name = re.sub(r"[^\w -]", "", words.lower()).replace(" ", "-")
        heading.attrs["id"] = f"{name}-{times[name]}" if times[name] else name
        times[name] += 1


def _make_whole(token: Token, beside: Path, folder: Path) -> None:
    """Put a figure into the page, and have a link start where the page will lie."""
    place = str(token.attrs.get("src") or token.attrs.get("href") or "")
    if token.type == "image":
        if not (beside / place).is_file():
            raise ConfigError(f"There is no figure {beside / place}.")
        token.type, token.content = "html_inline", (beside / place).read_text(encoding="utf-8")
    elif place and not place.startswith(("#", "http:", "https:", "mailto:")):
        token.attrs["href"] = os.path.relpath(beside / place, folder)


def _with_plots(tokens: Sequence[Token]) -> Iterator[Token]:
    """Yield the tokens, and a plot behind every table by depth."""
    rows: list[list[str]] = []
    for token in tokens:
        yield token
        if token.type == "table_open":
            rows = []
        elif token.type == "tr_open":
            rows.append([])
        elif token.type == "inline" and rows:
            rows[-1].append(token.content)
        elif token.type == "table_close":
            if rows[0][0] == DEPTH:
                yield from _plots(rows)
            rows = []


def _plots(rows: Sequence[Sequence[str]]) -> Iterator[Token]:
    """Yield a figure for every five arms, of the columns that are depths."""
    depths = [name for name in rows[0] if name.isdecimal()]
    arms = [(row[0], [_mean(cell) for cell in row[1 : len(depths) + 1]]) for row in rows[1:]]
    drawn = [(name, means) for name, means in arms if any(means) and name != "#Labels"]
    for start in range(0, len(drawn), len(COLOURS)):
        token = Token("html_block", "", 0)
        group = dict(drawn[start : start + len(COLOURS)])
        token.content = line_figure("R-Precision (%) by depth", depths, group)
        yield token


def _mean(cell: str) -> float | None:
    found = _MEAN.match(cell)
    return float(found[0]) if found else None
