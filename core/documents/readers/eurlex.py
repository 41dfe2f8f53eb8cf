"""How EUR-Lex marks the pieces of an act, in the pages of before and after October 2023.

The same classes carry the prefix `oj-` since then; consolidated texts have their own. Source: the
pages of eur-lex.europa.eu, and the ELI markup in them (`eli-main-title`, `eli-subdivision`).
"""

from __future__ import annotations

from lxml import html

PREFIX = "oj-"
# Of the site's page, the piece that is the act; the first that is there counts.
BODY_IDS = ("textTabContent", "TexteOnly", "document1")
TITLE = "title"
# Class → level of the heading (1 = most general), and what it is.
ROLES = {
    "eli-main-title": (1, TITLE),
    "doc-ti": (1, TITLE),
    "title-doc-first": (1, TITLE),
    "title-doc-last": (1, TITLE),
    "ti-annex": (1, "annex"),
    "title-annex-1": (1, "annex"),
    "title-annex-2": (2, "annex name"),
    "ti-section-1": (2, "division"),
    "title-division-1": (2, "division"),
    "ti-section-2": (3, "division name"),
    "title-division-2": (3, "division name"),
    "ti-grseq-1": (3, "group"),
    "title-gr-seq-level-1": (3, "group"),
    "ti-art": (4, "article"),
    "title-article-norm": (4, "article"),
    "sti-art": (5, "article name"),
    "stitle-article-norm": (5, "article name"),
    "ti-tbl": (5, "table"),
}
# The journal's running head, marks of amendments, the disclaimer of consolidated texts.
NOISE = {
    "hd-date", "hd-lg", "hd-ti", "hd-oj", "hd-modifiers", "hd-toc-1", "hd-uniq",
    "modref", "arrow", "disclaimer", "reference", "linksButtons",
}  # fmt: skip


def level_and_role(element: html.HtmlElement) -> tuple[int, str]:
    """Level and role that the element's classes state; (0, "") where they state none."""
    for name in _classes(element):
        if name in ROLES:
            return ROLES[name]
    return 0, ""


def is_noise(element: html.HtmlElement) -> bool:
    """Return whether this belongs to the journal or the site rather than to the act."""
    return not NOISE.isdisjoint(_classes(element))


def _classes(element: html.HtmlElement) -> list[str]:
    return [name.removeprefix(PREFIX) for name in (element.get("class") or "").split()]
