"""The nodes that a page shows: suggestions, decisions, and everything above them."""

from __future__ import annotations

from core.documents.document import Document
from core.review.reports.outline import OutlineNode, outline
from core.review.store.rules import Rules
from core.vocabulary.concepts import Concept, Hierarchy
from tests.support.fakes import FakePredictor, hierarchy
from tests.support.stores import denying

VOCABULARY = hierarchy()
PREDICTION = FakePredictor(VOCABULARY).suggest(Document.from_text("a", "sole", "sole"), limit=2)


def by_id(nodes: list[OutlineNode]) -> dict[str, OutlineNode]:
    assert len({node["id"] for node in nodes}) == len(nodes)
    return {node["id"]: node for node in nodes}


def test_suggestions_come_with_all_that_is_broader() -> None:
    nodes = by_id(outline([], hierarchy=VOCABULARY, prediction=PREDICTION))
    assert PREDICTION.suggestions[0].concept_id == "104"
    assert {"104", "103", "m1", "m2", "d1"} <= set(nodes)
    assert nodes["103"]["broader"] == ["m1", "m2"]


def test_only_suggestions_have_a_rank_and_ancestors_have_a_branch_probability() -> None:
    nodes = by_id(outline([], hierarchy=VOCABULARY, prediction=PREDICTION))
    best = PREDICTION.suggestions[0]
    assert (nodes["104"]["rank"], nodes["104"]["probability"]) == (1, best.probability)
    assert (nodes["d1"]["rank"], nodes["d1"]["probability"]) == (None, None)
    assert nodes["d1"]["branch"] == PREDICTION.branch_probability["d1"]
    assert not nodes["d1"]["assignable"]


def test_a_decided_concept_is_there_without_being_suggested() -> None:
    nodes = by_id(outline(["303"], hierarchy=VOCABULARY, prediction=None))
    assert list(nodes) == ["303", "301", "d2", "m3"]
    assert nodes["303"]["probability"] is None


def test_without_a_vocabulary_suggestions_keep_the_labels_they_were_stored_with() -> None:
    nodes = by_id(outline(["999"], hierarchy=None, prediction=PREDICTION))
    assert nodes["104"]["label"] == "sole"
    assert nodes["104"]["broader"] == []
    assert nodes["999"]["label"] == "999"


def test_an_ancestor_says_how_probable_it_is_itself() -> None:
    nodes = by_id(outline([], hierarchy=VOCABULARY, prediction=PREDICTION))
    assert nodes["103"]["own"] == PREDICTION.own_probability["103"]
    assert nodes["104"]["source"] == "fake"


def test_a_suggestion_says_how_the_text_denies_it() -> None:
    prediction = denying(PREDICTION, "104")
    nodes = by_id(outline([], hierarchy=VOCABULARY, prediction=prediction))
    assert nodes["104"]["denied"] == "negated" and "denied" not in nodes["103"]


def test_given_concepts_are_there_and_marked() -> None:
    nodes = by_id(outline([], hierarchy=VOCABULARY, prediction=PREDICTION, given=["303"]))
    assert nodes["303"]["given"]
    assert not nodes["104"]["given"]


def test_what_a_rule_hides_is_left_out_unless_it_was_decided() -> None:
    rules = Rules(never_suggested=frozenset({"104"}))
    assert "104" not in by_id(outline([], hierarchy=VOCABULARY, prediction=PREDICTION, rules=rules))
    decided = outline(["104"], hierarchy=VOCABULARY, prediction=PREDICTION, rules=rules)
    assert by_id(decided)["104"]["rank"] == 1


def test_a_branch_that_is_never_assigned_is_neither_suggested_nor_assignable() -> None:
    rules = Rules(never_assigned=frozenset({"m1"}))
    suggested = outline(["102"], hierarchy=VOCABULARY, prediction=PREDICTION, rules=rules)
    nodes = by_id(suggested)
    assert "104" not in nodes
    assert (nodes["102"]["assignable"], nodes["102"]["forbidden"]) == (False, True)


def test_a_chapter_of_symptoms_is_marked_where_codes_are_assigned() -> None:
    concepts = [
        Concept("18", "urn:18", "18", {"en": "Symptoms, signs and more"}, {}, (), assignable=False),
        Concept("R05", "urn:R05", "R05", {"en": "Symptoms, signs of a cough"}, {}, ("18",)),
    ]
    codes = Hierarchy(concepts, vocabulary_id="icd10cm", version="hand-written")
    nodes = by_id(outline(["R05"], hierarchy=codes))
    assert nodes["18"]["symptoms"] and "symptoms" not in nodes["R05"]
    thesaurus = Hierarchy(concepts, vocabulary_id="ward", version="hand-written")
    assert "symptoms" not in by_id(outline(["R05"], hierarchy=thesaurus))["18"]


def test_a_withdrawn_concept_keeps_its_label_and_names_what_replaces_it() -> None:
    concepts = [
        Concept("new", "urn:new", None, {"en": "eutrophication"}),
        Concept("half", "urn:half", None, {"en": "half"}, deprecated=True, replaced_by=("new",)),
        Concept("old", "urn:old", "N1", {"en": "nitrate"}, deprecated=True, replaced_by=("half",)),
    ]
    now = Hierarchy(concepts, vocabulary_id="water", version="2")
    gone = Concept("gone", "urn:gone", None, {"en": "ozone", "fr": "l'ozone"})
    before = Hierarchy([*concepts, gone], vocabulary_id="water", version="1")
    now.earlier_versions = lambda: [before]
    nodes = by_id(outline(["old", "gone", "x", "new"], hierarchy=now, language="fr"))
    assert (nodes["old"]["label"], nodes["old"]["notation"]) == ("nitrate", "N1")
    assert (nodes["old"]["withdrawn"], nodes["old"]["instead"]) == (True, ["eutrophication"])
    assert (nodes["gone"]["label"], nodes["gone"]["instead"]) == ("l'ozone", [])
    assert nodes["x"]["label"] == "x"
    assert "withdrawn" not in nodes["x"] and "withdrawn" not in nodes["new"]


def test_what_no_version_has_is_called_as_it_was_suggested() -> None:
    lacking = Hierarchy([Concept("m1", "urn:m1", None, {})], vocabulary_id="tiny", version="2")
    lost = PREDICTION.suggestions
    nodes = by_id(outline(["104"], hierarchy=lacking, earlier=lost))
    assert (nodes["104"]["label"], nodes["104"]["withdrawn"]) == ("sole", True)
    assert list(nodes) == ["104"]
