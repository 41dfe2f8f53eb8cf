"""The Models page as Streamlit runs it, with real bundles with random weights."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.documents.document import Document
from core.model.manifest import record_about, record_metrics
from core.review.decisions.recording import Operation, record
from core.review.jobs import running_jobs
from core.review.store.arrivals import add_document
from core.review.store.predictions import latest_prediction
from core.settings import PROJECT_ROOT, Settings
from core.vocabulary.labels import LabelSpace
from pages.model_comparison import label
from pages.serving import Workplace
from tests.app.test_annotate import batch, data, deliver, errors, fresh_page, installed, run
from tests.support.fakes import hierarchy
from tests.support.models.tiny_bundle import write_tiny_bundle

PATIENCE_SECONDS = 120.0
HOSTILE = "a|b ![x](http://x/y.png) `c`\n# d"

pytestmark = pytest.mark.usefixtures("single_thread")


@pytest.fixture(scope="module")
def bundles(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bundles")
    for seed, name in enumerate(("first", "second"), start=1):
        write_tiny_bundle(folder / name, name=name, seed=seed)
        record_metrics(folder / name, {"test": {"titles": {"ndcg@5": seed / 10, "p@5": 0.5}}})
    record_about(folder / "second", {"languages": ["de"], "training_documents": 1234})
    write_tiny_bundle(folder / "other", name="other", space=LabelSpace(hierarchy()))
    return folder


@pytest.fixture
def shared(tmp_path: Path, bundles: Path) -> Iterator[Workplace]:
    home, shipped = tmp_path / "home", tmp_path / "shipped"
    shutil.copytree(bundles / "second", home / "models" / "second")
    shutil.copytree(bundles / "first", shipped / "first")
    settings = Settings(home, f"sqlite:///{home}/s.sqlite", shipped / "first", "en", shipped)
    yield from installed(Workplace(settings))


@pytest.fixture
def page(shared: Workplace) -> AppTest:
    return models_page()


def models_page() -> AppTest:
    page = run(AppTest.from_file(str(PROJECT_ROOT / "streamlit_app.py"), default_timeout=120))
    page.switch_page(str(PROJECT_ROOT / "pages" / "models.py"))
    return run(page)


def texts(page: AppTest) -> str:
    return "\n".join(one.value for one in page.markdown)


def buttons(page: AppTest, beginning: str) -> list[str]:
    return [str(one.key) for one in page.button if str(one.key).startswith(beginning)]


def press(page: AppTest, key: str) -> AppTest:
    page.button(key=key).click()
    return run(page)


def wait_until_changed(shared: Workplace) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while shared.served.change is None or shared.served.change.state == "loading":
        assert time.monotonic() < deadline
        time.sleep(0.01)


def serve(page: AppTest, shared: Workplace, name: str) -> AppTest:
    (key,) = [key for key in buttons(page, "serve_") if key.endswith(f"_{name}")]
    press(page, key)
    wait_until_changed(shared)
    return run(page)


def test_every_bundle_has_a_card_and_the_served_one_comes_first(page: AppTest) -> None:
    heads = [one.value for one in page.markdown if one.value.startswith("## ")]
    assert heads == ["## first  :green-badge[served now]", "## second"]
    said = texts(page)
    for words in ("all, version 1.0", "12 can be suggested", "FLAT", "1,234 documents", "0.200"):
        assert words in said
    (button,) = buttons(page, "serve_")
    assert button.endswith("_second")
    assert not errors(page)


def test_a_bundle_that_is_copied_and_one_that_breaks_are_seen_at_the_next_run(
    page: AppTest, shared: Workplace
) -> None:
    own = shared.settings.own_models
    shutil.copytree(own / "second", own / "third")
    (own / "second" / "tokenizer.json").unlink()
    run(page)
    (button,) = buttons(page, "serve_")
    assert button.endswith("_third")
    assert "tokenizer.json is missing" in errors(page)[0]


def test_another_model_is_served_and_the_page_says_so(page: AppTest, shared: Workplace) -> None:
    serve(page, shared, "second")
    assert [one.value for one in page.success] == ["second is served now."]
    assert "## second  :green-badge[served now]" in texts(page)
    press(page, "dismiss_change")
    assert not page.success
    assert shared.service.model is not None and shared.service.model.name == "second"


def test_a_model_that_fails_is_told_and_the_old_one_goes_on(
    page: AppTest, shared: Workplace
) -> None:
    path = shared.settings.own_models / "second" / "calibration.json"
    path.write_bytes(path.read_bytes()[::-1])
    serve(page, shared, "second")
    (sentence,) = errors(page)
    assert sentence.startswith("second could not be taken; first goes on.")
    assert "calibration.json is not what it was" in sentence
    assert "## first  :green-badge[served now]" in texts(page)


def test_another_vocabulary_is_told_before_it_is_chosen(shared: Workplace, bundles: Path) -> None:
    shutil.copytree(bundles / "other", shared.settings.own_models / "other")
    page = models_page()
    (warning,) = page.warning
    assert "another vocabulary than the one in use: Tiny" in warning.value
    serve(page, shared, "other")
    assert shared.vocabulary_id() == "tiny"
    notes = [one.value for one in page.warning]
    assert len(notes) == 2 and all("another vocabulary" in note for note in notes)


def test_an_open_document_of_the_former_vocabulary_is_left_alone_and_comes_back(
    page: AppTest, shared: Workplace, bundles: Path
) -> None:
    act = Document.from_text("act", "Fish", "fish quota")
    project_id = shared.project_id()
    add_document(shared.store(), act, project_id=project_id)
    desk = fresh_page("act")
    stored = latest_prediction(shared.store(), "act")
    assert stored is not None
    concept = stored.prediction.suggestions[0].concept_id
    shutil.copytree(bundles / "other", shared.settings.own_models / "other")
    serve(run(page), shared, "other")
    run(desk)
    assert "indexed with another vocabulary, all," in desk.info[0].value
    assert not buttons(desk, "again")
    # What was on its way from the page as it was is kept, though the vocabulary has it no more.
    answer = deliver(desk, batch("act", (1, "accept", concept)))
    assert answer["receipts"]["tab"]["refused"] == []
    newest = latest_prediction(shared.store(), "act")
    assert newest is not None and newest.bundle_hash == stored.bundle_hash
    serve(run(page), shared, "first")
    assert data(run(desk), "tree")["decisions"][concept]["state"] == "accepted"


def test_a_button_that_was_drawn_before_another_vocabulary_came_reads_nothing(
    page: AppTest, shared: Workplace, bundles: Path
) -> None:
    act = Document.from_text("act", "Fish", "fish quota")
    add_document(shared.store(), act, project_id=shared.project_id())
    fresh_page("act")
    before = latest_prediction(shared.store(), "act")
    serve(page, shared, "second")
    desk = fresh_page("act")
    shutil.copytree(bundles / "other", shared.settings.own_models / "other")
    serve(run(page), shared, "other")
    press(desk, "again")
    assert "indexed with another vocabulary" in desk.info[0].value
    assert not shared.service.unfinished
    assert latest_prediction(shared.store(), "act") == before


def test_two_are_compared_and_what_differs_is_marked(page: AppTest) -> None:
    said = texts(page)
    assert "| Titles: nDCG@5 | 0.100 | **0.200** | :orange-background[+0.100] |" in said
    assert "| Titles: Precision at 5 | 0.500 | 0.500 |  |" in said
    assert "| Languages | :orange-background[not stated] | :orange-background[de] |" in said
    assert "| Plan | FLAT | FLAT |" in said
    page.toggle(key="models_only_differences").set_value(True)
    run(page)
    assert "| Plan | FLAT | FLAT |" not in texts(page)
    assert "Titles: nDCG@5 |" in texts(page)


def test_documents_of_the_other_model_are_marked_and_read_again(
    page: AppTest, shared: Workplace
) -> None:
    acts = [Document.from_text(name, f"Fish {name}", "fish quota") for name in ("a", "b", "c")]
    for act in acts:
        add_document(shared.store(), act, project_id=shared.project_id())
        assert shared.service.submit(act).finished.wait(PATIENCE_SECONDS)
    record(
        shared.store(),
        document_id="c",
        person_id=shared.person_id(),
        client_id="tab",
        operations=[Operation(1, "finish")],
    )
    serve(page, shared, "second")
    assert "2 unfinished documents were read by another model" in texts(page)
    documents = run(
        AppTest.from_file(str(PROJECT_ROOT / "streamlit_app.py"), default_timeout=120).switch_page(
            str(PROJECT_ROOT / "pages" / "documents.py")
        )
    )
    rows = data(documents, "documents_table")["documents"]
    assert [row["outdated"] for row in rows] == [True, True, True]
    desk = fresh_page("a")
    assert desk.button(key="again").label == "Suggest again: another model is served now"
    press(page, "read_again")
    deadline = time.monotonic() + PATIENCE_SECONDS
    while running_jobs(shared.store(), shared.project_id()):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    run(page)
    assert not buttons(page, "read_again")
    rows = data(run(documents), "documents_table")["documents"]
    assert {row["id"]: row["outdated"] for row in rows} == {"a": False, "b": False, "c": True}


def test_folders_of_like_names_have_cards_of_their_own(shared: Workplace, bundles: Path) -> None:
    own = shared.settings.own_models
    shipped = shared.settings.shipped_models
    for folder in (own / "mine-2", own / "mine_2", own / "first"):
        shutil.copytree(bundles / "first", folder)
    own.rename(own.with_name("other"))
    shutil.copytree(own.with_name("other"), own)
    shutil.copytree(own, shipped, dirs_exist_ok=True)
    page = models_page()
    assert not page.exception
    cards = shared.served.cards()
    assert len(cards) == 8
    assert len({label(card, cards) for card in cards}) == 8
    assert len(page.selectbox(key="models_left").options) == 8


def test_what_a_bundle_says_of_itself_draws_nothing(shared: Workplace) -> None:
    folder = shared.settings.own_models / "second"
    manifest = json.loads((folder / "bundle.json").read_text())
    manifest |= {"name": HOSTILE, "vocabulary_id": HOSTILE}
    manifest["licence"] = {"weights": HOSTILE, HOSTILE: HOSTILE}
    manifest["metrics"] = {"test": {HOSTILE: {HOSTILE: 0.5}}}
    (folder / "bundle.json").write_text(json.dumps(manifest))
    page = models_page()
    said = texts(page)
    assert "![x]" not in said and "`c`" not in said and "\n# d" not in said
    assert r"a\|b" in said
