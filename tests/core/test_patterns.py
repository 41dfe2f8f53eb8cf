"""No regular expression takes time that grows with the square of a text that somebody sends.

While one is at work no other thread runs, so 20 kB in a quadratic one stop a server for seconds.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
import signal
import time
from collections.abc import Iterator

import pytest

import core

SHORT, FACTOR = 2_000, 4  # characters; and how much longer the other text is
NOTICED_SECONDS = 0.003  # linear ones take a tenth of that
MAX_GROWTH = 2 * FACTOR  # FACTOR where it is linear, FACTOR squared where it is quadratic
ALARM_SECONDS = 2.0  # of work; one that is exponential would never end
UNITS = [
    *(" ", "\t", "\n", "a", "A", "0", "é", "/", "#", "<", "(", "[", "-", "_", ",", ";", ":", "&"),
    *("'", '"', "=", "*", "a ", "A ", "0 ", "a.", "A,", "0.", "0-", "a-", "a/", "a_", "(a", "[a "),
    *("\n ", "\n\n ", " \n", ": ", ":\n", "- ", " -", ". ", ".\n", ", ", "; ", "| ", "<p ", "<!--"),
    *("<!-- -->", "<?xml ", "[**", "[** ", "http://", "a=", "&a", "a'", "a\n", "A\n", "1) ", "(1) "),
]  # fmt: skip
WORDS = re.compile(r"[A-Za-z]{2,}(?: [a-z]{2,})*")
MAX_WORDS = 60


def compiled(value: object, depth: int = 0) -> Iterator[re.Pattern[str] | re.Pattern[bytes]]:
    """Yield the patterns of a module's variable: alone, in collections, in objects of the core."""
    if isinstance(value, re.Pattern):
        yield value
    elif depth < 4:
        if isinstance(value, dict):
            value = list(value.values())
        elif type(value).__module__.startswith("core.") and not isinstance(value, type):
            value = [getattr(value, name, None) for name in getattr(value, "__dict__", ())]
        if isinstance(value, (list, tuple, set, frozenset)):
            for item in value:
                yield from compiled(item, depth + 1)


def patterns() -> dict[str, re.Pattern[str] | re.Pattern[bytes]]:
    """Return every pattern of the core by a variable that holds it."""
    found: dict[tuple[object, int], str] = {}
    for module in pkgutil.walk_packages(core.__path__, "core."):
        if "migrations" in module.name or module.name.endswith("__main__"):
            continue
        for name, value in vars(importlib.import_module(module.name)).items():
            for number, pattern in enumerate(compiled(value)):
                found.setdefault((pattern.pattern, pattern.flags), f"{module.name}.{name}.{number}")
    return {name: re.compile(pattern, flags) for (pattern, flags), name in found.items()}


def seconds(pattern: re.Pattern[str] | re.Pattern[bytes], unit: str, size: int) -> float:
    """Return how long a text of one unit, over and over, keeps the processor."""
    text: str | bytes = unit * (size // len(unit)) + "\0"
    if isinstance(pattern.pattern, bytes):
        text = text.encode()
    started = time.thread_time()
    for _ in pattern.finditer(text):  # type: ignore[arg-type]
        pass
    pattern.fullmatch(text)  # type: ignore[arg-type]
    return time.thread_time() - started


def growth(pattern: re.Pattern[str] | re.Pattern[bytes], unit: str) -> float:
    """Return by how much a text that is longer by FACTOR takes longer; 0 where nobody notices."""
    if seconds(pattern, unit, SHORT) < NOTICED_SECONDS:
        return 0.0
    short = min(seconds(pattern, unit, SHORT) for _ in range(3))
    return min(seconds(pattern, unit, FACTOR * SHORT) for _ in range(2)) / short


def _too_long(*_: object) -> None:
    raise TimeoutError


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there is no alarm here")
def test_no_pattern_is_quadratic() -> None:
    found = patterns()
    assert len(found) > 80
    bad = []
    before = signal.signal(signal.SIGVTALRM, _too_long)
    try:
        for name, pattern in found.items():
            written = pattern.pattern if isinstance(pattern.pattern, str) else ""
            words = [f"{word} " for word in WORDS.findall(written)[:MAX_WORDS]]
            for unit in dict.fromkeys([*UNITS, *words]):
                signal.setitimer(signal.ITIMER_VIRTUAL, ALARM_SECONDS)
                try:
                    grown = growth(pattern, unit)
                except TimeoutError:
                    grown = float("inf")
                if grown > MAX_GROWTH:
                    bad.append((name, unit, round(grown, 1)))
                    break
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
    assert bad == []


@pytest.mark.parametrize(("pattern", "unit"), [(r"[^/#]*$", "/a"), (r"(?:a|past )*b", "a")])
def test_a_quadratic_pattern_would_be_found(pattern: str, unit: str) -> None:
    assert growth(re.compile(pattern.replace("$", "!")), unit.replace("/", "")) > MAX_GROWTH
