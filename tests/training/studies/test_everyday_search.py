"""How often everyday words find what they mean is counted by vocabulary and kind."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import ConfigError
from training.studies.everyday_search import (
    BAR,
    QUERIES,
    TABLE,
    EverydayQuery,
    missed,
    outcomes,
    read_queries,
    rows_of,
)

LAKES = EverydayQuery("eurovoc", "en", "lakes", frozenset({"1"}), "inflection")
NURSES = EverydayQuery("eurovoc", "en", "nurses", frozenset({"2", "3"}), "inflection")
JAIL = EverydayQuery("eurovoc", "en", "jail", frozenset({"4"}), "everyday")
FOUND = {"lakes": ["1", "9"], "nurses": ["9", "8", "3", "2"], "jail": ["9"] * 5 + ["4"]}


def test_the_first_right_answer_among_those_that_are_shown_counts() -> None:
    found = list(outcomes([LAKES, NURSES, JAIL], lambda query, _: FOUND[query]))
    assert [outcome.rank for outcome in found] == [1, 3, 0]
    assert rows_of("bar", found) == [
        ["bar", "eurovoc", "all", "3", "33%", "67%"],
        ["bar", "eurovoc", "inflection", "2", "50%", "100%"],
        ["bar", "eurovoc", "everyday", "1", "0%", "0%"],
    ]
    assert [line.split(":")[0] for line in missed(found)] == [
        "3 eurovoc inflection 'nurses'",
        "0 eurovoc everyday 'jail'",
    ]


@pytest.mark.parametrize("half", [TABLE, BAR])
def test_the_queries_can_be_read(half: str) -> None:
    queries = read_queries(QUERIES / f"{half}.csv")
    assert len(queries) > 100
    assert all(query.query and query.concept_ids for query in queries)


def test_queries_that_are_not_there_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        read_queries(tmp_path / "none.csv")
