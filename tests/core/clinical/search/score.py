"""How often a ward term finds its code first, and among five: `python -m tests.core.clinical.search.score`.

`ward_terms.tsv` was written before the search was changed for it: half for development (dev), half
scored once.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from pathlib import Path

from core.clinical.search import open_index
from core.settings import Settings
from core.vocabulary.search.vocabulary_index import VocabularyIndex
from core.vocabulary.versions.keeping import index_path, keep_built_in
from core.vocabulary.versions.vocabulary_versions import VocabularyVersions

TERMS = Path(__file__).with_name("ward_terms.tsv")
AMONG = 5


def terms(part: str) -> list[tuple[str, list[str]]]:
    """The terms of a part of the table, each with the codes that are right."""
    with TERMS.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [(row["term"], row["codes"].split()) for row in rows if row["part"] == part]


def found(index: VocabularyIndex, part: str) -> Iterator[tuple[str, list[str], list[str]]]:
    """Each term with the codes that are right, and the first that are found."""
    for term, right in terms(part):
        hits = index.search(term, limit=AMONG, divisions=False)
        yield term, right, [hit.concept_id for hit in hits]


def main(part: str) -> None:
    """Print the terms that do not find their code first, and the shares."""
    versions = VocabularyVersions(Settings.from_env().home)
    hierarchy = versions.load(keep_built_in(versions, "icd10cm").key)
    rows = list(found(open_index(hierarchy, index_path(versions.home, hierarchy)), part))
    for term, right, codes in rows:
        if codes[:1] == [] or codes[0] not in right:
            sys.stdout.write(f"{term}: {' '.join(right)}, found {' '.join(codes)}\n")
    first = sum(bool(codes) and codes[0] in right for _, right, codes in rows)
    among = sum(any(code in right for code in codes) for _, right, codes in rows)
    sys.stdout.write(f"{part}: {first} first and {among} among {AMONG}, of {len(rows)}\n")


if __name__ == "__main__":
    main(sys.argv[1])
