"""How fast and how large serving is: `python -m training.benchmarks.serving`, on an idle machine.

Each figure is measured in a process of its own where it depends on a fresh start. Texts are made
from the vocabulary's labels by a fixed seed, so that the benchmark needs no corpus.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from core.documents.document import Document
from core.settings import Settings
from core.suggest.label_suggester import LabelSuggester
from core.suggest.opening import load_suggester

_LOAD = """
import time
start = time.perf_counter()
from pathlib import Path
import core.suggest.registry
from core.suggest.opening import load_suggester
imported = time.perf_counter()
predictor = load_suggester(Path({bundle!r}))
print(imported - start, time.perf_counter() - imported)
"""


def main() -> None:
    """Print every figure as one line of a Markdown table."""
    parser = argparse.ArgumentParser(
        prog="python -m training.benchmarks.serving", description=__doc__
    )
    parser.add_argument("--bundle", type=Path, default=Settings.from_env().bundle_dir)
    parser.add_argument("--repeats", type=int, default=30)
    options = parser.parse_args()
    print("| measure | value |\n| --- | --- |")
    for name, value in figures(options.bundle, options.repeats):
        print(f"| {name} | {value} |", flush=True)


def figures(bundle: Path, repeats: int) -> list[tuple[str, str]]:
    """Return all measures of one bundle, in the order of the table."""
    rows = [("processor cores, load before", f"{os.cpu_count()}, {os.getloadavg()[0]:.2f}")]
    rows += load_times(bundle)
    predictor = load_suggester(bundle)
    writer = ActWriter(predictor)
    rows += latency("a title of 15 words", predictor, writer.title, repeats)
    rows += latency("an act of 2,000 words", predictor, writer.act, max(5, repeats // 3))
    rows += throughput("titles", predictor, [writer.title() for _ in range(256)])
    rows += throughput("acts of 2,000 words", predictor, [writer.act() for _ in range(16)])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return [*rows, ("memory, peak", f"{peak:,.0f} MB"), bundle_size(bundle)]


def load_times(bundle: Path, repeats: int = 3) -> list[tuple[str, str]]:
    """Return the median time to import and load in fresh processes."""
    times = []
    for _ in range(repeats):
        command = [sys.executable, "-c", _LOAD.format(bundle=str(bundle))]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        times.append([float(x) for x in done.stdout.split()])
    imports, loads = np.median(np.array(times), axis=0)
    return [("import of torch and transformers", f"{imports:.2f} s"), ("load", f"{loads:.2f} s")]


def latency(
    name: str, predictor: LabelSuggester, write: Callable[[], Document], repeats: int
) -> list[tuple[str, str]]:
    """Return median and 95th percentile of one document at a time, each another text."""
    for _ in range(3):
        predictor.suggest(write())
    times = []
    for document in [write() for _ in range(repeats)]:
        start = time.perf_counter()
        predictor.suggest(document)
        times.append(1000 * (time.perf_counter() - start))
    p50, p95 = np.percentile(times, [50, 95])
    return [(f"latency of {name}, p50 / p95", f"{p50:.0f} / {p95:.0f} ms")]


def throughput(
    name: str, predictor: LabelSuggester, documents: list[Document]
) -> list[tuple[str, str]]:
    """Return documents a second in batches."""
    start = time.perf_counter()
    done = sum(1 for _ in predictor.suggest_batch(documents))
    return [(f"{name} in batch", f"{done / (time.perf_counter() - start):.1f} documents/s")]


def bundle_size(bundle: Path) -> tuple[str, str]:
    """Return bytes on disk."""
    n_bytes = sum(path.stat().st_size for path in bundle.iterdir())
    return ("bundle on disk", f"{n_bytes / 1e6:.1f} MB")


class ActWriter:
    """Writes texts of a vocabulary's words, a different one at each call."""

    def __init__(self, predictor: LabelSuggester, seed: int = 1) -> None:
        hierarchy = predictor.label_space.hierarchy
        labels = [hierarchy[i].label() for i in predictor.label_space.concept_ids]
        self.words = " ".join(labels).split()
        self.random = random.Random(seed)

    def sentence(self, n_words: int) -> str:
        """Return words in no order that means anything; their number is what counts here."""
        return " ".join(self.random.choices(self.words, k=n_words))

    def title(self) -> Document:
        """Return a document of 15 words."""
        return Document.from_text("title", self.sentence(15), "")

    def act(self) -> Document:
        """Return a document of 2,000 words in paragraphs of 50."""
        paragraphs = [self.sentence(50) + "." for _ in range(40)]
        return Document.from_text("act", self.sentence(15), "\n\n".join(paragraphs))


if __name__ == "__main__":
    main()
