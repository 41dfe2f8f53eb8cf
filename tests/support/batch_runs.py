"""Runs in parts: inputs, what is written, and a suggester that is stopped on the way."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from core.documents.document import Document
from core.paths import PROJECT_ROOT
from core.suggest.suggestions import Prediction
from tests.support.suggest_runs import FakePredictor, suggest_with

PATIENCE = 400.0
WORDS = ("olive", "oil", "harvest", "quota", "bay", "honey", "railway", "ticket", "fish")


def rows_of(n: int) -> list[dict[str, object]]:
    """Invented titles, all different."""
    return [
        {"id": number, "title": f"{WORDS[number % 9]} {WORDS[number // 9 % 9]} act {number}"}
        for number in range(n)
    ]


def write_rows(path: Path, n: int, *, broken: tuple[int, ...] = ()) -> Path:
    """Write JSON Lines; a broken line stands before each of these rows."""
    with path.open("w", encoding="utf-8") as file:
        for number, row in enumerate(rows_of(n)):
            if number in broken:
                file.write("{broken\n")
            file.write(json.dumps(row) + "\n")
    return path


def suggest_in_parts(
    source: object, output: object, *more: object, suggester: FakePredictor | None = None
) -> int:
    """Run the command with the fake suggester."""
    words = ("--input", source, "--output", f"{output}/", *more)
    return suggest_with(lambda bundle_dir: suggester or FakePredictor(), *words)


def written(output: Path) -> list[dict[str, object]]:
    """What all parts hold, in their order."""
    return [
        json.loads(line)
        for part in sorted(output.glob("part-*.jsonl"))
        for line in part.read_text("utf-8").splitlines()
    ]


class StoppingPredictor(FakePredictor):
    """Counts what it reads, and fails as if it were killed after so many documents."""

    def __init__(self, most: int = 10**9) -> None:
        self.most, self.read = most, list[str]()

    def suggest_batch(
        self, documents: Iterable[Document], *, limit: int, threshold: float, batch_size: int = 4
    ) -> Iterator[Prediction]:
        for document in documents:
            if len(self.read) == self.most:
                raise KeyboardInterrupt
            self.read.append(document.document_id)
            yield from super().suggest_batch([document], limit=limit, threshold=threshold)


class SuggestCommand:
    """`python -m core suggest` with a bundle and an input, in a process of its own."""

    def __init__(self, source: Path, bundle: Path, home: Path) -> None:
        self.environment = os.environ | {
            "STRATA_HOME": str(home),
            "STRATA_PRECISION": "fp32",
            "OMP_NUM_THREADS": "1",
        }
        self.words = ["--input", source, "--bundle", bundle, "--part-documents", "64"]

    def start(self, output: Path, *more: str) -> subprocess.Popen[str]:
        words = map(str, [*self.words, "--output", f"{output}/", *more])
        return subprocess.Popen(
            [sys.executable, "-m", "core", "suggest", *words],
            cwd=PROJECT_ROOT,
            env=self.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, output: Path, *more: str) -> str:
        process = self.start(output, *more)
        _, said = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, said
        return said
