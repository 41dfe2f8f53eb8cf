"""What the styles of components do for those who ask their system to move little."""

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
