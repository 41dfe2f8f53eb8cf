"""How far probabilities in bf16 or int8 are from those in fp32.

`python -m tests.bench.precision`, or with `int8` behind it.

It reads the invented texts of `assets/examples` with each shipped bundle: whole, their titles alone
and a part of each, every one by itself and all in one batch.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

import numpy as np
import numpy.typing as npt

from core.documents.document import Document
from core.paths import PROJECT_ROOT
from core.suggest.opening import load_suggester

BUNDLES = ("eurovoc", "icd10cm-cases", "icd9cm-radiology")
TOLERANCE = 0.01
"""How far a probability of the same text may lie on another machine, or in the other precision."""
RANKED, RANKED_TOLERANCE, RANKED_MEAN_TOLERANCE = "eurovoc", 0.1, 0.002
"""The bundle with a ranker, whose trees jump where a feature passes a threshold: how far one of its
probabilities may lie, and the 20 best on average.
"""

Array = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Differences:
    """Of all documents and concepts: between precisions, and between alone and in a batch.

    Attributes:
        batched: in the other precision.
        best: mean over the 20 concepts that are most probable in fp32.
    """

    largest: float
    best: float
    batched_fp32: float
    batched: float


def example_documents() -> list[Document]:
    """Three documents of each invented text."""
    paths = sorted((PROJECT_ROOT / "assets" / "examples").rglob("*.txt"))
    found = []
    for path in paths:
        text = path.read_text("utf-8")
        title = text.splitlines()[0]
        found += [Document.from_text(path.name, title, body) for body in ("", text[:1000], text)]
    return found


def differences(
    bundle: Path, documents: Sequence[Document], precision: str = "bf16"
) -> Differences:
    """Read the documents in fp32 and in another precision."""
    fp32, fp32_batched = _probabilities(bundle, documents, "fp32")
    other, batched = _probabilities(bundle, documents, precision)
    best = np.argsort(-fp32, axis=1)[:, :20]
    apart = np.abs(fp32 - other)
    return Differences(
        largest=float(apart.max()),
        best=float(np.take_along_axis(apart, best, axis=1).mean()),
        batched_fp32=float(np.abs(fp32 - fp32_batched).max()),
        batched=float(np.abs(other - batched).max()),
    )


def _probabilities(
    bundle: Path, documents: Sequence[Document], precision: str
) -> tuple[Array, Array]:
    """Each document by itself, and all in one batch, (documents, concepts)."""
    with mock.patch.dict(os.environ, STRATA_PRECISION=precision):
        predictor = load_suggester(bundle)
    alone = [next(predictor.probabilities_of([document])) for document in documents]
    batched = predictor.probabilities_of(documents)
    return (
        np.stack([found.assigned for found in alone]),
        np.stack([found.assigned for found in batched]),
    )


def main() -> None:
    """Print a row for each shipped bundle."""
    precision = sys.argv[1] if len(sys.argv) > 1 else "bf16"
    documents = example_documents()
    sys.stdout.write(
        f"{len(documents)} documents; largest difference of a probability\n"
        f"bundle              fp32 to {precision}   mean of 20 best   alone to batch, fp32   {precision}\n"
    )
    for name in BUNDLES:
        found = differences(PROJECT_ROOT / "assets" / "models" / name, documents, precision)
        numbers = (found.largest, found.best, found.batched_fp32, found.batched)
        row = "   ".join(f"{number:.6f}" for number in numbers)
        sys.stdout.write(f"{name:<20}{row}\n")


if __name__ == "__main__":
    main()
