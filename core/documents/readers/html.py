"""Web pages, and the acts of EUR-Lex among them with their title, articles and annexes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from lxml import etree, html

from core.documents.intake import Intake
from core.documents.plain_text import (
    GUESSED_ENCODING,
    decode_text,
    stated_codec,
)
from core.documents.readers.blocks import (
    MARKER,
    TOO_DEEP,
    intake_of,
    says_something,
    spaced,
)
from core.documents.readers.menus import menus
from core.documents.structure import Block, is_annex
from core.encoding import BYTE_ORDER_MARKS
from core.errors import DocumentError

CELL_TAGS = ("td", "th")
ENCODING = re.compile(rb"""(?:charset|encoding)\s*+=\s*+["']?\s*+([A-Za-z0-9._:-]{2,40})""")
ENCODING_SEARCHED_BYTES = 4096
MAX_TITLE_PIECES = 8
CELEX_NUMBER = re.compile(r"[0-9CE][0-9]{4}[A-Z]{1,2}[0-9]{3,5}.*")
SIGNS = "×✕✖☰≡›» "  # of buttons that close or open something
SITE_NAME = "EUR-Lex"
CUT_OFF = "ERR_RESOURCE_LIMIT"  # libxml2 leaves out what is nested some thousands deep
HEADING_TAGS = {f"h{level}": level for level in range(1, 7)}


def read(name: str, content: bytes) -> Intake:
    """Title, visible text and headings of a page; nothing in it is run, and nothing fetched.

    Raises:
        DocumentError: it cannot be parsed, or shows no text.
    """
    text, guessed = _decoded(name, content)
    root = _parsed(name, text)
    body = _body(root)
    blocks_and_texts = list(_blocks(body, menus(body))) or list(_blocks(body, set()))
    blocks, title = _titled(blocks_and_texts)
    headings = [block.text for block in blocks if block.level == 1 and not block.begins]
    likely = next(filter(says_something, headings), "") or _page_name(root)
    notes = (GUESSED_ENCODING,) if guessed else ()
    return intake_of(name, blocks, title=title, likely_title=likely, notes=notes)


def _decoded(name: str, content: bytes) -> tuple[str, bool]:
    """Return the text in the encoding that the page states, unless its bytes show another."""
    if not content.startswith(tuple(BYTE_ORDER_MARKS)):
        stated = ENCODING.search(content[:ENCODING_SEARCHED_BYTES])
        codec = stated_codec(name, stated.group(1).decode("ascii")) if stated else None
        # A page that a browser saved, or a server has sent as UTF-8, may state what it was before.
        if codec not in {None, "utf-8", "utf-16"} and not _is_utf_8(content):
            return content.decode(codec, "replace"), False
    return decode_text(content)


def _is_utf_8(content: bytes) -> bool:
    """Return whether there is a letter beyond ASCII, and all are right: as chance hardly has it."""
    try:
        return not content.decode().isascii()
    except UnicodeDecodeError:
        return False


def _parsed(name: str, text: str) -> html.HtmlElement:
    parser = html.HTMLParser(
        encoding="utf-8", no_network=True, remove_comments=True, huge_tree=True
    )
    try:
        root = html.document_fromstring(text.encode("utf-8", "replace"), parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, AssertionError) as error:
        raise DocumentError(f"{name} is empty: there is no text in it to index.") from error
    if any(entry.type_name == CUT_OFF for entry in parser.error_log):
        raise DocumentError(f"{name} {TOO_DEEP}")
    return root


def _body(root: html.HtmlElement) -> html.HtmlElement:
    """Return where the text stands: what EUR-Lex marks as such, else the page's main part."""
    for wanted in BODY_IDS:
        wanted_elements = root.xpath("//*[@id=$wanted]", wanted=wanted)
        if wanted_elements and spaced(wanted_elements[0].text_content()):
            return wanted_elements[0]
    main = root.xpath("//main | //*[@role='main']")
    body = root.find("body")
    if len(main) == 1 and spaced(main[0].text_content()):
        return main[0]
    return root if body is None else body


def _blocks(body: html.HtmlElement, left_out: set[html.HtmlElement]) -> Iterator[tuple[Block, str]]:
    """Yield the blocks of text in their order, each with what EUR-Lex says that it is.

    The tree is walked with a list of what is still to be done, so no nesting is too deep.
    """
    pieces: list[str] = []
    roles = [(0, "")]
    waiting: list[tuple[html.HtmlElement, bool]] = [(body, False)]
    while waiting:
        element, leaving = waiting.pop()
        is_block = element.tag in BLOCK_TAGS
        if leaving:
            if is_block:
                yield from _taken(pieces, roles.pop())
        elif element in left_out or is_dropped(element) or is_noise(element):
            pass
        elif element.tag == "br":
            pieces.append("\n")
        elif element.tag == "tr" and (row := _row_text(element)) is not None:
            yield from _taken(pieces, roles[-1])
            yield from _taken([row], roles[-1])
        else:
            if is_block:
                yield from _taken(pieces, roles[-1])
                roles.append(_role(element, roles[-1]))
            pieces.append(source_text(element, element.text))
            waiting.append((element, True))
            waiting += ((child, False) for child in reversed(element))
            continue
        if element is not body:
            pieces.append(source_text(element.getparent(), element.tail))
    yield from _taken(pieces, roles[0])


def _role(element: html.HtmlElement, inherited: tuple[int, str]) -> tuple[int, str]:
    """Return level and role of an element's text, its own or those of an enclosing element."""
    level, role = level_and_role(element)
    if level or role:
        return level, role
    if element.tag in HEADING_TAGS:
        return HEADING_TAGS[element.tag], element.tag
    return inherited


def _taken(pieces: list[str], role: tuple[int, str]) -> Iterator[tuple[Block, str]]:
    text = spaced("".join(pieces)).lstrip(SIGNS)
    pieces.clear()
    if text and (MARKER.fullmatch(text) or any(map(str.isalnum, text))):  # not “×” or “›”
        begins = "annex" if role[0] and is_annex(text.partition("\n")[0]) else ""
        yield Block(text, 1 if begins else role[0], begins), role[1]


def _titled(texts: list[tuple[Block, str]]) -> tuple[list[Block], str]:
    """Return the blocks without those that make the title, and the title.

    It is what EUR-Lex marks as the act's title, in one piece or several; "" on another page.
    """
    run = _first_run(texts, MAX_TITLE_PIECES)
    title = " ".join(texts[n][0].text.replace("\n", " ") for n in run)
    texts = [*texts[: run.start], *texts[run.stop :]]
    if title and not CELEX_NUMBER.fullmatch(title):
        return [_below_title(*block) for block in texts], title
    return [block for block, _ in texts if not CELEX_NUMBER.fullmatch(block.text)], ""


def _first_run(texts: list[tuple[Block, str]], most: int) -> range:
    """Return where the first pieces of a title stand one after the other, before any annex."""
    marked = [role == TITLE for _, role in texts]
    annex = next((n for n, (block, _) in enumerate(texts) if block.begins), len(texts))
    start = marked.index(True) if True in marked else len(texts)
    if start >= annex:
        return range(0)
    end = start
    while end < min(annex, start + most) and marked[end]:
        end += 1
    return range(start, end)


def _below_title(block: Block, role: str) -> Block:
    """Return a title that is not the act's as the name of an annex, below its heading."""
    return replace(block, level=2) if role == TITLE and not block.begins else block


def _page_name(root: html.HtmlElement) -> str:
    """Return what the page calls itself, where that is more than the name of the site."""
    name = spaced(" ".join(root.xpath("//head/title/text()")))
    return "" if SITE_NAME in name or CELEX_NUMBER.fullmatch(name) else name


def _row_text(row: html.HtmlElement) -> str | None:
    """Return a row in one line, or None where a cell holds more than one paragraph.

    EUR-Lex lays recitals and points out as rows of a number and a text; they read as a paragraph.
    """
    cells = [cell for cell in row if cell.tag in CELL_TAGS and not is_dropped(cell)]
    if any(not _is_simple(cell) for cell in cells):
        return None  # the page is walked on inside the row
    texts = [text for cell in cells if (text := visible_text(cell))]
    if len(texts) == 2 and MARKER.fullmatch(texts[0]):
        return " ".join(texts)
    return " | ".join(texts)


def _is_simple(cell: html.HtmlElement) -> bool:
    """Return whether a cell holds one paragraph of the act at most, and no table or list."""
    within = [element for element in cell.iterdescendants() if isinstance(element.tag, str)]
    blocks = [element.tag for element in within if element.tag in BLOCK_TAGS]
    plain = blocks.count("p") < 2 and {"p", "div"}.issuperset(blocks)
    return plain and not any(is_noise(element) for element in within)


# ---------------------------------------------------------------------- acts of EUR-Lex
# The same classes carry the prefix `oj-` since then; consolidated texts have their own. Source: the
# pages of eur-lex.europa.eu, and the ELI markup in them (`eli-main-title`, `eli-subdivision`).

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
    "modref", "arrow", "disclaimer", "linksButtons",
}  # fmt: skip
NOISE_OF_BLOCKS = {"reference"}  # other pages call links in a sentence so


def level_and_role(element: html.HtmlElement) -> tuple[int, str]:
    """Return level and role that the element's classes state; (0, "") where they state none."""
    for name in _classes(element):
        if name in ROLES:
            return ROLES[name]
    return 0, ""


def is_noise(element: html.HtmlElement) -> bool:
    """Return whether this belongs to the journal or the site rather than to the act."""
    names = NOISE | NOISE_OF_BLOCKS if element.tag in BLOCK_TAGS else NOISE
    return not names.isdisjoint(_classes(element))


def _classes(element: html.HtmlElement) -> list[str]:
    return [name.removeprefix(PREFIX) for name in (element.get("class") or "").split()]


# ---------------------------------------------------------------------- what a page shows

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
    r"|font-size\s*:\s*0(?![.\d])|opacity\s*:\s*0(?![.\d])|text-indent\s*:\s*-(?:\d{4}|999)",
    re.IGNORECASE,
)
SPACE = re.compile(r"[ \t\r\n\f\v]+")


def is_dropped(element: html.HtmlElement) -> bool:
    """Return whether the element and all in it is passed over; comments and instructions are."""
    if not isinstance(element.tag, str):
        return True
    if element.tag in DROPPED_TAGS and not _opens_section(element):
        return True
    if element.get("hidden") is not None or element.get("aria-hidden") == "true":
        return True
    style = element.get("style")
    return style is not None and HIDING_STYLE.search(style) is not None


def _opens_section(element: html.HtmlElement) -> bool:
    """Return whether this is a heading that unfolds what is below it."""
    parent = element.getparent()
    return element.tag == "button" and parent is not None and parent.tag in HEADING_TAGS


def source_text(element: html.HtmlElement | None, text: str | None) -> str:
    """Text of the source as it is shown: line ends are spaces, except where they are kept."""
    if not text:
        return ""
    is_preformatted = element is not None and element.tag == "pre"
    return text if is_preformatted else SPACE.sub(" ", text)


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
