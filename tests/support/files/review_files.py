"""AAPD and reviews in their layouts, with invented rows."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

SUBJECTS = ("cs.it math.it", "cs.lg stat.ml", "cs.cl")


def write_pairs(folder: Path, n_train: int = 12) -> Path:
    for name, number in (("train", n_train), ("val", 3), ("test", 4)):
        texts = [f"we bound the loss of codes , {name} {n}" for n in range(number)]
        labels = [SUBJECTS[n % len(SUBJECTS)] for n in range(number)]
        (folder / f"text_{name}").write_text("\n".join(texts) + "\n", "utf-8")
        (folder / f"label_{name}").write_text("\n".join(labels) + "\n", "utf-8")
    return folder


def write_reviews(file: Path, number: int, *more: str, **changes: object) -> Path:
    rows = [
        {"review_id": f"r{n}", "user_id": "u", "stars": n % 5 + 1, "date": "2013-05-01",
         "text": f"Ribs {n}.\n\nFine.", "type": "review", **changes}
        for n in range(number)
    ]  # fmt: skip
    text = "\n".join([*map(json.dumps, rows), *more]) + "\n"
    file.write_bytes(gzip.compress(text.encode()) if file.suffix == ".gz" else text.encode())
    return file
