"""The Annotate page as Streamlit runs it, from the door, without a browser."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event
from streamlit.testing.v1 import AppTest

from core.errors import BundleError
from core.export.gathering import Selection
from core.review.decisions.recording import current
from core.review.store.documents import restore_document
from core.serving.choosing import wait_until_loaded
from core.serving.server import Server
from core.serving.session import Session
from core.settings import Settings
from pages import sidebar
from pages.components.downloads import make_file
from tests.support.app_pages import (
    EXAMPLE,
    add,
    batch,
    click,
    data,
    deliver,
    errors,
    fresh_page,
    installed,
    opened,
    run,
    send,
    states,
    text_field,
    title_field,
)
from tests.support.documents import FRENCH
from tests.support.fakes import FakePredictor, fake_session, hierarchy


def test_the_empty_page_offers_a_form_files_and_three_examples(page: AppTest) -> None:
    assert title_field(page).value == ""
    assert text_field(page).value == ""
    assert page.file_uploader(key="uploads").accept_multiple_files
    assert len([button for button in page.button if (button.key or "").startswith("example-")]) == 3
    assert data(page, "documents")["documents"] == []


def test_an_example_is_one_click_from_its_suggestions(page: AppTest) -> None:
    click(page, EXAMPLE)
    assert opened(page) == EXAMPLE
    assert data(page, "reader")["title"].startswith("Council Regulation (EU) 2031/4417")
    tree = data(page, "tree")
    suggested = sorted((n for n in tree["nodes"] if n["rank"]), key=lambda n: n["rank"])
    assert len(suggested) == 9
    assert suggested[0]["probability"] > 0.5
    assert {"d1", "m1"} <= {node["id"] for node in tree["nodes"]}


def test_a_pasted_text_is_opened_and_the_form_is_empty_again(page: AppTest) -> None:
    title_field(page).set_value("On honey")
    text_field(page).set_value("Honey.\n\nMore honey.")
    click(page, "suggest")
    reader = data(page, "reader")
    assert (reader["title"], reader["text"]) == ("On honey", "Honey.\n\nMore honey.")
    assert reader["facts"].startswith("3 words, read in full · id ")
    click(page, "new")
    assert opened(page) is None
    assert text_field(page).value == ""
    assert [entry["title"] for entry in data(page, "documents")["documents"]] == ["On honey"]


def test_a_title_alone_is_called_so_rather_than_no_words_read_in_full(page: AppTest) -> None:
    title_field(page).set_value("On honey")
    click(page, "suggest")
    assert data(page, "reader")["facts"].startswith("title only · id ")


def test_nothing_pasted_gets_a_sentence(page: AppTest) -> None:
    click(page, "suggest")
    assert errors(page) == ["There is nothing to read yet: paste a text, or give a title."]


def test_pasted_junk_is_refused_and_stays_in_the_form(page: AppTest) -> None:
    title_field(page).set_value("My title")
    text_field(page).set_value("\x01\x02\x03junk")
    click(page, "suggest")
    assert "not plain text" in errors(page)[0]
    assert title_field(page).value == "My title"
    assert text_field(page).value == "\x01\x02\x03junk"


def test_another_language_gets_a_warning_beside_its_suggestions(page: AppTest) -> None:
    text_field(page).set_value(f"Pêche\n{FRENCH}")
    click(page, "suggest")
    assert data(page, "reader")["notes"][0].startswith("This looks like French")
    assert any(node["rank"] for node in data(page, "tree")["nodes"])
    assert not data(page, "tree")["is_measured"]


def test_five_megabytes_are_read_up_to_the_cap_and_the_page_says_so(page: AppTest) -> None:
    text_field(page).set_value("On sole\n" + "sole fish " * 500_000)
    click(page, "suggest")
    reader = data(page, "reader")
    assert reader["notes"][:1] == [
        "The model read about the first 8,192 of 1,000,000 words; what comes later did not count."
    ]
    assert reader["omitted"] == "The last 4,599,999 characters are kept, but not shown."
    assert len(reader["text"]) == 400_000


def test_decisions_are_stored_once_and_acknowledged(page: AppTest, shared: Session) -> None:
    click(page, EXAMPLE)
    message = batch(EXAMPLE, (1, "accept", "101"), (2, "reject", "201"))
    deliver(page, message)
    answer = deliver(page, message)
    tree = data(page, "tree")
    assert states(answer) == states(tree)
    assert answer["receipts"] == {"tab": {"settled": [1, 2], "refused": [], "undone": []}}
    assert states(tree) == {"101": "accepted", "201": "rejected"}
    decided = current(shared.server.store(), EXAMPLE)
    assert decided["101"].rank is not None
    assert decided["101"].source == "fake"


def test_an_added_concept_comes_into_the_tree_with_what_is_above(page: AppTest) -> None:
    text_field(page).set_value("On sole")
    click(page, "suggest")
    document_id = str(opened(page))
    deliver(page, batch(document_id, (1, "add", "303")))
    tree = data(page, "tree")
    assert tree["decisions"]["303"]["added"]
    assert {"303", "301", "m3", "d2"} <= {node["id"] for node in tree["nodes"]}


def test_the_empty_page_delivers_what_an_earlier_tab_left(page: AppTest, shared: Session) -> None:
    document_id = add(shared, "On herring", "")
    assert data(page, "sender")["decisions_url"] == "api/decisions"
    answer = deliver(page, batch(document_id, (1, "accept", "102")))
    assert answer["receipts"]["tab"]["settled"] == [1]
    assert current(shared.server.store(), document_id)["102"].state == "accepted"


def test_a_removed_document_is_told_and_taken_back_until_something_else_is_opened(
    page: AppTest, shared: Session
) -> None:
    def remove() -> Any:
        run(send(page, "documents", "remove", {"id": EXAMPLE}))
        assert data(page, "documents")["documents"] == []
        return data(page, "documents")["removed"]

    click(page, EXAMPLE)
    assert remove()["id"] == EXAMPLE
    assert opened(page) is None
    run(send(page, "documents", "restore", {"id": EXAMPLE}))
    assert opened(page) == EXAMPLE
    assert len(data(page, "documents")["documents"]) == 1

    assert remove()["id"] == EXAMPLE
    restore_document(shared.server.store(), EXAMPLE)  # by another way
    assert data(run(page), "documents")["removed"] is None

    assert remove()["id"] == EXAMPLE
    page.query_params["document"] = add(shared, "Another", "")
    assert data(run(page), "documents")["removed"] is None
    page.query_params.pop("document")
    assert data(run(page), "documents")["removed"] is None


def test_what_was_asked_for_before_a_document_was_removed_does_not_open_it_again(
    page: AppTest, shared: Session
) -> None:
    another = add(shared, "Another", "")
    click(page, EXAMPLE)
    run(send(page, "documents", "remove", {"id": EXAMPLE}))
    page.query_params["document"] = EXAMPLE  # as a click comes that was made before the page turned
    send(page, "documents", "remove", {"id": another})
    assert opened(run(page)) is None
    assert data(page, "documents")["removed"]["id"] == another
    page.query_params["document"] = EXAMPLE
    assert opened(run(page)) is None
    restore_document(shared.server.store(), EXAMPLE)
    page.query_params["document"] = EXAMPLE
    assert opened(run(page)) == EXAMPLE


def test_a_message_does_all_that_it_carries_and_what_comes_again_once(
    page: AppTest, shared: Session
) -> None:
    first, second = add(shared, "On honey", "Honey."), add(shared, "On sole", "Sole.")
    waiting = [
        {"number": number, "event": "remove", "value": {"id": document_id}}
        for number, document_id in ((1, first), (2, second))
    ]
    message = {"client": "tab", "waiting": waiting}
    send(page, "documents", "remove", message)
    assert data(page, "documents")["documents"] == []
    assert data(page, "documents")["taken"] == {"tab": 2}
    send(page, "documents", "restore", {"id": first})
    send(page, "documents", "remove", message)
    assert [entry["id"] for entry in data(page, "documents")["documents"]] == [first]


def test_a_link_to_a_document_opens_it_in_a_new_session(shared: Session) -> None:
    document_id = add(shared, "On herring", "Herring.")
    page = fresh_page(document_id)
    assert data(page, "reader")["title"] == "On herring"
    assert any(node["rank"] for node in data(page, "tree")["nodes"])


def test_a_link_to_nothing_says_so(shared: Session) -> None:
    assert errors(fresh_page("gone")) == ["There is no document 'gone' in the store."]


def test_without_a_model_documents_and_decisions_stay_open(tmp_path: Path) -> None:
    sentence = "There is no model bundle here."
    shared = fake_session(tmp_path)
    for _ in installed(shared):
        page = click(fresh_page(), EXAMPLE)
        deliver(page, batch(EXAMPLE, (1, "accept", "101")))

    def load(_: Path) -> FakePredictor:
        raise BundleError(sentence)

    (shared.settings.bundle_dir / "label_space.jsonl").unlink()
    for broken in installed(Session(Server(shared.settings, load))):
        assert wait_until_loaded(broken, 30) == "failed"
        page = fresh_page()
        assert sentence in page.warning[0].value
        page = fresh_page(EXAMPLE)
        tree = data(page, "tree")
        assert sentence in tree["notice"]
        assert tree["search_url"] is None
        assert tree["decisions"]["101"]["state"] == "accepted"
        assert {"fishing quota", "sole"} <= {node["label"] for node in tree["nodes"]}
        deliver(page, batch(EXAMPLE, (2, "reject", "104")))
        assert data(page, "tree")["decisions"]["104"]["state"] == "rejected"


def test_a_read_only_database_keeps_everything_in_the_browser(tmp_path: Path) -> None:
    shared = fake_session(tmp_path)
    for _ in installed(shared):
        click(fresh_page(), EXAMPLE)
        shared.person_id()
    read_only = f"sqlite:///file:{tmp_path}/strata.sqlite?mode=ro&uri=true"
    settings = Settings(tmp_path, read_only, shared.settings.bundle_dir, "en")
    for _ in installed(Session(Server(settings, lambda _: FakePredictor(hierarchy())))):
        page = fresh_page(EXAMPLE)
        answer = deliver(page, batch(EXAMPLE, (1, "accept", "101")))
        assert "can only be read" in answer["problem"]
        assert answer["receipts"] == {}
        click(page, "new")
        text_field(page).set_value("On honey")
        click(page, "suggest")
        assert "can only be read" in errors(page)[0]
        assert text_field(page).value == "On honey"


def test_a_full_disk_is_said_and_nothing_typed_is_lost(page: AppTest, shared: Session) -> None:
    click(page, EXAMPLE)
    fill(shared)
    operations = [(n, "accept" if n % 2 else "reject", "101") for n in range(1, 900)]
    answer = deliver(page, batch(EXAMPLE, *operations))
    assert "disk is full" in answer["problem"]
    assert answer["receipts"] == {}
    click(page, "new")
    text_field(page).set_value("On honey\n" + "honey " * 50_000)
    click(page, "suggest")
    assert "disk is full" in errors(page)[0]
    assert text_field(page).value.startswith("On honey")


def fill(shared: Session) -> None:
    """Let the database grow no further, as on a full disk."""
    engine = shared.server.store().engine
    engine.dispose()

    @event.listens_for(engine, "connect")
    def stop_growing(connection: Any, _: object) -> None:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages}")


def test_the_export_holds_the_decisions(page: AppTest, shared: Session) -> None:
    click(page, EXAMPLE)
    message = batch(EXAMPLE, (1, "accept", "101"), (2, "reject", "201"))
    deliver(page, message)
    only = Selection(document_ids=(EXAMPLE,))
    wanted = sidebar.wanted_table(only, accepted_only=False)
    everything = read_csv(make_file(shared, wanted))
    assert [(row["label"], row["decision"]) for row in everything] == [
        ("fishing quota", "accepted"),
        ("honey", "rejected"),
    ]
    wanted = sidebar.wanted_table(Selection(), accepted_only=True)
    accepted = read_csv(make_file(shared, wanted))
    assert [row["uri"] for row in accepted] == ["https://example.org/101"]


def read_csv(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline="")))


def test_a_list_that_is_cut_says_where_the_others_are(
    page: AppTest, shared: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sidebar, "MOST_LISTED", 1)
    add(shared, "a", "On herring")
    assert not run(page).caption
    add(shared, "b", "On honey")
    (listed,) = data(run(page), "documents")["documents"]
    assert listed["title"] == "b"
    assert [caption.value for caption in page.sidebar.caption] == [
        "The newest 1; *Documents* has the others."
    ]


def test_all_documents_of_a_large_project_are_exported_by_a_link(
    page: AppTest, shared: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pages.components.counting.LARGE", 0)
    add(shared, "a", "On herring")
    page.radio(key="export_which").set_value("Accepted and rejected")
    drawn = [html.proto.body for html in run(page).sidebar.get("html")]
    (link,) = (body for body in drawn if "api/export" in body)
    assert "decision=accepted&amp;decision=rejected&amp;decision=excluded" in link
    assert not page.sidebar.get("download_button")
