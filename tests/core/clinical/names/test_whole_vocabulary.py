"""The names of a whole vocabulary beside a model that has seen some of its codes."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.documents.document import Document
from core.errors import VocabularyError
from core.suggest.opening import with_names, with_whole_vocabulary
from core.vocabulary.concepts import Hierarchy
from core.vocabulary.versions.keeping import whole_vocabulary
from core.vocabulary.versions.vocabulary_versions import VocabularyVersions
from tests.support.fakes import EmptySuggester, FakePredictor, hierarchy
from tests.support.named_codes import named_codes

NOTE = Document.from_text("n", "Visit", "A dry cough.")


def one_code() -> Hierarchy:
    """What a model knows."""
    codes = named_codes()
    return Hierarchy([codes["X"], codes["I10"]], vocabulary_id="icd10cm", version="model")


def test_a_code_that_no_model_has_seen_is_suggested_by_its_name(tmp_path: Path) -> None:
    VocabularyVersions(tmp_path).add(named_codes(), file_name="codes", sha256="1", report={})
    model = with_whole_vocabulary(EmptySuggester(one_code()), tmp_path)
    (cough,) = model.suggest(NOTE).suggestions
    assert (cough.concept_id, cough.source, cough.notation) == ("R05", "lexical", "R05")


def test_a_thesaurus_stays_as_it_is(tmp_path: Path) -> None:
    model = FakePredictor(hierarchy())
    assert with_names(model, hierarchy(), tmp_path) is model


def test_a_system_that_is_not_there_leaves_the_model_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = EmptySuggester(Hierarchy([], vocabulary_id="icd9cm", version="1"))
    assert with_whole_vocabulary(model, tmp_path) is model
    assert "icd9cm is not imported" in capsys.readouterr().err
    with pytest.raises(VocabularyError, match="--import"):
        whole_vocabulary("icd9cm", tmp_path)
