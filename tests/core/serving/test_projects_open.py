"""From one project to another: documents, vocabulary and model change together and come back."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.documents.document import Document
from core.errors import BundleError, StoreError, VocabularyError
from core.review.reports.summaries import list_documents
from core.review.store.arrivals import add_document
from core.review.store.projects import default_project, keep_choices, list_projects, make_project
from core.vocabulary.concepts import Concept, Hierarchy
from core.vocabulary.versions.vocabulary_versions import BUNDLED
from pages.served import FAILED, LOADING, Change
from pages.serving import Workplace
from tests.support.models.served_models import (
    ACT,
    opened,
    own,
    read,
    serve,
    served_name,
    wait_for,
)

pytestmark = pytest.mark.usefixtures("single_thread")

COUGH = Document.from_text("enc", "Cough", "Cough for three days.")


def codes(version: str = "1", vocabulary_id: str = "icd9cm") -> Hierarchy:
    """Two codes of a code system, enough to be opened."""
    rows = (("786", "Symptoms", (), False), ("786.2", "Cough", ("786",), True))
    concepts = (
        Concept(code, f"http://x/{code}", code, {"en": label}, broader=above, assignable=leaf)
        for code, label, above, leaf in rows
    )
    return Hierarchy(concepts, vocabulary_id=vocabulary_id, version=version)


def keep(shared: Workplace, hierarchy: Hierarchy) -> None:
    shared.shelf.add(hierarchy, file_name="codes.csv", sha256=hierarchy.version, report={})


def titles(shared: Workplace) -> set[str]:
    return {one.title for one in list_documents(shared.store(), shared.project_id())}


def ended(shared: Workplace) -> None:
    wait_for(lambda: not shared.projects.is_opening)


def test_todays_database_has_one_project_which_is_open(shared: Workplace) -> None:
    (only,) = shared.projects.listed()
    assert only == shared.projects.current() == default_project(shared.store(), only.vocabulary_id)


def test_a_project_takes_its_vocabulary_and_model_and_gives_them_back(shared: Workplace) -> None:
    first = shared.projects.current()
    read(shared)
    serve(shared, own(shared, "second"))
    made = shared.projects.make("Tiny things", "tiny")
    wait_for(lambda: served_name(shared) == "other")
    assert shared.projects.current() == made
    assert (shared.vocabulary_id(), titles(shared)) == ("tiny", set())
    assert shared.suggests() and shared.served.has_model
    shared.projects.open(first.project_id)
    wait_for(lambda: served_name(shared) == "second")
    assert shared.project_id() == first.project_id
    assert titles(shared) == {ACT.title}
    assert (shared.vocabulary_id(), shared.shelf.in_use()) == (first.vocabulary_id, BUNDLED)


def test_two_projects_of_one_vocabulary_keep_their_documents_apart(shared: Workplace) -> None:
    first = shared.projects.current()
    read(shared)
    server = shared.server_id
    second = shared.projects.make("Acts of 1957", first.vocabulary_id)
    ended(shared)
    assert served_name(shared) == "first" and shared.project_id() == second.project_id
    assert titles(shared) == set()
    assert shared.server_id != server  # so that pages are drawn anew
    add_document(shared.store(), COUGH, project_id=shared.project_id())
    shared.projects.open(first.project_id)
    assert titles(shared) == {ACT.title}
    shared.projects.open(second.project_id)
    assert titles(shared) == {COUGH.title}


def test_codes_without_a_model_are_opened_and_come_back_after_a_restart(shared: Workplace) -> None:
    keep(shared, codes())
    first = shared.projects.current()
    made = shared.projects.make("Ward 7", "icd9cm")
    wait_for(lambda: shared.vocabulary_id() == "icd9cm")
    ended(shared)
    assert not shared.served.has_model
    assert shared.suggests()  # names that are found in the text
    assert read(shared, COUGH)
    shared.close()

    again = opened(shared.settings)
    assert (again.vocabulary_id(), again.project_id()) == ("icd9cm", made.project_id)
    assert again.suggests() and not again.served.has_model
    assert again.service.model and again.service.model.vocabulary_id == "icd9cm"
    again.projects.open(first.project_id)
    wait_for(lambda: again.service.model and again.service.model.name == "first")
    assert again.project_id() == first.project_id and again.served.has_model
    again.close()


def test_each_project_keeps_the_version_it_was_left_with(shared: Workplace) -> None:
    keep(shared, codes("1"))
    keep(shared, codes("2"))
    first = shared.projects.current()
    made = shared.projects.make("Ward 7", "icd9cm")
    ended(shared)
    assert shared.hierarchy().version == "2"  # the newest, as nothing was chosen
    (old,) = (one.key for one in shared.shelf.entries() if one.version == "1")
    shared.use(old)
    ended(shared)
    shared.projects.open(first.project_id)
    ended(shared)
    keep(shared, codes("3"))
    shared.projects.open(made.project_id)
    ended(shared)
    assert shared.hierarchy().version == "1"


def test_taking_another_vocabulary_opens_its_project_with_what_suggests_there(
    shared: Workplace,
) -> None:
    keep(shared, codes())
    first = shared.projects.current()
    shared.use(shared.shelf.entries()[0].key)
    ended(shared)
    assert shared.projects.current().vocabulary_id == "icd9cm"
    assert shared.service.model and shared.service.model.vocabulary_id == "icd9cm"
    shared.use_former()
    wait_for(lambda: shared.service.model and shared.service.model.name == "first")
    assert shared.project_id() == first.project_id and shared.suggests()


def test_a_thesaurus_that_no_model_knows_is_opened_and_suggests_nothing(shared: Workplace) -> None:
    keep(shared, codes(vocabulary_id="stw"))
    first = shared.projects.current()
    shared.projects.make("Economics", "stw")
    ended(shared)
    assert shared.vocabulary_id() == "stw" and not shared.suggests()
    shared.projects.open(first.project_id)
    ended(shared)
    assert shared.suggests() and served_name(shared) == "first"


def test_a_project_whose_vocabulary_is_gone_says_so_and_the_open_one_stays(
    shared: Workplace,
) -> None:
    lost = make_project(shared.store(), "Lost", "icd10pcs")
    before = shared.project_id()
    with pytest.raises(VocabularyError, match="icd10pcs is not here"):
        shared.projects.open(lost.project_id)
    with pytest.raises(StoreError, match="no such project"):
        shared.projects.open(999)
    assert shared.project_id() == before


def test_while_a_project_is_being_opened_none_is_made(shared: Workplace) -> None:
    card = shared.served.card()
    shared.served.change = Change(card, LOADING, project="icd10cm")
    with pytest.raises(BundleError, match="ICD-10-CM is being opened"):
        shared.projects.make("Tiny things", "tiny")
    assert len(shared.projects.listed()) == 1


def test_a_damaged_model_leaves_the_open_project_at_work(shared: Workplace) -> None:
    path = own(shared, "other") / "calibration.json"
    path.write_bytes(path.read_bytes()[::-1])
    first = shared.projects.current()
    shared.projects.make("Tiny things", "tiny")
    ended(shared)
    change = shared.served.change
    assert change and change.state == FAILED and "calibration.json" in change.problem
    assert shared.project_id() == first.project_id and served_name(shared) == "first"


def test_a_model_is_chosen_for_the_open_project_and_for_another(shared: Workplace) -> None:
    first = shared.projects.current()
    shared.projects.choose_model(first, own(shared, "second"))
    wait_for(lambda: served_name(shared) == "second")
    later = make_project(shared.store(), "Later", first.vocabulary_id)
    shared.projects.choose_model(later, shared.settings.bundle_dir)
    assert served_name(shared) == "second"
    ended(shared)
    shared.projects.open(later.project_id)
    wait_for(lambda: served_name(shared) == "first")
    with pytest.raises(BundleError):
        shared.projects.choose_model(shared.projects.current(), Path("nowhere"))


def test_a_project_finds_its_model_again_that_was_moved_or_does_without(shared: Workplace) -> None:
    project = shared.projects.current()
    listed = shared.projects.models(project.vocabulary_id)
    assert [card.name for card in listed] == ["first", "second"]
    store = shared.store()

    def found(bundle: str | None) -> str:
        keep_choices(store, project.project_id, bundle=bundle, vocabulary_choice=None)
        card = shared.projects.setup(list_projects(store)[0]).card
        return card.name if card else ""

    second = listed[1].bundle_hash
    assert found(f"elsewhere@{second}") == "second"
    assert found("second@0123") == "second"
    assert found("gone@0123") == found(None) == "first"
    with pytest.raises(VocabularyError):
        found("none")


def test_only_vocabularies_that_can_be_opened_are_offered(shared: Workplace) -> None:
    keep(shared, codes())
    offered = shared.projects.vocabularies()
    assert set(offered) >= {"icd9cm", "icd10cm", "tiny", shared.vocabulary_id()}


def test_the_open_project_is_taken_away_once_another_one_is_open(shared: Workplace) -> None:
    first = shared.projects.current()
    read(shared)
    ward = shared.projects.make("Ward 7", "tiny")
    wait_for(lambda: served_name(shared) == "other")
    shared.projects.remove(ward)
    ended(shared)
    wait_for(lambda: served_name(shared) == "first")
    assert shared.projects.listed() == [shared.projects.current()]
    assert shared.project_id() == first.project_id
    assert [one.project_id for one in list_projects(shared.store())] == [
        first.project_id
    ]  # was empty
    with pytest.raises(StoreError, match="only project"):
        shared.projects.remove(shared.projects.current())


def test_an_archived_project_comes_back_when_it_is_opened(shared: Workplace) -> None:
    first = shared.projects.current()
    read(shared)
    second = shared.projects.make("Acts of 1957", first.vocabulary_id)
    shared.projects.remove(first)
    assert shared.projects.listed() == [shared.projects.current()]
    assert [one.project_id for one in shared.projects.archived()] == [first.project_id]
    shared.projects.open(first.project_id)  # as a link to one of its documents does
    assert shared.project_id() == first.project_id
    assert titles(shared) == {ACT.title}
    assert [one.project_id for one in shared.projects.listed()] == [
        first.project_id,
        second.project_id,
    ]
    assert shared.projects.archived() == []
