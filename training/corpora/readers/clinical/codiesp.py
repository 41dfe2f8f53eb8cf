"""Reader of CodiEsp's clinical cases, machine-translated to English, as JSON Lines.

Keys of a line: `id`, `text`, and two lists of codes, `icd10cm` (diagnoses: CodiEsp-D) and
`icd10pcs` (procedures: CodiEsp-P). Test cases may be there; where they are not, dev is judged in
their place.
Source: Miranda-Escalada et al. (2020), Overview of automatic clinical coding: CodiEsp, CLEF
    eHealth.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from core.documents.document import Document
from core.errors import ConfigError
from training.corpora.corpus import SPLITS, Corpus, LabelledDocument, checksums
from training.corpora.records import (
    Record,
    RecordError,
    concepts_field,
    corpus_of,
    id_field,
    json_lines,
    json_lines_file,
    read_splits,
    text_field,
)

CODES = {"": "icd10cm", "pcs": "icd10pcs"}
"""Task -> key of its codes."""


def read_codiesp(folder: Path, task: str = "") -> Corpus:
    """Read the cases of a folder: train, dev and, if it is there, test.

    Args:
        task: "" for diagnoses, "pcs" for procedures.
    Raises:
        ConfigError: there is no train or no dev file.
        DocumentError: a file cannot be unpacked, or most of its lines are unusable.
    """
    files = {name: file for name in SPLITS if (file := json_lines_file(folder, name))}
    if "train" not in files or "dev" not in files:
        raise ConfigError(f"{folder} holds no train.jsonl and dev.jsonl (or .gz) of CodiEsp.")
    sources = {name: (file, json_lines(file)) for name, file in files.items()}
    cases, problems = read_splits(sources, partial(parse_case, codes=CODES[task]))
    return corpus_of("codiesp", cases, sha256=checksums(files.values()), problems=problems)


def parse_case(record: Record, *, codes: str) -> LabelledDocument:
    """Return one case as a labelled document; one without a code is none of the records' problems.

    Raises:
        RecordError: there is no id, no list of codes, or no text.
    """
    document_id, text = id_field(record, "id"), text_field(record, "text")
    if not text:
        raise RecordError(f"{document_id} has no text")
    assigned = tuple(code.upper() for code in concepts_field(record, codes))
    return LabelledDocument(Document.from_text(document_id, "", text), assigned)
