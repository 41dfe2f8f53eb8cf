"""Writes a large invented vocabulary in the structure of EuroVoc, to measure how long reading takes.

python tests/support/files/generate_skos.py FILE.rdf [--concepts 7300] [--languages 24]
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

LANGUAGES = "bg cs da de el en es et fi fr ga hr hu it lt lv mt nl pl pt ro sk sl sv"
BASE = "http://vocabulary.example/"
DOMAINS = 21
THESAURI = 127
TOP_SHARE = 0.07
SECOND_BROADER_SHARE = 0.03
SYLLABLES = "ba ce di fo gu la me ni po ru sa te vi zo κα λι мо ре ště öl"
HEADER = """<?xml version="1.0" encoding="UTF-8"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
         xmlns:skos="http://www.w3.org/2004/02/skos/core#">
"""


class Writer:
    """Writes resources one by one; the same seed gives the same file."""

    def __init__(self, file: TextIO, languages: int, seed: int = 0) -> None:
        self.file = file
        self.languages = LANGUAGES.split()[:languages]
        self.random = random.Random(seed)

    def resource(
        self, uri: str, kind: str, *, code: str, links: list[tuple[str, str]], alt_labels: int
    ) -> None:
        """Write one resource with labels in all languages; a code stands before each label."""
        prefix = f"{code} " if len(code) in (2, 4) and kind != "Concept" else ""
        rows = [
            f'  <rdf:Description rdf:about="{uri}">',
            f'    <rdf:type rdf:resource="http://www.w3.org/2004/02/skos/core#{kind}"/>',
            f"    <skos:notation>{code}</skos:notation>",
        ]
        rows += [f'    <skos:{name} rdf:resource="{target}"/>' for name, target in links]
        rows += [self.label("prefLabel", language, prefix) for language in self.languages]
        rows += [
            self.label("altLabel", language, "")
            for language in self.languages
            for _ in range(alt_labels)
        ]
        self.file.write("\n".join([*rows, "  </rdf:Description>\n"]))

    def label(self, name: str, language: str, prefix: str) -> str:
        words = [
            "".join(self.random.choices(SYLLABLES.split(), k=self.random.randint(2, 5)))
            for _ in range(self.random.randint(1, 4))
        ]
        return f'    <skos:{name} xml:lang="{language}">{prefix}{" ".join(words)}</skos:{name}>'


def write(path: Path, *, concepts: int, languages: int) -> None:
    """Write the vocabulary: domains, micro-thesauri, then concepts below earlier concepts."""
    with path.open("w", encoding="utf-8") as file:
        writer = Writer(file, languages)
        file.write(HEADER)
        for number in range(DOMAINS):
            links = [("inScheme", f"{BASE}domains"), ("topConceptOf", f"{BASE}domains")]
            uri = f"{BASE}d{number}"
            writer.resource(uri, "Concept", code=f"{4 * number:02}", links=links, alt_labels=0)
        for number in range(THESAURI):
            uri = f"{BASE}t{number}"
            code = f"{4 * (number % DOMAINS):02}{number % 100:02}"
            writer.resource(uri, "ConceptScheme", code=code, links=[], alt_labels=0)
        for number, links in enumerate(_links(writer.random, concepts)):
            uri = f"{BASE}{number}"
            code = f"{number:06}"
            writer.resource(uri, "Concept", code=code, links=links, alt_labels=number % 7)
        file.write("</rdf:RDF>\n")


def _links(rng: random.Random, concepts: int) -> Iterator[list[tuple[str, str]]]:
    for number in range(concepts):
        thesaurus = f"{BASE}t{rng.randrange(THESAURI)}"
        links = [("inScheme", thesaurus)]
        if number < THESAURI or rng.random() < TOP_SHARE:
            links.append(("topConceptOf", thesaurus))
        else:
            several = 2 if rng.random() < SECOND_BROADER_SHARE else 1
            broader = {rng.randrange(max(1, number // 3)) for _ in range(several)}
            links += [("broader", f"{BASE}{other}") for other in sorted(broader)]
        yield links


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--concepts", type=int, default=7_300)
    parser.add_argument("--languages", type=int, default=24)
    arguments = parser.parse_args()
    write(arguments.file, concepts=arguments.concepts, languages=arguments.languages)
    print(f"{arguments.file}: {arguments.file.stat().st_size / 2**20:.1f} MiB")  # noqa: T201


if __name__ == "__main__":
    main()
