"""A bundle's scores are computed part by part, and not twice."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest

from core.documents.document import Document
from core.suggest.opening import load_suggester
from tests.support.models.tiny_bundle import write_tiny_bundle
from training.corpora.corpus import LabelledDocument
from training.judging import scoring
from training.judging.scoring import bundle_scores, kept_scores

pytestmark = pytest.mark.usefixtures("single_thread")
ACTS = [
    LabelledDocument(Document.from_text(f"act {n}", f"Fish and wheat {n}", ""), ("fish",))
    for n in range(7)
]


class StoppedError(Exception):
    """As when a person presses Ctrl-C."""


def test_what_was_scored_before_a_stop_is_not_scored_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_tiny_bundle(tmp_path / "bundle")
    suggester = load_suggester(tmp_path / "bundle")
    monkeypatch.setattr(scoring, "PART_DOCUMENTS", 2)
    plain, read = suggester.probabilities_of, list[str]()

    def watched(documents: Iterable[Document]) -> object:
        some = list(documents)
        read.extend(document.document_id for document in some)
        if len(read) == 6:
            raise StoppedError
        return plain(some)

    monkeypatch.setattr(suggester, "probabilities_of", watched)
    with pytest.raises(StoppedError), kept_scores(suggester, tmp_path) as kept:
        kept.of(ACTS, "test")
    read.clear()
    with kept_scores(suggester, tmp_path) as kept:
        scores = kept.of(ACTS, "test")
    assert read == ["act 4", "act 5", "act 6"]
    whole = bundle_scores(load_suggester(tmp_path / "bundle"), ACTS)
    assert scores.document_ids == whole.document_ids
    np.testing.assert_allclose(scores.assigned, whole.assigned, atol=1e-5)
    assert not any(tmp_path.glob("scores/*"))
