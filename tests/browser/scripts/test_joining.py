"""How scripts are joined, and what is refused."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from pages.components.scripts import ScriptError, in_order, joined
from tests.support.browser.scripts import entries

ENTRY = 'import { two } from "./two.js";\n\nexport default function mount() { return two(); }\n'


def write(root: Path, **scripts: str) -> Path:
    """Write scripts; "a__b" is the file b.js in the folder a."""
    for name, text in scripts.items():
        path = root / f"{name.replace('__', '/')}.js"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    return root


def test_what_is_imported_comes_first_and_once(tmp_path: Path) -> None:
    root = write(
        tmp_path,
        a__entry='import { x } from "./x.js";\nimport { y } from "../b/y.js";\n'
        "export default function mount() { return x + y; }\n",
        a__x='import { y } from "../b/y.js";\nexport const x = y + 1;\n',
        b__y="export const y = 1;\n",
    )
    names = [script.name for script in in_order("a/entry.js", root=root)]
    assert names == ["b/y.js", "a/x.js", "a/entry.js"]


def test_a_joined_script_is_as_it_was_written(tmp_path: Path) -> None:
    root = write(
        tmp_path,
        entry=ENTRY,
        two="// Two.\n\nconst one = 1;\nexport function two() { return one + 1; }\n",
    )
    assert joined("entry.js", root) == (
        "const $two = (() => {\n// Two.\n\nconst one = 1;\nfunction two() { return one + 1; }\n\n"
        "return { two };\n})();\n\n"
        "const $entry = (() => {\nconst { two } = $two;\n\nfunction mount() { return two(); }\n\n"
        "return { mount };\n})();\n\n"
        "export default $entry.mount;\n"
    )


@pytest.mark.skipif(not shutil.which("node"), reason="no node to run scripts")
def test_names_that_are_not_exported_do_not_meet(tmp_path: Path) -> None:
    root = write(
        tmp_path,
        entry='import { a } from "./a.js";\nimport {\n  b,\n} from "./b.js";\nconst own = 4;\n'
        "export default function mount() { return [a(), b(), own]; }\n",
        a="const own = 1;\nexport function a() { return own; }\n",
        b="const own = 2;\nexport function b() { return own; }\n",
    )
    code = joined("entry.js", root).replace("export default", "console.log(") + ")"
    code = code.replace(".mount;\n)", ".mount().join())")
    done = subprocess.run(["node", "-e", code], capture_output=True, text=True, check=True)
    assert done.stdout == "1,2,4\n"


@pytest.mark.parametrize(
    ("two", "sentence"),
    [
        (None, "There is no script two.js."),
        ("const two = 2;\n", "entry.js imports two, which two.js does not export."),
        (
            'import { mount } from "./entry.js";\nexport const two = () => mount;\n',
            "Scripts import each other in a circle: entry.js → two.js → entry.js.",
        ),
        (
            'import { one } from "./one.js";\nexport const two = 2; // one\n',
            "two.js imports one and does not use it.",
        ),
        (
            'import { one as un } from "./one.js";\nexport const two = un;\n',
            "two.js renames what it imports (one as un), which is not understood.",
        ),
        (
            'import { one } from "./one.js";\nconst one = 1;\nexport const two = one;\n',
            "two.js imports one and defines it too.",
        ),
        (
            'import { one } from "./one.js";\nimport { one } from "./uno.js";\nexport const two = one;\n',
            "two.js imports one twice.",
        ),
        (
            'import { one } from "./one.js";\nimport { uno } from "./one.js";\n',
            "two.js imports from one.js twice.",
        ),
        (
            'import one from "./one.js";\nexport const two = one;\n',
            'two.js says “import one from "./one.js";”, which is not understood.',
        ),
        (
            "export let two = 2;\n",
            "two.js says “export let two = 2;”, which is not understood.",
        ),
        (
            "const two = 2;\nexport { two };\n",
            "two.js says “export { two };”, which is not understood.",
        ),
        (
            "export default function a() {}\nexport default function b() {}\n",
            "two.js has more than one default export.",
        ),
    ],
)
def test_what_cannot_be_joined_is_refused(tmp_path: Path, two: str | None, sentence: str) -> None:
    scripts = {} if two is None else {"two": two}
    root = write(
        tmp_path,
        entry=ENTRY,
        one="export const one = 1;\nexport const uno = 1;\n",
        uno="export const one = 1;\n",
        **scripts,
    )
    with pytest.raises(ScriptError) as refused:
        joined("entry.js", root)
    assert str(refused.value) == sentence


def test_an_entry_says_what_mounts_it(tmp_path: Path) -> None:
    root = write(tmp_path, entry="export const two = 2;\n")
    with pytest.raises(ScriptError, match="has no `export default function"):
        joined("entry.js", root)


@pytest.mark.parametrize("entry", entries())
def test_a_joined_script_runs_and_exports_what_streamlit_calls(
    browser: Browser, entry: str
) -> None:
    page = browser.new_page()
    page.route("**/*", lambda route: route.fulfill(body="<p>", content_type="text/html"))
    page.goto("http://localhost/")  # a page with an origin has storage
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    found = page.evaluate(
        """async (text) => {
          const address = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
          const module = await import(address);
          return [Object.keys(module), typeof module.default, module.default.length];
        }""",
        joined(entry),
    )
    page.close()
    assert (found, problems) == ([["default"], "function", 1], [])
