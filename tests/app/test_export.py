"""The Export page as Streamlit runs it: choices, preview, and the file."""

from __future__ import annotations

import csv
import io
import threading

import pytest
from pymarc import Field, Record
from streamlit.testing.v1 import AppTest

from core.documents.document import Document
from core.errors import StoreError
from core.export.gathering import Selection
from core.review.annotations.access import BEING_ANNOTATED
from core.review.annotations.asking import ask_twice
from core.review.decisions.recording import Operation, current, record
from core.review.people.accounts import add_account
from core.review.store.arrivals import add_document
from core.review.store.people import HIDE_TITLES, set_preference
from core.serving.choosing import use_version
from core.serving.session import Session
from pages.components.downloads import Wanted, make_file
from tests.support.app_documents import add_decided
from tests.support.app_pages import run, send, turn_to
from tests.support.files.skos_files import PREFIXES


def said(page: AppTest) -> str:
    """How much the file will hold."""
    (sentence,) = [one.value for one in page.markdown if one.value.startswith("**")]
    return str(sentence).strip("*")


def shown(page: AppTest) -> list[tuple[str, str, str]]:
    """Document, label and decision of the rows of the preview."""
    if not page.dataframe:
        return []
    table = page.dataframe[0].value
    return list(zip(table["document_id"], table["label"], table["decision"], strict=True))


def choose(page: AppTest, key: str, value: object) -> AppTest:
    return run(page.button_group(key=key).set_value(value))


def test_what_is_accepted_is_shown_before_anything_is_chosen(export_page: AppTest) -> None:
    assert said(export_page) == "2 decisions on 2 documents; 1 other document without any"
    assert sorted(shown(export_page)) == [
        ("a", "fishing quota", "accepted"),
        ("b", "rail transport", "accepted"),
    ]


def test_what_is_unfinished_stays_out_unless_asked_for(export_page: AppTest) -> None:
    export_page.checkbox(key="export_unfinished").uncheck()
    assert shown(run(export_page)) == [("b", "rail transport", "accepted")]
    assert ":small[2 unfinished documents left out.]" in [m.value for m in export_page.markdown]


@pytest.mark.parametrize(
    ("form", "columns", "n_rows"),
    [
        ("documents", {"labels": "rail transport", "status": "finished"}, 3),
        ("history", {"label": "rail transport", "action": "accept"}, 5),
    ],
)
def test_other_tables_show_their_first_rows(
    export_page: AppTest, form: str, columns: dict[str, str], n_rows: int
) -> None:
    choose(export_page, "export_form", form)
    rows = export_page.dataframe[0].value.to_dict("records")
    assert any(columns.items() <= row.items() for row in rows)
    assert len(rows) == n_rows


def test_a_text_may_be_longer_than_a_cell_usually_is(
    export_page: AppTest, decided: Session
) -> None:
    long = Document.from_text("d", "On long lines", "Rails. " * 20_000)
    add_document(decided.server.store(), long, project_id=decided.project_id())
    choose(export_page, "export_form", "documents")
    run(export_page.checkbox(key="export_text").check())
    texts = export_page.dataframe[0].value["text"]
    assert max(map(len, texts)) == len(long.text)


def test_other_decisions_and_proposed_terms_come_along_when_asked(export_page: AppTest) -> None:
    choose(export_page, "export_decisions", ["rejected", "not taken"])
    assert shown(export_page) == [("a", "honey", "rejected")]
    run(export_page.checkbox(key="export_terms").check())
    assert ("c", "seaweed farm", "proposed") in shown(export_page)


def test_documents_are_chosen_by_status_and_by_batch(export_page: AppTest) -> None:
    choose(export_page, "export_documents", "By status")
    assert shown(export_page) == [("b", "rail transport", "accepted")]
    choose(export_page, "export_documents", "By batch")
    assert export_page.selectbox(key="export_batch").options == ["week 12"]
    assert shown(export_page) == [("a", "fishing quota", "accepted")]


def test_what_was_selected_on_the_documents_page_is_offered_first(export_page: AppTest) -> None:
    turn_to(export_page, "documents")
    send(export_page, "documents_table", "act", {"action": "export", "ids": ["a", "gone"]})
    assert export_page.title[0].value == "Export"
    assert said(export_page) == "1 decision on 1 document"
    assert shown(export_page) == [("a", "fishing quota", "accepted")]


def test_nothing_that_fits_gets_a_sentence(export_page: AppTest) -> None:
    choose(export_page, "export_decisions", [])
    assert export_page.info[0].value == "Nothing fits these choices yet."


def test_json_lines_are_shown_spread_out(export_page: AppTest) -> None:
    choose(export_page, "export_form", "jsonl")
    assert said(export_page) == "3 documents, one a line, with 2 decisions on 2 of them"
    assert '"id": "c"' in export_page.code[0].value or '"id": "a"' in export_page.code[0].value
    assert export_page.download_button(key="export_download").label == "Download JSONL"


def test_decisions_are_gathered_again_only_where_something_changed(
    export_page: AppTest, decided: Session
) -> None:
    def made() -> object:
        return export_page.session_state["export_made"][1]

    before = made()
    choose(export_page, "export_form", "jsonl")
    assert made() is before
    add_decided(decided, "d", None, Operation(1, "accept", "101"))
    assert said(run(export_page)) == "4 documents, one a line, with 3 decisions on 3 of them"
    receipt = record(
        decided.server.store(),
        document_id="d",
        person_id=decided.person_id(),
        client_id="d",
        operations=[Operation(2, "accept", "201")],
    )
    assert not receipt.refused
    assert said(run(export_page)) == "4 documents, one a line, with 4 decisions on 3 of them"
    assert made() is not before


def test_the_text_comes_as_a_last_column(export_page: AppTest) -> None:
    run(export_page.checkbox(key="export_text").check())
    assert list(export_page.dataframe[0].value["text"]) == ["herring", "herring"]


def test_the_file_is_made_of_what_holds_when_it_is_asked_for(
    export_page: AppTest, decided: Session
) -> None:
    add_decided(decided, "d", None, Operation(1, "accept", "104"))
    content = make_file(decided, Wanted(Selection(), "tsv", with_text=False)).decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(content), delimiter="\t"))
    assert [row["label"] for row in rows] == ["fishing quota", "rail transport", "sole"]


def test_a_large_project_is_counted_when_that_is_asked_for(
    export_page: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pages.components.counting.LARGE", 1)
    monkeypatch.setattr("pages.components.progress.PATIENCE_SECONDS", 60.0)
    run(export_page)
    assert shown(export_page) == []
    links = [drawn.proto.body for drawn in export_page.main.get("html")]  # the sidebar has its own
    (link,) = (link for link in links if "api/export" in link)
    assert "api/export?form=csv&amp;project=1&amp;decision=accepted&amp;status=new" in link
    (switch,) = export_page.toggle
    switch.set_value(True)
    run(export_page)
    assert said(export_page) == "2 decisions on 2 documents; 1 other document without any"


def test_a_count_that_goes_on_is_drawn_and_one_that_fails_is_said(
    export_page: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_end, ended = threading.Event(), threading.Event()

    def preview(*_: object, **__: object) -> None:
        may_end.wait(60)
        ended.set()
        raise StoreError("The disk does not read.")

    monkeypatch.setattr("pages.components.counting.LARGE", 1)
    monkeypatch.setattr("pages.components.progress.PATIENCE_SECONDS", 0.0)
    monkeypatch.setattr("core.api.counts.LEAST_KEPT_SECONDS", 600.0)
    monkeypatch.setattr("core.export.export.Export.preview", preview)
    run(export_page)
    run(export_page.toggle[0].set_value(True))
    (progress,) = export_page.get("progress")
    assert progress.proto.text == "Counting over all documents …"
    monkeypatch.setattr("pages.components.progress.PATIENCE_SECONDS", 60.0)
    may_end.set()
    assert ended.wait(60)
    assert [error.value for error in run(export_page).error] == ["The disk does not read."]


def test_what_was_chosen_one_by_one_is_downloaded_by_the_button(
    export_page: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pages.components.counting.LARGE", 1)
    export_page.session_state["chosen_documents"] = ("a",)
    run(export_page)
    assert not export_page.get("download_button")
    assert choose(export_page, "export_documents", "Selected").get("download_button")


@pytest.mark.parametrize(
    ("form", "sign"), [("jsonld", '"dct:subject"'), ("marc", "=650  \\7"), ("marcxml", "<record>")]
)
def test_a_format_of_subjects_shows_the_first_document(
    export_page: AppTest, form: str, sign: str
) -> None:
    choose(export_page, "export_form", form)
    assert said(export_page) == "3 documents with 2 subjects"
    assert sign in export_page.code[0].value
    assert export_page.checkbox(key="export_text").disabled


def marc(*numbers: str) -> bytes:
    made = [Record(fields=[Field("001", data=number)]) for number in numbers]
    return b"".join(record.as_marc() for record in made)


def test_records_of_a_catalogue_get_the_accepted_concepts(export_page: AppTest) -> None:
    choose(export_page, "export_form", "marc")
    export_page.file_uploader(key="records_upload").set_value(
        ("catalogue.mrc", marc("a", "x", "c"), "application/marc")
    )
    run(export_page)
    assert not export_page.main.get("download_button")[1:]
    run(export_page.button(key="records_write").click())
    (sentence,) = [one.value for one in export_page.markdown if "records" in one.value][-1:]
    assert "2 of 3 records belong to the chosen documents; 1 changed" in sentence
    assert export_page.download_button(key="records_download").label == "Download the records"
    choose(export_page, "export_documents", "By status")
    assert len(export_page.main.get("download_button")) == 1


def test_a_file_that_holds_no_records_gets_a_sentence(export_page: AppTest) -> None:
    choose(export_page, "export_form", "marcxml")
    export_page.file_uploader(key="records_upload").set_value(
        ("catalogue.xml", b"<html></html>", "text/xml")
    )
    run(export_page)
    run(export_page.button(key="records_write").click())
    assert "neither MARC 21" in export_page.error[0].value


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("cat.docx", b"x", "another type. Choose a file whose name ends in .mrc, .marc, .dat or"),
        ("cat.mrc", b"", "is empty. Save it again"),
        ("cat.xml", b"x" * 20_100_000, "20.1 MB, and at most 20 MB are read. Split it"),
    ],
)
def test_a_file_of_records_that_is_refused_says_what_to_do(
    export_page: AppTest, name: str, content: bytes, said: str
) -> None:
    choose(export_page, "export_form", "marc")
    uploader = export_page.file_uploader(key="records_upload")
    assert not uploader.proto.type  # else Streamlit refuses in words of its own
    assert uploader.proto.max_upload_size_mb > 20
    uploader.set_value((name, content, "application/x"))
    run(export_page)
    assert export_page.error[0].value.startswith(f"{name} was not read")
    assert said in export_page.error[0].value
    assert "records_write" not in [button.key for button in export_page.button]


def bring_back(page: AppTest, *rows: str, name: str = "back.csv") -> AppTest:
    content = "\r\n".join(("document_id;label;decision", *rows)).encode("cp1252")
    return run(page.file_uploader(key="changed_table_0").set_value((name, content, "text/csv")))


def test_a_changed_table_is_looked_at_before_it_is_stored(
    export_page: AppTest, decided: Session
) -> None:
    bring_back(export_page, "a;sole;", "b;honey;accepted", "zz;honey;", "a;no <b>such;")
    words = " ".join(one.value for one in export_page.markdown)
    assert "Concepts on 1 document: 1 to accept." in words
    assert "1 finished document would change too" in words
    assert "Not in this project: 1 document, “zz”" in words
    assert "“no <b>such" not in words and "such (line 5)" in words
    table = export_page.dataframe[-1].value
    assert list(zip(table["document"], table["change"], table["concept"], strict=True)) == [
        ("a", "Accept", "sole")
    ]
    assert "104" not in current(decided.server.store(), "a")
    run(export_page.button(key="changed_apply").click())
    assert current(decided.server.store(), "a")["104"].source == "file"
    assert export_page.success[0].value.startswith("1 decision on 1 document stored.")
    assert export_page.file_uploader(key="changed_table_1").value is None


def test_a_changed_table_names_no_titles_where_lists_hide_them(
    export_page: AppTest, decided: Session
) -> None:
    rows = ["document_id;title;label", "a;On a;sole", "c;On somebody;sole"]
    told = []
    for hidden in (False, True):
        set_preference(decided.server.store(), decided.person_id(), HIDE_TITLES, hidden)
        upload = ("back.csv", "\r\n".join(rows).encode(), "text/csv")
        run(export_page.file_uploader(key="changed_table_0").set_value(upload))
        words = " ".join(one.value for one in export_page.markdown)
        assert "1 row may be of another document" in words
        told.append(("On c" in words, "title" in export_page.dataframe[-1].value))
    assert told == [(True, True), (False, False)]


def test_a_changed_table_decides_nothing_that_others_annotate_by_now(
    export_page: AppTest, decided: Session
) -> None:
    store = decided.server.store()
    bring_back(export_page, "c;sole;", "a;sole;")
    two = [add_account(store, name).person_id for name in ("jo", "ann")]
    assert ask_twice(store, 1, ["c"], two, asked_by=1) == []
    export_page.button(key="changed_apply").click()
    run(export_page)
    assert export_page.success[0].value.startswith("2 decisions on 1 document stored.")
    assert BEING_ANNOTATED in export_page.warning[0].value
    assert current(store, "c") == {} and "104" in current(store, "a")


def test_a_changed_table_can_be_put_away_or_refused(export_page: AppTest, decided: Session) -> None:
    bring_back(export_page, "a;sole;accepted")
    words = " ".join(one.value for one in export_page.markdown)
    assert "1 to accept, 1 to remove." in words
    export_page.checkbox(key="changed_removes").uncheck()
    words = " ".join(one.value for one in run(export_page).markdown)
    assert "1 to accept." in words
    run(export_page.button(key="changed_cancel").click())
    assert "104" not in current(decided.server.store(), "a")
    export_page.file_uploader(key="changed_table_1").set_value(("x.csv", b"a,b\n", "text/csv"))
    assert "must name the column" in run(export_page).error[0].value
    export_page.file_uploader(key="changed_table_1").set_value(("x.xlsx", b"PK", "x"))
    assert "ends in .csv, .tsv or .txt" in run(export_page).error[0].value


def test_withdrawn_subjects_are_named_above_the_download(
    export_page: AppTest, decided: Session
) -> None:
    assert not export_page.warning
    body = (
        PREFIXES
        + '<https://x.org/tiny> a skos:ConceptScheme ; owl:versionInfo "2.0" .'
        + '<https://x.org/101> a skos:Concept ; skos:prefLabel "*quota*"@en ; owl:deprecated true ;'
        + " skos:inScheme <https://x.org/tiny> ; dct:isReplacedBy <https://x.org/102> ."
        + '<https://x.org/102> a skos:Concept ; skos:prefLabel "`catch`"@en .'
    )
    decided.server.importer.start_files({"tiny.ttl": body.encode()})
    decided.server.importer.wait(60)
    use_version(decided, decided.server.versions.entries()[0].key)
    (warning,) = run(export_page).warning
    assert warning.value.startswith("2 subjects are withdrawn in version 2.0: ")
    assert r"\*quota\* (use \`catch\`)" in warning.value
    assert "rail transport" in warning.value
