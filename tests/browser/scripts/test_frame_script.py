"""How many suggestions are wanted, and where that is remembered."""

from __future__ import annotations

import shutil

import pytest

from tests.support.browser.scripts import run

pytestmark = pytest.mark.skipif(not shutil.which("node"), reason="no node to run scripts")

SLIDING = """
window.localStorage.getItem = (key) => localStorage[key] ?? null;
window.localStorage.setItem = (key, value) => { localStorage[key] = value; };
const made = () => Object.assign(Object.create(Frame.prototype), {
  slider: {}, guidelines: {}, notice: { firstChild: {} }, empty: {}, state: { outline: { suggested: [] } }, render() {} });
const opened = (frame, project, number) => {
  PAGE.project = project;
  frame.state.outline.suggested = Array(number).fill({});
  frame.configure({ shown: 25, empty: "" });
  return Number(frame.slider.value);
};
const slide = (frame, value) => { frame.slider.value = String(value); frame.slide(); };
const frame = made();
"""
SCRIPTS = ("tree/frame.js", "shared/server.js")


def test_the_number_is_remembered_for_its_project_alone() -> None:
    body = """
    opened(frame, 1, 300);
    slide(frame, 40);
    return [opened(frame, 2, 300), opened(made(), 2, 300), opened(frame, 1, 300),
      opened(made(), 1, 300)];
    """
    assert run(SLIDING + body, *SCRIPTS) == [25, 25, 40, 40]


def test_the_end_of_a_short_list_is_remembered_as_all() -> None:
    body = """
    opened(frame, 1, 48);
    slide(frame, 48);
    const all = [opened(frame, 1, 300), opened(made(), 1, 300)];
    slide(frame, 299);
    return [...all, opened(made(), 1, 48), opened(made(), 1, 300)];
    """
    assert run(SLIDING + body, *SCRIPTS) == [300, 300, 48, 299]
