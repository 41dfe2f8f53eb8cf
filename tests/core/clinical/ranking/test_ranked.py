"""Codes of ICD-10-CM that a note says, in ICD-9-CM."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.clinical.assertions import AssertedPlace
from core.clinical.codes.former import icd9_codes
from core.clinical.familiar import KnownDocuments
from core.clinical.names.matcher import LexicalMatcher
from core.clinical.notation import ICD9CM
from core.clinical.ranking.ranked import RankedCodes, in_icd9
from core.clinical.ranking.ranker import shipped
from core.clinical.ranking.suggester import CodesSuggester
from core.documents.document import Document
from core.vocabulary.concepts import Concept, Hierarchy
from tests.support.unsure_codes import UnsureSuggester

NOTE = Document.from_text("n", "Visit", "Dry cough. No pneumonia. Pain in the left knee, cough.")
PAINLESS = Document.from_text("n", "Visit", "Cough. No pain.")


@pytest.mark.parametrize(
    ("code", "older"),
    [
        ("I10", "4019"),  # of malignant, benign and unspecified hypertension
        ("J9601", "51881"),  # and not what follows an operation
        ("A4151", "03842 99591"),  # sepsis and its germ
        ("T380X5A", "E9320"),  # the drug; the effect has a code of its own
        ("N1830", "5853"),  # newer than the mappings
        ("J449", "496"),
        ("Z3A39", ""),  # weeks of a pregnancy, for which there was none
        ("R29704", ""),
        ("R402411", ""),  # a score is no coma
        ("I509", "4280"),
        ("B349", "07999"),  # a virus, and not in the blood
        ("C8330", "20070"),
        ("J849", "515"),
        ("M9701XA", "99644"),
        ("R001", "42789"),
        ("R1110", "78703"),
        ("E1110", "25010"),
        ("J101", "4871"),  # influenza A, and not that of 2009
        ("I219", "41091"),
        ("I2694", "41519"),
        ("K640", "4550"),
        ("J4541", "49392"),
        ("H401113", "36511 36573"),
        ("K7031", "5712 78959"),
        ("M8008XA", "73313 73300"),
        ("R6521", "99592 78552"),  # in the order that is asked for
        ("T8140XA", "99859"),  # of the same encounter as what it was divided from
        ("T83511D", "V5889"),
        ("T40415A", "E9352"),  # and of the same intent
        ("S065XAA", "85220"),
        ("O24414", "64883"),  # in pregnancy, and not at delivery
        ("O134", "64231"),
        ("O700", "66401"),
    ],
)
def test_a_code_is_the_nearest_of_those_that_the_mappings_name(code: str, older: str) -> None:
    assert icd9_codes().get(code, ()) == tuple(older.split())


def test_what_a_note_says_is_said_in_icd_9_cm(older: CodesSuggester, names: CodesSuggester) -> None:
    prediction = older.suggest(NOTE)
    expected = names.suggest(NOTE).suggestions
    assert [one.concept_id for one in prediction.suggestions][-1] == "486"
    assert {one.concept_id for one in prediction.suggestions} == {"486", "786.2", "719.46"}
    assert [one.probability for one in prediction.suggestions] == [
        one.probability for one in expected
    ]
    assert older.denied(NOTE) == {"486": "negated"}
    assert prediction.suggestions[-1].denied == "negated"


def test_its_evidence_is_the_words_that_said_it(older: CodesSuggester) -> None:
    passages = older.explain(NOTE).evidence(["719.46"])["719.46"].passages
    assert [passage.text for passage in passages] == ["Pain in the left knee"]
    assert "486" not in older.places(NOTE)
    start = NOTE.text.index("pneumonia")
    place = AssertedPlace("text", start, start + len("pneumonia"))
    (assertion,) = older.assertions(NOTE, [place])
    assert assertion is not None and assertion.status == "negated"


def test_what_is_denied_in_words_of_icd_10_cm_is_shown(older: CodesSuggester) -> None:
    (passage,) = older.explain(PAINLESS).evidence(["780.96"])["780.96"].passages
    assert passage.text == "pain"
    assert "780.96" not in older.places(PAINLESS)


def test_beside_a_model_a_strange_note_denies_what_its_ranking_does(
    icd9: Hierarchy, names: CodesSuggester, known: KnownDocuments
) -> None:
    ranker = replace(shipped("beside"), documents=known)
    model = UnsureSuggester(icd9)
    suggester = CodesSuggester(
        LexicalMatcher(icd9), ranker, model, shipped("alone"), newer=lambda: names
    )
    assert not suggester.is_familiar(PAINLESS)
    assert suggester.denied(PAINLESS) == {"780.96": "negated"}
    assert suggester.suggest(PAINLESS).suggestions[-1].denied == "negated"


def test_a_disease_stands_before_what_it_does(icd9: Hierarchy, names: CodesSuggester) -> None:
    lupus = replace(names.ranked(NOTE, None), chances={"M32.14": 0.9}, denied={})
    assert list(in_icd9(lupus, icd9).chances) == ["710.0", "583.81"]


def test_a_code_that_two_lead_to_is_denied_where_both_are(
    icd9: Hierarchy, names: CodesSuggester
) -> None:
    ranking = names.ranked(NOTE, None)
    both = {"R05": 0.2, "R05.9": 0.6}  # both were 786.2
    one = replace(ranking, chances=both, denied={"R05": "negated"}, parts={}, places={})
    assert in_icd9(one, icd9).chances == {"786.2": 0.6}
    assert in_icd9(one, icd9).denied == {}
    of_both = replace(one, denied=dict.fromkeys(both, "family"))
    assert in_icd9(of_both, icd9).denied == {"786.2": "family"}


def test_where_icd_10_cm_names_nothing_the_older_names_count(icd9: Hierarchy) -> None:
    empty = Hierarchy([], vocabulary_id="icd10cm", version="0")
    silent = CodesSuggester(LexicalMatcher(empty), shipped("alone"))
    older = CodesSuggester(LexicalMatcher(icd9), shipped("alone"), newer=lambda: silent)
    assert {one.concept_id for one in older.suggest(NOTE).suggestions} == {"786.2", "486"}


@pytest.mark.parametrize(
    ("codes", "older"),
    [
        (("A41.51", "R65.21"), "038.42 995.92 785.52"),  # sepsis is said in severe sepsis
        (("A41.51",), "038.42 995.91"),
        (("J44.0", "J18.9"), "496 486"),
        (("J44.0", "J20.9"), "491.22 466.0"),
        (("I16.0", "I12.9", "N18.30"), "403.90 585.3"),
        (("I16.0",), "401.9"),
        (("E11.9", "E11.40"), "250.60"),  # no complication is said of none
    ],
)
def test_codes_say_together_what_a_coder_writes(
    names: CodesSuggester, codes: tuple[str, ...], older: str
) -> None:
    chances = {code: 0.9 - place / 100 for place, code in enumerate(codes)}
    assert list(in_icd9(_ranking(names, chances), _edition(older)).chances) == older.split()


@pytest.mark.parametrize(
    ("code", "parts", "older"),
    [
        ("I11.0", ("I10", "I50.9"), "401.9"),
        ("I11.0", (), "402.91"),  # the note says what it is due to
        ("I13.0", ("I10", "N18.30"), "403.90"),
        ("I13.2", ("I12.0", "I50.9"), "403.91"),
        ("I13.0", ("I11.0", "N18.30"), "404.91"),
        ("E11.22", ("E11.9", "N18.4"), "250.00"),
        ("E11.22", ("E11.22", "N18.4"), "250.40"),
    ],
)
def test_a_combination_that_icd_10_cm_presumes_is_said_in_its_parts(
    names: CodesSuggester, code: str, parts: tuple[str, ...], older: str
) -> None:
    beside = dict.fromkeys(parts[1:], 0.6)
    ranking = replace(_ranking(names, {code: 0.9, **beside}), parts={code: parts} if parts else {})
    assert next(iter(in_icd9(ranking, _edition(older)).chances)) == older


def test_an_edition_without_a_code_has_what_it_was_divided_from(names: CodesSuggester) -> None:
    edition = _edition("V85.4", "482.4", "482.40", "482.41")
    ranking = _ranking(names, {"Z68.41": 0.9, "J15.212": 0.8, "F03.90": 0.7})
    assert list(in_icd9(ranking, edition).chances) == ["V85.4", "482.40"]


def test_what_an_edition_has_no_code_for_is_no_other_code(names: CodesSuggester) -> None:
    label = "Personal history of pneumonia (recurrent)"
    history = Hierarchy(
        [Concept("V12.61", "urn:V12.61", "V12.61", {"en": label})],
        vocabulary_id=ICD9CM,
        version="26",
    )
    older = CodesSuggester(LexicalMatcher(history), shipped("alone"), newer=lambda: names)
    assert older.suggest(Document.from_text("n", "", "Pneumonia.")).suggestions == ()


def _ranking(names: CodesSuggester, chances: dict[str, float]) -> RankedCodes:
    return replace(names.ranked(NOTE, None), chances=chances, denied={}, parts={}, places={})


def _edition(*codes: str) -> Hierarchy:
    """Return the codes, those behind a space as well; "482.40" is below "482.4" if that is one."""
    listed = [code for some in codes for code in some.split()]
    return Hierarchy(
        [
            Concept(
                code,
                f"urn:{code}",
                code,
                {"en": "Pneumonia, unspecified" if code.endswith("0") else f"Code {code}"},
                broader=(code[:-1],) if code[:-1] in listed else (),
                assignable=not any(other[:-1] == code for other in listed),
            )
            for code in listed
        ],
        vocabulary_id=ICD9CM,
        version="32",
    )
