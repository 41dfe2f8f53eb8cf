"""No pattern of a script takes time that grows with the square of a text, as in Python's."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from pages.components.scripts import ASSETS
from tests.support.browser.scripts import answered, run
from tests.support.growth import HOSTILE, MAX_GROWTH, Hostile
from tests.support.pattern_texts import Samples

pytestmark = pytest.mark.skipif(not shutil.which("node"), reason="no node to run scripts")

LITERAL = re.compile(
    r"""(?<![\w/*<:"')\]])\s*/(?![/* ])((?:[^/\n\\\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)/([gimsuyd]*)(?=[.,;)\]\s])"""
)
LONGEST = 40_000
NOTICED_MS = 20  # of the processor; what is linear takes one or two
LIMIT_MS = 1_000  # for what is exponential, which would never end

# Python's words for what only JavaScript writes so; a sample need not be exact.
AS_PYTHON = {
    "(?<": "(?P<", "(?P<=": "(?<=", "(?P<!": "(?<!", "[^]": r"[\s\S]", r"\p{L}": r"\w",
    r"\p{N}": r"\d", r"\p{M}": r"\W", r"\p{Lu}": "A-Z",
    r"\p{Script=Latin}": "[a-z]", r"\u{10000}-\u{10FFFF}": "a-z",
}  # fmt: skip

MEASURE = """
const hostile = ({ prefix, unit, end }, size) =>
  prefix + unit.repeat(Math.max(1, Math.floor(size / unit.length))) + end;
const vm = require("node:vm");
const ms = (call, text) => {
  const begun = process.cpuUsage();
  try { vm.runInNewContext("call(text)", { call, text }, { timeout: LIMIT_MS }); } catch { return Infinity; }
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / 1000;
};
const growth = (call, text) => {
  let least = Infinity;
  for (let attempt = 0; attempt < 3 && least > MAX_GROWTH; attempt += 1) {
    const times = [4, 2, 1].map((part) => ms(call, hostile(text, LONGEST / part)));
    if (times[2] === Infinity) return Infinity;
    if (times[2] < NOTICED_MS) return 0;
    least = Math.min(least, (times[2] - times[1]) / Math.max(times[1] - times[0], NOTICED_MS / 10));
  }
  return least;
};
const tooSlow = (calls, texts) => Object.entries(calls).flatMap(([name, call]) => {
  const slow = texts[name].find((text) => growth(call, text) > MAX_GROWTH);
  return slow ? [[name, slow]] : [];
});
"""


def literals(code: str) -> list[tuple[str, str]]:
    """Return pattern and flags of each literal of a script."""
    bare = re.sub(r"(?m)(?<!\S)//.*$", "", code)
    return LITERAL.findall(bare)


def hostile_texts(source: str) -> list[Hostile]:
    """Return what may be slow for a pattern: common units, and its own words over and over."""
    for written, read in AS_PYTHON.items():
        source = source.replace(written, read)
    return list(dict.fromkeys([*HOSTILE, *Samples(re.compile(source)).texts()]))


def too_slow(patterns: dict[str, tuple[str, str]]) -> list[tuple[str, dict[str, str]]]:
    """Return the names of patterns whose time grows by more than the text, with a text."""
    texts = {
        name: [hostile._asdict() for hostile in hostile_texts(source)]
        for name, (source, _) in patterns.items()
    }
    code = f"""
const MAX_GROWTH = {MAX_GROWTH}, LONGEST = {LONGEST}, NOTICED_MS = {NOTICED_MS}, LIMIT_MS = {LIMIT_MS};
{MEASURE}
const calls = Object.fromEntries(Object.entries({json.dumps(patterns)}).map(([name, [source, flags]]) =>
  [name, (text) => text.replace(new RegExp(source, flags.replace("y", "g")), "")]));
console.log(JSON.stringify(tooSlow(calls, {json.dumps(texts)})));
"""
    return answered(code)


def patterns() -> dict[str, tuple[str, str]]:
    """Return all literals by file and number."""
    return {
        f"{path.relative_to(ASSETS)} {number}": pair
        for path in sorted(Path(ASSETS).rglob("*.js"))
        for number, pair in enumerate(literals(path.read_text("utf-8")))
    }


def test_no_pattern_of_a_script_is_quadratic() -> None:
    found = patterns()
    assert len(found) > 30
    assert too_slow(found) == []


def test_the_parts_of_a_title_take_linear_time() -> None:
    units = [
        "concerning ",
        "amending concerning ",
        "Regulation 1/2 ",
        " ",
        "(Text with EEA relevance",
        "of the A ",
    ]
    texts = [
        {"prefix": prefix, "unit": unit, "end": end}
        for prefix in ("", "Regulation (EU) No 2030/1 amending ")
        for unit in units
        for end in ("\0", "\n", "")
    ]
    body = f"""
const MAX_GROWTH = {MAX_GROWTH}, LONGEST = {LONGEST}, NOTICED_MS = {NOTICED_MS}, LIMIT_MS = {LIMIT_MS};
{MEASURE}
return tooSlow({{ titleParts }}, {{ titleParts: {json.dumps(texts)} }});
"""
    assert run(body, "shared/titles.js") == []


@pytest.mark.parametrize("source", [r"\s*\(x\)", r"^(?:a+)+$", r"\n[^\S\n]*\n\s*!", r"[^/#]*!"])
def test_a_quadratic_pattern_would_be_found(source: str) -> None:
    assert too_slow({"this": (source, "g")})
