"""`python -m core vocabulary FILE`: what a vocabulary file holds, and what had to be mended."""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

from core.vocabulary.skos import SkosReading, read_skos

SHOWN = 20
FEW = 5
DESCRIPTION = """\
Read a SKOS vocabulary (RDF/XML, Turtle or N-Triples; plain, .gz, or alone in a .zip) and report
what is in it. Of EuroVoc, domains and micro-thesauri count as concepts of levels 1 and 2."""
EPILOG = """\
concepts      all that have a label, the deprecated ones too
deprecated    of these, the ones that are not offered any more
edges         links from a concept to a broader one, between all of these
top_concepts  concepts that are offered and have no broader one that is
levels        offered concepts by the longest path from a top concept, from level 1;
              what is narrower than a deprecated concept counts below what is broader than that
schemes       concept schemes that are declared or used
languages     language codes of the labels; "" stands for labels without one
mended        what could not stand: the concept, the problem, what was done"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command line."""
    parser.description = DESCRIPTION
    parser.epilog = EPILOG
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("file", type=Path, metavar="FILE", help="the vocabulary")
    parser.add_argument("--json", action="store_true", help="print the report as one JSON object")


def run(arguments: argparse.Namespace) -> int:
    """Read the file and print the report.

    Raises:
        VocabularyError: the file is refused.
    """
    started = time.perf_counter()
    reading = read_skos(arguments.file)
    found = report(reading, seconds=time.perf_counter() - started)
    print(json.dumps(found, indent=2) if arguments.json else as_text(found))  # noqa: T201
    return 0


def report(reading: SkosReading, *, seconds: float) -> dict[str, Any]:
    """The figures of a reading, ready for JSON."""
    hierarchy = reading.hierarchy
    return {
        "vocabulary_id": hierarchy.vocabulary_id,
        "version": hierarchy.version,
        "concepts": reading.n_concepts,
        "deprecated": reading.deprecated,
        "edges": reading.n_edges,
        "top_concepts": len(hierarchy.top_concepts),
        "levels": [len(level) for level in hierarchy.levels],
        "schemes": reading.schemes,
        "languages": list(reading.languages),
        "mended": [
            {"concept": m.concept, "problem": m.problem, "action": m.action} for m in reading.mended
        ],
        "seconds": round(seconds, 2),
    }


def as_text(found: dict[str, Any]) -> str:
    """The report for a person; of a long list the beginning."""
    version = f" {found['version']}" if found["version"] else ""
    languages = ", ".join(code or "(none)" for code in found["languages"])
    lines = [
        f"{found['vocabulary_id']}{version}, read in {found['seconds']} s",
        f"concepts      {found['concepts']:,} ({found['deprecated']:,} deprecated)",
        f"edges         {found['edges']:,}",
        f"top concepts  {found['top_concepts']:,}",
        f"levels        {', '.join(f'{count:,}' for count in found['levels'])}",
        f"schemes       {len(found['schemes']):,}",
        *(f"              {uri}" for uri in _few(found["schemes"])),
        f"languages     {languages}",
        f"mended        {len(found['mended']):,}",
        *(f"  {m['problem']}: {m['action']}" for m in found["mended"][:SHOWN]),
    ]
    if len(found["mended"]) > SHOWN:
        lines.append(f"  and {len(found['mended']) - SHOWN:,} more, all with --json")
    return "\n".join(lines)


def _few(uris: list[str]) -> list[str]:
    """All of them, or none where the number says enough."""
    return uris if len(uris) <= FEW else []
