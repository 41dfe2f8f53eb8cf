"""Where Strata meets files and libraries: a table a boundary of what their errors become.

What a library raises is translated once, where it is called, so that callers know only
`core.errors`. A table names the classes that may come, and how the reason is worded in the
sentence for the reader; the sentence itself names what was being done.

The tables of libraries that are not always loaded stand beside them: `core.review.store.database`
(SQLAlchemy) and `core.model.bundle.manifest` (safetensors).
"""

from __future__ import annotations

import csv
import gzip
import sqlite3
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from xml.etree.ElementTree import ParseError

from core.errors import BundleError, ConfigError, DocumentError, StrataError, VocabularyError

MAX_REASON_CHARACTERS = 300

Reason = Callable[[Any], str]


def system_reason(error: OSError) -> str:
    """Return what the system says of a file, without its number and the path."""
    return error.strerror or " ".join(str(error).split()) or type(error).__name__


def message(error: Exception) -> str:
    """Return the message of an error, as one short line."""
    return " ".join(str(error).split())[:MAX_REASON_CHARACTERS]


def named(error: Exception) -> str:
    """Return class and message of an error, as one short line."""
    return f"{type(error).__name__}: {message(error)}"[:MAX_REASON_CHARACTERS].strip()


@dataclass(frozen=True, slots=True)
class Boundary:
    """The errors of a library or of a kind of file, and what Strata raises instead.

    Attributes:
        raises: the class of Strata's own error.
        reasons: by class of the foreign error, how it is worded; the most specific class counts.
    """

    raises: type[StrataError]
    reasons: Mapping[type[Exception], Reason]

    @property
    def errors(self) -> tuple[type[Exception], ...]:
        """What may come, as `except` takes it."""
        return tuple(self.reasons)

    def reason(self, error: Exception) -> str:
        """Return the wording of a foreign error."""
        error_class = next(kind for kind in type(error).__mro__ if kind in self.reasons)
        return self.reasons[error_class](error)

    @contextmanager
    def translated(self, sentence: str, **words: object) -> Iterator[None]:
        """Raise Strata's error in place of a foreign one.

        Args:
            sentence: for the reader, with `{reason}` and the names of `words` in braces.
            words: what stands for these names; a `reason` among them hides the table's.
        """
        try:
            yield
        except self.raises:
            raise
        except self.errors as error:
            facts = {"reason": self.reason(error), **words}
            raise self.raises(sentence.format(**facts)) from error


# What a file that is not what it should be makes its parser raise; a number that is too large is
# an ArithmeticError.
SENSELESS = (
    *(KeyError, TypeError, ValueError, AttributeError, IndexError),
    *(ArithmeticError, RecursionError),
)
DAMAGED_ARCHIVE = (
    *(EOFError, zlib.error, zipfile.BadZipFile, zipfile.LargeZipFile),
    NotImplementedError,
)
SYSTEM: Mapping[type[Exception], Reason] = {OSError: system_reason}
# What `zipfile` raises besides, of a directory that points to where nothing is.
_DAMAGED_ZIP = (*DAMAGED_ARCHIVE, ValueError, ArithmeticError, IndexError, struct.error)
_PARSER = (*_DAMAGED_ZIP, RuntimeError, csv.Error, sqlite3.Error, SyntaxError)

VOCABULARY_FILES = Boundary(VocabularyError, {**SYSTEM, **dict.fromkeys(_PARSER, message)})
VOCABULARY_RECORDS = Boundary(
    VocabularyError, dict.fromkeys((*SENSELESS, EOFError, zlib.error), repr)
)  # of Strata's own files
DOCUMENT_ARCHIVES = Boundary(DocumentError, dict.fromkeys(_DAMAGED_ZIP, message))
CORPUS_FILES = Boundary(
    DocumentError,
    {
        **SYSTEM,
        **dict.fromkeys(
            (*DAMAGED_ARCHIVE, gzip.BadGzipFile, tarfile.TarError, ParseError), message
        ),
    },
)
MEASUREMENT_FILES = Boundary(
    ConfigError, {**SYSTEM, **dict.fromkeys((*SENSELESS, *DAMAGED_ARCHIVE), repr)}
)
BUNDLE_FILES = Boundary(BundleError, SYSTEM)
BUNDLE_RECORDS = Boundary(BundleError, dict.fromkeys(SENSELESS, repr))
