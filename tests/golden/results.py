"""What is recorded and compared: functions that give values as JSON has them, and their files."""

from __future__ import annotations

import csv
import gzip
import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from os import environ
from pathlib import Path
from typing import Any

from tests.golden import decided_store, subject
from tests.golden.texts import generated_documents
from tests.support.files.code_files import write_list, write_release, write_table, write_tree
from tests.support.files.generate_skos import write as write_skos
from tests.support.named_codes import ROWS
from tests.support.places import TINY_SKOS

FOLDER = Path(__file__).resolve().parent
DATABASE, BACKUP = FOLDER / "database.sql.gz", FOLDER / "backup.zip"
EXPORTS = FOLDER / "exports.json"
N_EXPLAINED = 5
STAMP = re.compile(r'(\\?"timestamp\\?": \\?")[^"\\]+')  # of a FHIR bundle: when it was made
# Of a message of HL7: when it was made, and its number.
MESSAGE = re.compile(r"(?<=\|)\d{14}\+0000\b|(?<=\^BAR_P12\|)[0-9a-f]{20}")


def golden(name: str) -> Any:
    """What was recorded."""
    return json.loads(gzip.decompress(file_of(name).read_bytes()))


def golden_exports() -> dict[str, str]:
    """The recorded exports."""
    recorded: dict[str, list[str]] = json.loads(EXPORTS.read_text("utf-8"))
    return {name: "\n".join(lines) for name, lines in recorded.items()}


def write_exports(contents: Mapping[str, str]) -> None:
    """Record exports line by line, so that a comparison of versions shows what has changed."""
    lines = {name: content.split("\n") for name, content in contents.items()}
    EXPORTS.write_text(f"{json.dumps(lines, indent=0, ensure_ascii=False)}\n", "utf-8")


def file_of(name: str) -> Path:
    """Where another result is kept."""
    return FOLDER / f"{name}.json.gz"


@contextmanager
def environment(home: Path) -> Iterator[None]:
    """The environment in which results are the same on every machine."""
    kept = {name: environ.get(name) for name in ("STRATA_PRECISION", "STRATA_HOME")}
    environ.update(STRATA_PRECISION="fp32", STRATA_HOME=str(home))
    try:
        yield
    finally:
        for name, value in kept.items():
            if value is None:
                del environ[name]
            else:
                environ[name] = value


def predictions(bundle_name: str, folder: Path) -> dict[str, Any]:
    """Suggestions for examples and generated texts, and evidence for the examples."""
    examples = subject.example_documents()
    documents = [*examples, *generated_documents()]
    with environment(folder):
        bundle = subject.load_bundle(bundle_name)
        found = {"alone": subject.predict(bundle, documents)}
        served = bundle
        if bundle_name != "eurovoc":
            served = subject.add_names(bundle, folder)
            # Names are of diagnoses, so that texts about law are left out.
            found["named"] = subject.predict(
                served, [*examples, *documents[len(examples) + 1 :: 2]]
            )
        best = found["named" if served is not bundle else "alone"]
        evidence = []
        for document, predicted in zip(examples, best, strict=False):
            ids = [row[0] for row in predicted["suggestions"][:N_EXPLAINED]]
            evidence.append(subject.explain(served, document, ids))
    return {**found, "evidence": evidence}


def commands(folder: Path) -> dict[str, Any]:
    """Output of the command line: vocabularies, and suggestions with and without names."""
    with environment(folder / "home"):
        return {"vocabulary": _vocabularies(folder), "suggest": _suggestions(folder)}


def _vocabularies(folder: Path) -> dict[str, Any]:
    generated = folder / "generated.rdf"
    write_skos(generated, concepts=100, languages=24)
    icd9 = [write(folder) for write in (write_tree, write_release, write_table)]
    commands = {
        "tiny": [TINY_SKOS],
        "generated": [generated],
        "icd9cm": [*icd9, "--import"],
        "ward": [write_list(folder), "--id", "ward"],
        "icd10cm": [_few_codes(folder), "--id", "icd10cm", "--import"],
    }
    found = {}
    for name, arguments in commands.items():
        report = json.loads(subject.command("vocabulary", *arguments, "--json"))
        assert report.pop("seconds") >= 0
        found[name] = report
    return found


def _few_codes(folder: Path) -> Path:
    path = folder / "few.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["code", "parent", "label", "synonyms"])
        rows.writerows([code, above, label, " | ".join(alt)] for code, label, above, alt, _ in ROWS)
    return path


def _suggestions(folder: Path) -> dict[str, Any]:
    lines = folder / "documents.jsonl"
    documents = [*subject.example_documents(), *generated_documents()[:2]]
    records = [{"id": d.document_id, "title": d.title, "text": d.text} for d in documents]
    lines.write_text("\n".join(map(json.dumps, records)), "utf-8")
    found = {}
    for bundle in subject.BUNDLES:
        for names in ([], ["--no-names"]) if bundle != "eurovoc" else ([],):
            bundle_options = ["--bundle", subject.MODELS / bundle, *names]
            output = subject.command(
                "suggest", *bundle_options, "--input", lines, "--output", "-", "--limit", 10
            )
            found[" ".join([bundle, *names])] = [_line(text) for text in output.splitlines()]
    return found


def _line(text: str) -> dict[str, Any]:
    line = json.loads(text)
    keys = ("concept_id", "notation", "probability")
    return {
        "id": line["id"],
        "suggestions": [[s[key] for key in keys] for s in line["suggestions"]],
    }


def exports(url: str) -> dict[str, str]:
    """Every export of the store of `decided_store`; the moment of exporting is left out."""
    found = subject.exports(url, decided_store.VOCABULARIES)
    unstamped = {name: STAMP.sub(r"\1", content) for name, content in found.items()}
    return {name: MESSAGE.sub("", content) for name, content in unstamped.items()}


def contents(url: str) -> dict[str, Any]:
    """What the program reads in a store."""
    return subject.contents(url)


RESULTS: Mapping[str, Callable[[Path], Any]] = {
    **{
        f"predictions-{name}": lambda folder, name=name: predictions(name, folder)
        for name in subject.BUNDLES
    },
    "commands": commands,
    "exports": lambda folder: exports(decided_store.write_store(folder / "new.sqlite")),
    "contents": lambda folder: contents(decided_store.write_store(folder / "newer.sqlite")),
}
