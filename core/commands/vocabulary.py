"""`python -m core vocabulary FILE …`: what a vocabulary holds, and what had to be mended."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Option, Typer

from core.commands.options import PLAIN
from core.processes import without_garbage_collection
from core.settings import Settings
from core.vocabulary.bounded import read_bounded
from core.vocabulary.readers import BUILT_IN, read_built_in
from core.vocabulary.report import report
from core.vocabulary.versions.keeping import checksum, keep
from core.vocabulary.versions.vocabulary_versions import VocabularyVersions

SHOWN = 20
FEW = 5
LEGEND = """\b
kept as       what it is called in the home folder, where another vocabulary has its name
concepts      all that have a label, the deprecated ones too
deprecated    of these, the ones that are not offered any more
edges         links from a concept to a broader one, between all of these
top_concepts  concepts that are offered and have no broader one that is
levels        offered concepts by the longest path from a top concept, from level 1;
              what is narrower than a deprecated concept counts below what is broader than that
schemes       concept schemes that are declared or used
languages     language codes of the labels; "" stands for labels without one
mended        what could not stand: the concept, the problem, what was done; of code systems also
              codes that a titled tree does not have, and divisions that no file titles
paper         ICD-9-CM: levels beside those of Manginas et al. (2020), Table 3"""

app = Typer(**PLAIN)


@app.command(epilog=LEGEND)
def vocabulary(
    files: Annotated[list[Path], Argument(metavar="FILE", help="the vocabulary")],
    *,
    vocabulary_id: Annotated[
        str | None, Option("--id", help="what a table of codes is called (as its file)")
    ] = None,
    as_json: Annotated[bool, Option("--json", help="print the report as one JSON object")] = False,
    kept: Annotated[
        bool,
        Option(
            "--import", help="keep it as the Vocabulary page does, in the folder of STRATA_HOME"
        ),
    ] = False,
) -> None:
    """Read a vocabulary and report what is in it: SKOS (RDF/XML, Turtle or N-Triples; plain, .gz, or
    alone in a .zip); a table of codes (.csv with the columns code, parent, label, synonyms); the
    files of ICD-9-CM, of which several are read as one (release .zip, titled tree, table of
    descriptions); or "icd10cm" or "icd9cm", which are built in. Of EuroVoc, domains and micro-thesauri count as
    concepts of levels 1 and 2.
    """
    home = Settings.from_env().home if kept else None
    name = str(files[0])
    if len(files) == 1 and name in BUILT_IN and not files[0].exists():
        facts = _built_in(name, home)
    else:
        facts = read_bounded(files, vocabulary_id=vocabulary_id, home=home).report
    print(json.dumps(facts, indent=2) if as_json else as_text(facts))


def _built_in(name: str, home: Path | None) -> dict[str, Any]:
    started = time.perf_counter()
    with without_garbage_collection():
        reading = read_built_in(name)
    facts = report(reading, seconds=time.perf_counter() - started)
    if home is not None:
        checked = checksum([name.encode()])
        versions = VocabularyVersions(home)
        keep(versions, reading.hierarchy, file_name=name, sha256=checked, report=facts)
    return facts


def as_text(facts: dict[str, Any]) -> str:
    """Return the report for a person; of a long list the beginning."""
    version = f" {facts['version']}" if facts["version"] else ""
    languages = ", ".join(code or "(none)" for code in facts["languages"])
    lines = [
        f"{facts['vocabulary_id']}{version}, read in {facts['seconds']} s",
        *([f"kept as       {facts['kept_as']}"] if "kept_as" in facts else []),
        f"concepts      {facts['concepts']:,} ({facts['deprecated']:,} deprecated)",
        f"edges         {facts['edges']:,}",
        f"top concepts  {facts['top_concepts']:,}",
        f"levels        {', '.join(f'{count:,}' for count in facts['levels'])}",
        f"schemes       {len(facts['schemes']):,}",
        *(f"              {uri}" for uri in _few(facts["schemes"])),
        f"languages     {languages}",
        *_lines_of_codes(facts),
        f"mended        {len(facts['mended']):,}",
        *(f"  {m['problem']}: {m['action']}" for m in facts["mended"][:SHOWN]),
    ]
    if len(facts["mended"]) > SHOWN:
        lines.append(f"  and {len(facts['mended']) - SHOWN:,} more, all with --json")
    return "\n".join(lines)


def _lines_of_codes(facts: dict[str, Any]) -> list[str]:
    if "assignable" not in facts:
        return []
    lines = [
        f"assignable    {facts['assignable']:,}",
        *([f"categories    {facts['categories']:,} of these"] if "categories" in facts else []),
        f"attached      {facts['attached']:,} that the titled tree does not have",
        f"untitled      {facts['untitled']:,} divisions",
    ]
    if "paper" in facts:
        lines.append("level         here   paper   difference")
        lines += [
            f"{row['level']:>5}{row['here']:>13,}{row['paper']:>8,}{row['here'] - row['paper']:>+13,}"
            for row in facts["paper"]
        ]
        here, paper = (sum(row[column] for row in facts["paper"]) for column in ("here", "paper"))
        lines.append(f"{'all':>5}{here:>13,}{paper:>8,}{here - paper:>+13,}")
    return lines


def _few(uris: list[str]) -> list[str]:
    return uris if len(uris) <= FEW else []
