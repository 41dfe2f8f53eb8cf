"""How often search finds what everyday words mean: `python -m training measure search`.

The queries stand in `docs/results/search/queries`. Of the half on which the result is measured,
nothing but counts leaves this module.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path

from core.clinical.notation import ICD9CM, ICD10CM
from core.errors import ConfigError
from core.paths import PROJECT_ROOT
from core.settings import Settings
from core.suggest.opening import load_suggester
from core.suggest.related import ConceptSearch
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.labels import LabelSpace
from core.vocabulary.readers import read_vocabulary
from core.vocabulary.search.vocabulary_index import VocabularyIndex
from core.vocabulary.versions.keeping import index_path, keep_built_in
from core.vocabulary.versions.vocabulary_versions import VocabularyVersions

QUERIES = PROJECT_ROOT / "docs" / "results" / "search" / "queries"
TABLE, BAR = "table", "bar"
EUROVOC = "eurovoc"
ALL_KINDS = "all"
N_SHOWN = 5
N_ASKED = 20
HEAD = ("queries", "vocabulary", "kind", "number", "first", "among five")

Answering = Callable[[str, str], list[str]]
"""A query and its language to the ids of the concepts that are found, best first."""


@dataclass(frozen=True, slots=True)
class EverydayQuery:
    """A query as people type it, and its right answers."""

    vocabulary: str
    language: str
    query: str
    concept_ids: frozenset[str]
    kind: str


@dataclass(frozen=True, slots=True)
class QueryOutcome:
    """What was found for a query.

    Attributes:
        rank: of the first right concept among those that are shown, from 1 on; 0 where none is.
    """

    asked: EverydayQuery
    found: tuple[str, ...]
    rank: int


def read_queries(path: Path) -> list[EverydayQuery]:
    """Read the queries of one half.

    Raises:
        ConfigError: the file is not there, or lacks a column.
    """
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return [
                EverydayQuery(
                    row["vocabulary"],
                    row["language"],
                    row["query"],
                    frozenset(row["concept_ids"].split()),
                    row["kind"],
                )
                for row in csv.DictReader(file)
            ]
    except (OSError, KeyError) as error:
        raise ConfigError(f"The queries in {path} cannot be read ({error}).") from error


def outcomes(queries: Iterable[EverydayQuery], answer: Answering) -> Iterator[QueryOutcome]:
    """Ask each query, and look where its first right answer stands."""
    for asked in queries:
        hits = tuple(answer(asked.query, asked.language)[:N_SHOWN])
        places = [n for n, concept_id in enumerate(hits, 1) if concept_id in asked.concept_ids]
        yield QueryOutcome(asked, hits, min(places, default=0))


def rows_of(half: str, outcomes_of_half: Iterable[QueryOutcome]) -> list[list[str]]:
    """Return rows of a table: each vocabulary as a whole, then by kind of query."""
    groups: dict[tuple[str, str], list[int]] = {}
    for outcome in outcomes_of_half:
        for kind in (ALL_KINDS, outcome.asked.kind):
            groups.setdefault((outcome.asked.vocabulary, kind), []).append(outcome.rank)
    return [
        [half, vocabulary, kind, f"{len(ranks)}", _share(ranks, 1), _share(ranks, N_SHOWN)]
        for (vocabulary, kind), ranks in groups.items()
    ]


def _share(ranks: list[int], most: int) -> str:
    return f"{sum(0 < rank <= most for rank in ranks) / len(ranks):.0%}"


@lru_cache
def answering(vocabulary: str, home: Path, icd9: Path) -> Answering:
    """Return what answers queries for a vocabulary, opened once; see `measure`."""
    hierarchy = _hierarchy(vocabulary, home, icd9)
    index = VocabularyIndex.open(hierarchy, index_path(home, hierarchy))
    bundle = Settings.from_env().bundle_dir if vocabulary == EUROVOC else None
    search = ConceptSearch(index, partial(load_suggester, bundle) if bundle else None)

    def answer(query: str, language: str) -> list[str]:
        hits = search.find(query, language=language, limit=N_ASKED)
        return [hit.concept_id for hit in hits]

    return answer


def _hierarchy(vocabulary: str, home: Path, icd9: Path) -> Hierarchy:
    if vocabulary == ICD9CM:
        return read_vocabulary(sorted(icd9.iterdir())).hierarchy
    if vocabulary == ICD10CM:
        versions = VocabularyVersions(home)
        return versions.load(keep_built_in(versions, ICD10CM).key)
    bundle = Settings.from_env().bundle_dir
    return LabelSpace.load(bundle / "label_space.jsonl").hierarchy


def measure(half: str, home: Path, icd9: Path) -> list[QueryOutcome]:
    """Ask all queries of one half.

    Args:
        home: where indexes are kept, and ICD-10-CM, which takes a minute to read.
        icd9: folder of the files of ICD-9-CM.
    """
    queries = read_queries(QUERIES / f"{half}.csv")
    return [
        outcome
        for vocabulary in dict.fromkeys(query.vocabulary for query in queries)
        for outcome in outcomes(
            (query for query in queries if query.vocabulary == vocabulary),
            answering(vocabulary, home, icd9),
        )
    ]


def missed(queries: Iterable[QueryOutcome]) -> list[str]:
    """Return a line for each query whose right concept is not first, with what is found instead."""
    return [
        f"{answer.rank} {answer.asked.vocabulary} {answer.asked.kind} {answer.asked.query!r}: "
        f"{' '.join(sorted(answer.asked.concept_ids))} | {' '.join(answer.found)}"
        for answer in queries
        if answer.rank != 1
    ]
