"""Scripts of the components, run without a browser."""

from __future__ import annotations

import json
import subprocess
from typing import Any

from core.settings import PROJECT_ROOT

COMPONENTS = PROJECT_ROOT / "assets" / "components"

STUBS = """
const localStorage = {}; globalThis.addEventListener = () => {};
const heard = [], asked = [];
globalThis.CustomEvent = class { constructor(name, { detail }) { Object.assign(this, { name, detail }); } };
globalThis.document = { baseURI: "http://localhost/", hidden: false, addEventListener() {},
  removeEventListener() {}, activeElement: null, body: null, dispatchEvent(event) { heard.push(event.detail); } };
let answers = [];
globalThis.fetch = async (address, sent) => { asked.push({ address: String(address), sent });
  const answer = answers.shift(); if (!answer) throw new TypeError("away");
  return { ok: true, json: async () => answer }; };
"""


def run(body: str, *names: str) -> Any:
    """What an async function body returns, with these scripts loaded before it."""
    texts = [(COMPONENTS / name).read_text("utf-8") for name in ("shared/dom.js", *names)]
    scripts = "\n".join(text.split("export default")[0] for text in texts)
    code = (
        f"{STUBS}{scripts}\n(async () => {{ {body} }})()"
        ".then((found) => { console.log(JSON.stringify(found)); process.exit(0); });"
    )
    done = subprocess.run(
        ["node", "-e", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
