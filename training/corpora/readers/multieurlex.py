"""Reader of MultiEURLEX-style JSON Lines: EU acts in many languages, with EuroVoc concepts.

Keys of a line: `celex_id`; `text`, one text or a text (or null) by language; `eurovoc_concepts`, a
list of ids, or such a list by level ("level_1", "level_2", "level_3", "all_levels"); optionally
`publication_date`. The task names language and level: "de:level_2", or "de" for all levels; ""
is "en:all_levels". Acts that are not in this language are left out.
Source: Chalkidis et al. (2021), MultiEURLEX, section 3.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from core.documents.document import Document
from core.errors import ConfigError
from training.corpora.corpus import SPLITS, Corpus, LabelledDocument, checksums
from training.corpora.records import (
    Record,
    RecordError,
    Records,
    concepts_field,
    corpus_of,
    id_field,
    json_lines,
    read_splits,
    required_json_lines,
    text_field,
)

DEFAULT_TASK = "en:all_levels"


def read_multieurlex(folder: Path, task: str = "") -> Corpus:
    """Read train, dev and test of a folder, in one language and with the concepts of one level.

    Raises:
        ConfigError: a file is not there, or the task names no language.
        DocumentError: a file cannot be unpacked, or most of its lines are unusable.
    """
    language, level = parse_task(task)
    files = {name: required_json_lines(folder, name) for name in SPLITS}
    sources = {
        name: (f"{file} in the language {language!r}", _in_language(json_lines(file), language))
        for name, file in files.items()
    }
    acts, problems = read_splits(sources, partial(parse_act, language=language, level=level))
    return corpus_of(
        f"{folder.name}-{language}-{level}",
        acts,
        sha256=checksums(files.values()),
        problems=problems,
        labels={},
        remarks=(f"Acts that are not in the language {language!r} are left out.",),
    )


def parse_task(task: str) -> tuple[str, str]:
    """Return language and level of a task.

    Raises:
        ConfigError: it names no language.
    """
    default_language, _, default_level = DEFAULT_TASK.partition(":")
    language, _, level = task.partition(":")
    if task and not language:
        raise ConfigError(f"data.task = {task!r} names no language: write “de” or “de:level_2”.")
    return language or default_language, level or default_level


def parse_act(record: Record, *, language: str, level: str) -> LabelledDocument:
    """Return one act in one language as a labelled document.

    Raises:
        RecordError: there is no id, no text, or no concepts of this level.
    """
    document_id = id_field(record, "celex_id", "id")
    text = record.get("text")
    texts = text if isinstance(text, Mapping) else {language: text}
    title, body = text_field(record, "title"), text_field(texts, language)
    if not title and not body:
        raise RecordError(f"{document_id} has no text in {language}")
    concepts = record.get("eurovoc_concepts")
    by_level = concepts if isinstance(concepts, Mapping) else {level: concepts}
    assigned = concepts_field(by_level, level)
    date = text_field(record, "publication_date", "date")
    return LabelledDocument(Document.from_text(document_id, title, body), assigned, date)


def _in_language(records: Records, language: str) -> Records:
    for where, load in records:
        try:
            text = load().get("text")
        except RecordError:
            # Yielded all the same: `collect` meets the error again, and reports its place.
            text = None
        if not isinstance(text, Mapping) or text.get(language):
            yield where, load
