"""What the styles of components do: for those who ask for little motion, and to a full line."""

from __future__ import annotations

from playwright.sync_api import Browser

from pages.components import asset

MOVING = ("tree/tree.css", "vocabulary/vocabulary.css", "similar/similar.css")
PAGE = """<style>:host, html {{ --st-yellow-background-color: rgb(255, 255, 0); }} {styles}</style>
<div class="row flash"></div><p class="twisty"><svg class="icon"></svg></p>
<p class="head"><svg class="icon"></svg></p>"""
LOOK = """() => ({
    moves: [...document.querySelectorAll('.icon, .flash')].some((it) => {
        const { transitionDuration, animationName } = getComputedStyle(it);
        return transitionDuration !== '0s' || animationName !== 'none'; }),
    mark: getComputedStyle(document.querySelector('.flash')).backgroundColor })"""


def test_nothing_moves_and_what_flashed_is_marked_where_little_motion_is_asked_for(
    browser: Browser,
) -> None:
    page = browser.new_page()
    page.set_content(PAGE.format(styles=asset("shared/base.css", *MOVING)))
    assert page.evaluate(LOOK)["moves"]
    page.emulate_media(reduced_motion="reduce")
    assert page.evaluate(LOOK) == {"moves": False, "mark": "rgb(255, 255, 0)"}
    page.close()


HIT = """<style>{styles}</style><div class="search" style="width: 430px"><ul role="listbox"><li role="option">
<div class="head"><span class="code">HP0123</span><span class="hit">Hospital procedure of an open reduction</span>
<span class="word">suggested, 64%</span><span class="place"></span>
<span class="system">hospital-procedures-of-the-region</span></div></li></ul></div>"""
ROOM = """() => { const hit = document.querySelector('.hit'), { right } = document.querySelector('.head').getBoundingClientRect();
    return { name: hit.clientWidth, beyond: document.querySelector('.system').getBoundingClientRect().right - right }; }"""


def test_the_name_of_a_hit_has_room_beside_a_long_code_system(browser: Browser) -> None:
    page = browser.new_page()
    page.set_content(HIT.format(styles=asset("shared/base.css", "shared/search.css")))
    room = page.evaluate(ROOM)
    page.close()
    assert room["beyond"] <= 0, room
    assert room["name"] > 110, room


ROW = """<style>{styles} .row {{ width: {width}px; font: 16px monospace }}</style><div class="row" style="--level: 0">
<span class="twisty"></span><span class="mark"></span><span class="name">{name}</span>
<span class="tag">{tag}</span><span class="bar"></span><span class="percent">9%</span></div>"""
WAY = """<span class="chain"><span class="way">2441 budget › implementation of the budget</span>
<span class="end"> ›</span></span><span class="label">{name}</span>"""
GAPS = """() => { const box = (part) => document.querySelector(part).getBoundingClientRect();
    const label = document.querySelector('.label'), end = document.querySelector('.end');
    const words = document.createRange();
    words.selectNodeContents(label);
    return { before: end ? box('.label').left - box('.end').right : 0, tag: box('.tag').width,
      behind: box('.tag').left - words.getBoundingClientRect().right, cut: label.scrollWidth - label.clientWidth }; }"""


def gaps(browser: Browser, width: int, name: str, tag: str) -> dict[str, float]:
    page = browser.new_page()
    styles = asset("shared/base.css", "tree/tree.css")
    page.set_content(ROW.format(styles=styles, width=width, name=name, tag=tag))
    found: dict[str, float] = page.evaluate(GAPS)
    page.close()
    return found


def test_names_of_the_tree_stand_behind_their_way_and_before_their_tag(browser: Browser) -> None:
    folded = gaps(browser, 430, WAY.format(name="financial control"), "")
    assert folded["before"] == 4 and folded["cut"] == 0, folded
    short = gaps(browser, 430, '<span class="label">dam</span>', "by name")
    assert short["behind"] == 6 and short["tag"] > 0, short
    narrow = gaps(browser, 200, '<span class="label">dam</span>', "by name, by documents like it")
    assert narrow["cut"] == 0, narrow


TABLES = """<style>{styles}</style><div data-testid="stMarkdownContainer">
<table><thead><tr><th></th><th></th></tr></thead><tbody><tr><td>a</td></tr></tbody></table>
<table><thead><tr><th></th><th>b</th></tr></thead><tbody><tr><td>a</td></tr></tbody></table></div>"""


def test_the_empty_head_of_a_table_is_not_shown(browser: Browser) -> None:
    page = browser.new_page()
    page.set_content(TABLES.format(styles=asset("shared/page.css")))
    heads = page.locator("thead tr")
    assert [heads.nth(n).is_visible() for n in range(2)] == [False, True]
    page.close()


CHOSEN = """<style>{styles}</style><ul role="tree"><li role="treeitem" aria-selected="true"><div class="row">a</div></li>
<li role="treeitem" tabindex="0"><div class="row">b</div></li><li role="treeitem"><div class="row">c</div></li></ul>
<button aria-pressed="true">Y</button><button aria-pressed="false">N</button>
<input class="slider" type="range">"""
LINES = """() => { document.querySelector('[tabindex]').focus();
    return [...document.querySelectorAll('.row, button')].map((it) => getComputedStyle(it).outlineStyle); }"""
TRACK = "(slider) => getComputedStyle(slider).backgroundColor"


def test_what_is_chosen_has_a_line_where_a_system_forces_its_colours(browser: Browser) -> None:
    page = browser.new_page()
    sheets = ("shared/base.css", "tree/tree.css", "tree/workbench.css")
    page.set_content(CHOSEN.format(styles=asset(*sheets)))
    assert set(page.evaluate(LINES)) == {"none"}
    page.emulate_media(forced_colors="active")
    assert page.evaluate(LINES) == ["solid", "solid", "none", "solid", "none"]
    canvas = page.eval_on_selector("html", TRACK.replace("slider", "html"))
    assert page.eval_on_selector(".slider", TRACK) not in (canvas, "rgb(255, 255, 255)")
    page.close()
