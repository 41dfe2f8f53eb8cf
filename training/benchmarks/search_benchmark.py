"""How long search takes while a person types: `python -m training.benchmarks.search_benchmark`.

Queries are what is in the box after each key: beginnings of sampled labels from two letters on,
codes with their point and without it, and words of five letters or more with one or two errors
(letters swapped, left out, or wrong). The same seed gives the same queries. With an address of a
running Strata, the route is measured too.
"""

from __future__ import annotations

import json
import os
import random
import statistics
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

from typer import Option

from core.commands.options import run_function
from core.settings import PROJECT_ROOT, Settings
from core.vocabulary.codes.icd9cm import icd9cm
from core.vocabulary.codes.icd10cm import icd10cm
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.labels import LabelSpace
from core.vocabulary.search.vocabulary_index import VocabularyIndex
from training.judging.recorded import write_text
from training.results.tables import markdown

LIMIT = 40  # the route asks for twice as many as it shows
LONGEST_PREFIX = 40
LETTERS = "abcdefghijklmnopqrstuvwxyz"
ICD9_FILES = PROJECT_ROOT.parent / "shared" / "data" / "icd9cm"
RESULTS = PROJECT_ROOT / "docs" / "results" / "search"

Search = Callable[[str], list[str]]


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """A query, its kind, and the concept that is looked for; None while the label is incomplete."""

    kind: str
    query: str
    wanted: str | None = None


def main(
    *,
    labels: Annotated[int, Option(help="labels sampled of each vocabulary")] = 150,
    seed: int = 1,
    icd9: Annotated[Path, Option(help="folder of its files")] = ICD9_FILES,
    url: Annotated[str, Option(help="a running Strata, whose route is measured as well")] = "",
    out: Annotated[Path, Option(help="folder for the table")] = RESULTS,
) -> None:
    """Measure every vocabulary that is there, print the table, and keep it."""
    head = ["vocabulary", "what is typed", "queries", "p50 ms", "p95 ms", "slowest ms"]
    body = list(rows(partial(typed, n_labels=labels, seed=seed), icd9, url))
    table = markdown([*head, "found in first 20"], body)
    print(table)
    about = f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, seed {seed}"
    route = " --url http://localhost:8501" if url else ""
    command = f"`python -m training.benchmarks.search_benchmark --labels {labels}{route}`"
    text = f"# Search while typing\n\nBy {command} ({about}).\n\n{table}\n"
    write_text(out / "README.md", text)


def rows(
    queries_of: Callable[[Hierarchy], list[SearchQuery]], icd9: Path, url: str
) -> Iterator[list[str]]:
    """Yield a row for each vocabulary and kind of query."""
    eurovoc = LabelSpace.load(Settings.from_env().bundle_dir / "label_space.jsonl").hierarchy
    if url:
        yield from measured("EuroVoc, route", over_http(url), queries_of(eurovoc))
    hierarchies = [("EuroVoc", eurovoc)]
    if icd9.is_dir():
        hierarchies.append(("ICD-9-CM", icd9cm(*sorted(icd9.iterdir()))))
    hierarchies.append(("ICD-10-CM", icd10cm()))
    with tempfile.TemporaryDirectory() as folder:
        for name, hierarchy in hierarchies:
            index = VocabularyIndex.build(hierarchy, Path(folder) / "index.sqlite")
            index.warm()
            label = f"{name} ({len(hierarchy):,})"
            yield from measured(label, in_process(index), queries_of(hierarchy))
            index.close()


def in_process(index: VocabularyIndex) -> Search:
    """Return the search itself."""
    return lambda query: [hit.concept_id for hit in index.search(query, limit=LIMIT)]


def over_http(url: str) -> Search:
    """Return the route of a running server, with all that it answers."""

    def search(query: str) -> list[str]:
        address = f"{url.rstrip('/')}/api/search?{urllib.parse.urlencode({'q': query})}"
        with urllib.request.urlopen(address, timeout=30) as answer:
            return [hit["concept_id"] for hit in json.load(answer)["hits"]]

    return search


def typed(hierarchy: Hierarchy, *, n_labels: int, seed: int) -> list[SearchQuery]:
    """Return all queries of a vocabulary, in an order that favours no kind."""
    rng = random.Random(seed)
    labels = {i: hierarchy[i].label() for i in hierarchy if hierarchy[i].assignable}
    queries: list[SearchQuery] = []
    for concept_id in rng.sample(sorted(labels), min(n_labels, len(labels))):
        label = labels[concept_id]
        for length in range(2, min(len(label), LONGEST_PREFIX) + 1):
            kind = "2 or 3 letters" if length < 4 else "4 letters or more"
            queries.append(SearchQuery(kind, label[:length]))
        if hierarchy.has_codes:
            queries += typed_codes(concept_id)
        words = [word for word in label.split() if len(word) >= 5 and word.isalpha()]
        if words:
            word = rng.choice(words)
            once = with_error(word, rng)
            twice = with_error(once, rng)
            queries.append(SearchQuery("one error", label.replace(word, once, 1), concept_id))
            queries.append(SearchQuery("two errors", label.replace(word, twice, 1), concept_id))
    rng.shuffle(queries)
    return queries


def typed_codes(code: str) -> list[SearchQuery]:
    """Return a code as it is typed, sign by sign, with its point and without it."""
    queries = []
    for text in dict.fromkeys((code, code.replace(".", ""))):
        queries += [SearchQuery("code, sign by sign", text[:n]) for n in range(2, len(text))]
        queries.append(SearchQuery("whole code", text, code))
    return queries


def with_error(word: str, rng: random.Random) -> str:
    """Return the word with two neighbours swapped, a letter left out, or a wrong one."""
    at = rng.randrange(1, len(word) - 1)
    kind = rng.choice(("swap", "drop", "wrong"))
    if kind == "swap":
        return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    letter = rng.choice(LETTERS) if kind == "wrong" else ""
    return word[:at] + letter + word[at + 1 :]


def measured(name: str, search: Search, queries: list[SearchQuery]) -> Iterator[list[str]]:
    """Yield rows of the table, a kind each."""
    milliseconds: dict[str, list[float]] = {}
    found: dict[str, list[bool]] = {}
    for query in queries:
        start = time.perf_counter()
        hits = search(query.query)
        milliseconds.setdefault(query.kind, []).append(1000 * (time.perf_counter() - start))
        if query.wanted is not None:
            found.setdefault(query.kind, []).append(query.wanted in hits[:20])
    for kind in sorted(milliseconds):
        times = sorted(milliseconds[kind])
        p95 = times[int(0.95 * (len(times) - 1))]
        share = f"{statistics.mean(found[kind]):.0%}" if kind in found else ""
        taken = [f"{statistics.median(times):.1f}", f"{p95:.1f}", f"{times[-1]:.0f}"]
        yield [name, kind, f"{len(times):,}", *taken, share]


if __name__ == "__main__":
    sys.exit(run_function(main, "training.benchmarks.search_benchmark"))
