"""Reader of our JSONL: a folder with train, dev and test, one document a line, plain or gzipped.

Keys of a line: `celex_id` or `id`; `title`; `text` ("" where only the title is known);
`eurovoc_concepts` or `concepts`, a list of concept ids; optionally `date`.
"""

from __future__ import annotations

from pathlib import Path

from core.documents.document import Document
from training.corpora.corpus import SPLITS, Corpus, LabelledDocument, checksums, told_apart
from training.corpora.records import (
    Record,
    RecordError,
    concepts_field,
    corpus_of,
    id_field,
    json_lines,
    read_splits,
    required_json_lines,
    text_field,
)


def read_acts_jsonl(folder: Path) -> Corpus:
    """Read the three splits of a folder.

    Raises:
        ConfigError: the folder or one of its files is not there.
        DocumentError: a file cannot be unpacked or decoded, or most of its lines are unusable.
    """
    files = {name: required_json_lines(folder, name) for name in SPLITS}
    sources = {name: (path, json_lines(path)) for name, path in files.items()}
    splits, problems = read_splits(sources, parse_act)
    renamed_splits, renamed = told_apart(splits)
    sha256 = checksums(files.values())
    return corpus_of(
        folder.name, renamed_splits, sha256=sha256, problems=[*problems, *renamed], labels={}
    )


def parse_act(record: Record) -> LabelledDocument:
    """Return one line as a labelled document.

    Raises:
        RecordError: there is no id, no list of concepts, or neither a title nor a text.
    """
    document_id = id_field(record, "celex_id", "id")
    title, text = text_field(record, "title"), text_field(record, "text")
    if not title and not text:
        raise RecordError(f"{document_id} has neither a title nor a text")
    assigned = concepts_field(record, "eurovoc_concepts", "concepts")
    document = Document.from_text(document_id, title, text)
    return LabelledDocument(document, assigned, text_field(record, "date"))
