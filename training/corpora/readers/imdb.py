"""Reader of the film reviews of IMDB in their folders: aclImdb/{train,test}/{neg,pos}/*.txt.

No dev set was published: a tenth of the 25,000 training reviews is dev. `unsup` is not read.
Source: Maas et al. (2011), Learning Word Vectors for Sentiment Analysis.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from core.documents.document import Document
from core.errors import ConfigError
from training.corpora.corpus import Corpus, LabelledDocument, sha256_of
from training.corpora.records import Record, RecordError, corpus_of, read_splits

LABELS = {"neg": "negative", "pos": "positive"}
_BREAK = re.compile(r"\s*(?:<br\s*/?>\s*)+", re.IGNORECASE)


def read_imdb(path: Path) -> Corpus:
    """Read the folder aclImdb, or the one that holds it.

    Raises:
        ConfigError: a folder of a class holds no .txt file.
        DocumentError: most files of a split are unusable.
    """
    root = path / "aclImdb" if (path / "aclImdb").is_dir() else path
    files = {
        split: [file for label in LABELS for file in _reviews(root / split / label)]
        for split in ("train", "test")
    }
    sources = {split: (root / split, _records(of, split)) for split, of in files.items()}
    splits, problems = read_splits(sources, parse_review)
    checksums = {split: sha256_of(of) for split, of in files.items()}
    return corpus_of("imdb", splits, sha256=checksums, problems=problems, labels=LABELS)


def parse_review(record: Record) -> LabelledDocument:
    """Return one review, its line breaks of HTML as line breaks.

    Raises:
        RecordError: it has no text.
    """
    text = _BREAK.sub("\n", record["text"]).strip()
    if not text:
        raise RecordError("the review has no text")
    return LabelledDocument(Document.from_text(record["id"], "", text), (record["label"],))


def _reviews(folder: Path) -> list[Path]:
    files = sorted(folder.glob("*.txt"))
    if not files:
        raise ConfigError(f"{folder} holds no .txt file: IMDB has one a review there.")
    return files


def _records(files: list[Path], split: str) -> Iterator[tuple[str, Callable[[], Record]]]:
    for file in files:
        yield str(file), partial(_record, file, split)


def _record(file: Path, split: str) -> Record:
    try:
        text = file.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise RecordError("the file is not UTF-8") from error
    label = file.parent.name
    return {"id": f"{split}-{label}-{file.stem}", "label": label, "text": text}
