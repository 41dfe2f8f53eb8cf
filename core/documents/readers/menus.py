"""The menus of a web page: links to other pages rather than text of this page."""

from __future__ import annotations

import re
from dataclasses import dataclass

from lxml import html

ROLES = frozenset(
    {"banner", "complementary", "contentinfo", "dialog", "alertdialog", "menu", "menubar"}
    | {"navigation", "search", "tablist", "toolbar"}
)
NAMES = re.compile(
    r"(?<![a-z])(?:bread-?crumbs?|cookies?[-_]?(?:[a-z]{1,12}[-_]){0,3}(?:banner|notice|consent|bar|message|popup|modal|overlay)|(?:main|site|sub|top)-?menu|"
    r"navbar|pagination|pager|sidebar|skip-?links?|tool-?bar|top-?bar)(?![a-z])",
    re.IGNORECASE,
)
# A section on social policy or inland navigation has such an id, too: of these, links make a menu,
# unless one of them is a class of its own.
CLASSES = frozenset({"cookie", "cookies", "menu", "nav", "navigation", "share", "social"})
DOUBTFUL_NAMES = re.compile(
    r"(?<![a-z])(?:cookies?|menu|nav(?:igation)?|share|social)(?![a-z])", re.IGNORECASE
)
HEADING = re.compile(r"h[1-6]")
MOST_CHARACTERS, MOST_SHARE = 1_500, 0.4  # of what is called a menu, and of the page
FEWEST_LINKS, LINKED_SHARE, USUAL_LINK = 3, 0.8, 40  # of a list of links
DOUBTFUL_LINKED_SHARE = 0.5


@dataclass(slots=True)
class _Counts:
    """Letters of an element's text, those of links, those of links to other pages, and the number
    of the latter.
    """

    n_characters: int = 0
    n_clickable: int = 0
    n_linked: int = 0
    n_links: int = 0


def menus(body: html.HtmlElement) -> set[html.HtmlElement]:
    """Return the elements that are menus, by what they are called or as lists of links."""
    counts: dict[html.HtmlElement, _Counts] = {}
    for element in reversed([e for e in body.iter() if isinstance(e.tag, str)]):
        counts[element] = _counted(element, counts)
    most = MOST_SHARE * counts[body].n_characters
    return {
        element
        for element, element_counts in counts.items()
        if element is not body
        and element_counts.n_characters <= most
        and (_is_list_of_links(element, element_counts) or _is_called_so(element, element_counts))
    }


def _counted(element: html.HtmlElement, counts: dict[html.HtmlElement, _Counts]) -> _Counts:
    own_counts = _Counts(len((element.text or "").strip()))
    for child in element:
        within = counts.get(child, _Counts())
        own_counts.n_characters += within.n_characters + len((child.tail or "").strip())
        own_counts.n_clickable += within.n_clickable
        own_counts.n_linked += within.n_linked
        own_counts.n_links += within.n_links
    if element.tag == "a":
        own_counts.n_clickable = own_counts.n_characters
    if element.tag == "a" and not (element.get("href") or "#").startswith("#"):
        own_counts.n_linked, own_counts.n_links = own_counts.n_characters, 1
    return own_counts


def _is_list_of_links(element: html.HtmlElement, counts: _Counts) -> bool:
    return (
        element.tag not in ("a", "span", "p", "td")
        and counts.n_links >= FEWEST_LINKS
        and counts.n_linked >= LINKED_SHARE * counts.n_characters
        and counts.n_linked <= USUAL_LINK * counts.n_links
    )


def _is_called_so(element: html.HtmlElement, counts: _Counts) -> bool:
    if counts.n_characters > MOST_CHARACTERS or HEADING.fullmatch(element.tag):
        return False
    names = f"{element.get('class') or ''} {element.get('id') or ''}"
    is_linked = counts.n_clickable >= DOUBTFUL_LINKED_SHARE * counts.n_characters
    return (
        element.get("role") in ROLES
        or not CLASSES.isdisjoint((element.get("class") or "").lower().split())
        or bool(NAMES.search(names))
        or (is_linked and bool(DOUBTFUL_NAMES.search(names)))
    )
