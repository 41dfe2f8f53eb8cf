"""Which keys are heard, and where, as the browser's scripts decide it."""

from __future__ import annotations

import shutil

import pytest

from tests.support.browser.scripts import run

pytestmark = pytest.mark.skipif(not shutil.which("node"), reason="no node to run scripts")

HEARD = """
const heard = [], stopped = [], listeners = [];
const target = { addEventListener: (name, listener) => listeners.push(listener), removeEventListener() {} };
onKeydown(target, (event) => heard.push(event.key), { capture: %s });
for (const more of [{ isComposing: true }, { keyCode: 229 }, { isComposing: false, keyCode: 13 }]) {
  listeners[0]({ key: "Enter", stopPropagation: () => stopped.push(more), ...more });
}
return [heard, stopped.length];
"""


@pytest.mark.parametrize(("capture", "n_stopped"), [("false", 2), ("true", 0)])
def test_keys_of_an_input_method_are_not_heard(capture: str, n_stopped: int) -> None:
    assert run(HEARD % capture, "shared/keys.js") == [["Enter"], n_stopped]


IN_BOX = """
const done = [];
const desk = { search: { input: { value: "%s", blur() {}, matches: () => true }, isFree: %s },
  focusTree: () => done.push("tree"), perform: (action) => done.push(action) };
const keyboard = Object.assign(Object.create(Keyboard.prototype), { desk, actions: new Map(Object.entries(
  { "Shift+Enter": "finish", "?": "help", z: "undo", "Shift+N": "new", "/": "search", F2: "accept", Insert: "next" })) });
keyboard.onField({ key: "%s", shiftKey: %s, ctrlKey: %s, getModifierState: () => false,
  preventDefault() {}, stopImmediatePropagation() {} }, desk.search.input);
return done;
"""


@pytest.mark.parametrize(
    ("key", "shift", "ctrl", "done"),
    [
        ("Enter", True, False, ["tree", "finish"]),
        ("?", True, False, ["help"]),
        ("F2", False, False, ["accept"]),
        ("Insert", False, False, ["next"]),
        ("z", False, True, ["undo"]),
        ("z", False, False, []),  # the first letter of zinc
        ("N", True, False, []),  # of Norway
        ("/", False, False, []),  # one is there already
        ("Enter", False, False, []),
        ("ArrowDown", False, False, []),
    ],
)
def test_in_the_empty_search_box_keys_that_begin_no_word_are_for_the_page(
    key: str, done: list[str], *, shift: bool, ctrl: bool
) -> None:
    asked = (key, str(shift).lower(), str(ctrl).lower())
    assert run(IN_BOX % ("", "true", *asked), "tree/treekeys.js") == done
    assert run(IN_BOX % ("zin", "false", *asked), "tree/treekeys.js") == []


@pytest.mark.parametrize(
    ("difference", "words"),
    [(-0.171, "−17 points"), (0.01, "+1 point"), (0.004, "makes no difference")],
)
def test_what_a_passage_is_worth_is_told_in_points(difference: float, words: str) -> None:
    told = run(f"return differenceWords({difference});", "reader/reader_evidence.js")
    assert told == words


TURNED = """
const toast = Object.assign(Object.create(Toast.prototype), { hide: () => { shown.length = 0; }, say() {}, fade() {},
  root: { replaceChildren: (...parts) => shown.push(parts.length), hidden: true } });
globalThis.document.createElement = () => ({ addEventListener() {}, setAttribute() {} });
const shown = [];
toast.tell("Said.", %s, { isOfPage: %s });
toast.%s();
return shown.length;
"""


@pytest.mark.parametrize(
    ("link", "is_of_page", "happens", "stays"),
    [
        ("null", "false", "turned", 0),
        ("null", "true", "turned", 1),
        ("{ words: 'Undo', undoes: true }", "true", "turned", 1),
        ("{ words: 'Undo', undoes: true }", "true", "decided", 0),
        ("{ words: 'Reopen' }", "false", "decided", 1),
    ],
)
def test_a_notice_goes_when_it_is_no_longer_true(
    link: str, is_of_page: str, happens: str, stays: int
) -> None:
    assert run(TURNED % (link, is_of_page, happens), "tree/toast.js") == stays
