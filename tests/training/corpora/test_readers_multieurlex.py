"""The reader of MultiEURLEX-style acts, on invented ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.errors import ConfigError, DocumentError
from training.corpora.readers import read_corpus


def act(number: int, **changes: Any) -> dict[str, Any]:
    return {
        "celex_id": f"32000R{number:04}",
        "publication_date": "2000-01-31",
        "text": {"en": f"Regulation {number} on bees", "de": f"Verordnung {number}", "fr": None},
        "eurovoc_concepts": {"level_1": ["100160"], "all_levels": ["100160", "1644"]},
        **changes,
    }


def write(folder: Path, **splits: list[dict[str, Any]]) -> Path:
    for name, rows in {"train": [act(1)], "dev": [act(2)], "test": [act(3)], **splits}.items():
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    return folder


def test_an_act_is_read_in_a_language_with_the_concepts_of_a_level(tmp_path: Path) -> None:
    folder = write(tmp_path)
    english, german = read_corpus("multieurlex", folder), read_corpus("multieurlex", folder, "de")
    top = read_corpus("multieurlex", folder, "en:level_1")

    assert english.train[0].document.text == "Regulation 1 on bees"
    assert english.train[0].assigned == ("100160", "1644")
    assert english.train[0].date == "2000-01-31"
    assert german.test[0].document.text == "Verordnung 3"
    assert top.dev[0].assigned == ("100160",)
    assert top.name.endswith("-en-level_1")


def test_acts_of_one_text_and_one_list_of_concepts_are_read(tmp_path: Path) -> None:
    plain = act(1, text="On bees", title="Bees", eurovoc_concepts=["1644"])
    read = read_corpus("multieurlex", write(tmp_path, train=[plain])).train[0]
    assert (read.document.title, read.document.text) == ("Bees", "On bees")
    assert read.assigned == ("1644",)


def test_acts_that_are_not_in_the_language_are_left_out_without_a_complaint(
    tmp_path: Path,
) -> None:
    french = act(1, text={"en": None, "fr": "Règlement"})
    rows = [{**french, "celex_id": str(n)} for n in range(30)]
    corpus = read_corpus("multieurlex", write(tmp_path, train=[*rows, act(1)]))
    assert [row.document_id for row in corpus.train] == ["32000R0001"]
    assert corpus.problems == ()


def test_bad_acts_are_skipped_and_languages_that_no_act_has_are_refused(tmp_path: Path) -> None:
    rows = [act(1), act(4, celex_id=None), act(5, eurovoc_concepts=None), act(6, text="")]
    folder = write(tmp_path, train=rows)
    (folder / "dev.jsonl").write_text(json.dumps(act(2)) + "\n{\n", "utf-8")
    corpus = read_corpus("multieurlex", folder)

    problems = " ".join(corpus.problems)
    assert "no id" in problems
    assert "all_levels must be a list" in problems
    assert "32000R0006 has no text in en" in problems
    assert "dev.jsonl, line 2: not JSON" in problems
    with pytest.raises(DocumentError, match="in the language 'xx' has 0 usable"):
        read_corpus("multieurlex", folder, "xx")
    with pytest.raises(DocumentError, match="no concepts under level_9"):
        read_corpus("multieurlex", folder, "en:level_9")
    with pytest.raises(ConfigError, match="names no language"):
        read_corpus("multieurlex", folder, ":level_1")


def test_a_missing_split_is_named(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "dev.jsonl").unlink()
    with pytest.raises(ConfigError, match=r"neither .*dev\.jsonl nor its \.gz"):
        read_corpus("multieurlex", tmp_path)
