"""Words in other forms, other orders and other words than labels have."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from core.clinical.notation import ICD10CM
from core.vocabulary.concepts import Concept, Hierarchy
from core.vocabulary.search.everyday import FOLDER, EverydayName, EverydayNames
from core.vocabulary.search.hits import SearchHit, Why
from core.vocabulary.search.stems import terms_in, terms_of
from core.vocabulary.search.vocabulary_index import VocabularyIndex


def why(hits: list[SearchHit]) -> list[tuple[str, str]]:
    return [(hit.concept_id, hit.why.value) for hit in hits]


@pytest.mark.parametrize(
    ("typed", "label", "language"),
    [
        ("lakes", "lake", "en"),
        ("wolves", "wolf", "en"),
        ("nurses", "nursing staff", "en"),
        ("GMOs", "GMO", "en"),
        ("colour organizations", "organisation of color", "en"),
        ("pollution of the water", "water pollution", "en"),
        ("parliament committees", "parliamentary committee", "en"),
        ("medicaments", "médicament", "fr"),
        ("voitures électriques", "voiture électrique", "fr"),
        ("Häuser", "Haus", "de"),
    ],
)
def test_form_and_order_of_words_do_not_matter(index_of, typed, label, language) -> None:
    index = index_of({"en": "Latin American Economic System"}, {language: label})
    assert why(index.search(typed, language=language))[0] == ("c1", "inflected")


def test_the_surest_reasons_come_first(index_of) -> None:
    index = index_of("lakes", "lakeside", "lake", "fishing in a lake", "lame duck")
    found = [hit.why for hit in index.search("lakes")]
    assert found == sorted(found, key=list(Why).index)
    assert why(index.search("lake"))[:2] == [("c2", "exact"), ("c0", "prefix")]


def test_the_frequent_come_before_the_rare(index_of) -> None:
    index = index_of("wind energy", "wind turbine")
    assert why(index.search("wind"))[0][0] == "c0"
    assert why(index.search("wind", frequencies={"c1": 40}))[0][0] == "c1"


def test_what_was_accepted_after_these_words_is_named_so(index_of) -> None:
    index = index_of("herring", "darling")
    assert why(index.search("silver darlings", learned=("c0", "gone")))[0] == ("c0", "exact")


def test_names_are_found_whole_and_within_a_query() -> None:
    rows = [
        EverydayName("wind farm", "en", ("wind energy",)),
        EverydayName("cheap", "en", ("low-cost",), is_word=True),
    ]
    names = EverydayNames(rows, "v")
    assert names.whole("Wind Farms", "en") == ("wind energy",)
    assert names.whole("cheap", "en") == ()
    assert names.readings("law on wind farms", "en") == ["law wind energy"]
    assert names.readings("cheap housing", "en") == ["low-cost housing"]
    assert names.readings("housing", "en") == []


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        ("heart attack", "I21.9"),
        ("MI", "I21.9"),
        ("UTI", "N39.0"),
        ("appendicitis", "K37"),
        ("Acute myocardial infarction", "I21.9"),
        ("bladder infections", "N39.0"),
    ],
)
def test_codes_are_found_by_what_people_call_them(codes, typed: str, code: str) -> None:
    assert why(codes.search(typed, divisions=False))[0] == (code, "exact")


def test_a_name_is_known_by_its_short_words_and_by_its_code() -> None:
    rows = [
        EverydayName("hx", "en", ("personal history", "history"), is_word=True),
        EverydayName("ca", "en", ("malignant neoplasm",), is_word=True),
        EverydayName("cancer", "en", ("malignant neoplasm",)),
    ]
    names = EverydayNames(rows, "icd10cm", {"Z85.038": ("history of colon cancer",)})
    assert names.whole("hx of colon ca", "en") == ("Z85.038",)
    assert names.whole("colon ca", "en") == ()


@pytest.mark.parametrize(
    ("typed", "written"),
    [
        ("rue dvt", "right upper extremity deep vein thrombosis"),
        ("tib fib fx", "tibia fibula fracture"),
        ("ckd3b and decub", "chronic kidney disease 3b and pressure ulcer"),
    ],
)
def test_short_words_are_those_by_which_notes_are_read(typed: str, written: str) -> None:
    assert EverydayNames.of_vocabulary("icd10cm").readings(typed, "en")[0] == written


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("BMI 17", "body mass index 19.9 or less, adult"),
        ("bmi of 39.9", "body mass index 39.0-39.9, adult"),
        ("BMI 43", "body mass index 40.0-44.9, adult"),
        ("bmi 65", "body mass index 60.0-69.9, adult"),
        ("body mass index 71", "body mass index 70 or greater, adult"),
    ],
)
def test_a_body_mass_index_is_looked_for_by_its_number(typed: str, meant: str) -> None:
    assert EverydayNames.of_vocabulary("icd10cm").whole(typed, "en") == (meant,)


def test_what_a_label_denies_is_not_what_it_says(codes) -> None:
    assert (
        "I25.2" not in [hit.concept_id for hit in codes.search("infarction", divisions=False)][:1]
    )


def test_terms_are_the_same_for_labels_and_queries() -> None:
    assert terms_of("The wolves’ programme", "en") == terms_of("wolf programs", "en")
    assert (
        terms_in(ICD10CM)("Renal tumours, unspecified", "en")
        == terms_in(ICD10CM)("tumor of kidney", "en")[::-1]
    )


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.csv")), ids=lambda path: path.stem)
def test_each_row_of_a_table_has_a_name_a_meaning_and_a_source(path: Path) -> None:
    rows = list(csv.DictReader(path.read_text("utf-8").splitlines()))
    assert len(rows) > 500
    assert all(all(row.values()) and row["kind"] in ("name", "word") for row in rows)


@pytest.mark.parametrize(
    ("query", "code"),
    [("rabbit fever", "A21.9"), ("rabbits fever", "A21.9"), ("ulcer of pylorus", "K25.9")],
)
def test_what_a_category_includes_finds_its_code_without_details(
    tmp_path: Path, query: str, code: str
) -> None:
    rows = (
        ("A21", "Tularemia", "", ("deer-fly fever", "rabbit fever")),
        ("A21.0", "Ulceroglandular tularemia", "A21", ()),
        ("A21.9", "Tularemia, unspecified", "A21", ()),
        ("K25", "Gastric ulcer", "", ("erosion (acute) of stomach", "pylorus ulcer (peptic)")),
        ("K25.0", "Acute gastric ulcer with hemorrhage", "K25", ()),
        ("K25.9", "Gastric ulcer, unspecified", "K25", ()),
    )
    codes = Hierarchy(
        [
            Concept(
                code,
                f"urn:{code}",
                code,
                {"en": label},
                broader=(above,) if above else (),
                assignable=bool(above),
                notes={"includes": {"en": includes}} if includes else {},
            )
            for code, label, above, includes in rows
        ],
        vocabulary_id="icd10cm",
        version="1",
    )
    index = VocabularyIndex.build(codes, tmp_path / "index.sqlite")
    assert index.search(query, divisions=False)[0].concept_id == code
    assert index.search(query)[0].concept_id == code[:3]


def test_an_everyday_name_comes_before_a_form_of_an_alternative_label(tmp_path: Path) -> None:
    goat = Concept("goat", "u:g", None, {"en": "goat"}, {"en": ("kid",)})
    child = Concept("child", "u:c", None, {"en": "child"})
    hierarchy = Hierarchy([goat, child], vocabulary_id="eurovoc", version="1")
    index = VocabularyIndex.build(hierarchy, tmp_path / "kids.sqlite")
    try:
        assert [hit.concept_id for hit in index.search("kids")] == ["child", "goat"]
        assert [hit.concept_id for hit in index.search("kid")] == ["goat", "child"]
    finally:
        index.close()
