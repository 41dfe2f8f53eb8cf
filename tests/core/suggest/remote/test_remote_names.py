"""Names, rules and labels in the process of the models: the same as here, and never for ever."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest

from core.clinical.assertions import AssertedPlace
from core.clinical.suggester import codes_of
from core.documents.document import Document
from core.errors import TooSlowError
from core.paths import PROJECT_ROOT
from core.suggest.cold_start.suggester import ColdStartSuggester
from core.suggest.opening import with_names
from core.suggest.protocol import FinishedDocument, ReadsNotes, find_part
from core.suggest.remote import process as processes
from core.suggest.remote.names import RemoteTexts, kept_or_whole
from core.suggest.remote.process import ModelProcess
from core.suggest.remote.suggester import RemoteExplainer, load_remote
from core.vocabulary.versions.vocabulary_versions import VocabularyVersions
from tests.support.fakes import FakePredictor, hierarchy
from tests.support.models.remote_worker import ENDLESS
from tests.support.named_codes import named_codes

NOTE = Document.from_text(
    "note", "Discharge", "COPD and pneumonia. No asthma. Mother had COPD. Pneumonia again."
)
ACT = Document.from_text("act", "Quota for herring", "Honey, herring and a railway. " * 3)
TAUGHT = FinishedDocument(
    Document.from_text("taught", "Herring", "Herring and honey."), 1, ("101",), ("102",)
)


def test_names_and_rules_are_found_there_as_here(texts: RemoteTexts, tmp_path: Path) -> None:
    codes = named_codes()
    here, there = codes_of(None, codes, tmp_path), texts.codes_of(None, codes, tmp_path)
    assert texts.codes_of(None, codes, tmp_path) is there
    expected, found = here.suggest(NOTE, limit=20), there.suggest(NOTE, limit=20)
    assert expected.suggestions
    assert replace(found, seconds=0) == replace(expected, seconds=0)
    assert dict(there.denied(NOTE)) == dict(here.denied(NOTE))
    ids = [row.concept_id for row in expected.suggestions]
    own, other = here.explain(NOTE), there.explain(NOTE)  # type: ignore[attr-defined]
    assert other.evidence(ids) == own.evidence(ids)
    spans = own.evidence(ids[:1])[ids[0]].passages[0].spans
    assert other.without(ids[0], spans) == own.without(ids[0], spans)
    notes = find_part(there, ReadsNotes)  # type: ignore[type-abstract]
    assert notes is not None
    places = [
        AssertedPlace("text", 0, 4),
        AssertedPlace("text", 23, 29),
        AssertedPlace("title", 0, 4),
    ]
    assert notes.assertions(NOTE, places) == here.assertions(NOTE, places)
    assert [said is None for said in notes.assertions(NOTE, places)] == [True, False, True]
    assert notes.familiarity(NOTE) == here.familiarity(NOTE)


def test_a_model_is_asked_where_it_computes_in_the_midst_of_the_look_for_names(
    texts: RemoteTexts, process: ModelProcess, tmp_path: Path
) -> None:
    codes, bundle = named_codes(), tmp_path / "codes"
    here = codes_of(FakePredictor(codes), codes, tmp_path, bundle_dir=bundle)
    there = texts.codes_of(load_remote(process, bundle), codes, tmp_path, bundle_dir=bundle)
    reported: list[tuple[int, int]] = []
    expected = here.suggest(NOTE, limit=20)
    found = there.suggest(NOTE, limit=20, on_progress=lambda *done: reported.append(done))
    assert {row.source for row in expected.suggestions} == {"fake", "lexical"}
    assert replace(found, seconds=0) == replace(expected, seconds=0)
    assert reported == [(1, 4), (2, 4), (3, 4), (4, 4)]
    notes = [replace(NOTE, document_id=str(number)) for number in range(3)]
    both = zip(there.suggest_batch(notes), here.suggest_batch(notes), strict=True)
    assert all(replace(one, seconds=0) == replace(other, seconds=0) for one, other in both)
    ids = [row.concept_id for row in expected.suggestions]
    own, other = here.explain(NOTE), there.explain(NOTE)  # type: ignore[attr-defined]
    assert other.evidence(ids) == own.evidence(ids)
    assert other.without(ids[0], []) == own.without(ids[0], [])

    def stop(*_: int) -> None:
        raise KeyError(NOTE.document_id)

    with pytest.raises(KeyError):
        there.suggest(NOTE, on_progress=stop)
    assert there.suggest(NOTE).suggestions


def test_a_model_of_codes_is_loaded_when_it_is_asked(texts: RemoteTexts, tmp_path: Path) -> None:
    folder = PROJECT_ROOT / "assets/models/icd10cm-cases"
    process = ModelProcess()
    model = load_remote(process, folder)
    codes = named_codes()
    note = Document.from_text("note", "Discharge summary", "COPD and pneumonia. No cough.")
    names = texts.codes_of(model, codes, tmp_path, bundle_dir=folder)
    assert names.suggest(note).suggestions and names.name == "icd10cm-cases"
    assert process._run is None and model.number_format is None
    assert model.suggest(note).bundle_hash == model.bundle_hash  # which refuses other facts
    assert names.number_format is not None
    process.close()


def test_a_kept_vocabulary_is_read_there_and_another_one_is_sent(
    texts: RemoteTexts, tmp_path: Path
) -> None:
    versions, made = VocabularyVersions(tmp_path), named_codes()
    key = versions.add(made, file_name="x", sha256="0", report={}).key
    kept = versions.load(key)
    assert kept_or_whole(kept, versions) == key
    assert kept_or_whole(made, versions) is made
    expected = codes_of(None, kept, tmp_path).suggest(NOTE)
    found = texts.codes_of(None, kept, tmp_path).suggest(NOTE)
    assert expected.suggestions
    assert replace(found, seconds=0) == replace(expected, seconds=0)
    (versions.place(key) / "concepts.json").write_text("{}")
    assert kept_or_whole(kept, versions) is kept


@pytest.mark.parametrize("is_taught", [False, True])
def test_labels_are_found_there_as_here(texts: RemoteTexts, is_taught: bool) -> None:
    vocabulary = hierarchy()
    here = ColdStartSuggester.of_vocabulary(vocabulary)
    there = ColdStartSuggester.of_vocabulary(vocabulary, reader=texts.reader)
    for suggester in (here, there):
        suggester.learn([TAUGHT] if is_taught else [])
    expected, found = here.suggest(ACT), there.suggest(ACT)
    assert expected.suggestions
    assert replace(found, seconds=0) == replace(expected, seconds=0)
    ids = [row.concept_id for row in expected.suggestions]
    own, other = here.explain(ACT), there.explain(ACT)
    assert other.evidence([*ids, "d1"]) == own.evidence([*ids, "d1"])
    span = own.evidence(["102"])["102"].passages[0].spans
    assert other.without("102", span) == own.without("102", span)


def test_what_was_decided_on_codes_is_learned_from_terms_there(
    texts: RemoteTexts, tmp_path: Path
) -> None:
    codes = named_codes()
    finished = FinishedDocument(NOTE, 1, ("J449",), (), {"J449": 0.5})
    found = []
    for where in (None, texts):
        suggester = with_names(None, codes, tmp_path, learns=True, texts=where)
        assert suggester is not None
        suggester.learn([finished])  # type: ignore[attr-defined]
        found.append(replace(suggester.suggest(NOTE), seconds=0))
    assert found[0] == found[1]


def test_a_text_that_takes_too_long_ends_the_process_and_nobody_else(
    remote: RemoteExplainer, process: ModelProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    remote.suggest(ACT)
    monkeypatch.setattr(processes, "LEAST_SECONDS", 1.0)
    monkeypatch.setattr(processes, "SECONDS_OF_MILLION", 0.0)
    endless = replace(ACT, document_id=ENDLESS, title="a")
    before = process.running().process.pid
    with pytest.raises(TooSlowError, match="could not be read in time"):
        remote.suggest(endless)
    monkeypatch.undo()
    assert remote.suggest(ACT).suggestions
    assert process.running().process.pid != before
    started = time.monotonic()
    with pytest.raises(TooSlowError):  # it is not tried again, nor is anything else of it
        remote.explain(endless).evidence(["101"])
    assert time.monotonic() - started < 0.5


def test_what_takes_too_long_teaches_its_concepts_alone() -> None:
    class Slow:
        def reading(self, document: Document) -> None:
            raise TooSlowError(document.document_id)

    suggester = ColdStartSuggester.of_vocabulary(hierarchy(), reader=lambda *_: Slow())  # type: ignore[arg-type, return-value]
    suggester.learn([TAUGHT])
    assert suggester.learned() == {"taught": 1}
    assert suggester.experience().n_assigned.sum() == 1
