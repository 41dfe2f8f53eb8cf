"""Reader of the radiology reports of the 2007 Computational Medicine Center challenge.

One XML file of `<doc id>` with `<codes>` and `<texts>`; the gold codes are those of the majority of
the coders (origin CMC_MAJORITY): 44 codes in the data for development, of the challenge's 45. The
labelled reports have no official split here: name a fold, or take the random one.
Source: Pestian et al. (2007), A Shared Task Involving Multi-label Classification of Clinical Free
Text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

from core.boundaries import CORPUS_FILES
from core.documents.document import Document, Part
from core.errors import ConfigError
from training.corpora.corpus import Corpus, LabelledDocument, checksums
from training.corpora.records import (
    Record,
    RecordError,
    collect,
    concepts_field,
    corpus_of,
    id_field,
)

MAJORITY = "CMC_MAJORITY"
PART_KINDS = {"CLINICAL_HISTORY": "history", "IMPRESSION": "impression"}
"""Type of a text in the file -> kind of the document's part."""


def read_cmc2007(path: Path) -> Corpus:
    """Read the XML file, or the one that a folder holds.

    Raises:
        ConfigError: the folder holds no XML file, or several.
        DocumentError: the file is no XML, or most reports are unusable.
    """
    file = xml_file(path)
    collected = collect(_reports(file), parse_report, file)
    splits = {"train": collected.documents}
    sha256 = checksums([file])
    return corpus_of("cmc2007", splits, sha256=sha256, problems=collected.problems)


def xml_file(path: Path) -> Path:
    """Return the file itself, or the only XML file of a folder.

    Raises:
        ConfigError: there is none, or more than one.
    """
    files = [path] if path.is_file() else sorted(path.glob("*.xml"))
    if len(files) != 1:
        raise ConfigError(f"{path} holds {len(files)} XML files: name the one with the reports.")
    return files[0]


def parse_report(record: Record) -> LabelledDocument:
    """Return one report as a labelled document, its history and impression as parts.

    Raises:
        RecordError: there is no id, no code of the majority, or no text.
    """
    document_id = id_field(record, "id")
    texts: list[tuple[str, str]] = record["texts"]
    parts = tuple(Part(text, PART_KINDS.get(kind, kind.lower())) for kind, text in texts if text)
    if not parts:
        raise RecordError(f"{document_id} has no text")
    codes = concepts_field(record, "codes")
    if not codes:
        raise RecordError(f"{document_id} has no code of {MAJORITY}")
    return LabelledDocument(Document(document_id, "", parts), codes)


def _reports(file: Path) -> Iterator[tuple[str, Callable[[], Record]]]:
    damaged = "{file} cannot be read as XML ({reason}): fetch it again."
    with CORPUS_FILES.translated(damaged, file=file):
        root = ElementTree.parse(file).getroot()
    for number, report in enumerate(root.iter("doc"), start=1):
        yield f"{file}, report {number}", partial(_record, report)


def _record(report: ElementTree.Element) -> Record:
    codes = report.iterfind("codes/code")
    texts = report.iterfind("texts/text")
    return {
        "id": report.get("id"),
        "codes": [code.text or "" for code in codes if code.get("origin") == MAJORITY],
        "texts": [(text.get("type", "text"), (text.text or "").strip()) for text in texts],
    }
