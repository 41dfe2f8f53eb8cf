"""The process that reads vocabularies ends where it takes more than it may."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from core.errors import VocabularyError
from core.vocabulary import bounded, worker
from core.vocabulary.bounded import read_bounded
from tests.support import hungry
from tests.support.places import TINY_SKOS


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux bounds a process's memory so")
@pytest.mark.parametrize(
    ("wanted", "sentence"),
    [
        (hungry.MEMORY, "needs more memory to be read than a vocabulary of its size"),
        (hungry.WORK, "cannot be read within the time and memory"),
    ],
)
def test_a_reader_that_takes_all_there_is_is_ended_and_the_sentence_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wanted: bytes, sentence: str
) -> None:
    file = tmp_path / "v.ttl"
    file.write_bytes(wanted)
    with monkeypatch.context() as changed:
        changed.setattr(bounded, "WORKER", hungry.NAME)
        changed.setenv(hungry.WORKER_NAMED, "core.vocabulary.worker")
        with pytest.raises(VocabularyError, match=f"v.ttl {sentence}"):
            read_bounded([file])
    assert read_bounded([TINY_SKOS]).entry is None


def test_a_stored_version_that_is_larger_than_the_file_may_be_read_as_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_bounded([TINY_SKOS], home=tmp_path)
    (stored,) = tmp_path.glob("vocabularies/*/*/concepts.json")
    allowed: list[int] = []
    monkeypatch.setattr(worker, "_limit", lambda n_bytes, n_labels=0: allowed.append(n_bytes))
    request = {"paths": [str(TINY_SKOS)], "vocabulary_id": None, "home": str(tmp_path)}
    worker._answer(request, worker._Progress(io.StringIO()))
    assert allowed[-1] == TINY_SKOS.stat().st_size + stored.stat().st_size
