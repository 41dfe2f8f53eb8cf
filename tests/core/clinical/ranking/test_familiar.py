"""Whether a note looks like what a model has learned from."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from core.clinical.familiar import FILE, KnownDocuments
from core.clinical.kinds import kind_of_stay
from core.documents.document import Document
from core.errors import BundleError
from core.model.bundle.cards import read_card
from core.paths import PROJECT_ROOT
from pages.bundles.card import facts
from tests.support.unsure_codes import WORDS, of_words


def test_what_is_learned_looks_familiar(known: KnownDocuments) -> None:
    found = known(of_words(*WORDS))
    assert (found.known, found.n_words, found.is_familiar) == (1.0, len(WORDS), True)
    assert known(of_words()).is_familiar


def test_a_long_note_and_a_foreign_one_do_not(known: KnownDocuments) -> None:
    assert "16 to 16" in known(of_words(*WORDS * 3)).reason
    foreign = known(of_words(*["Bericht"] * len(WORDS)))
    assert foreign.known == 0 and "0% of its words" in foreign.reason


def test_a_note_with_many_kinds_of_sections_does_not(known: KnownDocuments) -> None:
    plain = Document.from_text("d", "", " ".join(WORDS))
    assert known(plain).is_familiar
    headed = f"HISTORY: {' '.join(WORDS[:8])}\nASSESSMENT: {' '.join(WORDS[8:])}"
    loose = replace(known, least_known=0.0)
    assert "2 kinds of headed sections" in loose(Document.from_text("d", "", headed)).reason
    learned = replace(KnownDocuments.of([Document.from_text("d", "", headed)]), least_known=0.0)
    assert learned.most_kinds == 2 and learned(Document.from_text("d", "", headed)).is_familiar


REPORT = """CLINICAL INDICATION: {} {} {} {}
TECHNIQUE: {} {} {} {}
FINDINGS: {} {} {} {}
IMPRESSION: {} {} {} {}"""


def test_headings_of_a_report_do_not_count_where_reports_were_learned(
    known: KnownDocuments,
) -> None:
    loose = replace(known, least_known=0.5)
    report = Document.from_text("d", "", REPORT.format(*WORDS))
    assert loose(report).is_familiar
    cases = replace(loose, longest=600)
    assert "3 kinds of headed sections" in cases(report).reason
    stay = Document.from_text("d", "", f"{report.text}\nALLERGIES: none")
    assert "4 kinds of headed sections" in loose(stay).reason


def test_the_radiology_model_knows_reports_with_headings_and_no_notes_of_a_stay() -> None:
    radiology = KnownDocuments.load(PROJECT_ROOT / "assets" / "models" / "icd9cm-radiology")
    assert radiology is not None
    history, findings = (
        "Cough and fever for five days.",
        (
            "The heart size is normal. There is focal opacity in the right lower lobe. No pleural effusion."
        ),
    )
    for headings in (
        ("HISTORY", "FINDINGS"),
        ("Indication", "Technique: Two views.\nFindings"),
        ("CLINICAL HISTORY", "IMPRESSION"),
    ):
        first, second = headings
        text = f"{first}: {history}\n{second}: {findings}\nIMPRESSION: Right lower lobe pneumonia."
        assert radiology(Document.from_text("d", "", text)).is_familiar
    for stay in open_stays():
        assert not radiology(stay).is_familiar


def open_stays() -> list[Document]:
    """Return the invented hospital notes that may be looked at, each pasted as one text."""
    folder = PROJECT_ROOT / "docs" / "results" / "hospital-notes"
    written = [path.read_text("utf-8").splitlines() for path in folder.glob("seen*.jsonl")]
    stays = [json.loads(line) for lines in written for line in lines]
    texts = ["\n\n".join(note["text"] for note in stay["notes"]) for stay in stays]
    return [
        Document.from_text(stay["id"], "", text) for stay, text in zip(stays, texts, strict=True)
    ]


def test_it_is_read_as_it_was_written(known: KnownDocuments, tmp_path: Path) -> None:
    assert KnownDocuments.load(tmp_path) is None
    known.save(tmp_path)
    again = KnownDocuments.load(tmp_path)
    assert again is not None and again(of_words(*WORDS)) == known(of_words(*WORDS))
    (tmp_path / FILE).write_bytes(b"none")
    with pytest.raises(BundleError, match="damaged"):
        KnownDocuments.load(tmp_path)


def test_the_card_of_a_model_says_for_which_notes_it_is(
    known: KnownDocuments, tmp_path: Path
) -> None:
    card = replace(
        read_card(PROJECT_ROOT / "assets" / "models" / "icd9cm-radiology"), directory=tmp_path
    )
    assert "Made for" not in dict(facts(card))
    known.save(tmp_path)
    words = f"{len(WORDS)} to {len(WORDS)} words"
    assert words in dict(facts(card))["Made for"]
    (tmp_path / FILE).write_bytes(b"nothing")
    assert dict(facts(card))["Made for"] == "not stated"


def test_a_kind_that_is_written_otherwise_is_one_of_a_stay() -> None:
    assert kind_of_stay("discharge letter", "Re: your patient") == "Discharge summary"
    assert kind_of_stay("", "Re: your patient") == ""
