"""What is fuzzed: files of a real structure, and what reads them."""

from __future__ import annotations

import gzip
import json
import random
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from core.documents.batches.batch import documents_of, open_batch
from core.documents.kinds import BATCHES
from core.documents.uploads import checked_kind, read_upload
from core.documents.worker import read
from core.model.bundle.bundle import load_bundle, rewrite_checksums
from core.vocabulary.readers import read_vocabulary
from tests.fuzz.backups import backups
from tests.support.files.code_files import write_list, write_release, write_table, write_tree
from tests.support.files.office_files import docx_file, eurlex, odt_file, pdf_file, zip_file
from tests.support.models.tiny_bundle import write_tiny_bundle
from tests.support.places import TINY_SKOS

PIECES = (
    b"\0",
    b"\xff\xfe",
    b"\n",
    b'"',
    b"<",
    b"&e;",
    b"\xed\xa0\x80",
    b"[" * 50,
    b"9" * 400,
    b"-",
)
ENTITIES = b'<!DOCTYPE r [<!ENTITY e "x"><!ENTITY f "&e;&e;">]>'
ROWS = [{"id": str(n), "title": "Herring", "text": "herring and sole", "n": n} for n in range(4)]
RDF_XML = b"""<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE rdf:RDF [<!ENTITY v "http://v.example/">]>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
 xmlns:skos="http://www.w3.org/2004/02/skos/core#"><skos:Concept rdf:about="&v;a">
<skos:prefLabel xml:lang="en">animal</skos:prefLabel></skos:Concept></rdf:RDF>"""


@dataclass(frozen=True)
class Target:
    """A file, and what reads a changed one of its name in a folder."""

    name: str
    content: bytes
    read: Callable[[Path, bytes], object]


class _InThisProcess:
    """Parses here, without the limits of the worker."""

    def read(self, kind: str, name: str, content: bytes) -> object:
        return read(kind, name, content)


def _read_document(path: Path, content: bytes) -> object:
    if checked_kind(path.name, content) not in BATCHES:
        return read_upload(path.name, content, parser=_InThisProcess())  # type: ignore[arg-type]
    batch = open_batch(path.name, content)
    return list(documents_of(batch, batch.guessed)) if batch.columns else batch


def _read_vocabulary(path: Path, content: bytes) -> object:
    path.write_bytes(content)
    return read_vocabulary([path])


def _reader_of_bundle(bundle: Path) -> Callable[[Path, bytes], object]:
    def read_bundle(path: Path, content: bytes) -> object:
        folder = path.parent / "bundle"
        shutil.copytree(bundle, folder)
        (folder / path.name).write_bytes(content)
        if path.name != "bundle.json":
            rewrite_checksums(folder)
        return load_bundle(folder)

    return read_bundle


def targets(folder: Path) -> Iterator[Target]:
    """Yield all targets; the folder takes the files that they are made of."""
    text = json.dumps(ROWS)
    lines = "\n".join(map(json.dumps, ROWS))
    table = "id;title;text\n1;Herring;herring\n2;Sole;sole\n"
    documents = {
        "act.txt": "ANNEX I\nArticle 1\nHerring and sole.\n".encode("utf-16"),
        "act.html": eurlex(),
        "act.docx": docx_file(),
        "act.odt": odt_file(),
        "act.pdf": pdf_file(2),
        "acts.csv": table.encode("utf-8-sig"),
        "acts.json": text.encode(),
        "acts.jsonl": lines.encode(),
        "acts.zip": zip_file({"a/1.txt": "herring", "a/2.txt": "sole", "b.html": eurlex()}),
    }
    yield from (Target(name, content, _read_document) for name, content in documents.items())
    turtle = TINY_SKOS.read_bytes()
    files = [write(folder) for write in (write_tree, write_release, write_table, write_list)]
    vocabularies = {path.name: path.read_bytes() for path in files} | {
        "v.ttl": turtle,
        "v.rdf": RDF_XML,
        "v.ttl.gz": gzip.compress(turtle, mtime=0),
        "v.zip": zip_file({"v.ttl": turtle}),
        "utf16.rdf": RDF_XML.replace(b"UTF-8", b"UTF-16").decode().encode("utf-16"),
    }
    yield from (Target(name, content, _read_vocabulary) for name, content in vocabularies.items())
    bundle = folder / "tiny"
    write_tiny_bundle(bundle)
    for path in sorted(bundle.iterdir()):
        yield Target(path.name, path.read_bytes(), _reader_of_bundle(bundle))
    yield from (Target(*backup) for backup in backups())


def mutated(content: bytes, rng: random.Random) -> bytes:
    """Return the bytes with some changed, cut out, repeated or put in."""
    changed = bytearray(content)
    for _ in range(rng.choice((1, 1, 2, 4, 16))):
        at = rng.randrange(len(changed) + 1)
        length = rng.choice((1, 2, 8, 64, 512))
        way = rng.randrange(6)
        if way == 0 and at < len(changed):
            changed[at] = rng.randrange(256)
        elif way == 1:
            del changed[at : at + length]
        elif way == 2:
            changed[at:at] = changed[max(0, at - length) : at] * rng.choice((1, 2, 30))
        elif way == 3:
            changed[at:at] = rng.choice((*PIECES, ENTITIES))
        elif way == 4:
            changed[at : at + 4] = rng.choice((b"\0\0\0\0", b"\xff\xff\xff\xff", b"\x01\0\0\0"))
        else:
            other = rng.randrange(len(changed) + 1)
            changed[at:at] = changed[other : other + length]
    return bytes(changed)
