"""Reader of the EURLEX57K release: folders train, dev and test, each act a JSON file.

Keys of a file: `celex_id`, `title`, `header`, `recitals`, `main_body` (a list of sections),
optionally `attachments`, and `concepts`.
Source: Chalkidis et al. (2019), Large-Scale Multi-Label Text Classification on EU Legislation.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from core.documents.document import Document, Part
from core.errors import ConfigError
from training.corpora.corpus import SPLITS, Corpus, LabelledDocument, sha256_of
from training.corpora.records import (
    Record,
    RecordError,
    as_record,
    concepts_field,
    corpus_of,
    id_field,
    read_splits,
    text_field,
)

PART_KINDS = {
    "header": "header",
    "recitals": "recitals",
    "main_body": "body",
    "attachments": "attachments",
}
"""Field of the release -> kind of the document's part, in reading order."""


def read_eurlex57k(folder: Path) -> Corpus:
    """Read the three folders of the release.

    Raises:
        ConfigError: a folder is not there or holds no JSON file.
        DocumentError: most files of a folder are unusable.
    """
    files = {name: _split_files(folder, name) for name in SPLITS}
    sources = {name: (folder / name, _files(paths)) for name, paths in files.items()}
    splits, problems = read_splits(sources, parse_act)
    checksums = {name: sha256_of(paths) for name, paths in files.items()}
    return corpus_of(folder.name, splits, sha256=checksums, problems=problems, labels={})


def parse_act(record: Record) -> LabelledDocument:
    """Return one file as a labelled document whose parts keep the release's sections.

    Raises:
        RecordError: there is no id, no list of concepts, or no text at all.
    """
    document_id = id_field(record, "celex_id")
    title = text_field(record, "title")
    texts = {kind: section(record, name) for name, kind in PART_KINDS.items()}
    parts = tuple(Part(text, kind) for kind, text in texts.items() if text)
    if not title and not parts:
        raise RecordError(f"{document_id} has neither a title nor a text")
    document = Document(document_id, title, parts)
    return LabelledDocument(document, concepts_field(record, "concepts"))


def section(record: Record, name: str) -> str:
    """Return a section that is one text, a list of texts, or missing."""
    value = record.get(name)
    if not isinstance(value, list):
        return text_field(record, name)
    if not all(isinstance(item, str) for item in value):
        raise RecordError(f"{name} must be a list of texts")
    return "\n".join(item.strip() for item in value if item.strip())


def _split_files(folder: Path, name: str) -> list[Path]:
    paths = sorted((folder / name).glob("*.json"))
    if not paths:
        raise ConfigError(f"{folder / name} holds no .json file: EURLEX57K has one an act there.")
    return paths


def _files(paths: list[Path]) -> Iterator[tuple[str, Callable[[], Record]]]:
    for path in paths:
        yield str(path), partial(_parse_file, path)


def _parse_file(path: Path) -> Record:
    try:
        return as_record(json.loads(path.read_bytes()))
    except UnicodeDecodeError as error:
        raise RecordError("the file is not UTF-8") from error
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise RecordError(f"the file is not JSON ({error.msg} at {place})") from error
