"""The reader of Reuters-21578, on invented stories and on the real ones."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest

from core.errors import ConfigError, DocumentError
from tests.support.files.reuters_files import TEXT, story, write
from training.corpora.readers import read_corpus


def pair(*stories: str) -> list[str]:
    return [story(90, "TRAIN", "fish"), story(91, "TEST", "fish"), *stories]


def test_modapte_keeps_stories_of_topics_that_both_sets_have(tmp_path: Path) -> None:
    not_used = 'TOPICS="YES" LEWISSPLIT="NOT-USED" NEWID="5"'
    no_topics = 'TOPICS="NO" LEWISSPLIT="TRAIN" NEWID="6"'
    folder = write(
        tmp_path,
        *pair(
            story(1, "TRAIN", "fish", "honey"),
            story(2, "TRAIN", "honey"),
            story(3, "TEST", "tax"),
            story(4, "TRAIN"),
            story(5, "", "fish", attributes=not_used),
            story(6, "", "fish", attributes=no_topics),
        ),
    )
    corpus = read_corpus("reuters", folder)

    assert dict(corpus.labels) == {"fish": "fish"}
    assert {row.document_id: row.assigned for row in (*corpus.train, *corpus.dev)} == {
        "90": ("fish",),
        "1": ("fish",),
    }
    assert [row.document_id for row in corpus.test] == ["91"]


def test_a_story_reads_as_title_and_body_without_marks_of_the_wire(tmp_path: Path) -> None:
    text = TEXT.format(title="COD &lt;CODX> UP\n  2 PCT", body="Dues &amp; quotas \xfc fell.")
    corpus = read_corpus("reuters", write(tmp_path, *pair(story(1, "TRAIN", "fish", text=text))))

    read = {row.document_id: row for row in corpus.train}["1"]
    assert read.document.title == "COD <CODX> UP 2 PCT"
    assert read.document.text == "Dues & quotas ü fell.\n Reuter"
    assert read.date == "1987-06-01"


def test_a_story_of_no_form_is_all_its_text_and_a_brief_one_its_title(tmp_path: Path) -> None:
    unformed, brief = "GRAIN SHIPS\n  none\n&#3;", "******<TITLE>COD UP</TITLE>&#3;"
    stories = pair(story(1, "TRAIN", "fish", text=unformed), story(2, "TRAIN", "fish", text=brief))
    read = {row.document_id: row for row in read_corpus("reuters", write(tmp_path, *stories)).train}

    assert (read["1"].document.title, read["1"].document.text) == ("", "GRAIN SHIPS\n  none")
    assert (read["2"].document.title, read["2"].document.parts) == ("COD UP", ())


def test_topics_named_twice_and_unread_dates_are_mended(tmp_path: Path) -> None:
    stories = pair(story(1, "TRAIN", "fish", "fish", " fish ", date="March"))
    read = {row.document_id: row for row in read_corpus("reuters", write(tmp_path, *stories)).train}
    assert (read["1"].assigned, read["1"].date) == (("fish",), "")


def test_bad_stories_are_skipped_and_said(tmp_path: Path) -> None:
    stories = pair(
        story(1, "TRAIN", "fish", text="&#3;"),
        story(2, "TRAIN", "fish", attributes='TOPICS="YES" LEWISSPLIT="TRAIN"'),
        story(91, "TRAIN", "fish"),
    )
    corpus = read_corpus("reuters", write(tmp_path, *stories))

    problems = " ".join(corpus.problems)
    assert "1 has neither a title nor a text" in problems
    assert "reut2-000.sgm, story 4: no id under NEWID" in problems
    assert "second 91 is dropped from train" in problems
    assert "22 SGML files" in problems
    assert [row.document_id for row in corpus.train] == ["90"]


def test_the_single_task_keeps_stories_of_one_topic(tmp_path: Path) -> None:
    stories = pair(story(1, "TRAIN", "fish", "tax"), story(2, "TEST", "tax"))
    corpus = read_corpus("reuters", write(tmp_path, *stories), "single")

    assert corpus.has_single_labels
    assert dict(corpus.labels) == {"fish": "fish"}


def test_the_packed_collection_reads_as_the_unpacked(tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.mkdir()
    content = (write(plain, *pair()) / "reut2-000.sgm").read_bytes()
    packed = tmp_path / "reuters.tar.gz"
    with tarfile.open(packed, "w:gz") as archive:
        for name, data in {"README.txt": b"a", "reut2-000.sgm": content}.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    expected = read_corpus("reuters", plain)

    for path in (packed, tmp_path):
        assert read_corpus("reuters", path).train == expected.train


def test_what_is_not_the_collection_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"neither reut2-000\.sgm nor a \.tar\.gz"):
        read_corpus("reuters", tmp_path)
    (tmp_path / "reuters.tar.gz").write_bytes(b"no archive")
    with pytest.raises(DocumentError, match="cannot be unpacked"):
        read_corpus("reuters", tmp_path)
    with pytest.raises(DocumentError, match="no topic with a story in both"):
        read_corpus("reuters", write(tmp_path, story(1, "TRAIN", "fish")))
    with pytest.raises(ConfigError, match="reuters has no task “both”"):
        read_corpus("reuters", tmp_path, "both")


def test_the_real_collection_has_the_stories_of_docbert(shared_data: Path) -> None:
    corpus = read_corpus("reuters", shared_data / "reuters21578")

    # With the test stories 10,789, as DocBERT counts them; the 7,769 of other papers lacks
    # story 1199, whose tag alone of these has the attribute CSECS.
    assert len(corpus.train) + len(corpus.dev) == 7_770
    assert (len(corpus.dev), len(corpus.test), len(corpus.labels)) == (1_942, 3_019, 90)
    assert {topic for row in corpus.train for topic in row.assigned} == set(corpus.labels)
    assert corpus.problems == ()

    single = read_corpus("reuters", shared_data / "reuters21578", "single")
    assert len(single.train) + len(single.dev) == 6_532
    assert (len(single.test), len(single.labels)) == (2_569, 52)
