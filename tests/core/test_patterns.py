"""No regular expression takes time that grows with the square of a text that somebody sends.

While one is at work no other thread runs, so 20 kB in a quadratic one stop a server for seconds.
"""

from __future__ import annotations

import importlib.util
import pkgutil
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import core
import pages
from tests.support.growth import HOSTILE, LONGEST, MAX_GROWTH, growth, needs_alarm, too_slow
from tests.support.pattern_texts import Pattern, Samples


def compiled(value: object, depth: int = 0) -> Iterator[Pattern]:
    """Yield the patterns of a module's variable: alone, in collections, in objects of the core."""
    if isinstance(value, re.Pattern):
        yield value
    elif depth < 4:
        if isinstance(value, dict):
            value = list(value.values())
        elif type(value).__module__.startswith("core.") and not isinstance(value, type):
            value = [getattr(value, name, None) for name in _fields(value)]
        if isinstance(value, (list, tuple, set, frozenset)):
            for item in value:
                yield from compiled(item, depth + 1)


def _may_have_patterns(module: pkgutil.ModuleInfo) -> bool:
    """Return whether a module may be imported, and has use for it: pages draw when they are."""
    if "migrations" in module.name or module.name.endswith("__main__"):
        return False
    source = importlib.util.find_spec(module.name)
    assert source is not None and source.origin is not None
    return module.name.startswith("core.") or "\nimport re\n" in Path(source.origin).read_text(
        "utf-8"
    )


def _fields(value: object) -> list[str]:
    slots = [getattr(kind, "__slots__", ()) for kind in type(value).__mro__]
    return [*getattr(value, "__dict__", ()), *(name for names in slots for name in names)]


def patterns() -> dict[str, Pattern]:
    """Return every pattern of the program by a variable that holds it."""
    found: dict[tuple[object, int], str] = {}
    for package in (core, pages):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not _may_have_patterns(module):
                continue
            for name, value in vars(importlib.import_module(module.name)).items():
                for number, pattern in enumerate(compiled(value)):
                    key = (pattern.pattern, pattern.flags)
                    found.setdefault(key, f"{module.name}.{name}.{number}")
    return {name: re.compile(pattern, flags) for (pattern, flags), name in found.items()}


def reading(pattern: Pattern) -> Callable[[str], object]:
    """Look through a text, and compare all of it."""

    def read(text: str) -> None:
        content: str | bytes = text
        if isinstance(pattern.pattern, bytes):
            content = text.encode("latin-1", "replace")
        for _ in pattern.finditer(content):  # type: ignore[arg-type]
            pass
        pattern.fullmatch(content)  # type: ignore[arg-type]

    return read


@needs_alarm
def test_no_pattern_is_quadratic() -> None:
    found = patterns()
    assert len(found) > 300
    calls = (
        (name, reading(pattern), dict.fromkeys([*HOSTILE, *Samples(pattern).texts()]))
        for name, pattern in found.items()
    )
    assert too_slow(calls) == []


@pytest.mark.parametrize(
    "written",
    [
        r"[^/#]*!",
        r"tasks[ \t]*:?[ \t]*$",
        r"\bPE(?=\s*\n\s*(?:general|vitals)\b)",
        r"(?:(?:bone|liver)\s*,\s*)+(?:bone|liver)\s+mets",
        r"charset\s*=\s*[\"']?\s*([a-z]+)",
        r"<!--.*-->",
        r"(?<=x)[a-z]+\d",
        r"yes(?=[ \t]*(?:$|[/|]?[ \t]*\[))",
    ],
)
def test_a_quadratic_pattern_would_be_found(written: str) -> None:
    pattern = re.compile(written)
    texts = [*Samples(pattern).texts(), *HOSTILE]
    # A busy machine makes a short text look slow, and so the growth small: longer ones follow.
    assert any(
        growth(reading(pattern), hostile, longest=length) > MAX_GROWTH
        for length in (LONGEST, 2 * LONGEST, 4 * LONGEST, 2 * LONGEST)
        for hostile in texts
    )


@pytest.mark.parametrize(
    "written",
    [r"\w+", r"tasks[ \t]*+:?[ \t]*+$", r"(?:bone, ){1,20}mets", r"PE(?=[^\S\n]*+\n\s*+x)"],
)
def test_a_linear_pattern_is_left_alone(written: str) -> None:
    pattern = re.compile(written)
    texts = [*HOSTILE, *Samples(pattern).texts()]
    assert max(growth(reading(pattern), hostile, floor=0.0001) for hostile in texts) <= MAX_GROWTH
