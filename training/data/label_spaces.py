"""The label space of a corpus: of a vocabulary, of a code system, or of a flat list of labels."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote

from core.errors import ConfigError
from core.vocabulary.concepts import Concept, Hierarchy
from core.vocabulary.labels import LabelSpace
from core.vocabulary.skos import read_skos
from training.config import DataConfig
from training.data.code_systems import icd9cm, icd10cm
from training.data.corpus import Corpus

ICD10CM = "icd10cm"
"""Vocabulary that comes with a package and needs no file."""


def label_space_of(corpus: Corpus, data: DataConfig) -> LabelSpace:
    """The columns in which a corpus is learned and judged.

    `data.vocabulary` is a SKOS file; a table of ICD-9-CM codes and titles (.tsv); "icd10cm"; or ""
    for the labels that the corpus itself names, all on one level.

    Raises:
        ConfigError: no vocabulary is named, and the corpus names no labels.
        VocabularyError: the file cannot be used.
    """
    if data.vocabulary:
        return LabelSpace(vocabulary_of(data.vocabulary))
    if not corpus.labels:
        raise ConfigError(
            f"The corpus {corpus.name} names no labels of its own: "
            "set data.vocabulary to the file of its vocabulary."
        )
    return LabelSpace(flat_hierarchy(corpus.name, corpus.labels))


def vocabulary_of(name: str) -> Hierarchy:
    """The hierarchy of a file, or of a code system that comes with a package."""
    if name == ICD10CM:
        return icd10cm()
    if Path(name).suffix == ".tsv":
        return icd9cm(Path(name))
    return read_skos(Path(name)).hierarchy


def flat_hierarchy(name: str, labels: Mapping[str, str]) -> Hierarchy:
    """Labels as concepts of one level, each of which can be assigned.

    The version is a checksum of the labels, so that models of other labels are told apart.
    """
    base = f"urn:labels:{quote(name, safe='')}:"
    concepts = [
        Concept(label_id, base + quote(label_id, safe=""), None, {"en": text or label_id})
        for label_id, text in labels.items()
    ]
    digest = hashlib.sha256(repr(sorted(labels.items())).encode()).hexdigest()[:12]
    return Hierarchy(concepts, vocabulary_id=name, version=digest, uri_base=base)
