"""The label space of a corpus: of a vocabulary, of a code system, or of a flat list of labels."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

from core.errors import ConfigError, VocabularyError
from core.vocabulary.concepts import Concept, Hierarchy
from core.vocabulary.labels import LabelSpace
from core.vocabulary.readers import BUILT_IN, read_built_in, read_vocabulary
from training.config import DataConfig
from training.corpora.corpus import SPLITS, Corpus

ICD10CM = "icd10cm"
"""Vocabulary that comes with a package and needs no file."""


def label_space_of(corpus: Corpus, data: DataConfig) -> LabelSpace:
    """Return the columns in which a corpus is learned and judged.

    `data.vocabulary` is a SKOS file, a table of codes, the files of ICD-9-CM; "icd10cm"; or ""
    for the labels that the corpus itself names, all on one level.

    Raises:
        ConfigError: no vocabulary is named, and the corpus names no labels.
        VocabularyError: the file cannot be used.
    """
    if data.vocabulary:
        hierarchy = without_general(vocabulary_of(data.vocabulary), data.skip_levels)
        return LabelSpace(_chosen(hierarchy, corpus, data.labels))
    if not corpus.labels:
        raise ConfigError(
            f"The corpus {corpus.name} names no labels of its own: "
            "set data.vocabulary to the file of its vocabulary."
        )
    return LabelSpace(flat_hierarchy(corpus.name, corpus.labels))


def _chosen(hierarchy: Hierarchy, corpus: Corpus, labels: str) -> Hierarchy:
    if labels == "all":
        return hierarchy
    splits = SPLITS if labels == "coded" else SPLITS[:1]
    rows = (row for split in splits for row in corpus.split(split))
    return coded_alone(hierarchy, {code for row in rows for code in row.assigned})


def without_general(hierarchy: Hierarchy, n_levels: int) -> Hierarchy:
    """Return a vocabulary without its first levels, such as the four general codes of ICD-9-CM.

    Raises:
        ConfigError: it has no more levels than these.
    """
    if not n_levels:
        return hierarchy
    if n_levels >= hierarchy.depth:
        raise ConfigError(
            f"data.skip_levels = {n_levels}, and {hierarchy.vocabulary_id} has {hierarchy.depth} "
            "levels: skip fewer."
        )
    specific = {concept_id for level in hierarchy.levels[n_levels:] for concept_id in level}
    concepts = [
        replace(hierarchy[i], broader=tuple(b for b in hierarchy[i].broader if b in specific))
        for i in hierarchy
        if i in specific
    ]
    return _part(hierarchy, concepts)


def coded_alone(hierarchy: Hierarchy, codes: Collection[str]) -> Hierarchy:
    """Return some codes of a vocabulary and all that is above them.

    These codes alone are assignable, a category among them where it was coded: it was a code in the
    edition by which the corpus was coded, and a project's vocabulary has what may be accepted.

    Raises:
        VocabularyError: none of them is in the vocabulary.
    """
    known_codes = {code for code in codes if code in hierarchy}
    if not known_codes:
        raise VocabularyError(
            f"None of the {len(codes):,} codes of the corpus is in {hierarchy.vocabulary_id}: name "
            "the vocabulary that it was coded by."
        )
    codes_above = hierarchy.augment(known_codes)
    concepts = [
        replace(hierarchy[i], assignable=i in known_codes) for i in hierarchy if i in codes_above
    ]
    return _part(hierarchy, concepts)


def _part(hierarchy: Hierarchy, concepts: Iterable[Concept]) -> Hierarchy:
    return Hierarchy(
        concepts,
        vocabulary_id=hierarchy.vocabulary_id,
        version=hierarchy.version,
        uri_base=hierarchy.uri_base,
        scheme_uri=hierarchy.scheme_uri,
    )


def vocabulary_of(name: str) -> Hierarchy:
    """Return the hierarchy of a file, of a folder of ICD-9-CM, or of a built-in vocabulary."""
    if name in BUILT_IN:
        return read_built_in(name).hierarchy
    path = Path(name)
    return read_vocabulary(sorted(path.iterdir()) if path.is_dir() else [path]).hierarchy


def flat_hierarchy(name: str, labels: Mapping[str, str]) -> Hierarchy:
    """Return labels as concepts of one level, each of which can be assigned.

    The version is a checksum of the labels, so that models of other labels differ.
    """
    base = f"urn:labels:{quote(name, safe='')}:"
    concepts = [
        Concept(label_id, base + quote(label_id, safe=""), None, {"en": text or label_id})
        for label_id, text in labels.items()
    ]
    digest = hashlib.sha256(repr(sorted(labels.items())).encode()).hexdigest()[:12]
    return Hierarchy(concepts, vocabulary_id=name, version=digest, uri_base=base)
