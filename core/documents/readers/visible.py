"""Which elements of a page a person would see, and which of them stand apart as blocks."""

from __future__ import annotations

import re

from lxml import html

BLOCK_TAGS = frozenset({
    "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details",
    "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3",
    "h4", "h5", "h6", "header", "hr", "html", "li", "main", "ol", "p", "pre", "section",
    "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "txt_te", "ul",
})  # fmt: skip
# What is no text, is not shown, or belongs to the site around the text.
DROPPED_TAGS = frozenset({
    "applet", "aside", "audio", "base", "button", "canvas", "datalist", "dialog", "embed",
    "footer", "frame", "frameset", "head", "iframe", "img", "input", "link", "map", "math",
    "meta", "nav", "noscript", "object", "option", "picture", "script", "select", "style", "svg",
    "template", "textarea", "video",
})  # fmt: skip
HIDING_STYLE = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|content-visibility\s*:\s*hidden"
    r"|font-size\s*:\s*0(?![.\d])|opacity\s*:\s*0(?![.\d])|text-indent\s*:\s*-\d{3}",
    re.IGNORECASE,
)
SPACE = re.compile(r"[ \t\r\n\f\v]+")


def is_dropped(element: html.HtmlElement) -> bool:
    """Return whether the element and all in it is passed over; comments and instructions are."""
    if not isinstance(element.tag, str) or element.tag in DROPPED_TAGS:
        return True
    if element.get("hidden") is not None or element.get("aria-hidden") == "true":
        return True
    style = element.get("style")
    return style is not None and HIDING_STYLE.search(style) is not None


def source_text(element: html.HtmlElement | None, text: str | None) -> str:
    """Text of the source as it is shown: line ends are spaces, except where they are kept."""
    if not text:
        return ""
    kept = element is not None and element.tag == "pre"
    return text if kept else SPACE.sub(" ", text)


def visible_text(element: html.HtmlElement) -> str:
    """Return all text in an element that is shown, as one paragraph."""
    pieces: list[str] = []
    waiting: list[html.HtmlElement | str] = [element]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            pieces.append(item)
        elif not is_dropped(item):
            if item.tag in BLOCK_TAGS or item.tag == "br":
                pieces.append(" ")
            pieces.append(item.text or "")
            for child in reversed(item):
                waiting += [child.tail or "", child]
    return SPACE.sub(" ", "".join(pieces)).strip()
