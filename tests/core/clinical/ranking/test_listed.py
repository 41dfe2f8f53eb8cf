"""Codes that are named by a whole line of a diagnosis list."""

from __future__ import annotations

import pytest

from core.clinical.names.matcher import LexicalMatcher
from core.clinical.names.mentions import named_in
from core.clinical.ranking.listed import (
    FIRST,
    LEAST,
    leading_codes,
    listed_codes,
    with_listed,
)
from core.clinical.ranking.suggester import CodesSuggester
from core.documents.document import Document, Part


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("DISCHARGE DIAGNOSES:\n1. Pneumonia\n2. Asthma", ["J18.9", "J45.90"]),
        ("DISCHARGE DIAGNOSES: 1. Asthma 2. Pneumonia", ["J45.90", "J18.9"]),
        ("DISCHARGE DIAGNOSES: asthma; renal stone", ["J45.90", "N20.0"]),
        ("ASSESSMENT:\n# Pneumonia - ceftriaxone\n# Asthma (mild)", ["J18.9", "J45.90"]),
        ("DIAGNOSES:\n[x] Pneumonia [ ] Renal stone\n☒ Asthma", ["J18.9", "J45.90"]),
        # A remark, and what another list calls it that was written first.
        (
            "DISCHARGE DIAGNOSES:\n1. Pneumonia, resolving\n2. Asthma on inhalers",
            ["J18.9", "J45.90"],
        ),
        ("ASSESSMENT: asthma\n\nDISCHARGE DIAGNOSES: pneumonia", ["J18.9", "J45.90"]),
        # The principal diagnosis is first, in whatever words and wherever it stands.
        (
            "DISCHARGE DIAGNOSES:\nAsthma\n\nPRINCIPAL DIAGNOSIS: Severe pneumonia of the left lung",
            ["J18.9", "J45.90"],
        ),
        # A size or a side around a name, and another disease behind it.
        (
            "DIAGNOSES:\nNew 7 mm renal stone, no pain\nPneumonia left\nAsthma and cough",
            ["N20.0", "J18.9", "J45.90"],
        ),
        # No line is the name of a code, or begins with one.
        ("DISCHARGE DIAGNOSES:\nSevere asthma, treated", []),
        ("DISCHARGE DIAGNOSES:\nPneumonia of the newborn", []),
        ("HISTORY:\nPneumonia\nAsthma", []),
        # A list that is called so in other words, or without a colon; a problem has one line.
        ("Final diagnoses\n1. Asthma\n2. Pneumonia", ["J45.90", "J18.9"]),
        ("Assessment at discharge\n- Pneumonia - ceftriaxone", ["J18.9"]),
        ("Principal problem: pneumonia\nRenal stone\nAsthma", ["J18.9"]),
        ("S: coughs\nO: crackles\nA: pneumonia\nP: ceftriaxone", ["J18.9"]),
        # Where there is none, the problems of the course; a cough that heads one is told, no more.
        ("COURSE:\n1. Pneumonia - ceftriaxone\n- Asthma: inhalers", ["J18.9", "J45.90"]),
        ("# Asthma - inhalers\n# Cough - none now\nPMH: renal stone", ["J45.90"]),
        ("PMH:\n1. Asthma\n2. Renal stone", []),
    ],
)
def test_a_line_that_is_a_name_lists_its_code(
    matcher: LexicalMatcher, text: str, codes: list[str]
) -> None:
    document = Document.from_text("n", "", text)
    assert listed_codes(document, named_in(document, matcher)) == codes


def test_a_report_lists_no_diagnoses_beside_a_note_of_the_stay(matcher: LexicalMatcher) -> None:
    report = Part("Impression:\n1. Pneumonia", kind="Radiology report")
    note = Part("Discharge diagnosis:\nAsthma", kind="Discharge summary")
    both, alone = (Document("n", "", parts) for parts in ((report, note), (report,)))
    assert listed_codes(both, named_in(both, matcher)) == ["J45.90"]
    assert listed_codes(alone, named_in(alone, matcher)) == ["J18.9"]


def test_headings_of_a_report_list_nothing_beside_a_note_of_the_stay(
    matcher: LexicalMatcher,
) -> None:
    report = Part("Pneumonia: left lower lobe", kind="Radiology report")
    note = Part("Asthma: inhalers", kind="Discharge summary")
    both = Document("n", "", (report, note))
    assert listed_codes(both, named_in(both, matcher)) == ["J45.90"]


def test_listed_codes_are_nearly_certain_in_their_order() -> None:
    found = with_listed({"A": 0.1, "B": 0.2, "C": 0.3}, ["B", "A"])
    assert found == {"B": FIRST, "A": pytest.approx(0.988), "C": 0.3}
    many = with_listed({}, [str(n) for n in range(40)])
    assert many["39"] == LEAST


def test_by_names_alone_what_is_listed_is_first_and_what_is_denied_is_not(
    names: CodesSuggester,
) -> None:
    text = (
        "Hypertension for years, a cough. Hypertension, cough.\n\n"
        "DISCHARGE DIAGNOSES:\n1. Renal stone\n2. No pneumonia\n"
    )
    prediction = names.suggest(Document.from_text("n", "", text))
    codes = [one.concept_id for one in prediction.suggestions]
    assert codes[0] == "N20.0" and codes[-1] == "J18.9"


@pytest.mark.parametrize("course", ["", "Mild intermittent asthma. Mild intermittent asthma."])
def test_what_says_more_than_a_listed_name_takes_its_place(
    names: CodesSuggester, course: str
) -> None:
    text = f"COURSE:\n{course}\n\nDISCHARGE DIAGNOSES:\n1. Asthma\n2. Renal stone\n"
    chances = names.chances(Document.from_text("n", "", text))
    first = "J45.2" if course else "J45.90"
    assert list(chances)[:2] == [first, "N20.0"]
    # Asthma alone leaves open which, so that it stands first with less than 90 %.
    assert chances[first] == pytest.approx(FIRST if course else 0.899, abs=0.002)
    assert not course or chances.get("J45.90", 0.0) < 0.5


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("DIAGNOSES:\n1. Severe pneumonia of the left lung\n2. Asthma", [("J18.9",), ("J45.90",)]),
        ("POSTOP DIAGNOSIS: asthma\nPREOP DIAGNOSIS: pneumonia", [("J45.90",), ("J18.9",)]),
        # Where it is the same, what stands before the operation is the diagnosis.
        ("PREOP DIAGNOSIS: pneumonia\nPOSTOP DIAGNOSIS: same, asthma", [("J18.9",), ("J45.90",)]),
    ],
)
def test_each_line_of_a_list_has_its_codes_in_order(
    matcher: LexicalMatcher, text: str, lines: list[tuple[str, ...]]
) -> None:
    document = Document.from_text("n", "", text)
    names = {n.concept_id: [m.span for m in n.mentions] for n in named_in(document, matcher)}
    wanted = {code for line in lines for code in line}
    names = {code: spans for code, spans in names.items() if code in wanted}
    assert [line for line in leading_codes(document, names, {}) if line] == lines
