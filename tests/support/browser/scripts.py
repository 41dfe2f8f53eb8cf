"""Scripts of the components, run without a browser."""

from __future__ import annotations

import ast
import json
import subprocess
from typing import Any

from core.review.decisions.tree import rule
from pages.components.scripts import as_function, in_order, variable
from tests.support.structure import PROJECT_ROOT, read_modules

TREE_RULE = f"const rule = {json.dumps(rule())};\n"  # as the page hands it to the tree
STUBS = """
const localStorage = {}; globalThis.window = { localStorage }; globalThis.addEventListener = () => {};
const heard = [], asked = [];
globalThis.CustomEvent = class { constructor(name, { detail }) { Object.assign(this, { name, detail }); } };
globalThis.document = { baseURI: "http://localhost/", hidden: false, addEventListener() {},
  removeEventListener() {}, activeElement: null, body: null, dispatchEvent(event) { heard.push(event.detail); } };
let answers = [];
globalThis.fetch = async (address, sent) => { asked.push({ address: String(address), sent });
  const answer = answers.shift(); if (!answer) throw new TypeError("away");
  return { ok: true, json: async () => answer }; };
"""


def loaded(*names: str) -> str:
    """Return code after which all is known by its name that these scripts export."""
    scripts = in_order(*names)
    taken = [
        f"const {{ {', '.join(script.exports)} }} = {variable(script.name)};"
        for script in scripts
        if script.name in names
    ]
    return "\n".join([*map(as_function, scripts), *taken])


def run(body: str, *names: str) -> Any:
    """What an async function body returns that knows what these scripts export."""
    code = (
        f"{STUBS}{loaded(*names)}\n(async () => {{ {body} }})()"
        ".then((found) => { console.log(JSON.stringify(found)); process.exit(0); });"
    )
    return answered(code)


def answered(code: str) -> Any:
    """What this code writes to its standard output, as JSON."""
    done = subprocess.run(
        ["node", "-"], input=code, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def entries() -> list[str]:
    """The scripts that Python's components name: `register(…, folder="tree", entry="tree.js")`."""
    calls = [
        {
            word.arg: word.value.value
            for word in node.keywords
            if isinstance(word.value, ast.Constant)
        }
        for module in read_modules(PROJECT_ROOT, ["pages"]).values()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Call)
    ]
    return sorted(
        {"/".join([str(call["folder"]), str(call["entry"])]) for call in calls if "entry" in call}
    )
