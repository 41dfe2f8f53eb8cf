"""How ICD-10-CM opens beside a running model: `python -m training.benchmarks.code_systems`.

A process loads the model bundle and the vocabulary in use, as a server does; then it opens
ICD-10-CM with its search index and words, and time and memory of that are noted, each time in a new
process. That it is kept once, by a process of its own, is timed apart. The peer is the package that
it comes from, imported alone: it offers the tree, and no search. Of ICD-9-CM the levels are set
beside those of Manginas et al. (2020), where its files are.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from typer import Exit, Option

from core.commands.options import run_function
from core.settings import PROJECT_ROOT, Settings
from core.vocabulary.codes.icd9cm import level_table, read_icd9cm
from core.vocabulary.versions.keeping import keep_built_in
from core.vocabulary.versions.vocabulary_versions import VocabularyVersions
from training.judging.recorded import write_text

ICD9 = PROJECT_ROOT.parent / "shared" / "data" / "icd9cm"
RESULTS = PROJECT_ROOT / "docs" / "results" / "code-systems"
MOST_SECONDS, MOST_MEGABYTES = 3.0, 400.0
_MEMORY = """
import time
from pathlib import Path
def megabytes():
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024
"""
_OPEN = (
    _MEMORY
    + """
from core.suggest.opening import load_suggester
from core.vocabulary.versions.keeping import index_path
from core.vocabulary.search.vocabulary_index import VocabularyIndex
from core.vocabulary.versions.vocabulary_versions import VocabularyVersions
predictor = load_suggester(Path({bundle!r}))
versions = VocabularyVersions(Path({home!r}))
before = megabytes()
start = time.perf_counter()
tree = versions.load(versions.entries()[0].key)
index = VocabularyIndex.open(tree, index_path(versions.home, tree))
index.search("e1165")
ready = time.perf_counter() - start
index.warm()
print(ready, time.perf_counter() - start, megabytes() - before)
"""
)
_PEER = (
    _MEMORY
    + """
before = megabytes()
start = time.perf_counter()
import simple_icd_10_cm
simple_icd_10_cm.get_all_codes(True)
elapsed = time.perf_counter() - start
print(elapsed, elapsed, megabytes() - before)
"""
)


def main(
    *,
    bundle: Path | None = None,
    icd9: Annotated[Path, Option(help="folder of the files of ICD-9-CM")] = ICD9,
    repeats: int = 5,
    out: Annotated[Path, Option(help="folder for the report")] = RESULTS,
) -> None:
    """Print the report and keep it; the exit code is 1 where a bound is missed."""
    about = f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before"
    rows, passed = opening(bundle or Settings.from_env().bundle_dir, repeats)
    text = "\n".join(
        [
            "# Code systems",
            "",
            f"By `python -m training.benchmarks.code_systems` ({about}).",
            "",
            *rows,
            *levels(icd9),
        ]
    )
    print(text)  # noqa: T201
    write_text(out / "README.md", text + "\n")
    raise Exit(0 if passed else 1)


def opening(bundle: Path, repeats: int) -> tuple[list[str], bool]:
    """Return a table of times and memory, medians over processes, and whether bounds are met."""
    with tempfile.TemporaryDirectory() as home:
        start = time.perf_counter()
        entry = keep_built_in(VocabularyVersions(Path(home)), "icd10cm")
        kept = time.perf_counter() - start
        # Of all children so far, of which this is the only one.
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        script = _OPEN.format(bundle=str(bundle), home=home)
        ready, warm, memory = measured(script, repeats)
    peer, _, peer_memory = measured(_PEER, repeats)
    passed = ready < MOST_SECONDS and memory < MOST_MEGABYTES
    rows = [
        f"ICD-10-CM {entry.version}: {entry.report['concepts']:,} concepts, "
        f"{entry.report['assignable']:,} assignable codes; medians of {repeats} processes.",
        "",
        "| measure | seconds | MB | bound |",
        "| --- | --- | --- | --- |",
        f"| opened beside the model, tree and search answering | {ready:.2f} | {memory:.0f} "
        f"| {MOST_SECONDS:.0f} s, {MOST_MEGABYTES:.0f} MB: {'held' if passed else 'missed'} |",
        f"| the same, with the words for typing errors | {warm:.2f} | {memory:.0f} | |",
        f"| the peer: `simple-icd-10-cm` imported alone, no search | {peer:.2f} "
        f"| {peer_memory:.0f} | |",
        f"| once, in a process that ends: read, kept and indexed | {kept:.1f} | {peak:.0f} | |",
    ]
    return rows, passed


def measured(script: str, repeats: int) -> tuple[float, float, float]:
    """Return medians of what the script prints: seconds till ready and till warm, and added MB."""
    found = []
    for _ in range(repeats):
        done = subprocess.run(
            [sys.executable, "-c", script],
            cwd=PROJECT_ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
        found.append([float(part) for part in done.stdout.split()[-3:]])
    ready, warm, memory = (statistics.median(column) for column in zip(*found, strict=True))
    return ready, warm, memory


def levels(folder: Path) -> Iterator[str]:
    """Yield the levels of ICD-9-CM beside the paper's; nothing where its files are not there."""
    if not folder.is_dir():
        return
    reading = read_icd9cm(sorted(folder.iterdir()))
    tree = reading.hierarchy
    yield ""
    yield (
        f"ICD-9-CM {tree.version}: {sum(tree[code].assignable for code in tree):,} assignable "
        f"codes; {len(reading.attached):,} codes and divisions that the titled tree does not have, "
        f"{len(reading.untitled)} divisions without a title."
    )
    yield ""
    yield "| level | here | Table 3 | difference |"
    yield "| --- | --- | --- | --- |"
    rows = level_table(tree)
    here, paper = (sum(row[column] for row in rows) for column in (1, 2))
    for level, own, theirs in [*rows, ("all", here, paper)]:
        yield f"| {level} | {own:,} | {theirs:,} | {own - theirs:+,} |"


if __name__ == "__main__":
    sys.exit(run_function(main, "training.benchmarks.code_systems"))
