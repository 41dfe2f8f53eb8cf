"""Label spaces of corpora: flat lists of labels, vocabularies, code systems."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import ConfigError
from core.vocabulary.labels import LabelSpace
from tests.support.labelled import act
from tests.support.places import TINY_SKOS
from training.cli.options import data_options
from training.config import NO_PLACES, DataConfig
from training.corpora.corpus import Corpus
from training.corpora.label_spaces import ICD10CM, flat_hierarchy, label_space_of


def corpus(**labels: str) -> Corpus:
    return Corpus("mail", (act("1", "b"),), (), (), labels=labels)


def test_labels_of_a_corpus_are_columns_of_one_level() -> None:
    space = label_space_of(corpus(b="bee", a="ant"), DataConfig())

    assert space.concept_ids == ("a", "b")
    assert space.n_levels == 1
    assert space.assignable.all()
    assert space.hierarchy["a"].label() == "ant"
    assert space.encode([["b"], []], augmented=True).toarray().tolist() == [[0, 1], [0, 0]]


def test_labels_of_any_characters_have_uris_of_their_own(tmp_path: Path) -> None:
    hierarchy = flat_hierarchy("my mail", {"a b": "", "a/b": "", "ä;": "Ä"})
    uris = {hierarchy[label].uri for label in hierarchy}

    assert len(uris) == 3
    assert all(uri.startswith("urn:labels:my%20mail:") and " " not in uri for uri in uris)
    assert hierarchy["a b"].label() == "a b"
    space = LabelSpace(hierarchy)
    space.save(tmp_path / "label_space.jsonl")
    assert LabelSpace.load(tmp_path / "label_space.jsonl").concept_ids == space.concept_ids


def test_the_version_tells_other_labels_apart() -> None:
    versions = {
        flat_hierarchy("mail", labels).version
        for labels in ({"a": "ant"}, {"a": "bee"}, {"b": "bee"}, {"a": "ant", "b": "bee"})
    }
    assert len(versions) == 4
    turned = flat_hierarchy("mail", {"b": "bee", "a": "ant"}).version
    assert turned == flat_hierarchy("mail", {"a": "ant", "b": "bee"}).version


def test_a_named_vocabulary_goes_before_the_labels_of_the_corpus() -> None:
    space = label_space_of(corpus(b="bee"), DataConfig(vocabulary=str(TINY_SKOS)))
    assert space.n_levels > 1


def test_a_corpus_without_labels_needs_a_vocabulary() -> None:
    with pytest.raises(ConfigError, match=r"mail names no labels .* data\.vocabulary"):
        label_space_of(corpus(), DataConfig())


def test_a_table_of_icd9_codes_is_a_vocabulary(tmp_path: Path) -> None:
    table = tmp_path / "codes.tsv"
    table.write_text("@\troot\n460-519.99\tlungs\n486\tpneumonia\n", "utf-8")
    space = label_space_of(corpus(b="bee"), DataConfig(vocabulary=str(table)))
    assert space.hierarchy.ancestors("486") == {"460-519.99"}


def test_icd10cm_comes_with_its_package() -> None:
    pytest.importorskip("simple_icd_10_cm")
    space = label_space_of(corpus(b="bee"), DataConfig(vocabulary="icd10cm"))
    assert space.hierarchy.ancestors("N20.0") >= {"N20"}


def test_a_command_line_takes_icd10cm_for_a_vocabulary_and_no_other_missing_file() -> None:
    assert ICD10CM in NO_PLACES["data.vocabulary"]
    assert data_options(vocabulary=ICD10CM).vocabulary == ICD10CM
    with pytest.raises(ConfigError, match=r"There is no icd9cm\."):
        data_options(vocabulary="icd9cm")
