"""Tables of labels and texts as hedwig keeps them: a string of 0s and 1s, a tab, and the text.

The figure at a place says whether the document is of the class at that place. The files have no
header; quotation marks are text. A folder holds train.tsv, dev.tsv and test.tsv, or, in hedwig's
older layout, data/NAME_train.tsv, NAME_validation.tsv and NAME_test.tsv.
Source: hedwig, datasets/*.py and datasets/bert_processors/*.py (the code of Adhikari et al. 2019).
Its readers for BERT pass over the first row of every file as if it were a header; here a first row
is left out only where it is "label".
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from core.documents.document import Document
from training.corpora.corpus import LabelledDocument
from training.corpora.records import (
    ROW_ID,
    CollectedDocuments,
    Record,
    RecordError,
    Records,
    collect,
    delimited,
    text_field,
    with_ids,
)

COLUMNS = ("label", "text")
FILE_NAMES: Mapping[str, Sequence[str]] = {
    "train": ("train.tsv", "*_train.tsv"),
    "dev": ("dev.tsv", "*_validation.tsv"),
    "test": ("test.tsv", "*_test.tsv"),
}
"""Split -> names of its file, plain or gzipped; the first that is there is read."""


def tsv_files(folder: Path) -> dict[str, Path]:
    """Return the files that are here, by split; none where the folder has another layout."""
    files: dict[str, Path] = {}
    for split, names in FILE_NAMES.items():
        patterns = [f"{name}{gz}" for name in names for gz in ("", ".gz")]
        places = (path for place in (folder, folder / "data") for pattern in patterns
                  for path in sorted(place.glob(pattern)))  # fmt: skip
        if first := next(places, None):
            files[split] = first
    return files


def read_rows(
    file: Path, split: str, classes: Sequence[str], *, one_class: bool = False
) -> CollectedDocuments:
    """Return the rows of one file.

    Args:
        classes: by the place of their figure.
        one_class: whether a document has exactly one.
    Raises:
        DocumentError: most rows are unusable, or the file cannot be unpacked or decoded.
    """
    parse = partial(parse_row, classes=classes, one_class=one_class)
    rows = _without_header(delimited(file, "\t", quoted=False, header=COLUMNS))
    return collect(with_ids(rows, split), parse, file)


def parse_row(record: Record, *, classes: Sequence[str], one_class: bool) -> LabelledDocument:
    """Return one row as a labelled document.

    Raises:
        RecordError: there is no text, a figure is neither 0 nor 1, or there are too few or too many
            of them; no class is marked, or several where there is one.
    """
    text = text_field(record, "text")
    if not text:
        raise RecordError("the row has no text")
    assigned = marked(text_field(record, "label"), classes)
    if not assigned or (one_class and len(assigned) > 1):
        wanted = "one class" if one_class else "at least one class"
        raise RecordError(f"{len(assigned)} classes are marked where there is {wanted}")
    return LabelledDocument(Document.from_text(record[ROW_ID], "", text), assigned)


def marked(figures: str, classes: Sequence[str]) -> tuple[str, ...]:
    """Return the classes at whose place there is a 1.

    Raises:
        RecordError: these are no figures, or not one for each class.
    """
    if set(figures) - {"0", "1"}:
        raise RecordError(f"the label {figures[:20]!r} is no string of 0 and 1")
    if len(figures) != len(classes):
        raise RecordError(f"the label has {len(figures)} figures for {len(classes)} classes")
    return tuple(itertools.compress(classes, map(int, figures)))


def _without_header(records: Records) -> Records:
    for number, (where, load) in enumerate(records):
        if number or not _is_header(load):
            yield where, load


def _is_header(load: Callable[[], Record]) -> bool:
    try:
        return text_field(load(), "label").lower() in ("label", "labels")
    except RecordError:
        return False
