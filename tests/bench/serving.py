"""How fast and how large serving is: `python -m tests.bench.serving`, on an idle machine.

A bundle as it is served stands beside the same in PyTorch and fp32; both read the same texts, in turns, so that what else runs slows both. Texts
are made from the vocabulary's labels by a fixed seed, so that the benchmark needs no corpus.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np

from core.commands.options import run_function
from core.documents.document import Document
from core.errors import StrataError
from core.settings import Settings
from core.suggest.label_suggester import LabelSuggester
from core.suggest.opening import load_suggester
from core.vocabulary.concepts import Hierarchy

_LOAD = """
import time
start = time.perf_counter()
from pathlib import Path
import core.suggest.registry
from core.suggest.opening import load_suggester
imported = time.perf_counter()
suggester = load_suggester(Path({bundle!r}))
loaded = time.perf_counter()
import resource
from tests.bench.serving import ActWriter
writer = ActWriter(suggester.label_space.hierarchy)
suggester.suggest(writer.act())
list(suggester.suggest_batch([writer.act() for _ in range(16)]))
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(imported - start, loaded - imported, peak)
"""

Suggest = Callable[[Sequence[Document]], object]
"""Reads documents, one alone or many together."""

ROUNDS = 3
N_TITLES, N_ACTS = 256, 16


class Row(NamedTuple):
    """A measure of each of several programs.

    Attributes:
        values: as written; the program that is served first.
        ratios: how many times faster the first is than each of the others.
    """

    name: str
    values: Sequence[str]
    ratios: Sequence[float] = ()


def main(
    *,
    bundle: Path | None = None,
    repeats: int = 30,
) -> None:
    """Print every figure as one line of a Markdown table."""
    bundle = bundle or Settings.from_env().bundle_dir
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.2f} before\n", flush=True)
    suggesters = arms(bundle)
    programs: dict[str, Suggest] = {name: _reads(s) for name, s in suggesters.items()}
    writer = ActWriter(next(iter(suggesters.values())).label_space.hierarchy)
    names = list(programs)
    print(_line(["measure", *names, *(f"times {name}" for name in names[1:])]))
    print(_line(["---"] * (2 * len(names))))
    for row in figures(programs, writer, repeats):
        ratios = [f"{ratio:.1f}" for ratio in row.ratios] or [""] * (len(names) - 1)
        print(_line([row.name, *row.values, *ratios]), flush=True)
    print("\n| as served | |\n| --- | --- |")
    n_bytes = sum(path.stat().st_size for path in bundle.iterdir())
    for name, value in [*start(bundle), ("bundle on disk", f"{n_bytes / 1e6:.1f} MB")]:
        print(_line([name, value]), flush=True)


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


# ---------------------------------------------------------------------- programs


def arms(bundle: Path) -> dict[str, LabelSuggester]:
    """Load a bundle as it is served, and in PyTorch and fp32."""
    served = load_suggester(bundle)
    with _computed_in("fp32"):
        return {"as served": served, "PyTorch, fp32": load_suggester(bundle, backend="torch")}


@contextmanager
def _computed_in(name: str) -> Iterator[None]:
    before = os.environ.get("STRATA_PRECISION")
    os.environ["STRATA_PRECISION"] = name
    try:
        yield
    finally:
        del os.environ["STRATA_PRECISION"]
        if before is not None:
            os.environ["STRATA_PRECISION"] = before


def _reads(suggester: LabelSuggester) -> Suggest:
    def read(documents: Sequence[Document]) -> object:
        if len(documents) == 1:
            return suggester.suggest(documents[0])
        return list(suggester.suggest_batch(documents))

    return read


# ---------------------------------------------------------------------- measures


def figures(programs: Mapping[str, Suggest], writer: ActWriter, repeats: int) -> Iterator[Row]:
    """Yield all measures, in the order of the table."""
    titles = [writer.title() for _ in range(repeats)]
    acts = [writer.act() for _ in range(max(5, repeats // 3))]
    yield latency("a title of 15 words", programs, titles)
    yield latency("an act of 2,000 words", programs, acts)
    yield latency("an act of 5,000 words", programs, [writer.act(5_000) for _ in range(5)])
    yield throughput("titles", programs, [writer.title() for _ in range(N_TITLES)])
    yield throughput("acts of 2,000 words", programs, [writer.act() for _ in range(N_ACTS)])


def latency(name: str, programs: Mapping[str, Suggest], documents: Sequence[Document]) -> Row:
    """Return median and 95th percentile of one document at a time, each another text."""
    seconds = np.array([[_seconds(read, [d]) for read in programs.values()] for d in documents])[
        2:
    ]  # the first are slower for all
    p50, p95 = 1000 * np.percentile(seconds, [50, 95], axis=0)
    values = [f"{middle:.0f} / {most:.0f} ms" for middle, most in zip(p50, p95, strict=True)]
    return Row(f"{name}, p50 / p95", values, list(p50[1:] / p50[0]))


def throughput(name: str, programs: Mapping[str, Suggest], documents: Sequence[Document]) -> Row:
    """Return documents a second in batches, the best of some rounds."""
    rounds = [[_seconds(read, documents) for read in programs.values()] for _ in range(ROUNDS)]
    rates = len(documents) / np.min(rounds, axis=0)
    values = [f"{rate:.1f} documents/s" for rate in rates]
    return Row(f"{name} in batch", values, list(rates[0] / rates[1:]))


def _seconds(read: Suggest, documents: Sequence[Document]) -> float:
    begun = time.perf_counter()
    read(documents)
    return time.perf_counter() - begun


def start(bundle: Path, repeats: int = 3) -> list[tuple[str, str]]:
    """Return the median time to import and load in fresh processes, and the memory of one."""
    runs = []
    for _ in range(repeats):
        command = [sys.executable, "-c", _LOAD.format(bundle=str(bundle))]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        runs.append([float(x) for x in done.stdout.split()])
    imports, loads, peak = np.median(np.array(runs), axis=0)
    return [
        ("import of torch and transformers / load", f"{imports:.1f} s / {loads:.1f} s"),
        ("memory, peak", f"{peak:,.0f} MB"),
    ]


class ActWriter:
    """Writes texts of a vocabulary's words, a different one at each call."""

    def __init__(self, hierarchy: Hierarchy) -> None:
        labels = [hierarchy[concept_id].label() for concept_id in hierarchy]
        self.words = " ".join(labels).split()
        self.random = random.Random(1)

    def sentence(self, n_words: int) -> str:
        """Return words in no order that means anything; their number is what counts here."""
        return " ".join(self.random.choices(self.words, k=n_words))

    def title(self) -> Document:
        """Return a document of 15 words."""
        return Document.from_text("title", self.sentence(15), "")

    def act(self, n_words: int = 2_000) -> Document:
        """Return a document of so many words in paragraphs of 50."""
        paragraphs = [self.sentence(50) + "." for _ in range(n_words // 50)]
        return Document.from_text("act", self.sentence(15), "\n\n".join(paragraphs))


if __name__ == "__main__":
    try:
        sys.exit(run_function(main, "tests.bench.serving"))
    except StrataError as error:
        sys.exit(str(error))
