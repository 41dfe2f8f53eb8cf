from __future__ import annotations

import io
import json

import pyoxigraph as ox

from core.documents.document import Document
from core.export.export import Export
from core.export.gathering import DECISIONS, Selection
from core.export.jsonld import scheme_of
from core.review.decisions.recording import Operation
from core.review.store.arrivals import add_document
from core.review.store.people import default_person
from core.review.store.projects import default_project
from core.review.store.proposed_terms import propose_term
from core.review.store.store import Store
from core.vocabulary.concepts import Concept, Hierarchy
from tests.support.exports import FORMULAS, HIERARCHY, ODD_TITLES
from tests.support.stores import send

DCT = "http://purl.org/dc/terms/"
SKOS = "http://www.w3.org/2004/02/skos/core#"
EVERYTHING = Selection(decisions=frozenset(DECISIONS), proposed_terms=True)
BASED = Hierarchy(
    [HIERARCHY[concept_id] for concept_id in HIERARCHY],
    vocabulary_id="tiny",
    version="2",
    uri_base="http://x/",
    scheme_uri="http://z/scheme",
)


def add(store: Store, document_id: str, title: str, *actions: tuple[str, str]) -> None:
    project_id = default_project(store, "tiny").project_id
    document = Document.from_text(document_id, title, "Text.")
    document = Document(document_id, title, document.parts)
    add_document(store, document, project_id=project_id, given=["sum"])
    operations = [Operation(n, *action) for n, action in enumerate(actions, start=1)]
    send(store, *operations, document_id=document_id, client_id=f"tab {document_id!r}")


def make(store: Store, selection: Selection = EVERYTHING, **more: object) -> bytes:
    return Export(store, selection, BASED, **more).file("jsonld")  # type: ignore[arg-type]


def triples(content: bytes) -> list[ox.Quad]:
    return list(ox.parse(io.BytesIO(content), format=ox.RdfFormat.JSON_LD))


def objects(found: list[ox.Quad], subject: object, name: str) -> list[object]:
    return [q.object for q in found if q.subject == subject and q.predicate.value == name]


def test_a_document_has_its_subjects_as_concepts_of_skos(store: Store) -> None:
    add(store, "http://y/act", "On olives", ("accept", "oil"), ("add", "food"), ("reject", "trade"))
    found = triples(make(store, Selection(), language="de"))
    act, oil, food = (ox.NamedNode(f"http://{end}") for end in ("y/act", "x/oil", "x/food"))
    assert objects(found, act, DCT + "identifier") == [ox.Literal("http://y/act")]
    assert objects(found, act, DCT + "title") == [ox.Literal("On olives")]
    assert objects(found, act, DCT + "subject") == [oil, food]
    assert objects(found, food, SKOS + "prefLabel") == [ox.Literal("Lebensmittel", language="de")]
    assert objects(found, oil, SKOS + "prefLabel") == [ox.Literal("olive, oil", language="en")]
    assert objects(found, oil, SKOS + "notation") == [ox.Literal("-7")]
    assert objects(found, oil, SKOS + "inScheme") == [ox.NamedNode("http://z/scheme")]


def test_only_what_a_document_is_about_is_its_subject(store: Store) -> None:
    add(store, "http://y/act", "T", ("accept", "oil"), ("reject", "trade"), ("exclude", "trade"))
    propose_term(store, "http://y/act", "olea", "", default_person(store).person_id)
    found = triples(make(store))
    subjects = objects(found, ox.NamedNode("http://y/act"), DCT + "subject")
    assert subjects == [ox.NamedNode("http://x/oil"), ox.NamedNode("http://x/sum")]
    found = triples(make(store, Selection()))
    subjects = objects(found, ox.NamedNode("http://y/act"), DCT + "subject")
    assert subjects == [ox.NamedNode("http://x/oil")]


def test_an_id_or_uri_that_is_none_stays_a_node_without_a_name(store: Store) -> None:
    add(store, "dct:title", "T", ("add", "never known"))
    (document,) = json.loads(make(store, Selection()))["@graph"]
    assert "@id" not in document
    assert document["dct:subject"] == [
        {
            "@type": "skos:Concept",
            "skos:prefLabel": {"@value": "never known"},
            "skos:inScheme": {"@id": "http://z/scheme"},
        }
    ]
    assert len(triples(make(store, Selection()))) == 7


def test_no_document_is_an_empty_graph_and_one_without_subjects_is_there(store: Store) -> None:
    assert triples(make(store)) == []
    add(store, "act", "")
    (document,) = json.loads(make(store, Selection()))["@graph"]
    assert document == {"@type": "dcmitype:Text", "dct:identifier": "act", "dct:subject": []}


def test_no_title_breaks_the_graph(store: Store) -> None:
    titles = [*filter(None, ODD_TITLES), *FORMULAS, "a\x1bb", "</script>\u2028", '"@id": "x"']
    for number, title in enumerate(titles):
        add(store, f"act {number}", title, ("accept", "oil"))
        add(store, title, f"Title {number}", ("accept", "oil"))
    found = triples(make(store))
    written = [q.object.value for q in found if q.predicate.value == DCT + "title"]  # type: ignore[union-attr]
    expected = [title.replace("\x1b", "") for title in titles]
    assert sorted(written) == sorted([*expected, *(f"Title {n}" for n in range(len(titles)))])


def test_a_scheme_is_what_the_file_states_and_is_not_guessed() -> None:
    def scheme(vocabulary_id: str, base: str = "", stated: str = "") -> str:
        return scheme_of(
            Hierarchy([], vocabulary_id=vocabulary_id, version="", uri_base=base, scheme_uri=stated)
        )

    assert scheme("eurovoc", "http://eurovoc.europa.eu/") == "http://eurovoc.europa.eu/100141"
    assert scheme("icd10cm") == "http://hl7.org/fhir/sid/icd-10-cm"
    assert scheme("own", "http://a.b/c#", "http://a.b/scheme") == "http://a.b/scheme"
    assert scheme("own", "http://a.b/c#") == scheme("own", stated="no URI") == ""


def test_a_label_has_the_language_that_it_is_in() -> None:
    assert HIERARCHY["food"].label_language("de") == "de"
    assert HIERARCHY["food"].label_language("fr") == "en"
    assert Concept("x", "http://x", "1", {}).label_language() is None
    assert Concept("x", "http://x", None, {"pt-br": "x"}).label_language("pt") == "pt-br"
