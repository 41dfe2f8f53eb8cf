"""The Models page as Streamlit runs it, with real bundles with random weights."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Toggle

from core.documents.document import Document
from core.model.bundle.cards import read_card
from core.review.decisions.recording import Operation, record
from core.review.jobs import running_jobs
from core.review.store.arrivals import add_document
from core.review.store.predictions import latest_prediction
from core.review.store.projects import learning_of
from core.serving.choosing import listed_projects
from core.serving.learning import switch_learning
from core.serving.retraining import FAILED, RUNNING, Retraining, folder_of, write_state
from core.serving.session import Session
from pages.bundles.card import how_good, percent, ranked_by
from pages.bundles.comparison import label
from tests.support.app_models import models_page, offer
from tests.support.app_pages import batch, click, data, deliver, errors, fresh_page, run, turn_to
from tests.support.learned_runs import RIGHT, WRONG, finish
from tests.support.models.served_models import served_name
from tests.support.models.tiny_bundle import write_tiny_bundle
from tests.support.models.tiny_ranker import write_ranked_bundle
from tests.support.waiting import PATIENCE_SECONDS, wait_until

HOSTILE = "a|b ![x](http://x/y.png) `c`\n# d"

pytestmark = pytest.mark.usefixtures("single_thread")


def texts(page: AppTest) -> str:
    return "\n".join(one.value for one in page.markdown)


def buttons(page: AppTest, beginning: str) -> list[str]:
    return [str(one.key) for one in page.button if str(one.key).startswith(beginning)]


def wait_until_changed(shared: Session) -> None:
    wait_until(lambda: shared.project.change and shared.project.change.state != "loading")


def serve(page: AppTest, shared: Session, name: str) -> AppTest:
    (key,) = [key for key in buttons(page, "serve_") if key.endswith(f"_{name}")]
    click(page, key)
    click(page, "serve_confirmed")
    wait_until_changed(shared)
    return run(page)


def test_a_card_says_what_its_ranker_goes_by(tmp_path: Path) -> None:
    write_ranked_bundle(tmp_path)
    card = read_card(tmp_path)
    rows = dict(ranked_by(card))
    assert len(rows) == 6
    assert rows["Ranked by: similar documents"].startswith("The share of similar documents that")
    assert "finished" not in " ".join(rows.values()), "those are of projects, not of a bundle"
    assert ranked_by(replace(card, suggesters=("guided",))) == []


def test_every_bundle_has_a_card_and_the_served_one_comes_first(bundles_page: AppTest) -> None:
    heads = [one.value for one in bundles_page.markdown if one.value.startswith("## ")]
    assert heads == ["## first  :green-badge[served now]", "## second"]
    assert bundles_page.markdown[0].value.startswith("**first** suggests in this project, for ")
    said = texts(bundles_page)
    for words in ("all, version 1.0", "12 can be suggested", "FLAT", "1,234 documents", "20.0"):
        assert words in said
    (button,) = buttons(bundles_page, "serve_")
    assert button.endswith("_second")
    assert not errors(bundles_page)


@pytest.mark.parametrize(
    ("metrics", "sentence"),
    [
        (
            {"test": {"all": {"p@5": 0.7}, "titles": {"p@5": 0.756}, "full_texts": {"p@5": 0.6}}},
            "Right of its first five suggestions: 3.8 for titles, 3 for full texts (test documents).",
        ),
        (
            {"dev": {"all": {"p@5": 0.5}}},
            "Right of its first five suggestions: 2.5 (development documents).",
        ),
        (
            {
                "Cases": {
                    "as_served": {"micro_f1@0.5": 0.467},
                    "model_alone": {"micro_f1@0.5": 0.24},
                }
            },
            "Found and right, from 50 % on (micro F1): 47 % as served, with names (Cases).",
        ),
        ({}, ""),
    ],
)
def test_a_card_says_first_how_good_it_is(
    metrics: dict[str, dict[str, dict[str, float]]], sentence: str, tmp_path: Path
) -> None:
    write_tiny_bundle(tmp_path / "tiny")
    card = replace(read_card(tmp_path / "tiny"), metrics=metrics)
    assert how_good(card) == sentence


def test_a_bundle_that_is_copied_and_one_that_breaks_are_seen_at_the_next_run(
    bundles_page: AppTest, two_models: Session
) -> None:
    own = two_models.settings.own_models
    shutil.copytree(own / "second", own / "third")
    (own / "second" / "tokenizer.json").unlink()
    run(bundles_page)
    (button,) = buttons(bundles_page, "serve_")
    assert button.endswith("_third")
    assert "tokenizer.json is missing" in errors(bundles_page)[0]


def test_a_model_serves_when_the_question_was_answered(
    bundles_page: AppTest, two_models: Session
) -> None:
    for number, name in enumerate(("act", "bill")):
        document = Document.from_text(name, "Fish", f"fish quota {number}")
        add_document(two_models.server.store(), document, project_id=two_models.project_id())
    (key,) = buttons(bundles_page, "serve_")
    click(bundles_page, key)
    asked = texts(bundles_page)
    assert "**Serve second in the project “all”?**" in asked
    assert "Everybody who works in this project" in asked
    assert "2 documents, 2 of them unfinished" in asked
    click(bundles_page, "serve_cancelled")
    assert two_models.project.change is None
    assert buttons(bundles_page, "serve_") == [key]

    serve(bundles_page, two_models, "second")
    assert [one.value for one in bundles_page.success] == ["second is served now."]
    assert "## second  :green-badge[served now]" in texts(bundles_page)
    click(bundles_page, "dismiss_change")
    assert not bundles_page.success
    assert served_name(two_models) == "second"


def test_a_model_that_fails_is_told_and_the_old_one_goes_on(
    bundles_page: AppTest, two_models: Session
) -> None:
    path = two_models.settings.own_models / "second" / "calibration.json"
    path.write_bytes(path.read_bytes()[::-1])
    serve(bundles_page, two_models, "second")
    (sentence,) = errors(bundles_page)
    assert sentence.startswith("second could not be taken; first goes on.")
    assert "calibration.json is not what it was" in sentence
    assert "## first  :green-badge[served now]" in texts(bundles_page)


def test_another_vocabulary_is_told_before_it_is_chosen(two_models: Session, bundles: Path) -> None:
    shutil.copytree(bundles / "other", two_models.settings.own_models / "other")
    page = models_page()
    (warning,) = page.warning
    assert "another vocabulary than the one in use: Tiny" in warning.value
    (key,) = [key for key in buttons(page, "serve_") if key.endswith("_other")]
    click(page, key)
    asked = texts(page)
    assert "There is no project of Tiny yet: one is made for it." in asked
    assert "Nothing changes in “all”, the project in which you are and stay." in asked
    click(page, "serve_confirmed")
    (tiny,) = (row for row in listed_projects(two_models) if row.vocabulary_id == "tiny")
    assert "other was chosen for the project “Tiny”." in [one.value for one in page.success]
    assert "project" not in page.query_params
    assert Session(two_models.server).project_id() == two_models.project_id()
    click(page, "open_elsewhere")
    named = page.query_params["project"]
    assert int(named[0] if isinstance(named, list) else named) == tiny.project_id
    wait_until_changed(two_models.elsewhere(tiny.project_id))
    notes = [one.value for one in run(page).warning]
    assert len(notes) == 2 and all("another vocabulary" in note for note in notes)


def test_an_open_document_stays_as_it_is_while_another_vocabulary_is_opened_elsewhere(
    bundles_page: AppTest, two_models: Session, bundles: Path
) -> None:
    act = Document.from_text("act", "Fish", "fish quota")
    add_document(two_models.server.store(), act, project_id=two_models.project_id())
    annotate = fresh_page("act")
    stored = latest_prediction(two_models.server.store(), "act")
    assert stored is not None
    concept = stored.prediction.suggestions[0].concept_id
    server = data(annotate, "sender")["server"]
    shutil.copytree(bundles / "other", two_models.settings.own_models / "other")
    page = run(bundles_page)
    (key,) = [key for key in buttons(page, "serve_") if key.endswith("_other")]
    click(page, key)
    click(page, "serve_confirmed")
    assert not run(annotate).info
    assert not buttons(annotate, "again")
    assert data(fresh_page("act"), "sender")["server"] == server
    answer = deliver(annotate, batch("act", (1, "accept", concept)))
    assert answer["receipts"]["tab"]["refused"] == []
    newest = latest_prediction(two_models.server.store(), "act")
    assert newest is not None and newest.bundle_hash == stored.bundle_hash
    assert data(run(annotate), "tree")["decisions"][concept]["state"] == "accepted"


def test_two_are_compared_and_what_differs_is_marked(bundles_page: AppTest) -> None:
    said = texts(bundles_page)
    assert "| Titles: nDCG@5 | 10.0 | **20.0** | :orange-background[+10.0] |" in said
    assert "| Titles: Precision at 5 | 50.0 | 50.0 |  |" in said
    assert percent(0.7445) == "74.4"  # half to even, as the tables of the documentation
    assert "| Languages | :orange-background[not stated] | :orange-background[de] |" in said
    assert "| Plan | FLAT | FLAT |" in said
    run(bundles_page.toggle(key="models_only_differences").set_value(True))
    assert "| Plan | FLAT | FLAT |" not in texts(bundles_page)
    assert "Titles: nDCG@5 |" in texts(bundles_page)


def learning_switch(page: AppTest) -> Toggle:
    (switch,) = (one for one in page.toggle if str(one.key).startswith("learning_"))
    return switch


def test_learning_is_switched_off_and_on_and_says_what_it_brings(
    bundles_page: AppTest, two_models: Session
) -> None:
    store, project_id = two_models.server.store(), two_models.project_id()
    for number in range(12):
        finish(store, project_id, number, learned=RIGHT, alone=WRONG)
    said = texts(run(bundles_page))
    assert "12 finished documents in this project." in said
    assert "In the last 12, 3.0 of the first five suggestions were right" in said
    assert "without learning it would have been 0.0" in said
    assert learning_switch(bundles_page).value
    learning_switch(bundles_page).set_value(False)
    run(bundles_page)
    assert not learning_of(store, project_id).is_on
    assert "finished documents in this project" not in texts(bundles_page)
    learning_switch(bundles_page).set_value(True)
    run(bundles_page)
    assert learning_of(store, project_id).is_on
    switch_learning(store, project_id, is_on=False, reason="In the last 60, 1.0 <b>were</b> right.")
    run(bundles_page)
    (warning,) = (one.value for one in bundles_page.warning if "switched this off" in one.value)
    assert "In the last 60, 1.0" in warning and "No decision is lost" in warning
    assert not learning_switch(bundles_page).value


def test_what_the_program_would_refuse_cannot_be_begun(
    two_models: Session, bundles_page: AppTest
) -> None:
    for number in range(12):
        finish(
            two_models.server.store(),
            two_models.project_id(),
            number,
            learned=RIGHT,
            alone=WRONG,
            assigned=RIGHT if number < 9 else (),
        )
    reason = "9 finished documents of this project have a concept; retraining needs 10."
    assert run(bundles_page).button(key="retrain").disabled
    assert reason in texts(bundles_page)
    finish(two_models.server.store(), two_models.project_id(), 12, learned=RIGHT, alone=WRONG)
    assert not run(bundles_page).button(key="retrain").disabled
    assert "what was decided in 10 finished documents" in texts(bundles_page)
    assert "retraining needs" not in texts(bundles_page)


def test_a_candidate_is_offered_taken_and_its_reason_is_kept(
    two_models: Session, bundles_page: AppTest
) -> None:
    assert bundles_page.button(key="retrain").disabled, "nothing is finished here"
    offer(two_models)
    page = run(bundles_page)
    said = texts(page)
    assert ":green[It is better than what serves]: nDCG@5 is 70.0 %, and 60.0 %" in said
    assert "3.25 and 2.50 of the first five right" in said
    assert "Learned from 120 finished documents, and judged on the 40 that were" in said
    assert r"| a\|b \*c\* | 9 | 7 | 3 |" in said
    click(page, "take_retrained")
    wait_until_changed(two_models)
    said = texts(run(page))
    (done,) = page.success
    assert done.value.startswith("first ("), "both have the name"
    assert "retrained from 120 finished documents: nDCG@5 70.0 %, before 60.0 %" in said
    assert "A retrained model is offered" not in said
    click(page, "former_model")
    wait_until_changed(two_models)
    assert "went back" in texts(run(page))
    card = two_models.project.card
    assert card is not None
    assert card.directory == two_models.settings.bundle_dir


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"n_judged": 12}, "Too few documents to say which is better"),
        ({"low": -0.1, "high": 0.1}, "It is about as good as what serves"),
        ({"low": -0.2, "high": -0.1}, ":red[It is worse than what serves]"),
    ],
)
def test_what_is_offered_is_not_praised_beyond_what_was_measured(
    two_models: Session, bundles_page: AppTest, changed: dict[str, float], expected: str
) -> None:
    offer(two_models, **changed)
    assert expected in texts(run(bundles_page))
    click(bundles_page, "discard_retraining")
    assert not folder_of(two_models.settings, two_models.project_id()).exists()
    assert buttons(run(bundles_page), "retrain") == ["retrain"]


def test_what_has_failed_or_stopped_says_so_and_is_discarded(
    two_models: Session, bundles_page: AppTest
) -> None:
    folder = folder_of(two_models.settings, two_models.project_id())
    folder.mkdir(parents=True)
    write_state(folder, Retraining(FAILED, problem="There is *no* room."))
    page = run(bundles_page)
    assert errors(page) == [r"Retraining failed. There is \*no\* room."]
    write_state(folder, Retraining(RUNNING, "Weighing words"))  # and its process was killed
    page = run(bundles_page)
    assert errors(page) == []
    assert [one.value for one in page.warning if "stopped before it was done" in one.value]
    click(page, "discard_retraining")
    assert not folder.exists()


def test_documents_of_the_other_model_are_marked_and_read_again(
    bundles_page: AppTest, two_models: Session
) -> None:
    acts = [Document.from_text(name, f"Fish {name}", "fish quota") for name in ("a", "b", "c")]
    for act in acts:
        add_document(two_models.server.store(), act, project_id=two_models.project_id())
        task = two_models.server.queue.submit(act, two_models.project_id())
        assert task.finished.wait(PATIENCE_SECONDS)
    # A document that nobody has decided on is read again when it is opened.
    for name, operation in (("a", Operation(1, "accept", "101")), ("c", Operation(2, "finish"))):
        record(
            two_models.server.store(),
            document_id=name,
            person_id=two_models.person_id(),
            client_id="tab",
            operations=[operation],
        )
    serve(bundles_page, two_models, "second")
    assert "2 unfinished documents were read by another model" in texts(bundles_page)
    documents = turn_to(fresh_page(), "documents")
    rows = data(documents, "documents_table")["documents"]
    assert [row["outdated"] for row in rows] == [True, True, True]
    assert not any(row["same_model"] for row in rows)
    annotate = fresh_page("a")
    assert annotate.button(key="again").label == "Suggest again: another model is served now"
    click(bundles_page, "read_again")
    wait_until(lambda: not running_jobs(two_models.server.store(), two_models.project_id()))
    run(bundles_page)
    assert not buttons(bundles_page, "read_again")
    rows = data(run(documents), "documents_table")["documents"]
    assert {row["id"]: row["outdated"] for row in rows} == {"a": False, "b": False, "c": True}


def test_folders_of_like_names_have_cards_of_their_own(two_models: Session, bundles: Path) -> None:
    own = two_models.settings.own_models
    shipped = two_models.settings.shipped_models
    for folder in (own / "mine-2", own / "mine_2", own / "first"):
        shutil.copytree(bundles / "first", folder)
    own.rename(own.with_name("other"))
    shutil.copytree(own.with_name("other"), own)
    shutil.copytree(own, shipped, dirs_exist_ok=True)
    page = models_page()
    assert not page.exception
    cards = two_models.server.setups.cards()
    assert len(cards) == 8
    assert len({label(card, cards) for card in cards}) == 8
    assert len(page.selectbox(key="models_left").options) == 8


def test_what_a_bundle_says_of_itself_draws_nothing(two_models: Session) -> None:
    folder = two_models.settings.own_models / "second"
    manifest = json.loads((folder / "bundle.json").read_text())
    manifest |= {"name": HOSTILE, "vocabulary_id": HOSTILE}
    manifest["licence"] = {"weights": HOSTILE, HOSTILE: HOSTILE}
    manifest["metrics"] = {"test": {HOSTILE: {HOSTILE: 0.5}}}
    (folder / "bundle.json").write_text(json.dumps(manifest))
    page = models_page()
    said = texts(page)
    assert "![x]" not in said and "`c`" not in said and "\n# d" not in said
    assert r"a\|b" in said
