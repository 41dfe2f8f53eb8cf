"""The browser's scripts: each is used, imports what it uses and exports what somebody imports."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from core.paths import PROJECT_ROOT
from pages.components.scripts import ASSETS, Script, in_order, joined, read_script
from tests.support.browser.free_names import free_names
from tests.support.browser.scripts import entries

SCRIPTS = sorted(path.relative_to(ASSETS).as_posix() for path in ASSETS.rglob("*.js"))
MOST_LINES = 400
RUN_BY_TESTS = (
    *Path(PROJECT_ROOT, "tests", "browser", "scripts").glob("test_*.py"),
    Path(PROJECT_ROOT, "tests", "core", "review", "reports", "test_tree_states.py"),
)


def read_all() -> list[Script]:
    return [read_script(name) for name in SCRIPTS]


@pytest.mark.parametrize("entry", entries())
def test_the_scripts_of_a_component_are_joined(entry: str) -> None:
    """So nothing is missing, unused or needed in a circle: the join refuses that."""
    assert joined(entry)


def test_every_script_belongs_to_a_component() -> None:
    joined_somewhere = {script.name for script in in_order(*entries())}
    assert sorted(set(SCRIPTS) - joined_somewhere) == []


def test_a_script_imports_what_it_uses() -> None:
    forgotten = {name: free_names((ASSETS / name).read_text("utf-8")) for name in SCRIPTS}
    assert {name: names for name, names in forgotten.items() if names} == {}


TREE_TEXTS = {
    path.name: re.sub(r"(?m)^import .*|//.*", "", path.read_text("utf-8"))
    for path in (ASSETS / "tree").glob("*.js")
}
# What is taken of the workbench, by name or as a member; a parameter that is taken apart has `state` first.
TAKEN = {
    "context": r"\{([^{}]*)\} = (?:this\.)?context;|\bcontext\.(\w+)"
    r"|(?:constructor|function \w+)\((?:\w+, )?\{ (state, [^{}]*)\}",
    "state": r"\{([^{}]*)\} = (?:this\.)?state;|\bstate\.(\w+)",
}
OF_A_CONCEPT = {"word", "causes", "unresolved"}  # what treeStates says of one is called a state too


def asked_of(name: str, offered: set[str]) -> dict[str, set[str]]:
    """Return by file what it asks of an object of this name beside what is offered."""
    asked = {
        file: {
            re.split(r"\W", word.strip())[0]
            for listed in re.findall(TAKEN[name], text)
            for word in "".join(listed).split(",")
        }
        for file, text in TREE_TEXTS.items()
    }
    return {file: names - offered for file, names in asked.items() if names - offered}


def test_the_parts_of_the_workbench_ask_only_what_it_offers() -> None:
    functions = TREE_TEXTS["workbench.js"].partition("const context = {")[2].partition("\n  };")[0]
    offered = set(re.findall(r"(?m)^    (\w+)[:,]", functions))
    offered |= set(re.findall(r"\bcontext\.(\w+) = ", TREE_TEXTS["workbench.js"]))
    assert asked_of("context", offered) == {}


def test_what_is_read_of_the_state_of_the_workbench_is_documented() -> None:
    fields = TREE_TEXTS["state.js"].partition("return {")[2].partition("\n  };")[0]
    documented = set(re.findall(r"(?m)^    (\w+):", fields))
    assert asked_of("state", documented | OF_A_CONCEPT) == {}


def test_a_name_that_is_not_imported_is_seen() -> None:
    text = """import { a } from "./a.js";
    const { b, c: d } = a(), e = 1;   // not: f
    class G {
      h({ i }, j = 1) { return `k ${l(i, `${m}`)} n`; }
    }
    const o = { p: 1, q: (r) => r.s + /t"/.test(d) ? u : e };
    for (const v of b) if (w(v)) document.title = "x";"""
    assert free_names(text) == {"l", "m", "u", "w"}


def test_a_script_exports_what_others_import_or_tests_run() -> None:
    imported = {
        (name, taken)
        for script in read_all()
        for name, names in script.imports.items()
        for taken in names
    }
    tested = set(re.findall(r"\w+", "\n".join(path.read_text("utf-8") for path in RUN_BY_TESTS)))
    idle = [
        f"{script.name}: {name}"
        for script in read_all()
        for name in script.exports
        if name != script.default and (script.name, name) not in imported and name not in tested
    ]
    assert idle == []


def test_what_is_exported_has_a_name_of_its_own() -> None:
    names = Counter(
        name for script in read_all() for name in script.exports if name != script.default
    )
    assert [name for name, n in names.items() if n > 1] == []


def test_no_script_is_long() -> None:
    lengths = {name: (ASSETS / name).read_text("utf-8").count("\n") for name in SCRIPTS}
    assert {name: n for name, n in lengths.items() if n > MOST_LINES} == {}


def test_scripts_ask_the_server_in_one_place() -> None:
    asking = [
        name for name in SCRIPTS if re.search(r"\bfetch\(", (ASSETS / name).read_text("utf-8"))
    ]
    assert asking == ["shared/server.js"]


KEY_EVENTS = re.compile(r"key(down|up|press)\b")


def test_every_listener_of_keys_leaves_those_of_an_input_method_alone() -> None:
    """`onKeydown` does; so nothing else names the event."""
    texts = {name: (ASSETS / name).read_text("utf-8") for name in SCRIPTS}
    pages = {path.name: path.read_text("utf-8") for path in (PROJECT_ROOT / "pages").rglob("*.py")}
    named = {name for name, text in (texts | pages).items() if KEY_EVENTS.search(text)}
    assert named == {"shared/keys.js"}
    assert len(re.findall("addEventListener", texts["shared/keys.js"])) == 1
