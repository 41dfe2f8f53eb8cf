"""How long a step of branch work takes: `nice python -m tests.bench.branch_work`.

A store of 10,000 documents with 300 suggestions each is filled by SQL; two thirds of them are not
finished, and three suggestions of each are decided. Then the next documents of a branch are looked
for, as the key for it does, in branches of different sizes.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

from core.review.reports.branch_work import waiting_in_branch
from core.review.store.projects import default_project
from core.review.store.store import Store
from core.serving.queue import SUGGESTION_LIMIT
from core.settings import Settings
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.labels import LabelSpace
from pages.components.tree import SHOWN_AT_FIRST
from tests.bench.scale import fill

N_DOCUMENTS, N_DECIDED = 10_000, 3
TIMES = 5
MOST_SECONDS = 1.0
SIZES = (0, 10, 100)


def main() -> int:
    """Print how long each branch takes; 1 where one takes too long."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.branch_work", description=__doc__)
    parser.add_argument("--documents", type=int, default=N_DOCUMENTS)
    parser.add_argument("--keep", type=Path, default=None, help="a folder where the store is kept")
    options = parser.parse_args()
    hierarchy = LabelSpace.load(Settings.from_env().bundle_dir / "label_space.jsonl").hierarchy
    with tempfile.TemporaryDirectory() as folder:
        home = options.keep or Path(folder)
        home.mkdir(parents=True, exist_ok=True)
        fill(home, options.documents, N_DECIDED, n_suggestions=SUGGESTION_LIMIT)
        with closing(Store.open(f"sqlite:///{home}/strata.sqlite")) as store:
            slowest = [step(store, hierarchy, branch) for branch in branches(hierarchy)]
    return int(max(slowest) > MOST_SECONDS)


def branches(hierarchy: Hierarchy) -> list[str]:
    """Return a concept without any below it, larger branches, and the largest domain."""
    by_size = sorted(hierarchy, key=lambda concept_id: len(hierarchy.descendants(concept_id)))
    return [
        *(next(i for i in by_size if len(hierarchy.descendants(i)) >= size) for size in SIZES),
        by_size[-1],
    ]


def step(store: Store, hierarchy: Hierarchy, branch: str) -> float:
    """Print how long the next document of a branch is looked for, and return the most seconds."""
    project_id = default_project(store, hierarchy.vocabulary_id).project_id
    seconds, waiting = [], []
    for _ in range(TIMES):
        began = time.perf_counter()
        waiting = waiting_in_branch(store, project_id, hierarchy, branch, shown=SHOWN_AT_FIRST)
        seconds.append(time.perf_counter() - began)
    sys.stdout.write(
        f"{1 + len(hierarchy.descendants(branch)):5} concepts, {len(waiting):6,} documents wait: "
        f"{statistics.median(seconds):.3f} s, at most {max(seconds):.3f} s of {TIMES}\n"
    )
    return max(seconds)


if __name__ == "__main__":
    sys.exit(main())
