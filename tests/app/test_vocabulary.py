"""The Vocabulary page as Streamlit runs it: rules, import, versions taken and taken back."""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.clinical.codes.icd10cm import release
from core.documents.document import Document
from core.errors import StoreError
from core.review.decisions.recording import Operation, record
from core.review.guidance import read_notes
from core.review.store.arrivals import add_document
from core.review.store.people import HIDE_TITLES, set_preference
from core.review.store.predictions import latest_prediction
from core.review.store.projects import keep_companions, make_project
from core.review.store.rules import read_rules
from core.serving.choosing import open_project, project_for, use_version
from core.serving.session import Session
from core.vocabulary.concepts import Concept, Hierarchy
from core.vocabulary.labels import LabelSpace
from core.vocabulary.versions.vocabulary_versions import ABOUT, BUNDLED, VersionKey
from pages.vocabularies.guidelines import NONE_WRITTEN, as_text
from pages.vocabularies.overview import overview
from tests.support.app_pages import click, data, fresh_page, run, send, turn_to
from tests.support.fakes import fake_session, hierarchy
from tests.support.files.code_files import write_list
from tests.support.files.skos_files import PREFIXES
from tests.support.models.tiny_bundle import write_tiny_bundle
from tests.support.waiting import wait_until

# The fake vocabulary's next version: herring has another name, sole is gone, cod is new.
NEXT = (
    PREFIXES
    + """
<https://example.org/tiny> a skos:ConceptScheme ; owl:versionInfo "2" .
<https://example.org/m1> a skos:Concept ; skos:prefLabel "fisheries"@en ;
    skos:inScheme <https://example.org/tiny> .
<https://example.org/102> a skos:Concept ; skos:prefLabel "Atlantic herring"@en ;
    skos:broader <https://example.org/m1> ; skos:inScheme <https://example.org/tiny> .
<https://example.org/105> a skos:Concept ; skos:prefLabel "cod"@en ;
    skos:broader <https://example.org/m1> ; skos:inScheme <https://example.org/tiny> .
"""
)
OTHER = NEXT.replace("example.org/tiny", "example.org/other")


def vocabulary_page() -> AppTest:
    return turn_to(fresh_page(), "vocabulary")


def imported(shared: Session, body: str, name: str = "tiny.ttl") -> None:
    shared.server.importer.start_files({name: body.encode()})
    shared.server.importer.wait(60)


def said(page: AppTest) -> str:
    elements = [*page.markdown, *page.success, *page.error, *page.warning, *page.info, *page.text]
    return "\n".join(element.value for element in elements).replace("\\", "")


def test_the_page_says_what_is_in_use(shared: Session) -> None:
    page = vocabulary_page()
    assert data(page, "vocabulary")["facts"] == "Tiny: 14 concepts"
    assert "in use" in said(page)


def test_a_rule_is_set_and_lifted(shared: Session) -> None:
    page = vocabulary_page()
    wish = {"concept_id": "m1", "kind": "never_assigned", "on": True, "number": 7}
    send(page, "vocabulary", "rule", wish)
    assert read_rules(shared.server.store(), shared.project_id()).never_assigned == {"m1"}
    given = data(page, "vocabulary")
    assert given["rules"] == [{"id": "m1", "label": "fisheries", "kind": "never_assigned"}]
    assert (given["answered"], given["problem"]) == (7, "")
    send(page, "vocabulary", "rule", wish | {"on": False, "number": 8})
    assert data(page, "vocabulary")["rules"] == []
    for malformed in (None, "x", {}, {"concept_id": "nothing", "on": True}):
        send(page, "vocabulary", "rule", malformed)
        assert data(page, "vocabulary")["rules"] == []


def test_a_new_version_is_looked_at_taken_and_taken_back(shared: Session) -> None:
    decided(shared, Operation(1, "accept", "104"), Operation(2, "reject", "201"))
    imported(shared, NEXT)
    page = vocabulary_page()
    words = said(page)
    assert "tiny.ttl was read in" in words
    assert "2 decisions on 1 document concern concepts that change" in words
    names = [expander.label for expander in page.expander]
    assert {"Added: 1", "Renamed: 1", "Moved: 1"} <= set(names)
    assert shared.project.choice == BUNDLED
    click(page, "vocabulary_take")
    assert data(page, "vocabulary")["facts"] == "Tiny: 3 concepts"
    assert shared.project.suggests
    assert "In use: Tiny, version 2" in said(page)
    click(page, "vocabulary_take_back")
    assert data(page, "vocabulary")["facts"] == "Tiny: 14 concepts"


def test_what_a_newer_version_withdrew_is_not_suggested(shared: Session) -> None:
    imported(shared, NEXT)
    use_version(shared, shared.server.versions.entries()[0].key)
    act = Document.from_text("", "On sole", "Sole and herring.")
    document_id = add_document(shared.server.store(), act, project_id=shared.project_id())
    nodes = data(fresh_page(document_id), "tree")["nodes"]
    assert [node["id"] for node in nodes if node["rank"]] == ["102"]
    assert [node["label"] for node in nodes if node["rank"]] == ["Atlantic herring"]


def decided(shared: Session, *operations: Operation) -> str:
    """A document on which this was decided."""
    act = Document.from_text("", "On sole", "Sole and herring.")
    document_id = add_document(shared.server.store(), act, project_id=shared.project_id())
    record(
        shared.server.store(),
        document_id=document_id,
        person_id=shared.person_id(),
        client_id=document_id,
        operations=operations,
    )
    return document_id


def accepted(shared: Session, *concept_ids: str) -> str:
    """A document on which these are accepted."""
    return decided(shared, *(Operation(n, "accept", i) for n, i in enumerate(concept_ids, 1)))


# A later one: herring is withdrawn in favour of cod, which has been there before.
LAST = NEXT.replace('"2"', '"3"').replace(
    '"Atlantic herring"@en ;',
    '"Atlantic herring"@en ; owl:deprecated true ; dct:isReplacedBy <https://example.org/105> ;',
)


def test_accepted_concepts_that_are_withdrawn_keep_their_names(shared: Session) -> None:
    document_id = accepted(shared, "104", "102", "m1")
    for body in (NEXT, LAST):
        imported(shared, body)
        use_version(shared, shared.server.versions.entries()[-1].key)
    given = data(fresh_page(document_id), "tree")["nodes"]
    nodes = {node["id"]: node for node in given}
    assert (nodes["104"]["label"], nodes["104"]["withdrawn"]) == ("sole", True)  # of the model
    assert (nodes["102"]["label"], nodes["102"]["instead"]) == ("Atlantic herring", ["cod"])
    assert "withdrawn" not in nodes["m1"]


def test_the_page_names_the_models_that_have_learned_another_vocabulary(shared: Session) -> None:
    imported(shared, OTHER, "other.ttl")
    assert "No model here has learned it" in said(vocabulary_page())
    tiny = hierarchy()
    known = Hierarchy([tiny[i] for i in tiny], vocabulary_id="other", version="1")
    write_tiny_bundle(
        shared.settings.home / "models" / "learned", name="learned", space=LabelSpace(known)
    )
    words = said(vocabulary_page())
    assert "The model learned has learned it." in words
    assert "No model here" not in words


def test_a_file_of_another_type_is_refused_with_the_types_that_are_read(shared: Session) -> None:
    page = vocabulary_page()
    run(page.file_uploader(key="vocabulary_upload_0").set_value([("a.exe", b"MZ", "x")]))
    assert "a.exe was not read: it is of another type." in page.error[0].value.replace("\\", "")
    assert ".rdf, " in page.error[0].value.replace("\\", "")
    assert not shared.server.importer.state.is_running


def test_lists_of_used_codes_name_the_codes(shared: Session) -> None:
    accepted(shared, "102", "104")
    titles = {"001-139": "Infections", "102": "Yaws", "104": "Other", "140": "A neoplasm"}
    titles |= {"140-239": "Neoplasms", "99.15": "Nutrition"}
    above = {"102": ("001-139",), "140": ("140-239",)}
    codes = [
        Concept(code, f"urn:{code}", code, {"en": title}, broader=above.get(code, ()))
        for code, title in titles.items()
    ]
    known = Hierarchy(codes, vocabulary_id="icd9cm", version="1")
    often, last, unused = overview(shared.server.store(), shared.project_id(), known, "en")
    assert {(row["code"], row["label"]) for row in often["rows"]} == {
        ("102", "Yaws"),
        ("104", "Other"),
    }
    assert {row["code"] for row in last["rows"]} == {"102", "104"}
    # 99.15 is a code without a branch, of which a flat list has tens of thousands.
    assert [row["code"] for row in unused["rows"]] == ["140-239"]


def test_another_vocabulary_has_documents_and_suggestions_of_its_own(shared: Session) -> None:
    first = shared.project_id()
    imported(shared, OTHER, "other.ttl")
    page = vocabulary_page()
    assert "another vocabulary than the one in use" in said(page)
    click(page, "vocabulary_take")
    named = page.query_params["project"]
    other = shared.elsewhere(named[0] if isinstance(named, list) else named)
    assert other.project_id() != first
    assert shared.project.suggester is not other.project.suggester  # here, all is as it was
    act = Document.from_text("", "On herring", "Atlantic herring.")
    document_id = add_document(other.server.store(), act, project_id=other.project_id())
    fresh_page(document_id)  # has it read
    wait_until(lambda: latest_prediction(other.server.store(), document_id) is not None, 60)
    nodes = data(fresh_page(document_id), "tree")["nodes"]
    assert [node["label"] for node in nodes if node["rank"]] == ["Atlantic herring"]
    stored = latest_prediction(other.server.store(), document_id)
    assert stored is not None and stored.bundle_hash == "no-model+cold-start3"
    versions = turn_to(page, "vocabulary")
    assert "No model has learned this vocabulary." in said(versions)
    assert "Finished documents make them better: 0 so far." in said(versions)


def test_a_bad_file_gets_a_sentence_and_changes_nothing(shared: Session) -> None:
    imported(shared, "Dogs are *animals*.", "dogs.ttl")
    page = vocabulary_page()
    assert "dogs.ttl is not valid Turtle" in said(page)
    assert shared.server.versions.entries() == []
    assert data(page, "vocabulary")["facts"] == "Tiny: 14 concepts"


def test_a_taken_version_that_is_damaged_gives_way_to_the_models_own(
    shared: Session, tmp_path: Path
) -> None:
    imported(shared, NEXT)
    (entry,) = shared.server.versions.entries()
    use_version(shared, entry.key)
    (path,) = shared.server.versions.folder.glob("*/*/concepts.json")
    path.write_text("{")
    again = fake_session(tmp_path)
    vocabulary = again.vocabulary()
    assert vocabulary is not None
    assert len(vocabulary.hierarchy) == 14
    again.server.close()


def test_a_table_of_codes_is_imported_and_reported(shared: Session, tmp_path: Path) -> None:
    imported(shared, write_list(tmp_path).read_text("utf-8"), "rounds.csv")
    words = said(vocabulary_page())
    assert "rounds.csv was read in" in words
    assert "**2** codes that can be assigned · 1 with codes below" in words


def test_icd10_is_offered_without_a_file(shared: Session) -> None:
    page = vocabulary_page()
    (codes,) = [one for one in page.expander if one.label == "Code systems"]
    assert not codes.proto.expanded  # who indexes with a thesaurus needs none of it
    assert "**ICD-10-CM** needs no file" in said(page)
    assert page.button(key="import_icd10cm").label == "Import ICD-10-CM"
    shared.server.versions.add(
        Hierarchy([], vocabulary_id="icd10cm", version=release()),
        file_name="icd10cm",
        sha256="",
        report={"concepts": 0, "languages": []},
    )
    page = vocabulary_page()
    offered = [button.label for button in page.button if str(button.key).startswith("import_icd")]
    assert offered == ["Import ICD-9-CM"]
    assert f"ICD-10-CM, version {release()}" in said(page)


def test_another_vocabulary_of_the_same_id_is_said_to_be_one(shared: Session) -> None:
    imported(shared, OTHER, "other.ttl")
    shared.server.importer.forget()
    imported(shared, OTHER.replace("example.org/other", "birds.org/owls/other"), "owls.ttl")
    page = vocabulary_page()
    assert "Another vocabulary is called other here" in said(page)
    assert "a vocabulary of its own, owls-other" in said(page)
    assert [entry.vocabulary_id for entry in shared.server.versions.entries()] == [
        "other",
        "owls-other",
    ]


def test_a_version_of_another_scheme_is_warned_of(
    shared: Session,
) -> None:
    owls = OTHER.replace("example.org/other", "birds.org/owls/other").replace('"2"', '"3"')
    for body, name in ((OTHER, "other.ttl"), (owls, "owls.ttl")):
        imported(shared, body, name)
    first, second = shared.server.versions.entries()
    mixed = replace(second, vocabulary_id="other")
    place = shared.server.versions.place(mixed.key)
    shutil.move(shared.server.versions.place(second.key), place)
    (place / ABOUT).write_text(json.dumps(asdict(mixed)), "utf-8")
    shared.server.importer.forget()
    open_project(shared, use_version(shared, first.key))
    page = vocabulary_page()
    click(page, "look_other_3")
    assert "This is probably another vocabulary" in said(page)


def test_decisions_that_a_taken_version_touches_stay_listed_with_links(shared: Session) -> None:
    imported(shared, NEXT)
    document_id = accepted(shared, "104", "102")  # before it is taken
    page = vocabulary_page()
    click(page, "vocabulary_take")
    words = said(page)
    assert "2 decisions on 1 document concern concepts that changed since the model’s own" in words
    captions = "\n".join(caption.value for caption in page.caption)
    assert "sole (withdrawn), accepted" in captions.replace("\\", "")
    assert "Atlantic herring (renamed), accepted" in captions.replace("\\", "")
    link = next(e for e in page.get("page_link") if "On sole" in e.proto.label)
    assert f"document={document_id}" in link.proto.query_string
    set_preference(shared.server.store(), shared.person_id(), HIDE_TITLES, True)
    assert not any("On sole" in e.proto.label for e in run(page).get("page_link"))
    accepted(shared, "102")  # under its new name
    assert "2 decisions on 1 document concern" in said(run(page))
    click(page, "vocabulary_take_back")
    assert "concern concepts that changed" not in said(page)


def test_a_newer_version_leaves_the_codes_of_companions_alone(shared: Session) -> None:
    versions, store = shared.server.versions, shared.server.store()
    for system, version, codes in (
        ("icd10cm", "2026", ("J18.9",)),
        ("icd10pcs", "2026", ("0DTJ4ZZ",)),
        ("icd10cm", "2027", ("J18.9", "J18.8")),
    ):
        rows = [Concept(code, f"urn:{code}", code, {"en": code}) for code in codes]
        known = Hierarchy(rows, vocabulary_id=system, version=version)
        report = {"concepts": len(rows), "languages": ["en"]}
        versions.add(known, file_name="x", sha256="", report=report)
    project_id = make_project(store, "Stays", "icd10cm").project_id
    keep_companions(store, project_id, ["icd10pcs"])
    stay = shared.elsewhere(project_id)
    use_version(stay, VersionKey("icd10cm", "2026"))
    accepted(stay, "J18.9", "0DTJ4ZZ")
    page = turn_to(fresh_page(project_id=project_id), "vocabulary")
    click(page, "look_icd10cm_2027")
    names = [one.label for one in page.expander]
    assert "Added: 1" in names and not any(name.startswith("Withdrawn") for name in names)
    assert "No decision that was made here is touched." in said(page)


def test_a_vocabulary_goes_by_the_name_of_its_scheme(shared: Session) -> None:
    named = OTHER + '<https://example.org/other> skos:prefLabel "Water [and](x) *fish*"@en .'
    imported(shared, named, "other.ttl")
    page = vocabulary_page()
    assert "What changes with Water [and](x) *fish*, version 2" in said(page)
    assert any(
        r"Water \[and\](x) \*fish\*, version 2" in element.value for element in page.markdown
    )
    click(page, "vocabulary_take")
    assert data(page, "vocabulary")["facts"].startswith("Water [and](x) *fish*: 3 concepts")
    assert project_for(shared, "other") != shared.project_id()  # under its id


def test_browsing_and_versions_count_withdrawn_concepts_alike(shared: Session) -> None:
    imported(shared, LAST)
    use_version(shared, shared.server.versions.entries()[0].key)
    page = vocabulary_page()
    assert data(page, "vocabulary")["facts"] == "Tiny: 2 concepts, 1 withdrawn"
    assert "2 concepts, 1 withdrawn, 1 language, imported on" in said(page)


def test_what_an_error_names_is_no_markdown_on_the_page(
    shared: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise StoreError("The file ![x](http://x.org) cannot be read.")

    monkeypatch.setattr("core.review.store.rules.read_rules", fail)
    (error,) = vocabulary_page().error
    assert error.value == "The file !\\[x\\](http:\u2060//x.org) cannot be read."


def test_a_note_on_a_concept_is_kept_and_shown_in_its_card(shared: Session) -> None:
    page = vocabulary_page()
    assert data(page, "vocabulary")["may_advise"] is True
    send(page, "vocabulary", "advice", {"concept_id": "102", "text": "Not sprat.", "number": 7})
    given = data(page, "vocabulary")
    assert (given["advice"], given["answered"], given["problem"]) == ({"102": "Not sprat."}, 7, "")
    send(page, "vocabulary", "advice", {"concept_id": "nothing", "text": "x", "number": 8})
    assert read_notes(shared.store(), shared.project_id()) == {"102": "Not sprat."}


def test_guidelines_are_written_and_older_ones_read(shared: Session) -> None:
    page = vocabulary_page()
    assert NONE_WRITTEN in said(page)
    picture = "# Fish\n\n![a](https://x.example/a.png)"
    page.text_area(key="guidelines_text_0").set_value(picture)
    click(page, "guidelines_save")
    assert "# Fish\n\n[a](https://x.example/a.png)" in said(page)
    page.text_area(key="guidelines_text_1").set_value("Cod costs $5, not $6.")
    click(page, "guidelines_save")
    assert "Cod costs $5, not $6." in said(page) and "# Fish" not in said(page)
    run(page.selectbox(key="guidelines_version").set_value(1))
    assert "# Fish" in said(page)


def test_what_streamlit_makes_of_signs_is_not_made_of_guidelines() -> None:
    text = "$5 :red[x] :material/home: 12:30 https://a.example/b ![p](q) <b>x</b>"
    assert as_text(text) == (
        r"\$5 &#58;red[x] &#58;material/home: 12:30 https://a.example/b [p](q) <b>x</b>"
    )
