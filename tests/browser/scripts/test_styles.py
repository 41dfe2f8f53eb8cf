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
