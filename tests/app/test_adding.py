"""Adding documents on the Start page: files of all kinds, batches, and texts that are here already."""

from __future__ import annotations

import json

from streamlit.testing.v1 import AppTest

from core.review.reports.summaries import list_documents
from core.review.store.documents import fetch_document, given_concepts, remove_document
from core.serving.session import Session
from tests.support.app_adding import finish_import, sentences, titles, upload
from tests.support.app_pages import (
    EXAMPLE,
    add,
    batch,
    click,
    data,
    deliver,
    errors,
    opened,
    run,
    text_field,
    title_field,
)
from tests.support.documents import FRENCH
from tests.support.fetch_host import FetchHost
from tests.support.files.office_files import (
    docx_file,
    eurlex,
    pdf_file,
    scanned_pdf,
    zip_file,
)

CSV = (
    "celex;title;text;subjects\n"
    "A1;On herring;Herring at sea.;herring|no such fish\n"
    "A2;On honey;Honey.;201\n"
    ";;;\n"
    "A3;;;x\n"
    f"A4;Pêche;{FRENCH};\n"
).encode()


def notes(page: AppTest) -> list[str]:
    """What is said on the page, and beside the text of the open document."""
    said = [element.value for element in page.info]
    return said if opened(page) is None else [*said, *data(page, "reader")["notes"]]


def test_files_of_every_format_are_opened(page: AppTest, shared: Session) -> None:
    upload(
        page,
        ("act.html", eurlex()),
        ("bees.docx", docx_file()),
        ("lamps.pdf", pdf_file()),
        ("scan.pdf", scanned_pdf()),
        ("act.txt", "On fish\nCafé".encode("cp1252")),
    )
    assert opened(page) == "act"
    assert len(titles(shared)) == 4
    assert "scan.pdf holds pictures of pages" in errors(page)[0]
    assert notes(page)[0].startswith("act.txt: What in it is not in UTF-8 was read as")
    parts = fetch_document(shared.server.store(), "act").parts
    assert [part.kind for part in parts] == ["body", "annex"]
    assert parts[0].headings


def test_a_language_that_the_model_did_not_learn_is_said_of_each_file(page: AppTest) -> None:
    upload(page, ("a.txt", b"On fish\nFish."), ("b.txt", f"P\u00eache\n{FRENCH}".encode()))
    first, second, warning = notes(page)
    assert first.startswith("a.txt: No title and no heading of an act was found, so")
    assert second.startswith("b.txt: No title and no heading")
    assert warning.startswith("Pêche: This looks like French")
    assert len(notes(run(page))) == 3  # as long as the document is open


def test_a_batch_is_mapped_imported_and_queued(page: AppTest, shared: Session) -> None:
    upload(page, ("acts.csv", CSV))
    chosen = {box.key: box.value for box in page.selectbox}
    assert chosen == {
        "batch_id": "celex",
        "batch_title": "title",
        "batch_text": "text",
        "batch_concepts": "subjects",
    }
    assert len(page.dataframe[0].value) == 4
    finish_import(click(page, "batch_add"))
    said = sentences(page)
    assert "acts.csv: 3 documents added" in said
    assert "2 assigned concepts came with them" in said
    assert "1 in French" in said
    assert "line 5: neither title nor text" in said
    assert "no such fish (1 row)" in said
    store = shared.server.store()
    assert (given_concepts(store, "A1"), given_concepts(store, "A2")) == (("102",), ("201",))
    listed = {one.document_id: one for one in list_documents(store, shared.project_id())}
    assert listed["A1"].batch == "acts.csv"
    click(page, "batch_open")
    assert opened(page) == "A1"


def test_columns_can_be_chosen_and_without_any_nothing_is_added(page: AppTest) -> None:
    upload(page, ("acts.csv", b"a,b\nOn herring,Herring.\n"))
    assert page.button(key="batch_add").disabled
    run(page.selectbox(key="batch_title").set_value("a"))
    assert not page.button(key="batch_add").disabled
    click(page, "batch_cancel")
    assert text_field(page).value == ""


def test_a_batch_added_twice_adds_nothing_and_brings_back_what_was_removed(
    page: AppTest, shared: Session
) -> None:
    finish_import(click(upload(page, ("acts.csv", CSV)), "batch_add"))
    click(page, "batch_done")
    remove_document(shared.server.store(), "A2")
    finish_import(click(upload(page, ("acts.csv", CSV)), "batch_add"))
    said = sentences(page)
    assert "0 documents added" in said
    assert "2 documents were here already" in said
    assert "1 document came back from the bin" in said
    click(page, "batch_done")
    for document_id in ("A1", "A2"):
        remove_document(shared.server.store(), document_id)
    finish_import(click(upload(page, ("acts.csv", CSV)), "batch_add"))
    assert "1 document was here already" in sentences(page)
    assert titles(shared) == {"On herring", "On honey", "Pêche"}


def test_a_zip_says_how_many_of_its_files_can_be_read(page: AppTest, shared: Session) -> None:
    others = {"fish.eml": "Subject: Fish", "style.css": "p {}", "README": "See a.txt"}
    upload(page, ("acts.zip", zip_file({"a.txt": "On fish\nHerring."} | others)))
    assert page.subheader[0].value == "acts.zip: 1 of 4 files can be read"
    assert page.button(key="batch_add").label == "Add 1 document"
    finish_import(click(page, "batch_add"))
    said = sentences(page)
    assert "fish.eml is an e-mail. Save it as text or HTML, and add that." in said
    assert "style.css is of a kind that is not read." in said
    assert titles(shared) == {"On fish"}
    click(page, "batch_done")
    upload(page, ("none.zip", zip_file(others)))
    assert page.button(key="batch_add").disabled
    (warning,) = page.warning
    assert warning.value.startswith("Nothing can be added: 3 files, and none can be read. README h")


def test_a_file_of_another_kind_is_refused_with_a_remedy_and_nothing_typed_is_lost(
    page: AppTest, shared: Session
) -> None:
    uploader = page.file_uploader(key="uploads").proto
    assert (list(uploader.type), uploader.max_upload_size_mb) == ([], 20)
    text_field(page).set_value("Herring.")
    upload(page, ("fish.eml", b"Subject: Fish"), ("style.css", b"p {}"))
    assert errors(page)[0].startswith("fish.eml is an e-mail. Save it as text or HTML")
    assert errors(page)[1].startswith("style.css is of a kind that is not read.")
    assert text_field(page).value == "Herring."
    assert not titles(shared)


def test_many_files_are_taken_in_beside_the_page(page: AppTest, shared: Session) -> None:
    files = [(f"{n}.txt", f"On herring {n}\nHerring {n}.".encode()) for n in range(10)]
    finish_import(upload(page, *files))
    assert "10 files: 10 documents added" in sentences(page)
    assert len(titles(shared)) == 10


def test_the_same_text_is_opened_and_not_added_again(page: AppTest, shared: Session) -> None:
    click(page, EXAMPLE)
    deliver(page, batch(EXAMPLE, (1, "accept", "101")))
    text = fetch_document(shared.server.store(), EXAMPLE).text
    click(page, "new")
    title_field(page).set_value("Another *title*")
    text_field(page).set_value(text)
    click(page, "suggest")
    assert opened(page) == EXAMPLE
    assert len(titles(shared)) == 1
    assert "is here already (in progress), so nothing was added" in notes(page)[0]


def test_a_text_that_lies_in_the_bin_is_offered_back(page: AppTest, shared: Session) -> None:
    document_id = add(shared, "On herring", "Herring.")
    remove_document(shared.server.store(), document_id)
    text_field(page).set_value("Herring.")
    title_field(page).set_value("On herring again")
    click(page, "suggest")
    assert opened(page) is None
    assert "lies in the bin" in notes(page)[0]
    assert text_field(page).value == "Herring."
    click(page, "bring_back")
    assert opened(page) == document_id
    assert titles(shared) == {"On herring"}


def test_titles_in_messages_are_no_markdown(page: AppTest, shared: Session) -> None:
    hostile = "![x](http://evil.example/x.png) <img src=x onerror=alert(1)> :red[a] $x$"
    add(shared, hostile, "Herring.")
    text_field(page).set_value("Herring.")
    title_field(page).set_value("t")
    click(page, "suggest")
    assert not page.info  # beside the text, where it is set as text
    assert notes(page)[0].startswith(f"“{hostile}” is here already")


def test_names_of_files_are_no_markdown(page: AppTest) -> None:
    upload(page, ("![x](evil) :red[a].pdf", b"%PDF-1.7 broken"))
    assert errors(page)[0].startswith(r"!\[x\](evil) &#58;red\[a\].pdf is damaged")
    upload(page, ("![x](evil).csv", CSV))
    assert page.subheader[0].value.startswith(r"!\[x\](evil).csv: 4 rows")


def test_the_keys_stand_on_the_start_page(page: AppTest) -> None:
    shown = "".join(element.proto.body for element in page.get("html"))
    assert "<kbd>Shift+Enter</kbd>" in shown
    assert "Accept the concept" in shown


def fetch(page: AppTest, *lines: str) -> AppTest:
    run(page.text_area(key="fetch_lines").set_value("\n".join(lines)))
    return finish_import(click(page, "fetch"))


def test_without_a_listed_host_nothing_can_be_fetched(page: AppTest) -> None:
    assert all(area.key != "fetch_lines" for area in page.text_area)
    assert any("Nothing leaves this machine." in said.value for said in page.markdown)


def test_acts_are_fetched_by_number_and_what_failed_stays_to_be_mended(
    fetching_page: AppTest, shared: Session, fetch_host: FetchHost
) -> None:
    said = "\n".join(element.value for element in fetching_page.markdown)
    assert "No text leaves this machine; numbers and addresses to be fetched go to 127" in said
    page = fetch(fetching_page, "32019R1020", "32099R0001", "https://evil.example/")
    assert titles(shared) == {"Regulation on market surveillance"}
    assert fetch_document(shared.server.store(), "32019R1020").text.startswith(
        "Products are watched"
    )
    assert "3 acts by number or address: 1 document added" in sentences(page)
    assert "32099R0001: 127.0.0.1" in sentences(page)
    assert "evil.example is not allowed here" in sentences(page)
    click(page, "batch_done")
    assert page.text_area(key="fetch_lines").value == "32099R0001\nhttps://evil.example/"


def test_a_fetch_of_nothing_is_refused_with_a_sentence(fetching_page: AppTest) -> None:
    click(fetching_page, "fetch")
    assert "Type a CELEX number" in errors(fetching_page)[0]


ACT = "On lamps\nLamps are tested."


def test_what_stands_for_a_title_and_is_a_text_becomes_the_text(
    page: AppTest, shared: Session
) -> None:
    title_field(page).set_value("Vessels land sole in the bay. " * 20)
    click(page, "suggest")
    document = fetch_document(shared.server.store(), str(opened(page)))
    assert document.text.startswith("Vessels land sole")
    assert len(document.title) < 500


def test_a_pasted_act_is_called_by_its_number_or_by_the_id_that_is_typed(
    page: AppTest, shared: Session
) -> None:
    title = "Regulation (EU) 2031/643 on lamps"
    title_field(page).set_value(title)
    run(page)
    (field,) = [box for box in page.text_input if box.key.startswith("new_id")]
    assert field.placeholder == "Id: 32031R0643"
    text_field(page).set_value("Lamps are tested.")
    click(page, "suggest")
    assert opened(page) == "32031R0643"
    click(page, "new")
    (field,) = [box for box in page.text_input if box.key.startswith("new_id")]
    field.set_value(" b 12345 ")
    text_field(page).set_value("On bees\nBees.")
    click(page, "suggest")
    assert opened(page) == "b 12345"
    upload(click(page, "new"), ("acts.csv", f"id,title,text\nrow 7,{title},Other.\n".encode()))
    finish_import(click(page, "batch_add"))
    assert "1 document has the text or the number of another document" in sentences(page)
    click(page, "batch_open")
    assert opened(page) == "row 7"


def test_an_act_that_is_here_under_another_id_is_added_and_the_way_to_it_offered(
    page: AppTest, shared: Session
) -> None:
    upload(page, ("a.txt", ACT.encode()))
    click(page, "new")
    upload(page, ("b.txt", ACT.encode()))
    assert opened(page) == "b"
    assert "“On lamps” (new) has the same text; both are kept." in sentences(page)
    click(page, "open_like")
    assert opened(page) == "a"
    click(page, "new")
    text_field(page).set_value(ACT)
    click(page, "suggest")
    assert opened(page) == "a"
    click(page, "add_same")
    assert len(list_documents(shared.server.store(), shared.project_id())) == 3


def test_the_report_says_what_became_of_ids_and_which_documents_are_alike(
    page: AppTest, shared: Session
) -> None:
    rows = "id,title,text\na,On bees,Bees.\na,On lamps,Lamps.\nb,On hives,Bees.\n"
    finish_import(click(upload(page, ("acts.csv", rows.encode())), "batch_add"))
    heads = [expander.label for expander in page.expander]
    assert heads == [
        "Ids changed, as another document has them or they are too long (a became a-2): 1",
        "Documents like others: 1",
    ]
    assert "a became a-2" in sentences(page)
    click(page, "batch_done")
    upload(page, ("a.txt", b"On sole\nSole."))
    assert "The id a is taken or too long: the document is a-3." in notes(page)


def test_a_row_that_is_cut_or_finished_before_is_told(page: AppTest, shared: Session) -> None:
    rows = "id,title,text,subjects\na,On bees,Bees, hives and honey.,herring\n"
    finish_import(click(upload(page, ("acts.csv", rows.encode())), "batch_add"))
    assert "1 document: The row has more cells than there are columns" in sentences(page)


def test_an_export_comes_back_without_a_question(page: AppTest, shared: Session) -> None:
    line = {
        "id": "old-1", "title": "On bees", "status": "finished", "comment": "look", "vocabulary": "x",
        "parts": [{"kind": "body", "title": "", "date": None, "text": "Bees."}],
        "concepts": [{"id": "102", "uri": "https://example.org/102", "decision": "accepted"},
                     {"id": "201", "uri": "https://example.org/201", "decision": "rejected"}],
    }  # fmt: skip
    upload(page, ("own.jsonl", json.dumps(line).encode()))
    assert page.subheader[0].value == "own.jsonl: 1 document that Strata has exported"
    assert not page.selectbox
    finish_import(click(page, "batch_add"))
    assert fetch_document(shared.server.store(), "old-1").text == "Bees."
    assert given_concepts(shared.server.store(), "old-1") == ("102",)
    assert list_documents(shared.server.store(), shared.project_id())[0].comment == "look"
