"""How many rows the tree draws for 25 suggestions: `python -m tests.bench.rows`.

The shipped EuroVoc bundle reads titles and texts of 50 real acts, whose folder `STRATA_DATA` names;
the scripts of the page work out the rows, of every level and of the view that people get at first.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import statistics
import sys
import tempfile
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from core.documents.document import Document
from core.review.reports.outline import OutlineNode, outline
from core.serving.queue import SUGGESTION_LIMIT
from core.settings import PROJECT_ROOT
from core.suggest.opening import load_suggester
from pages.components.tree import SHOWN_AT_FIRST
from tests.support.browser.scripts import run

N_ACTS = 50
BAR = 1.6  # rows a suggestion, median over the acts
BUNDLE = PROJECT_ROOT / "assets" / "models" / "eurovoc"
SCRIPTS = ("tree/states.js", "tree/folding.js", "tree/outline.js")
COUNT_ROWS = """
const { readFileSync } = await import("node:fs");
const [acts, limit] = JSON.parse(readFileSync(%s, "utf-8"));
const drawn = (outline, everyLevel) => outline.rows({ limit, sort: "tree", filter: "all", text: "",
  kept: new Set(), visited: new Set(), unfolded: new Set(), everyLevel }, new Map(), new Map()).length;
return acts.map((nodes) => {
  const outline = new Outline(nodes);
  const shown = outline.offered(limit).size;
  return [shown, drawn(outline, true), drawn(outline, false)];
});
"""


def acts(folder: Path, n_acts: int) -> Iterator[Document]:
    """The first acts of the test set that have a text."""
    with gzip.open(folder / "test.jsonl.gz", "rt", encoding="utf-8") as lines:
        records = (json.loads(line) for line in lines)
        with_text = (record for record in records if record["text"])
        for record in islice(with_text, n_acts):
            yield Document.from_text(record["celex_id"], record["title"], record["text"])


def outlines(documents: Iterator[Document]) -> Iterator[list[OutlineNode]]:
    """What the page of each document is given to draw."""
    suggester = load_suggester(BUNDLE)
    for document in documents:
        prediction = suggester.suggest(document, limit=SUGGESTION_LIMIT)
        yield outline((), hierarchy=suggester.label_space.hierarchy, prediction=prediction)


def count_rows(nodes: Sequence[Sequence[OutlineNode]], limit: int) -> list[tuple[int, int, int]]:
    """(suggestions shown, rows with every level, rows of the folded tree) for each act."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "acts.json"
        path.write_text(json.dumps([list(nodes), limit]), "utf-8")
        found = run(COUNT_ROWS % json.dumps(str(path)), *SCRIPTS)
    return [(shown, every, folded) for shown, every, folded in found]


def main() -> int:
    """Print rows a suggestion; 1 where the median of the folded tree is above the bar."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.rows", description=__doc__)
    parser.add_argument("--acts", type=int, default=N_ACTS)
    options = parser.parse_args()
    data = Path(os.environ.get("STRATA_DATA") or PROJECT_ROOT.parent / "shared" / "data")
    folder = data / "eurlex"
    if not folder.is_dir():
        sys.stderr.write(f"Real acts are not at {folder}; STRATA_DATA names another place.\n")
        return 2
    counted = count_rows(list(outlines(acts(folder, options.acts))), SHOWN_AT_FIRST)
    sys.stdout.write(
        f"{len(counted)} acts, {SHOWN_AT_FIRST} suggestions each; rows a suggestion\n"
        "view              median   lowest   highest\n"
    )
    medians = []
    for name, at in (("every level", 1), ("folded", 2)):
        ratios = [row[at] / row[0] for row in counted]
        medians.append(statistics.median(ratios))
        row = f"{name:<15}{medians[-1]:>9.2f}{min(ratios):>9.2f}{max(ratios):>10.2f}"
        sys.stdout.write(f"{row}\n")
    return 0 if medians[-1] <= BAR else 1


if __name__ == "__main__":
    sys.exit(main())
