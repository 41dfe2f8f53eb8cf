"""How finishing waits for what was decided, with a server that takes its time, without a browser."""

from __future__ import annotations

import shutil

import pytest

from tests.support.browser.scripts import run

pytestmark = pytest.mark.skipif(not shutil.which("node"), reason="no node to run scripts")

SET_UP = """
let clock = 0, told = 0, finished = 0;
const heard = {};
globalThis.window = { addEventListener: (name, act) => { heard[name] = act; } };
globalThis.performance = { now: () => (clock += 3000) };
const state = { ...newState(), pendingIds: new Set(["e11"]), documentId: "a", version: 1,
  data: { check_url: "api/check", language: "en" }, conventions: { checked: true }, keys: { finish: "Shift+Enter" } };
const check = new CodeCheck({ state, tell() { told += 1; }, focusTree() {}, undoLink() {}, addNodes() {} },
  { onFindings() {}, hideTold() {} });
const later = (ms) => new Promise((done) => setTimeout(done, ms));
"""


def test_finishing_waits_for_a_server_that_stores_slowly() -> None:
    body = f"""{SET_UP}
    answers = [{{ findings: [] }}];
    const asked = check.beforeFinish(() => {{ finished += 1; }});
    while (clock < 60_000) await later(10);
    const before = [finished, told > 1];
    state.pendingIds = new Set();
    await asked;
    return [before, finished];
    """
    assert run(body, "tree/findings.js", "tree/state.js") == [[0, True], 1]


@pytest.mark.parametrize(
    ("event", "finishes"),
    [
        ('["keydown", { type: "keydown", key: "a" }]', 0),
        ('["keydown", { type: "keydown", key: "Shift", shiftKey: true }]', 1),
        ('["keydown", { type: "keydown", key: "Enter", shiftKey: true }]', 1),
        ('["pointerdown", { type: "pointerdown", composedPath: () => [{}] }]', 0),
        (
            '["pointerdown", { type: "pointerdown", '
            'composedPath: () => [{}, { dataset: { command: "finish" } }] }]',
            1,
        ),
    ],
)
def test_whoever_does_something_else_meanwhile_gives_up_finishing(
    event: str, finishes: int
) -> None:
    body = f"""{SET_UP}
    answers = [{{ findings: [] }}];
    const asked = check.beforeFinish(() => {{ finished += 1; }});
    const [name, what] = {event};
    heard[name](what);
    state.pendingIds = new Set();
    await asked;
    return finished;
    """
    assert run(body, "tree/findings.js", "tree/state.js") == finishes


def test_codes_are_checked_again_where_the_stay_is_another() -> None:
    body = f"""{SET_UP}
    answers = [{{ findings: [] }}, {{ findings: [] }}];
    state.decisions.set("e11", {{}});
    const counts = [];
    for (const stay of ["64 years", "64 years", "3 years"]) {{
      state.data.stay = stay;
      check.decided();
      await later(450);
      counts.push(answers.length);
    }}
    return counts;
    """
    assert run(body, "tree/findings.js", "tree/state.js") == [1, 1, 0]


def test_a_remedy_knows_what_was_decided_since_the_check() -> None:
    body = f"""{SET_UP}
    answers = [{{ findings: [{{ kind: "pairs", concept_ids: ["e11"], sentence: "s", severity: "warning",
      remedy: {{ add: [], words: "new" }} }}] }}];
    const mended = [];
    check.mendFinding = ({{ remedy }}) => {{ mended.push(remedy.words); }};
    check.version = 1;
    state.findings = [{{ kind: "pairs", concept_ids: ["e11"], remedy: {{ add: [], words: "old" }} }}];
    const asked = check.mendOf({{ id: "e11" }});
    const before = [...mended];
    state.pendingIds = new Set();
    await asked;
    await check.mendOf({{ id: "e11" }});
    return [before, mended];
    """
    assert run(body, "tree/findings.js", "tree/state.js") == [[], ["new", "new"]]
