"""Names of codes in texts: wordings, inflection, order, and which of two names counts."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from core.clinical.names.clinical_words import key_of, keys_of, words_of
from core.clinical.names.index import LexicalIndex
from core.clinical.names.matcher import LexicalMatcher
from core.clinical.names.wordings import Kind, shortened, wordings
from core.vocabulary.concepts import Concept
from tests.support.named_codes import named_codes


def codes(matcher: LexicalMatcher, text: str) -> list[str]:
    return [match.concept_id for match in matcher.matches(text)]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("He has pneumonia.", "J18.9"),  # what says that nothing more is known may be missing
        ("ARTERIAL HYPERTENSION", "I10"),
        ("essential hypertension", "I10"),
        ("HTN on two drugs", "I10"),
        ("Left knee pain", "M25.562"),
        ("pain in his knees", "M25.569"),
        ("Renal stones were seen.", "N20.0"),
        ("nephrolithiasis", "N20.0"),
        ("Kidney calculi", "N20.0"),
        ("some giddiness", "R42"),
        ("light headedness", "R42"),
        ("breast cancer", "C50.9"),
        ("family history of breast cancer", "Z80.3"),
        ("long known as asthmatic", "J45.90"),
    ],
)
def test_a_name_is_found_however_it_is_inflected_or_ordered(
    matcher: LexicalMatcher, text: str, code: str
) -> None:
    assert codes(matcher, text) == [code]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Pneumococcal vaccine.",
        "The left hand hurts. Knee replacement.",  # never over the end of a sentence
        "diverticulitis",  # of a code for what has none of its own
        "kidney function was normal",
        "[**Hospital cough**]",
        "𐍈 😀 \0 \u200f",
    ],
)
def test_what_is_no_name_is_not_found(matcher: LexicalMatcher, text: str) -> None:
    assert codes(matcher, text) == []


def test_a_match_says_where_it_stands_and_how_literal_it_is(matcher: LexicalMatcher) -> None:
    text = "😀 Dry cough; chronic pain in the left knee, cough."
    first, pain, second = matcher.matches(text)
    assert [text[one.start : one.end] for one in (first, pain, second)] == [
        "cough",
        "pain in the left knee",
        "cough",
    ]
    assert (first.kind, first.n_words, pain.n_words, pain.gap) == (Kind.PREFERRED, 1, 3, 0)
    assert pain.label == "Pain in left knee"


def test_the_name_of_a_category_stands_for_its_plain_code(matcher: LexicalMatcher) -> None:
    (asthma,) = matcher.matches("asthma")
    assert (asthma.concept_id, asthma.kind) == ("J45.90", Kind.SHORTENED)
    assert all(matcher.hierarchy[i].assignable for i in codes(matcher, "asthma, pneumonia, pain"))


@pytest.mark.parametrize(
    ("label", "short"),
    [
        ("Fever, unspecified", "Fever"),
        ("Heart failure, unspecified", "Heart failure"),
        ("Essential (primary) hypertension", "Essential hypertension"),
        ("Type 2 diabetes mellitus without complications", "Type 2 diabetes mellitus"),
        ("Respiratory failure, unspecified with hypoxia", "Respiratory failure, with hypoxia"),
        ("Pain in unspecified knee", "Pain in knee"),
        ("Malignant neoplasm of unspecified kidney, except renal pelvis",
         "Malignant neoplasm of kidney"),
        ("Unspecified intestinal obstruction, unspecified as to partial versus complete obstruction",
         "intestinal obstruction"),
        ("Cough", "Cough"),
        ("Cyst of kidney, acquired", "Cyst of kidney, acquired"),
        ("  Cough ,  acute ", "Cough, acute"),
        ("ANEMIA NOS", "ANEMIA"),
        ("Encephalitis, NOT ELSEWHERE CLASSIFIED", "Encephalitis"),
        ("Diabetes mellitus without mention of complication, type II, not stated as uncontrolled",
         "Diabetes mellitus, type II"),
        (
            "Laceration without foreign body of left cheek, initial encounter",
            "Laceration of left cheek",
        ),
    ],
)  # fmt: skip
def test_a_label_is_shortened_to_what_a_note_says(label: str, short: str) -> None:
    assert shortened(label) == short


def test_a_number_of_a_list_is_no_word_and_a_fib_is_one() -> None:
    text = "#2 CKD\n3) AKI\n3 vessels, tib/fib"
    assert [text[word.start : word.end] for word in words_of(text)] == (
        ["CKD", "AKI", "3", "vessels", "tib", "fib"]
    )
    assert keys_of("a-fib") == keys_of("A-FIB") == keys_of("afib") == ["afib"]
    (word,) = words_of("a fib")
    assert word.keys == ("afib",)


def test_words_of_a_label_are_parted_by_any_space_and_mark() -> None:
    whole = ["3a", "12", "x", "ray", "kidney", "12.5"]
    assert keys_of("3a 12 x-ray of kidneys 12.5") == whole
    assert keys_of("3a\u00a012\u2003x-ray\nof\tkidneys\x1c12.5") == whole


def test_words_meet_in_one_form() -> None:
    pairs = [("oedema", "edema"), ("Anaemia", "anemia"), ("tumours", "tumor"), ("renal", "kidney"),
             ("metastases", "metastasis"), ("fractures", "fracture"), ("naïve", "naive")]  # fmt: skip
    for word, other in pairs:
        assert key_of(word) == key_of(other)
    assert key_of("hepatitis") != key_of("hepatic")
    assert key_of("sinusitis") != key_of("sinus")


@pytest.mark.parametrize("text", ["Hepatitis A", "hepatitis a.", "hepatitis A immune"])
def test_the_a_of_hepatitis_a_is_no_small_word(text: str) -> None:
    assert next(words_of(text)).keys == ("hepatitisa",)
    assert keys_of("Acute hepatitis A") == [key_of("acute"), "hepatitisa"]


def test_a_hepatitis_of_a_year_ago_is_any_hepatitis() -> None:
    assert next(words_of("hepatitis a year ago")).keys == ("hepatitis",)


def test_places_of_words_are_code_points() -> None:
    text = "𐍈ray: oedema 😀 of lungs"
    assert [text[one.start : one.end] for one in words_of(text)][1:] == ["oedema", "lungs"]


def test_an_index_is_read_as_it_was_written(tmp_path: Path, matcher: LexicalMatcher) -> None:
    path = tmp_path / "search" / "names.npz"
    text = "Left knee pain and pneumonia, asthma."
    written = LexicalMatcher.open(named_codes(), path)
    before = path.stat().st_mtime_ns
    read = LexicalMatcher.open(named_codes(), path)
    assert path.stat().st_mtime_ns == before
    assert read.matches(text) == written.matches(text) == matcher.matches(text)
    path.write_bytes(b"damaged")
    assert LexicalMatcher.open(named_codes(), path).matches(text) == matcher.matches(text)


def test_an_index_of_another_vocabulary_is_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "names.npz"
    other = named_codes().truncated(1)
    assert len(LexicalIndex.open(other, path)) < len(LexicalIndex.open(named_codes(), path))


def test_long_texts_take_no_time_that_grows_faster_than_they_do(matcher: LexicalMatcher) -> None:
    rng = random.Random(1)
    words = "left right knee pain in the of cough kidney stone asthma breast cancer , .".split()  # noqa: SIM905
    text = " ".join(rng.choice(words) for _ in range(20_000))
    assert len(matcher.matches(text)) > 1000


@pytest.mark.parametrize(
    ("label", "is_named"),
    [
        ("Fracture, cause unspecified", False),
        ("Counseling, unspecified", False),
        ("Unspecified examination", False),
        ("Unspecified fracture of ankle", True),
        ("Unspecified fall", True),
    ],
)
def test_one_word_that_is_said_of_much_else_names_no_code(label: str, is_named: bool) -> None:
    keys = {wording.keys for wording in wordings(Concept("E1", "urn:E1", "E1", {"en": label}))}
    told = " ".join(sorted(keys_of(shortened(label))))
    assert (told in keys) == is_named


def test_half_of_a_later_visit_is_no_name() -> None:
    def names(visit: str) -> set[Kind]:
        label = f"Laceration of left cheek and temple, {visit}"
        found = wordings(Concept("E1", "urn:E1", "E1", {"en": label}))
        return {wording.kind for wording in found}

    assert Kind.HALF in names("initial encounter")
    assert Kind.HALF not in names("sequela") | names("subsequent encounter")
