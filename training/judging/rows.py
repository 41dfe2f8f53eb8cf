"""One result that is committed: its facts, its means, and a value a document.

The rows of a study are one file, rows.npz; a row is named as if that file were a folder, such as
rows.npz/flat-s1-test.
Comparing and resuming need no score matrices: a row holds what the paired bootstrap reads. A value
is kept in steps of 1/240, which is exact for shares of 2, 3, 4, 5, 6, 8, 10 and 12 labels and off
by at most 0.002 elsewhere; the means are kept as measured.
"""

from __future__ import annotations

import hashlib
import json
import math
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from filelock import FileLock

from core.errors import ConfigError
from training.judging.evaluate import Evaluation, Values, level_metrics, macro_shares
from training.judging.recorded import replacing

STEPS = 240
NOT_MEASURED = 255

MEANS_ALONE = ("recall@", "branch_r_precision@", "r_precision_assigned", "cell_accuracy")
"""Beginnings of the measures that are kept as means only, so that a row stays small."""

Facts = Mapping[str, Any]

FORMAT = "strata-result-1"
ROWS = "rows.npz"

HEADER = "/header.npy"
"""Ends the name of a file in the archive that each row has one of."""

DAMAGED = (
    *(OSError, EOFError, ValueError, KeyError, TypeError, AttributeError),
    # The archive notices a flipped bit: as a wrong stream, or as a flag that asks for a password.
    *(zipfile.BadZipFile, zlib.error, RuntimeError),
)
"""What reading a row raises where its file is damaged, or is something else."""


@dataclass(frozen=True, slots=True)
class ResultRow:
    """A finished result.

    Attributes:
        facts: what it is a result of: arm, seed, config digest, minutes, commit and the like.
        means: subset -> metric -> value, as measured.
        values: metric -> a value a document (rounded), NaN where it has nothing to measure.
        documents: a checksum of the documents' ids in order; rows with the same can be paired.
    """

    facts: Facts
    means: Mapping[str, Mapping[str, float]]
    values: Mapping[str, Values]
    full_text: npt.NDArray[np.bool_]
    documents: str
    depth: int
    label_counts: tuple[int, ...]
    threshold: float | None = None
    sizes: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, evaluation: Evaluation, facts: Facts) -> ResultRow:
        """Return the row of an evaluation; facts must fit into JSON."""
        return cls(
            facts=dict(facts),
            means=evaluation.means,
            values={
                name: _decoded(_encoded(values))
                for name, values in evaluation.values.items()
                if not name.startswith(MEANS_ALONE)
            },
            full_text=evaluation.full_text,
            documents=_checksum(evaluation.document_ids),
            depth=evaluation.depth,
            label_counts=evaluation.label_counts,
            threshold=evaluation.threshold,
            sizes=evaluation.sizes,
        )

    def mean(self, metric: str, subset: str = "all") -> float:
        """Return a mean as measured; NaN where the result does not have it."""
        return float(self.means.get(subset, {}).get(metric, np.nan))

    def of_documents(self, metric: str) -> Values | None:
        """Return a value a document, the macro R-Precision as shares; None where there is none."""
        if metric in self.values:
            return self.values[metric]
        prefix = metric.removesuffix("_macro")
        if prefix != metric and set(level_metrics(prefix, self.depth)) <= self.values.keys():
            return macro_shares(self.values, prefix, self.depth)
        return None

    def save(self, path: Path) -> None:
        """Write the row into the file of its study (10 kB for 2,000 documents), whole or not at all.

        Args:
            path: of the row in that file, such as plans12/rows.npz/flat-s1-test.
        """
        header = {
            "format": FORMAT,
            **{k: v for k, v in asdict(self).items() if k not in ("values", "full_text")},
            "metrics": list(self.values),
        }
        matrix = np.array([_encoded(v) for v in self.values.values()], dtype=np.uint8)
        arrays = {
            "header": np.frombuffer(json.dumps(header, sort_keys=True).encode(), np.uint8),
            # By document: a document's values resemble each other, and compress better.
            "values": np.ascontiguousarray(matrix.T),
            "full_text": np.packbits(self.full_text),
        }
        file, name = place_of(path)
        file.parent.mkdir(parents=True, exist_ok=True)
        # Arms of a comparison may be trained at the same time.
        with FileLock(file.with_suffix(".lock")), replacing(file) as part:
            rows = _arrays_in(file) | {f"{name}/{key}": array for key, array in arrays.items()}
            with part.open("wb") as new:
                np.savez_compressed(new, **dict(sorted(rows.items())))

    @classmethod
    def load(cls, path: Path) -> ResultRow:
        """Read what `save` wrote.

        Raises:
            ConfigError: the row is missing, or is no result row of this format.
        """
        try:
            file, name = place_of(path)
            with file.open("rb") as raw, np.load(raw, allow_pickle=False) as rows:
                header = json.loads(rows[f"{name}/header"].tobytes())
                matrix, full_text = rows[f"{name}/values"].T, rows[f"{name}/full_text"]
            if header.pop("format") != FORMAT:
                raise ConfigError(f"{path} is a result of another format than {FORMAT}.")
            names = header.pop("metrics")
            values = {metric: _decoded(row) for metric, row in zip(names, matrix, strict=True)}
            header["label_counts"] = tuple(header["label_counts"])
            header["means"] = checked_means(header["means"])
            mask = np.unpackbits(full_text, count=header["sizes"]["all"]).astype(bool)
            return cls(values=values, full_text=mask, **header)
        except DAMAGED as error:
            raise ConfigError(f"{path} is not a result row ({error}).") from error


def place_of(path: Path) -> tuple[Path, str]:
    """Return the file that a row is kept in, and what its arrays are called there before their name."""
    parts = path.parts
    end = parts.index(ROWS) + 1
    return Path(*parts[:end]), "/".join(parts[end:])


def row_paths(folder: Path, split: str = "") -> list[Path]:
    """Return the rows that a folder keeps of a split, or of all, in the order of their names.

    Raises:
        ConfigError: the file of the rows is damaged.
    """
    file = folder / ROWS
    if not file.is_file():
        return []
    try:
        with zipfile.ZipFile(file) as archive:
            names = [name.removesuffix(HEADER) for name in archive.namelist() if HEADER in name]
    except DAMAGED as error:
        raise ConfigError(f"{file} holds no result rows ({error}).") from error
    return [file / name for name in sorted(names) if name.endswith(split)]


def _arrays_in(file: Path) -> dict[str, npt.NDArray[Any]]:
    if not file.is_file():
        return {}
    with np.load(file, allow_pickle=False) as rows:
        return dict(rows)


def _encoded(values: Values) -> npt.NDArray[np.uint8]:
    steps = np.rint(np.nan_to_num(values) * STEPS)
    return np.where(np.isnan(values), NOT_MEASURED, steps).astype(np.uint8)


def _decoded(encoded: npt.NDArray[np.uint8]) -> Values:
    return np.where(encoded == NOT_MEASURED, np.nan, encoded / STEPS)


def _checksum(document_ids: tuple[str, ...]) -> str:
    return hashlib.sha256("\n".join(document_ids).encode()).hexdigest()[:16]


def checked_means(means: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    """Return means as numbers; NaN stays where there was nothing to measure.

    Raises:
        AttributeError, TypeError, ValueError: they are no mappings of numbers.
    """
    checked = {
        str(subset): {str(name): float(value) for name, value in of.items()}
        for subset, of in means.items()
    }
    if any(math.isinf(value) for of in checked.values() for value in of.values()):
        raise ValueError("a measure that is infinite")
    return checked
