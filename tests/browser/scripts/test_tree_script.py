"""Whether the selected row stays in sight, and which keys are for the page, as scripts work it out."""

from __future__ import annotations

import shutil

import pytest

from tests.support.browser.scripts import run

pytestmark = pytest.mark.skipif(not shutil.which("node"), reason="no node to run scripts")

# A row of 30 pixels that begins at `top` of a pane of 300, which then has a height of `after`.
SMALLER = """
const root = { clientHeight: 300, clientTop: 1, scrollTop: 500, getBoundingClientRect: () => ({ top: 99 }) };
const line = { getBoundingClientRect: () => ({ top: 100 + %d, bottom: 130 + %d, height: 30 }) };
const tree = Object.assign(Object.create(TreeView.prototype), { root, selectedItem: { firstChild: line }, height: 300 });
root.clientHeight = %d;
tree.resized();
return root.scrollTop;
"""


@pytest.mark.parametrize(
    ("top", "after", "scroll"),
    [(270, 200, 600), (100, 200, 500), (400, 200, 500), (-50, 200, 500), (270, 350, 500)],
)
def test_a_row_that_was_in_sight_stays_there_when_the_pane_gets_smaller(
    top: int, after: int, scroll: int
) -> None:
    assert run(SMALLER % (top, top, after), "tree/tree.js") == scroll


ASKED = """
const held = new Set("%s".split(" "));
return isCommand({ key: "%s", altKey: held.has("Alt"), ctrlKey: held.has("Control"),
  metaKey: held.has("Meta"), getModifierState: (name) => held.has(name) });
"""


@pytest.mark.parametrize(
    ("held", "key", "is_command"),
    [
        ("", "[", False),
        ("Shift", "/", False),  # German: Shift+7, French: Shift+:
        ("AltGraph", "[", False),  # German and French on Linux
        ("Alt Control AltGraph", "]", False),  # the same where AltGr is both of them
        ("Alt Control", "[", False),
        ("Alt", "]", False),  # German and French on a Mac
        ("Alt Control AltGraph", "@", False),  # a key of one's own
        ("Alt", "a", True),
        ("Control", "[", True),
        ("Meta", "[", True),
        ("Alt", "ArrowUp", True),
        ("Control Alt", "a", True),
    ],
)
def test_what_is_typed_with_altgr_is_no_command(held: str, key: str, *, is_command: bool) -> None:
    assert run(ASKED % (held, key), "shared/keys.js") is is_command


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
const search = { input: { value: "%s", blur() {}, matches: () => true }, isFree: %s };
const keyboard = Object.assign(Object.create(Keyboard.prototype), { search,
  focusTree: () => done.push("tree"), perform: (action) => done.push(action), actions: new Map(Object.entries(
  { "Shift+Enter": "finish", "?": "help", z: "undo", "Shift+N": "new", "/": "search", F2: "accept", Insert: "next" })) });
keyboard.onField({ key: "%s", shiftKey: %s, ctrlKey: %s, getModifierState: () => false,
  preventDefault: () => done.push("kept"), stopImmediatePropagation() {} }, search.input);
return done;
"""


@pytest.mark.parametrize(
    ("key", "shift", "ctrl", "done"),
    [
        ("Enter", True, False, ["kept", "tree", "finish"]),
        ("?", True, False, ["kept", "help"]),
        ("F2", False, False, ["kept", "accept"]),
        ("Insert", False, False, ["kept", "next"]),
        ("z", False, True, ["kept", "undo"]),
        ("z", False, False, []),  # the first letter of zinc
        ("N", True, False, []),  # of Norway
        ("/", False, False, ["kept"]),  # one is there already, and nothing is typed
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
globalThis.document.createElement = () => ({ addEventListener() {}, setAttribute() {}, append() {} });
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


PRESSED = """
const actions = new Map([["a", "accept"], ["Shift+R", "exclude"], ["m", "mark"], ["/", "search"], ["\u03c8", "codes"]]);
return actionOf({ key: "%s", code: "%s", shiftKey: %s }, actions) ?? null;
"""


@pytest.mark.parametrize(
    ("key", "code", "shift", "action"),
    [
        ("a", "KeyQ", "false", "accept"),  # French: the letter counts, not its place
        ("\u03b1", "KeyA", "false", "accept"),  # Greek
        ("\u0444", "KeyA", "false", "accept"),  # Russian
        ("\u039a", "KeyR", "true", "exclude"),
        ("\u05e9", "KeyA", "false", "accept"),  # Hebrew, which has no capitals
        ("\u03c8", "KeyM", "false", "codes"),  # chosen by a person
        (",", "KeyM", "false", None),  # French: no letter
        ("\u00e4", "Quote", "false", None),
        ("/", "KeyQ", "false", "search"),
    ],
)
def test_keys_of_another_alphabet_do_what_stands_in_their_place(
    key: str, code: str, shift: str, action: str | None
) -> None:
    assert run(PRESSED % (key, code, shift), "shared/keys.js") == action
