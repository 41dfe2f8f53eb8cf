"""One reader a corpus, found by the name of its format."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from core.errors import ConfigError
from training.corpus import Corpus
from training.readers.acts_jsonl import read_acts_jsonl
from training.readers.eurlex57k import read_eurlex57k

READERS: dict[str, Callable[[Path], Corpus]] = {
    "acts_jsonl": read_acts_jsonl,
    "eurlex57k": read_eurlex57k,
}


def read_corpus(format_name: str, path: Path) -> Corpus:
    """Read a corpus of a named format.

    Raises:
        ConfigError: no such format, or no such folder.
        DocumentError: what is there is not of this format.
    """
    if format_name not in READERS:
        known = ", ".join(sorted(READERS))
        raise ConfigError(f"There is no reader for {format_name!r}: name one of {known}.")
    if not path.is_dir():
        raise ConfigError(f"There is no corpus folder {path}: name the folder of its splits.")
    return READERS[format_name](path)
