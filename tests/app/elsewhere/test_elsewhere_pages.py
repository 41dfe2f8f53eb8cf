"""The suggester elsewhere of a project, as Settings and Annotate show it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from core.documents.document import Document
from core.review.decisions.recording import Operation
from core.review.store.arrivals import add_document
from core.review.store.projects import keep_elsewhere, make_project
from core.serving.choosing import wait_until_loaded
from core.serving.session import Session
from core.suggest.elsewhere.choice import ANNIF, CHAT, SuggesterElsewhere
from pages.components.markdown import plain
from tests.support.app_pages import click, data, fresh_page, run, turn_to
from tests.support.stores import send
from tests.support.suggester_host import SuggesterHost

HOSTILE = "![x](http://x/y.png) <b>yso</b>"


def settings() -> AppTest:
    return turn_to(fresh_page(), "settings")


def said(page: AppTest) -> str:
    return "\n".join(element.value for element in page.markdown)


def typed(page: AppTest, number: int, *, kind: str, address: str, name: str) -> AppTest:
    page.selectbox(key=f"elsewhere_kind_{number}").set_value(kind)
    page.text_input(key=f"elsewhere_address_{number}").set_value(address)
    page.text_input(key=f"elsewhere_name_{number}").set_value(name)
    return click(page, f"elsewhere_begin_{number}")


def test_without_an_allowed_host_there_is_nothing_to_choose(shared: Session) -> None:
    page = settings()
    assert not [button for button in page.button if "elsewhere" in str(button.key)]
    assert "sends nothing anywhere" in said(page)
    assert "`STRATA_SUGGESTERS=api.annif.org`; none is listed here" in said(page)


def test_a_project_names_what_it_asks_and_ends_it(asking: Session, host: SuggesterHost) -> None:
    number = asking.project_id()
    page = settings()
    assert f"Projects may ask suggesters elsewhere, at `{host.name}`" in said(page)
    page = typed(page, number, kind=CHAT, address=f"{host.address}/v1/", name="small")
    chosen = SuggesterElsewhere(CHAT, f"{host.address}/v1", "small")
    assert asking.current().elsewhere == chosen
    shown = plain(chosen.said)
    assert f"**{shown}** is asked as well" in said(page)
    assert "Strata sends no decision anywhere, and texts to the suggester below alone" in said(page)
    assert f"**{shown}**. It is sent the title and text of each document" in said(page)
    assert page.text_input(key=f"elsewhere_address_{number}").value == f"{host.address}/v1"
    page = click(page, f"elsewhere_end_{number}")
    assert asking.current().elsewhere is None
    assert "sends nothing anywhere" in said(page)


@pytest.mark.parametrize(
    ("address", "name", "sentence"),
    [
        ("https://other.example", "yso", "other.example is not allowed here"),
        ("", "yso", "begins with https://"),
        ("https://other.example", "", "Name the Annif project"),
    ],
)
def test_what_cannot_be_asked_is_refused_and_stays_in_the_fields(
    address: str, name: str, sentence: str, asking: Session
) -> None:
    number = asking.project_id()
    page = typed(settings(), number, kind=ANNIF, address=address, name=name)
    assert sentence in "\n".join(error.value for error in page.error)
    assert asking.current().elsewhere is None
    assert page.text_input(key=f"elsewhere_address_{number}").value == address


def test_a_host_that_is_not_allowed_any_more_is_said(shared: Session) -> None:
    chosen = SuggesterElsewhere(ANNIF, "https://annif.example", HOSTILE)
    keep_elsewhere(shared.server.store(), shared.project_id(), chosen)
    page = settings()
    (warning,) = (element.value for element in page.warning)
    assert "It is not asked. annif.example is not allowed here" in warning
    assert "sends nothing anywhere" in said(page)  # nobody is asked
    assert page.button(key=f"elsewhere_end_{shared.project_id()}")
    shared.server.settings = replace(shared.settings, suggester_hosts=("annif.example",))
    assert "![x]" not in said(run(page)) and "<b>" not in said(page)
    assert r"\!\[" in said(page) or r"\[x\]" in said(page)


def test_the_start_does_not_say_that_nothing_leaves_where_texts_are_sent(
    asking: Session, host: SuggesterHost
) -> None:
    assert "Nothing leaves this machine." in said(fresh_page())
    chosen = SuggesterElsewhere(ANNIF, host.address, "tiny-en")
    keep_elsewhere(asking.server.store(), asking.project_id(), chosen)
    text = said(fresh_page())
    assert "Nothing leaves this machine." not in text
    assert "Texts are sent to tiny" in text and "which suggests as well." in text


def test_who_codes_notes_of_patients_is_told_that_they_are_sent(
    asking: Session, host: SuggesterHost
) -> None:
    assert "Notes of patients" not in said(settings())
    make_project(asking.server.store(), "Ward 7", "icd10cm")
    assert "Notes of patients are sent as they are" in said(settings())


def test_beside_the_text_it_is_said_that_it_was_left_out(
    asking: Session, host: SuggesterHost
) -> None:
    host.failing = "status"
    keep_elsewhere(
        asking.server.store(),
        asking.project_id(),
        SuggesterElsewhere(ANNIF, host.address, "tiny-en"),
    )
    asking.server.registry.reopen(asking.project_id())
    document = Document.from_text("act", "Honey", "Honey for all.")
    add_document(asking.server.store(), document, project_id=asking.project_id())
    assert asking.server.queue.submit(document, asking.project_id()).finished.wait(30)
    page = fresh_page("act")
    sentence = f"tiny-en at {host.name} refused with the status 500 and is left out."
    assert sentence in data(page, "reader")["notes"]
    host.failing = ""
    host.results = [{"uri": "https://example.org/104", "score": 0.9}]
    again = page.button(key="again")
    assert again.label == "Suggest again, and ask the suggester elsewhere"
    page = click(page, "again")
    task = asking.server.queue.task("act")
    assert task is not None and task.finished.wait(30)
    page = run(page)
    assert sentence not in data(page, "reader")["notes"]
    nodes = {node["id"]: node for node in data(page, "tree")["nodes"]}
    assert nodes["104"]["elsewhere"] == f"tiny-en at {host.name}"
    assert not [button for button in page.button if button.key == "again"]


def test_it_is_said_that_another_one_is_asked_and_not_that_another_model_serves(
    asking: Session, host: SuggesterHost
) -> None:
    document = Document.from_text("act", "Honey", "Honey for all.")
    add_document(asking.server.store(), document, project_id=asking.project_id())
    assert asking.server.queue.submit(document, asking.project_id()).finished.wait(30)
    # A document that nobody has decided on is read again when it is opened.
    send(asking.server.store(), Operation(1, "accept", "201"), client_id="tab", document_id="act")
    chosen = SuggesterElsewhere(ANNIF, host.address, "tiny-en")
    keep_elsewhere(asking.server.store(), asking.project_id(), chosen)
    asking.server.registry.reopen(asking.project_id())
    assert wait_until_loaded(asking, 30) == "ready"
    documents = turn_to(fresh_page(), "documents")
    text = said(documents)
    assert "1 unfinished document was read before what the project asks elsewhere was" in text
    (row,) = data(documents, "documents_table")["documents"]
    assert (row["outdated"], row["same_model"]) == (True, True)
    again = fresh_page("act").button(key="again")
    assert again.label == "Suggest again: what is asked elsewhere was changed since"
