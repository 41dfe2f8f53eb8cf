"""Who has a document open now."""

from __future__ import annotations

import pytest

from core.review.people import presence
from core.review.people.presence import SECONDS, Presence


def test_others_are_here_until_their_page_asks_no_more() -> None:
    now = [100.0]
    here = Presence(lambda: now[0])
    assert here.note("act", 1) == set()
    assert here.note("act", 2) == {1}
    assert here.note("act", 1) == {2} and here.note("other", 3) == set()
    now[0] += SECONDS - 1
    assert here.note("act", 1) == {2}
    now[0] += 1
    assert here.note("act", 1) == set()
    assert here.note("act", 2) == {1}


def test_no_more_documents_are_kept_than_so_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(presence, "MOST_DOCUMENTS", 2)
    here = Presence(lambda: 1.0)
    for document_id in ("a", "b", "a", "c"):
        here.note(document_id, 1)
    assert (here.note("a", 2), here.note("b", 2)) == ({1}, set())
