"""Errors of libraries become Strata's own, with a sentence that says what was being done."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.boundaries import (
    BUNDLE_RECORDS,
    DOCUMENT_ARCHIVES,
    MAX_REASON_CHARACTERS,
    MEASUREMENT_FILES,
    VOCABULARY_FILES,
    named,
)
from core.errors import BundleError, ConfigError, DocumentError, VocabularyError

SENTENCE = "{path} cannot be read ({reason})."


def test_a_missing_file_is_said_as_the_system_says_it(tmp_path: Path) -> None:
    path = tmp_path / "{none}.csv"  # braces in a name are no field of the sentence
    expected = f"^{tmp_path}/{{none}}.csv cannot be read .No such file or directory.\\.$"
    with (
        pytest.raises(VocabularyError, match=expected.replace("{", r"\{")),
        VOCABULARY_FILES.translated(SENTENCE, path=path),
    ):
        path.read_text()


def test_the_most_specific_class_words_the_reason() -> None:
    with (
        pytest.raises(ConfigError, match=r"^x \(JSONDecodeError\('Expecting value") as caught,
        MEASUREMENT_FILES.translated("x ({reason})"),
    ):
        json.loads("")
    assert isinstance(caught.value.__cause__, json.JSONDecodeError)


def test_what_strata_says_itself_is_left_as_it_is() -> None:
    said = BundleError("Get it again.")
    with pytest.raises(BundleError) as caught, BUNDLE_RECORDS.translated("damaged: {reason}"):
        raise said
    assert caught.value is said


def test_what_no_table_names_goes_through() -> None:
    with pytest.raises(MemoryError), DOCUMENT_ARCHIVES.translated("{reason}"):
        raise MemoryError
    with (
        pytest.raises(DocumentError, match=r"^a\.zip is cut off$"),
        DOCUMENT_ARCHIVES.translated("{name} is {reason}", name="a.zip", reason="cut off"),
    ):
        raise EOFError


def test_a_long_message_is_one_short_line() -> None:
    text = named(ValueError("a\nb " * MAX_REASON_CHARACTERS))
    assert MAX_REASON_CHARACTERS - 5 <= len(text) <= MAX_REASON_CHARACTERS
    assert text.startswith("ValueError: a b a b")
