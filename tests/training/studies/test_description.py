"""What a corpus is like, counted by hand on invented documents, and beside the paper's counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.documents.document import Document
from tests.support.files.review_files import write_pairs, write_reviews
from training.__main__ import main
from training.config import DataConfig
from training.corpora.corpus import Corpus, LabelledDocument
from training.corpora.readers import read_corpus
from training.studies.description import CorpusCounts, describe, n_sentences


def row(number: int, title: str, text: str, *labels: str) -> LabelledDocument:
    return LabelledDocument(Document.from_text(str(number), title, text), labels)


def cells(page: str, first: str) -> list[str]:
    line = next(line for line in page.splitlines() if line.startswith(f"| {first}"))
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_words_and_sentences_are_those_of_title_and_text() -> None:
    counts = CorpusCounts.of(
        [row(1, "Cod up", "It rose 2.5 pct. Why? (No one knows.) Reuter", "a", "b")]
    )
    # 2 words of the title and 9 of the text
    assert (counts.documents, counts.words, counts.labels) == (1, 11, 2)
    # “Cod up It rose 2.5 pct.”, “Why?”, “(No one knows.)” and “Reuter”
    assert counts.sentences == 4


@pytest.mark.parametrize(
    ("text", "number"),
    [("", 0), (" \n", 0), ("one", 1), ("One.", 1), ("One. Two!\nThree?!", 3), ("at 2.5 pct", 1),
     ("He said “no.” She left.", 2), ("a b c , d", 1)],
)  # fmt: skip
def test_sentences_end_before_a_blank_or_the_end(text: str, number: int) -> None:
    assert n_sentences(text) == number


def test_counts_stand_beside_the_papers(tmp_path: Path) -> None:
    corpus = read_corpus("aapd", write_pairs(tmp_path))
    page = describe(corpus, DataConfig(format="aapd"))

    # 19 abstracts of “we bound the loss of codes , train 0”: 9 words, one sentence.
    assert cells(page, "here") == ["here", "5", "19", "9.0", "1.0"]
    assert cells(page, "DocBERT")[1:] == ["54", "55,840", "167.3", "1.0"]
    assert cells(page, "dev") == ["dev", "3", "1.67", "9.0", "1.0"]


def test_a_corpus_that_the_paper_does_not_have_is_described_alone() -> None:
    documents = (row(1, "", "One word. Two.", "a"), row(2, "", "Three", "b"))
    corpus = Corpus("own", documents, documents[:1], documents[:1], problems=("Row 3 is bad.",))
    page = describe(corpus, DataConfig(format="table"))

    # Test is dev under another name, so it is counted once.
    assert cells(page, "here") == ["here", "2", "3", "2.3", "1.7"]
    assert "DocBERT" not in page
    assert "| test" not in page
    assert "1 records were skipped or mended, the first: Row 3 is bad." in page


def test_the_command_names_a_corpus_by_options_or_by_a_configuration(
    tmp_path: Path, capsys
) -> None:
    write_reviews(tmp_path / "reviews.json", 50)
    assert main(["describe", "--format", "yelp2014", "--data", str(tmp_path / "reviews.json")]) == 0
    by_options = capsys.readouterr()
    assert cells(by_options.out, "here")[1:3] == ["5", "50"]
    assert "train 40, dev 5, test 5" in by_options.err

    config = tmp_path / "run.toml"
    config.write_text('[data]\nformat = "yelp2014"\npath = "reviews.json"\n', "utf-8")
    assert main(["describe", str(config)]) == 0
    assert capsys.readouterr().out == by_options.out
    assert main(["describe", "--format", "imdb10"]) == 1
    assert "name one with --data, or with data.path" in capsys.readouterr().err


def test_reuters_has_the_ns_of_the_paper(shared_data: Path) -> None:
    data = DataConfig(format="reuters")
    page = describe(read_corpus("reuters", shared_data / "reuters21578"), data)
    assert cells(page, "here") == ["here", "90", "10,789", "128.0", "6.3"]
    assert cells(page, "DocBERT")[1:3] == ["90", "10,789"]
