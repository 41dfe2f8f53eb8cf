"""No function that reads a text takes time that grows with the square of it.

Names and rules are looked for in the server: while a long one is at work, nobody else is answered.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator
from functools import partial

import core
from core.clinical.assertions import Assertions
from core.clinical.encounters import Note, encounter, with_sections
from core.clinical.names.matcher import LexicalMatcher
from core.clinical.ranking.suggester import CodesSuggester
from core.clinical.stays.rules import RULES
from core.documents.document import Document
from core.documents.intake import read_pasted, read_text
from core.documents.readers import html
from core.errors import StrataError
from core.suggest.cold_start.suggester import ColdStartSuggester
from tests.core.clinical.stays.conftest import MakesNote
from tests.support.growth import LONGEST, MAX_GROWTH, Hostile, growth, needs_alarm, too_slow
from tests.support.named_codes import named_codes

# What the issues of attackers name, what notes and acts are full of, and signs alone.
UNITS = [
    *("bone, ", "liver and ", "( ) ", "[ ] ", "[x] no ", "[ ] copd ", "☐ yes ", "tasks ", "to-do:\n"),
    *("PE", "PE\n", "no ", "denies ", "history of ", "mother had asthma. ", "ruled out ", "metastatic "),
    *("mets to bone, ", "breast cancer metastatic to ", "asthma, ", "hypertension ", "left knee pain, "),
    *("type 2 diabetes with ", "fracture ", "1. COPD\n", "PMH: asthma\n\n", "HISTORY:\n", ". LUNGS: "),
    *("newborn twin 3200 g ", "BMI 30 ", "stage 3 pressure ", "overdose of aspirin ", "1 ppd ", "s/p "),
    *("REGULATION (EU) ", "Article 1\n", "ANNEX\n", "Whereas:\n", "(1) ", "L 1/2\n", "EN ", "-\n", "a-\n"),
    *("THE COUNCIL OF ", "OJ L 1, 1.1.2020, p. 1\n", "[**name**] ", "___ ", "a", "A ", "1 ", "é ", "."),
    *("\n", " ", "\t", "\n \n", ", ", ": ", "; ", "- ", "<p>", "<b>a</b> ", "&amp; ", "http://a.b ", "'"),
]  # fmt: skip
TEXTS = [Hostile("", unit, "\nEnd of it.") for unit in UNITS]
TEXTS += [
    Hostile(prefix, blank, "\nEnd of it.")
    for prefix in (
        "tasks",
        "PE",
        "☐ yes",
        "[ ] a",
        "no",
        "to-do a",
        "bone",
        "PMH:",
        "Article 1",
        "A",
    )
    for blank in (" ", "\n")
]
NAMES = frozenset(
    {
        "text",
        "title",
        "typed",
        "line",
        "words",
        "content",
        "label",
        "header",
        "stem",
        "cue",
        "stretch",
    }
)
PACKAGES = (
    "core.suggest",
    "core.documents",
    "core.clinical",
    "core.vocabulary.search",
    "core.model.terms",
)
HALF_LONGEST = LONGEST // 2  # of what has many rules; a quadratic one takes a quarter of the time
NOT_OF_TEXTS = frozenset(
    {"core.documents.batches.assigned_concepts._listed"}
)  # of cells, cut before


def functions() -> dict[str, Callable[[str], object]]:
    """Return every function that needs a text, and nothing else."""
    found = {}
    for module in pkgutil.walk_packages(core.__path__, "core."):
        if not module.name.startswith(PACKAGES) or module.name.endswith("worker"):
            continue
        for name, value in vars(importlib.import_module(module.name)).items():
            function = inspect.unwrap(value) if callable(value) else None
            if not inspect.isfunction(function) or function.__module__ != module.name:
                continue
            needed = [
                p for p in inspect.signature(function).parameters.values() if p.default is p.empty
            ]
            if len(needed) == 1 and needed[0].name in NAMES and needed[0].annotation == "str":
                found[f"{module.name}.{name}"] = function
    return {name: function for name, function in found.items() if name not in NOT_OF_TEXTS}


def with_sentences(function: Callable[[str], object]) -> Callable[[str], object]:
    """Let what cannot be read be said."""

    def read(text: str) -> None:
        try:
            found = function(text)
            if isinstance(found, Iterator):
                for _ in found:
                    pass
        except (StrataError, ValueError, KeyError):
            pass

    return read


@needs_alarm
def test_no_function_of_a_text_is_quadratic() -> None:
    found = functions()
    assert len(found) > 70
    found |= {
        "read_pasted": partial(read_pasted, ""),
        "read_title": partial(read_pasted, text="x"),
        "read_text": lambda text: read_text("a.txt", text.encode()),
        "html": lambda text: html.read("a.html", b"<html><body>" + text.encode()),
        "encounter": lambda text: encounter("d", "", [Note(text)]),
        "with_sections": lambda text: with_sections(Document.from_text("d", "A note", text)),
        "Assertions": Assertions,
    }
    calls = ((name, with_sentences(function), TEXTS) for name, function in found.items())
    assert too_slow(calls) == []


@needs_alarm
def test_no_suggester_by_names_and_rules_is_quadratic(stays: CodesSuggester) -> None:
    learned = ColdStartSuggester.of_vocabulary(named_codes(), language="en")
    matcher = LexicalMatcher(named_codes())

    def document(text: str) -> Document:
        return Document.from_text("d", text[:300], text)

    calls: dict[str, Callable[[str], object]] = {
        "codes": lambda text: stays.suggest(document(text)),
        "cold start": lambda text: learned.suggest(document(text)),
        "names": matcher.matches,
    }
    for call in calls.values():
        call("what is read from files at the first call")
    read = ((name, call, TEXTS) for name, call in calls.items())
    assert too_slow(read, longest=HALF_LONGEST, floor=0.04) == []


@needs_alarm
def test_no_rule_for_stays_is_quadratic(note: MakesNote) -> None:
    def read(text: str) -> None:
        found = note(f"COPD, pneumonia. {text}", J449="COPD", J189="pneumonia")
        for rule in RULES:
            list(rule(found))

    assert too_slow([("rules", read, TEXTS)], longest=HALF_LONGEST, floor=0.025) == []


def test_a_quadratic_function_would_be_found() -> None:
    def quadratic(text: str) -> int:
        return sum(1 for _ in range(len(text)) for _ in range(0, len(text), 8))

    # What disturbs the shorter texts makes the growth small: it is looked for again, in longer ones.
    lengths = (LONGEST, 2 * LONGEST, 4 * LONGEST) * 3
    assert any(growth(quadratic, TEXTS[0], longest=length) > MAX_GROWTH for length in lengths)
