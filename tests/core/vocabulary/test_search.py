from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from core.errors import VocabularyError
from core.vocabulary.concepts import Concept, Hierarchy
from core.vocabulary.folding import fold_text
from core.vocabulary.search.hits import SearchHit, Why, is_certain
from core.vocabulary.search.vocabulary_index import VocabularyIndex


def ids(hits: list[SearchHit]) -> list[str]:
    return [hit.concept_id for hit in hits]


def test_a_hit_says_what_matched_and_where_it_stands(index: VocabularyIndex) -> None:
    (hit,) = index.search("bread prod")
    assert hit == SearchHit(
        concept_id="204",
        label="bread production",
        matched="bread production",
        language="en",
        notation="204",
        path="08 KITCHENS › 0806 cooking › meal › bread production",
        why=Why.PREFIX,
    )


def test_an_alternative_label_finds_its_concept_once(index: VocabularyIndex) -> None:
    (hit,) = index.search("baking")
    assert (hit.concept_id, hit.label, hit.matched) == ("204", "bread production", "baking")
    assert ids(index.search("garden shovel")) == ["106"]


def test_every_word_may_be_a_beginning_in_any_order(index: VocabularyIndex) -> None:
    assert ids(index.search("pro bre")) == ["204"]
    assert ids(index.search("veg pla")) == ["102"]
    assert all(hit.mended for hit in index.search("bread tomato"))


def test_exact_labels_come_first_then_beginnings_then_words(index_of) -> None:
    index = index_of("red wine", "wine cellar", "wine", "winegrower")
    assert ids(index.search("wine")) == ["c2", "c3", "c1", "c0"]


def test_preferred_labels_come_before_alternative_ones(index_of) -> None:
    index = index_of("storm", "high wind", "old wind", alt={0: "low wind"})
    assert ids(index.search("wind"))[-1] == "c0"
    exact = index_of("gale", "storm", alt={0: "storm"})
    assert ids(exact.search("storm")) == ["c1", "c0"]


@pytest.mark.parametrize(
    ("query", "suggested", "first"),
    [
        (
            "wine",
            ["c3"],
            ["c0", "c3", "c1", "c2"],
        ),  # among beginnings; what is named so stays first
        ("wi", ["c3", "c2"], ["c3", "c2", "c0", "c1"]),  # the likelier first
        ("wine red", ["c6"], ["c4", "c6", "c5"]),  # in any form and order
        (
            "wine",
            ["c4"],
            ["c0", "c1", "c2", "c3", "c4"],
        ),  # having the word stays after beginning so
        ("wine", ["gone"], ["c0", "c1", "c2", "c3", "c4"]),
    ],
)
def test_what_is_suggested_comes_before_what_is_as_good(
    index_of, query: str, suggested: list[str], first: list[str]
) -> None:
    index = index_of(
        *(
            "wine",
            "wine bar",
            "wine cellar",
            "winegrowers",
            "red wine",
            "red wine bar",
            "red wine list",
        )
    )
    assert ids(index.search(query, suggested=suggested))[: len(first)] == first


def test_a_preferred_label_that_is_what_was_typed_stays_before_a_suggested_alternative_one(
    index_of,
) -> None:
    index = index_of("gale", "storm", alt={0: "storm"})
    assert ids(index.search("storm", suggested=["c0"])) == ["c1", "c0"]


def test_a_suggested_concept_is_found_among_more_beginnings_than_there_are_hits(index_of) -> None:
    index = index_of(*(f"fish {n}" for n in range(100)), "fisheries policy of the sea")
    assert ids(index.search("f", limit=5))[0] == "c0"
    assert ids(index.search("f", limit=5, suggested=["c100"]))[0] == "c100"


def test_notations_uris_and_ids_find_their_concept(index: VocabularyIndex) -> None:
    assert ids(index.search("0806")) == ["t0806"]
    assert ids(index.search("080")) == ["t0806"]
    assert ids(index.search("http://vocabulary.example/105")) == ["105"]
    assert ids(index.search("https://vocabulary.example/105/")) == ["105"]
    assert ids(index.search(" d04 "))[0] == "d04"


@pytest.mark.parametrize("query", ["bêche", "beche", "BÊCHE", "be\u0302che"])
def test_case_and_diacritics_do_not_matter(index: VocabularyIndex, query: str) -> None:
    (hit,) = index.search(query, language="fr")
    assert (hit.concept_id, hit.label, hit.matched) == ("106", "bêche", "bêche")
    assert hit.path.startswith("04 JARDINS › ")


def test_folding_is_the_same_for_labels_and_queries() -> None:
    assert fold_text("Łódź, «Øresund» – Strasse/straße") == "lodz oresund strasse strasse"
    assert fold_text("N'Djamena (24.1)") == "n djamena 24 1"
    assert fold_text("\ud800 \x00!") == ""


def test_the_language_asked_for_goes_first_and_others_are_found(index_of) -> None:
    index = index_of({"en": "cat", "fr": "chat"}, {"en": "chat room", "fr": "salon"})
    assert ids(index.search("chat", language="en")) == ["c1", "c0"]
    assert ids(index.search("chat", language="fr")) == ["c0", "c1"]
    assert index.search("chat", language="en")[1].label == "cat"


def test_labels_without_a_language_or_of_a_variety_are_of_the_language(index_of) -> None:
    index = index_of({"": "colony"}, {"en-gb": "colour"}, {"fr": "col"})
    assert ids(index.search("col", language="en")) == ["c0", "c1", "c2"]


@pytest.mark.parametrize(
    "query",
    [
        *("", " ", '"', "'", "*", "wine*", '"bread', "AND", "bread AND", "NOT x", "a:b"),
        *("NEAR(a b)", "(", "-", "^bread", "{}", "%", "_", "\x00", "\ud800", "😀"),
        pytest.param("x" * 100_000, id="one long word"),
        pytest.param("b " * 50_000, id="many words"),
    ],
)
def test_no_query_fails(index: VocabularyIndex, query: str) -> None:
    assert isinstance(index.search(query), list)


def test_operators_are_words(index_of) -> None:
    index = index_of("supply and demand", "near east")
    assert ids(index.search("AND")) == ["c0"]
    assert ids(index.search("NEAR(")) == ["c1"]
    assert ids(index.search('"supply" -demand*')) == ["c0"]


@pytest.mark.parametrize(
    "typed",
    [
        "tobaco",
        "tboacco",
        "tobavco",
        "tobaccoo",
        "tobcc",
        "growign tobacco",
        "toabco grow",
        "gorwng",
    ],
)
def test_typing_errors_are_mended(index_of, typed: str) -> None:
    index = index_of("tobacco growing", "tomato", "grown-up", "trobar clus")
    hit = index.search(typed)[0]
    assert hit.concept_id == "c0"
    assert hit.mended is not None


def test_what_is_found_as_typed_is_not_mended(index_of) -> None:
    index = index_of("trial", "trail", "trails")
    assert [(hit.concept_id, hit.mended) for hit in index.search("trial")] == [("c0", None)]


def test_an_error_that_makes_another_word_is_mended(index_of) -> None:
    index = index_of("rail transport", "trial by jury", "rial", "sea transport")
    (hit,) = index.search("rial transport")
    assert (hit.concept_id, hit.mended) == ("c0", "rail transport")


def test_a_word_of_another_language_does_not_stand_in_the_way(index_of) -> None:
    index = index_of({"en": "labour market policy"}, {"en": "Mark", "de": "Markt"})
    assert ids(index.search("labour markt policy")) == ["c0"]


def test_some_of_the_words_find_what_all_of_them_do_not(index_of) -> None:
    index = index_of("catch quota", "fishing net", "quota of tariffs for fishing", "honey")
    found = index.search("fishing quotas of Atlantis")
    assert [(hit.concept_id, hit.mended) for hit in found] == [("c2", "fishing quota")]
    assert ids(index.search("fishing Atlantis")) == ["c1", "c2"]


def test_all_words_together_come_alone(index_of) -> None:
    index = index_of("catch quota", "catch", "quota")
    assert ids(index.search("catch quota")) == ["c0"]


def test_short_words_and_codes_are_not_mended(index_of) -> None:
    index = index_of("sea fish", "code E11.9")
    assert index.search("sae") == []
    assert index.search("E1199") == []


def test_what_nothing_is_near_to_finds_nothing(index_of) -> None:
    index = index_of("Persons with hazards (Z00-Z13)", "Z14 carrier", "zone of rest", "Zoo")
    assert index.search("zzzz") == []


def test_errors_in_another_language_are_mended_after_the_own(index_of) -> None:
    index = index_of({"en": "honey", "fr": "miel d’abeille"}, {"en": "abelian group"})
    (hit,) = index.search("abeilel")
    assert (hit.concept_id, hit.language, hit.mended) == ("c0", "fr", "abeille")


def test_a_code_is_found_with_and_without_its_point(tmp_path: Path) -> None:
    code = Concept("x", "u:x", "250.01", {"en": "diabetes"})
    hierarchy = Hierarchy([code], vocabulary_id="v", version="1")
    index = VocabularyIndex.build(hierarchy, tmp_path / "index.sqlite")
    found = [index.search(query) for query in ("250.01", "25001", "250.0", "250")]
    assert [hit.matched for (hit,) in found] == ["250.01"] * 4
    index.close()


def test_limit_counts_concepts(index: VocabularyIndex) -> None:
    assert len(index.search("p", limit=2)) == 2
    assert index.search("p", limit=0) == []
    assert index.search("p", limit=-1) == []
    every = ids(index.search("0", limit=100))
    assert len(every) == len(set(every)) > 2


def test_deprecated_concepts_are_not_found(tmp_path: Path) -> None:
    old = Concept("old", "u:old", None, {"en": "old dog"}, deprecated=True)
    new = Concept("new", "u:new", None, {"en": "new dog"}, broader=("old",))
    hierarchy = Hierarchy([old, new], vocabulary_id="v", version="1")
    index = VocabularyIndex.open(hierarchy, tmp_path / "index.sqlite")
    assert ids(index.search("dog")) == ["new"]
    assert index.search("u:old") == []
    index.close()


def test_an_index_is_kept_while_it_fits(tiny: Hierarchy, tmp_path: Path) -> None:
    path = tmp_path / "deep" / "index.sqlite"
    VocabularyIndex.open(tiny, path).close()
    written = path.stat().st_ino
    VocabularyIndex.open(tiny, path).close()
    assert path.stat().st_ino == written
    assert list(path.parent.iterdir()) == [path]


def test_an_index_of_another_vocabulary_is_rebuilt(tiny: Hierarchy, tmp_path: Path) -> None:
    path = tmp_path / "index.sqlite"
    VocabularyIndex.open(tiny, path).close()
    shorter = VocabularyIndex.open(tiny.truncated(2), path)
    assert shorter.search("spade") == []
    assert ids(shorter.search("0406")) == ["t0406"]
    shorter.close()


@pytest.mark.parametrize("damage", [b"", b"not a database" * 500])
def test_a_damaged_index_is_rebuilt(tiny: Hierarchy, tmp_path: Path, damage: bytes) -> None:
    path = tmp_path / "index.sqlite"
    path.write_bytes(damage)
    index = VocabularyIndex.open(tiny, path)
    assert ids(index.search("spade")) == ["106"]
    index.close()


def test_who_reads_the_old_index_may_finish(tiny: Hierarchy, tmp_path: Path) -> None:
    path = tmp_path / "index.sqlite"
    reader = VocabularyIndex.open(tiny, path)
    VocabularyIndex.build(tiny.truncated(2), path).close()
    assert ids(reader.search("spade")) == ["106"]
    reader.close()


def test_an_index_that_cannot_be_written_is_refused(tiny: Hierarchy, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(VocabularyError, match="search index cannot be written"):
        VocabularyIndex.open(tiny, tmp_path / "file" / "index.sqlite")


def test_many_threads_may_search(index: VocabularyIndex) -> None:
    queries = ["spade", "flour", "meal", "0806"] * 50
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda query: ids(index.search(query)), queries))
    assert found == [["106"], ["202"], ["203"], ["t0806"]] * 50


@pytest.mark.parametrize(
    ("typed", "certain"),
    [
        ("wine", True),  # named exactly so, though others begin so
        ("winery", True),  # the only one that begins so
        ("wine c", True),
        ("win", False),  # three begin so
        ("cellar", False),  # within a name
        ("wnie", False),  # mended
        ("wine farms", False),  # some of the words
        ("gale", True),  # the preferred label, before an alternative one
        ("twin", False),  # two are named so
        ("vin", False),  # three in other languages begin so
        ("vino", True),
        ("", False),
        ("zzz", False),
    ],
)
def test_only_what_was_typed_may_be_taken_without_a_choice(
    index_of, typed: str, certain: bool
) -> None:
    labels = ("wine", "wine cellar", "winery", "gale", "storm", "twin", "twin")
    others = ({"fr": "vinaigre"}, {"fr": "vinyle"}, {"it": "vino"})
    index = index_of(*labels, *others, alt={4: "gale"})
    assert is_certain(typed, index.search(typed)) is certain


@pytest.mark.parametrize(
    ("query", "matched"),
    [
        ("nitrate pollution", "Nitrate pollution"),
        ("nitrate", "Nitrate pollution"),
        ("Nitratbelastung", "Nitratbelastung"),
    ],
)
def test_a_withdrawn_term_leads_to_what_replaces_it(
    changed_index: VocabularyIndex, query: str, matched: str
) -> None:
    hits = changed_index.search(query)
    assert (hits[0].concept_id, hits[0].matched, hits[0].why) == ("e", matched, Why.WITHDRAWN)
    assert not is_certain(query, hits)


def test_a_withdrawn_term_stands_behind_what_is_called_so_now(
    changed_index: VocabularyIndex,
) -> None:
    assert ids(changed_index.search("nitr")) == ["t", "e"]
    assert ids(changed_index.search("ni")) == ["t"]
    assert changed_index.search("smog") == []
    found = changed_index.withdrawn("Smog")
    assert found is not None and found.concept_id == "s"
    assert changed_index.withdrawn("eutrophication") is None


def test_a_hidden_label_finds_its_concept_and_is_not_shown(tmp_path: Path) -> None:
    lentil = Concept("c1", "u:1", None, {"en": "lentils"}, hidden_labels={"en": ("masoor",)})
    hierarchy = Hierarchy([lentil], vocabulary_id="v", version="1")
    index = VocabularyIndex.build(hierarchy, tmp_path / "hidden.sqlite")
    try:
        for typed in ("masoor", "maso", "masor"):
            (hit,) = index.search(typed)
            assert (hit.label, hit.shown) == ("lentils", "lentils")
            assert "masoor" not in (hit.mended or "")
        assert index.search("masoor")[0].why is Why.EXACT
    finally:
        index.close()


@pytest.mark.parametrize(
    ("typed", "label"),
    [("C++", "C++"), ("c", "C"), ("Na+", "Na+"), ("B-12", "vitamin B-12"), ("B12", "vitamin B-12")],
)
def test_signs_of_a_name_are_searched(index_of, typed: str, label: str) -> None:
    index = index_of(
        "C", "C++", "Na", "Na+", "vitamin B-12", "vitamin D", "Article 12", "बाल", "बिल"
    )
    assert index.search(typed)[0].label == label


def test_signs_that_no_label_has_are_left_out_and_that_is_said(index_of) -> None:
    (hit,) = index_of("C", "cow").search("C++")
    assert (hit.label, hit.mended, hit.why) == ("C", "c", Why.MENDED)


def test_vowel_signs_make_another_word(index_of) -> None:
    index = index_of({"hi": "तिल"}, {"hi": "तेल"}, {"ja": "ごま"}, {"ja": "こま"})
    exact = {t: [h.label for h in index.search(t, language="hi") if h.why is Why.EXACT]
             for t in ("तिल", "तेल", "ごま")}  # fmt: skip
    assert exact == {"तिल": ["तिल"], "तेल": ["तेल"], "ごま": ["ごま"]}


def test_an_id_that_is_no_code_is_typed_whole(tmp_path: Path) -> None:
    concept = Concept("c_b12a", "u:c_b12a", "c_b12a", {"en": "internet of things"})
    hierarchy = Hierarchy([concept], vocabulary_id="v", version="1")
    index = VocabularyIndex.build(hierarchy, tmp_path / "ids.sqlite")
    try:
        assert ids(index.search("c_b12a")) == ids(index.search("c_b1")) == ["c_b12a"]
        assert index.search("B-12") == index.search("b12a") == []
    finally:
        index.close()
