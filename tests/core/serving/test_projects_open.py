"""Projects side by side: each with its documents, its vocabulary and its model."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from core.documents.document import Document
from core.errors import BundleError, StoreError, VocabularyError
from core.model.bundle.cards import read_card
from core.review.reports.summaries import list_documents
from core.review.store.arrivals import add_document
from core.review.store.projects import default_project, keep_choices, list_projects, make_project
from core.serving.caller import UnknownProjectError
from core.serving.choosing import (
    choose_model,
    known_vocabularies,
    listed_projects,
    open_project,
    remove_project,
    serve_model,
    use_version,
    wait_until_loaded,
)
from core.serving.models import FAILED, TAKEN
from core.serving.session import Session
from core.settings import Settings
from core.suggest.opening import load_suggester
from core.suggest.protocol import Suggester
from core.suggest.suggestions import Prediction
from core.vocabulary.concepts import Concept, Hierarchy
from core.vocabulary.labels import LabelSpace
from core.vocabulary.versions.vocabulary_versions import BUNDLED
from tests.support.fakes import EmptySuggester, hierarchy
from tests.support.models.served_models import (
    ACT,
    opened,
    own,
    read,
    serve,
    served_name,
)
from tests.support.models.tiny_bundle import write_tiny_bundle
from tests.support.waiting import PATIENCE_SECONDS, wait_until

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


def keep(shared: Session, hierarchy: Hierarchy) -> None:
    shared.server.versions.add(
        hierarchy, file_name="codes.csv", sha256=hierarchy.version, report={}
    )


def titles(shared: Session) -> set[str]:
    return {one.title for one in list_documents(shared.server.store(), shared.project_id())}


def model_name(shared: Session) -> str:
    """The model of a session's project, once it is loaded."""
    wait_until_loaded(shared, PATIENCE_SECONDS)
    return shared.project.suggester.name if shared.project.suggester else ""


def test_todays_database_has_one_project_which_is_open(shared: Session) -> None:
    (only,) = listed_projects(shared)
    assert only == shared.current() == default_project(shared.server.store(), only.vocabulary_id)


def test_projects_have_their_vocabularies_and_models_at_the_same_time(shared: Session) -> None:
    read(shared)
    serve(shared, own(shared, "second"))
    server = shared.server_id
    tiny = open_project(
        shared, make_project(shared.server.store(), "Tiny things", "tiny").project_id
    )
    assert model_name(tiny) == "other"
    assert (tiny.vocabulary_id(), titles(tiny)) == ("tiny", set())
    assert (model_name(shared), titles(shared)) == ("second", {ACT.title})
    assert shared.server_id == server  # opening a project changes nothing for anybody else
    assert shared.project.choice == BUNDLED
    assert Session(shared.server).project_id() == tiny.project_id()  # the one opened last


def test_two_projects_of_one_vocabulary_keep_their_documents_apart(shared: Session) -> None:
    read(shared)
    second = open_project(
        shared,
        make_project(shared.server.store(), "Acts of 1957", shared.vocabulary_id()).project_id,
    )
    assert model_name(second) == "first"
    models = shared.project.model, second.project.model
    assert models[0] and models[1] and models[0].bundle is models[1].bundle  # it is loaded once
    assert second.vocabulary() is shared.vocabulary()
    assert second.server_id != shared.server_id
    add_document(shared.server.store(), COUGH, project_id=second.project_id())
    assert (titles(shared), titles(second)) == ({ACT.title}, {COUGH.title})


def test_codes_without_a_model_are_opened_and_come_back_after_a_restart(shared: Session) -> None:
    keep(shared, codes())
    first = shared.project_id()
    ward = open_project(shared, make_project(shared.server.store(), "Ward 7", "icd9cm").project_id)
    assert ward.vocabulary_id() == "icd9cm"
    assert ward.project.card is None and ward.project.suggests  # names that are found in the text
    assert read(ward, COUGH)
    shared.server.close()

    again = opened(shared.settings)
    assert (again.vocabulary_id(), again.project_id()) == ("icd9cm", ward.project_id())
    assert again.project.suggests and again.project.card is None
    assert again.project.suggester and again.project.suggester.hierarchy.vocabulary_id == "icd9cm"
    assert model_name(again.elsewhere(first)) == "first"
    again.server.close()


def test_names_of_codes_serve_until_their_model_is_loaded_or_is_known_to_be_damaged(
    settings: Settings,
) -> None:
    fish = hierarchy()
    fish.vocabulary_id = "icd9cm"  # as if they were codes
    write_tiny_bundle(settings.own_models / "fish", name="fish", space=LabelSpace(fish))
    goes_on = threading.Event()

    class Damaged(EmptySuggester):
        def suggest(self, *_: object, **__: object) -> Prediction:
            assert goes_on.wait(PATIENCE_SECONDS)
            raise BundleError("The model gives values that are no numbers.")

    def load(directory: Path) -> Suggester:
        return Damaged(fish) if directory.name == "fish" else load_suggester(directory)

    shared = opened(settings, load)
    keep(shared, fish)
    ward = open_project(shared, make_project(shared.server.store(), "Ward 7", "icd9cm").project_id)
    assert wait_until_loaded(ward, PATIENCE_SECONDS) == "ready"
    assert (model_name(ward), ward.project.fallback) == ("empty", "")
    goes_on.set()
    wait_until(lambda: ward.project.fallback)
    assert ward.project.fallback.endswith("The model gives values that are no numbers.")
    assert model_name(ward) == "No model" and read(ward, COUGH)
    shared.server.close()


def test_each_project_keeps_the_version_that_it_works_with(shared: Session) -> None:
    keep(shared, codes("1"))
    keep(shared, codes("2"))
    ward = open_project(shared, make_project(shared.server.store(), "Ward 7", "icd9cm").project_id)
    assert ward.hierarchy().version == "2"  # the newest, as nothing was chosen
    (old,) = (entry.key for entry in shared.server.versions.entries() if entry.version == "1")
    assert use_version(ward, old) == ward.project_id()
    keep(shared, codes("3"))
    shared.server.registry.forget(ward.project_id())
    assert ward.hierarchy().version == "1"
    former = ward.server.registry.former(ward.project)
    assert former and former.version == "2"
    ward.server.registry.use_former(ward.project, person_id=ward.person_id())
    assert ward.hierarchy().version == "2"
    assert ward.server.registry.former(ward.project) is None


def test_names_are_looked_for_in_the_version_that_was_taken(shared: Session) -> None:
    keep(shared, codes("1"))
    keep(shared, codes("2"))
    ward = open_project(shared, make_project(shared.server.store(), "Ward 7", "icd9cm").project_id)
    wait_until_loaded(ward, PATIENCE_SECONDS)
    before = ward.project.model
    use_version(ward, shared.server.versions.entries()[0].key)
    wait_until(lambda: ward.project.model is not before)
    assert ward.project.suggester and ward.project.suggests


def test_a_model_on_its_way_comes_to_the_version_that_is_chosen_meanwhile(
    settings: Settings,
) -> None:
    asked, gate = threading.Event(), threading.Event()

    def load(directory: Path) -> Suggester:
        if directory.name == "second":
            asked.set()
            assert gate.wait(PATIENCE_SECONDS)
        return load_suggester(directory)

    shared = opened(settings, load)
    newer = Hierarchy(
        [shared.hierarchy()[concept_id] for concept_id in shared.hierarchy()],
        vocabulary_id=shared.vocabulary_id(),
        version="newer",
    )
    keep(shared, newer)
    serve_model(shared, own(shared, "second"))
    assert asked.wait(PATIENCE_SECONDS)
    use_version(shared, shared.server.versions.entries()[-1].key)
    gate.set()
    wait_until(lambda: shared.project.change and shared.project.change.state == TAKEN)
    assert model_name(shared) == "second"
    assert (shared.hierarchy().version, shared.project.choice.version) == ("newer", "newer")
    shared.server.close()

    again = opened(settings)
    assert (model_name(again), again.hierarchy().version) == ("second", "newer")
    again.server.close()


def test_a_version_of_another_vocabulary_is_used_in_its_own_project(shared: Session) -> None:
    keep(shared, codes())
    before = shared.vocabulary()
    ward = shared.elsewhere(use_version(shared, shared.server.versions.entries()[0].key))
    assert ward.vocabulary_id() == "icd9cm"
    wait_until_loaded(ward, PATIENCE_SECONDS)
    assert ward.project.suggester and ward.project.suggester.hierarchy.vocabulary_id == "icd9cm"
    assert shared.vocabulary() is before and served_name(shared) == "first"


def test_a_thesaurus_that_no_model_knows_is_suggested_from_by_its_labels(shared: Session) -> None:
    keep(shared, codes(vocabulary_id="stw"))
    economics = open_project(
        shared, make_project(shared.server.store(), "Economics", "stw").project_id
    )
    assert wait_until_loaded(economics, PATIENCE_SECONDS) == "ready"
    assert economics.vocabulary_id() == "stw" and economics.project.suggests
    assert economics.project.suggester is not None
    assert [row.concept_id for row in economics.project.suggester.suggest(COUGH).suggestions] == [
        "786.2"
    ]
    assert shared.project.suggests and served_name(shared) == "first"


def test_a_project_whose_vocabulary_is_gone_says_so(shared: Session) -> None:
    lost = shared.elsewhere(make_project(shared.server.store(), "Lost", "icd10pcs").project_id)
    assert lost.vocabulary() is None
    assert "icd10pcs is not here" in (lost.project.vocabulary_problem or "")
    with pytest.raises(UnknownProjectError, match="no such project"):
        open_project(shared, 999)
    with pytest.raises(UnknownProjectError, match="no such project"):
        shared.elsewhere(999).project_id()
    assert served_name(shared) == "first"


def test_a_vocabulary_that_is_imported_later_opens_its_project(shared: Session) -> None:
    lost = shared.elsewhere(make_project(shared.server.store(), "Lost", "icd10pcs").project_id)
    assert wait_until_loaded(lost, PATIENCE_SECONDS) == "failed"
    keep(shared, codes(vocabulary_id="icd10pcs"))
    use_version(lost, shared.server.versions.entries()[0].key)
    assert len(lost.hierarchy()) == 2
    wait_until(lambda: lost.project.state == "ready")
    assert lost.project.suggester and lost.project.suggester.hierarchy.vocabulary_id == "icd10pcs"


def test_a_damaged_model_is_the_problem_of_its_project_alone(shared: Session) -> None:
    """Labels in the text are suggested there, and what is wrong is said."""
    path = own(shared, "other") / "calibration.json"
    path.write_bytes(path.read_bytes()[::-1])
    tiny = open_project(
        shared, make_project(shared.server.store(), "Tiny things", "tiny").project_id
    )
    assert wait_until_loaded(tiny, PATIENCE_SECONDS) == "ready"
    assert "calibration.json" in tiny.project.fallback
    assert tiny.project.suggester and tiny.project.suggester.name == "No model"
    assert served_name(shared) == "first" and read(shared)


def test_a_model_is_chosen_for_an_open_project_and_for_another(shared: Session) -> None:
    first = shared.current()
    choose_model(shared, first, own(shared, "second"))
    wait_until(lambda: served_name(shared) == "second")
    later = make_project(shared.server.store(), "Later", first.vocabulary_id)
    choose_model(shared, later, shared.settings.bundle_dir)
    assert served_name(shared) == "second"
    assert model_name(open_project(shared, later.project_id)) == "first"
    with pytest.raises(BundleError):
        choose_model(shared, shared.current(), Path("nowhere"))


def test_a_project_that_got_its_model_before_anybody_opened_it_is_open(shared: Session) -> None:
    """Its pages wait for the vocabulary, which came with the model."""
    later = make_project(shared.server.store(), "Later", shared.current().vocabulary_id)
    registry = shared.server.registry
    served = registry.project(later.project_id)
    card = read_card(own(shared, "second"))
    registry.choose_model(served, card, person_id=shared.person_id())
    wait_until(lambda: served.change is not None and served.change.state == TAKEN)
    assert served.wait_until_open(1.0) and not served.is_opening


def test_a_project_whose_first_change_failed_opens_with_what_it_had(shared: Session) -> None:
    later = make_project(shared.server.store(), "Later", shared.current().vocabulary_id)
    registry = shared.server.registry
    served = registry.project(later.project_id)
    card = read_card(own(shared, "second"))
    (card.directory / "calibration.json").write_bytes(b"{")
    registry.choose_model(served, card, person_id=shared.person_id())
    assert served.wait_until_loaded(PATIENCE_SECONDS) == "ready"
    assert served.change is not None and served.change.state == FAILED
    assert served.wait_until_open(1.0) and served.suggester is not None


def test_a_project_finds_its_model_again_that_was_moved_or_does_without(shared: Session) -> None:
    project, setups = shared.current(), shared.server.setups
    listed = setups.models(project.vocabulary_id)
    assert [card.name for card in listed] == ["first", "second"]
    store = shared.server.store()

    def found(bundle: str | None) -> str:
        keep_choices(store, project.project_id, bundle=bundle, vocabulary_choice=None)
        card = setups.setup(list_projects(store)[0]).card
        return card.name if card else ""

    second = listed[1].bundle_hash
    assert found(f"elsewhere@{second}") == "second"
    assert found("second@0123") == "second"
    assert found("gone@0123") == found(None) == "first"
    with pytest.raises(VocabularyError):
        found("none")


def test_only_vocabularies_that_can_be_opened_are_offered(shared: Session) -> None:
    keep(shared, codes())
    offered = known_vocabularies(shared)
    assert set(offered) >= {"icd9cm", "icd10cm", "tiny", shared.vocabulary_id()}


def test_a_project_is_taken_away_and_the_tab_goes_on_with_another_one(shared: Session) -> None:
    first = shared.current()
    read(shared)
    ward = make_project(shared.server.store(), "Ward 7", "tiny")
    assert model_name(open_project(shared, ward.project_id)) == "other"
    assert remove_project(shared, ward).project_id == first.project_id
    assert [row.project_id for row in list_projects(shared.server.store())] == [first.project_id]
    assert Session(shared.server).project_id() == first.project_id
    with pytest.raises(StoreError, match="only project"):
        remove_project(shared, first)


def test_an_archived_project_comes_back_when_it_is_opened(shared: Session) -> None:
    first = shared.current()
    read(shared)
    second = make_project(shared.server.store(), "Acts of 1957", first.vocabulary_id)
    assert remove_project(shared, first).project_id == second.project_id
    assert [row.project_id for row in listed_projects(shared)] == [second.project_id]
    assert [row.project_id for row in list_projects(shared.server.store()) if row.is_archived] == [
        first.project_id
    ]
    assert Session(shared.server).project_id() == second.project_id
    assert titles(open_project(shared, first.project_id)) == {ACT.title}
    listed = [row.project_id for row in listed_projects(shared)]
    assert listed == [first.project_id, second.project_id]
    assert not any(row.is_archived for row in list_projects(shared.server.store()))
