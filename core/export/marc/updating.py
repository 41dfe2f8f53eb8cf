"""Accepted concepts, written into records of a catalogue that are matched with documents."""

from __future__ import annotations

import json
import logging
import subprocess
import unicodedata
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from core.documents.uploads import MAX_FILE_BYTES
from core.errors import DocumentError
from core.export.content import ConceptNaming
from core.export.gathering import ExportedDocument, Selection, gather
from core.export.marc.fields import composed, source_of
from core.export.marc.new_records import subjects_of
from core.processes import OUT_OF_TIME, killed_after, start_worker
from core.review.reports.snapshot import ACCEPTED, GIVEN, REJECTED
from core.review.reports.summaries import FINISHED
from core.review.store.store import Store
from core.vocabulary.concepts import Hierarchy

_LOG = logging.getLogger(__name__)

WORKER = "core.export.marc.worker"
TIMEOUT_SECONDS = 180
TOO_LARGE = f"The file has {{size:.0f}} MB; {MAX_FILE_BYTES / 1e6:.0f} MB is the most that is read. Split it."
TOO_LONG = "The file takes more time to read than a file of its size does. Split it."
ENDED = "The file could not be read: it is damaged, or built to break programs."


@dataclass(frozen=True, slots=True)
class UpdatedRecords:
    """A file of records with subjects written into them.

    Attributes:
        n_matched: records of a document that is among the chosen ones.
        n_changed: those of them that are not as they were.
        n_unread: records that stay as they are because they are damaged.
    """

    content: bytes
    n_records: int
    n_matched: int
    n_changed: int
    n_unread: int


def write_into(
    content: bytes, store: Store, selection: Selection, hierarchy: Hierarchy, *, language: str
) -> UpdatedRecords:
    """Write the accepted concepts of the chosen documents into the records of a file.

    A record belongs to the document whose id is its 001, or else its 035 or the end of its 856.
    Of a finished document, its subjects of this vocabulary become those accepted; what came with
    the document and is not decided stays. Of one that is not finished, those accepted are added and
    those rejected go: nobody has looked at the others yet. With nothing accepted it changes nothing.

    Raises:
        DocumentError: the file is too large, damaged, or holds no records.
        StoreError: the store cannot be read.
    """
    if len(content) > MAX_FILE_BYTES:
        raise DocumentError(TOO_LARGE.format(size=len(content) / 1e6))
    with start_worker(WORKER) as process:
        conversation = _Conversation(process)
        try:
            with killed_after(process, TIMEOUT_SECONDS) as overdue:
                records = conversation.describe(content, hierarchy.vocabulary_id)
                matched = _matched(records, store, selection, hierarchy, language)
                answer, written = conversation.change(
                    {number: change for number, change in matched.items() if change}
                )
        except (BrokenPipeError, EOFError) as error:
            process.kill()
            is_late = overdue.is_set() or process.wait() in OUT_OF_TIME
            _LOG.info("the reader of records ended by itself")
            raise DocumentError(TOO_LONG if is_late else ENDED) from error
        finally:
            process.kill()
            conversation.close()
    n_unread = sum(not record["is_read"] for record in records)
    return UpdatedRecords(written, len(records), len(matched), len(answer["changed"]), n_unread)


class _Conversation:
    """The requests to the process and its answers.

    Its methods raise a `DocumentError` with the process's own sentence, and an EOFError or
    BrokenPipeError where it has ended.
    """

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None and process.stdout is not None
        self._requests, self._answers = process.stdin, process.stdout

    def close(self) -> None:
        """Drop what the process has not read; it has ended."""
        with suppress(BrokenPipeError):
            self._requests.close()

    def describe(self, content: bytes, vocabulary_id: str) -> list[dict[str, Any]]:
        """Return what the records of a file are called, and their subjects of this source."""
        source = source_of(vocabulary_id)
        request = {"size": len(content), "code": source.code, "tag": source.tag}
        records: list[dict[str, Any]] = self._ask(request, content)["records"]
        return records

    def change(self, changes: Mapping[int, Mapping[str, Any]]) -> tuple[dict[str, Any], bytes]:
        """Return which records have changed, and the new file."""
        answer = self._ask(changes)
        return answer, self._answers.read(answer["size"])

    def _ask(self, request: Mapping[Any, Any], content: bytes = b"") -> dict[str, Any]:
        self._requests.write(json.dumps(request).encode("ascii") + b"\n" + content)
        self._requests.flush()
        line = self._answers.readline()
        if not line.endswith(b"\n"):
            raise EOFError
        answer: dict[str, Any] = json.loads(line)
        if "problem" in answer:
            raise DocumentError(answer["problem"])
        return answer


def _matched(
    records: Iterable[Mapping[str, Any]],
    store: Store,
    selection: Selection,
    hierarchy: Hierarchy,
    language: str,
) -> dict[int, dict[str, Any]]:
    """Return what becomes of each record that is one of the documents, by its number.

    Nothing stands for a record that stays as it is.
    """
    listed = list(enumerate(records))
    read = {name for _, record in listed for name in record["names"]}
    names = read.union(
        unicodedata.normalize(form, name) for form in ("NFC", "NFD") for name in read
    )
    if selection.document_ids is not None:
        names &= set(selection.document_ids)
    chosen = replace(
        selection,
        document_ids=tuple(sorted(names)),
        decisions=frozenset((ACCEPTED, REJECTED, GIVEN)),
        proposed_terms=False,
    )
    documents = {
        exported.summary.document_id: exported for exported in gather(store, chosen, hierarchy)
    }
    alike = {composed(document_id): exported for document_id, exported in documents.items()}
    naming, concept_uris = ConceptNaming(hierarchy, language), _concept_uris(hierarchy)
    matched = {}
    for number, record in listed:
        found = (documents.get(name) or alike.get(composed(name)) for name in record["names"])
        exported = next(filter(None, found), None)
        if exported is not None:
            matched[number] = _change(exported, record["uris"], naming, concept_uris)
    return matched


def _change(
    exported: ExportedDocument,
    present: Iterable[str],
    naming: ConceptNaming,
    known_columns: frozenset[str],
) -> dict[str, Any]:
    """Return the subjects that a record gets, and the URIs of those that it loses."""
    accepted = tuple(item for item in exported.items if item.decision == ACCEPTED)
    is_finished = exported.summary.status == FINISHED
    if not accepted and not is_finished:
        return {}
    uris = {
        word: {naming.name(item).uri for item in exported.items if item.decision == word}
        for word in (GIVEN, REJECTED)
    }
    offered = known_columns.intersection(present)
    dropped = offered - uris[GIVEN] if is_finished else offered & uris[REJECTED]
    subjects = subjects_of(replace(exported, items=accepted), naming)
    return {
        "subjects": [(subject.label, subject.uri, subject.is_main) for subject in subjects],
        "dropped": sorted(dropped),
    }


def _concept_uris(hierarchy: Hierarchy) -> frozenset[str]:
    offered = (hierarchy[concept_id].uri for concept_id in hierarchy)
    return frozenset(offered) | {concept.uri for concept in hierarchy.deprecated.values()}
