"""One reader a corpus, found by the name of its format."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from core.errors import ConfigError
from training.corpora.corpus import Corpus
from training.corpora.readers.aapd import read_aapd
from training.corpora.readers.acts_jsonl import read_acts_jsonl
from training.corpora.readers.clinical.cmc2007 import read_cmc2007
from training.corpora.readers.clinical.codiesp import read_codiesp
from training.corpora.readers.clinical.mimic3 import read_mimic3
from training.corpora.readers.eurlex57k import read_eurlex57k
from training.corpora.readers.glue import TASKS as GLUE_TASKS
from training.corpora.readers.glue import read_glue
from training.corpora.readers.imdb import read_imdb
from training.corpora.readers.multieurlex import read_multieurlex
from training.corpora.readers.ratings import read_imdb10, read_yelp2014
from training.corpora.readers.reuters import read_reuters
from training.corpora.readers.table import read_table
from training.corpora.readers.toxic import read_toxic
from training.corpora.readers.trec import read_trec


@dataclass(frozen=True, slots=True)
class Format:
    """A format of corpora.

    Attributes:
        read: reads a path, given the name of a task.
        tasks: that it offers, "" among them where none need be named; None where the tasks are the
            corpus's own (columns, languages) and the reader judges them.
        packed: whether a file may be named in place of a folder.
    """

    read: Callable[[Path, str], Corpus]
    tasks: tuple[str, ...] | None = ("",)
    packed: bool = False


def _taskless(read: Callable[[Path], Corpus], *, packed: bool = False) -> Format:
    return Format(lambda path, _: read(path), packed=packed)


FORMATS: Mapping[str, Format] = {
    "acts_jsonl": _taskless(read_acts_jsonl),
    "eurlex57k": _taskless(read_eurlex57k),
    "multieurlex": Format(read_multieurlex, None),
    "reuters": Format(read_reuters, ("", "single"), packed=True),
    "cmc2007": _taskless(read_cmc2007, packed=True),
    "codiesp": Format(read_codiesp, ("", "pcs")),
    "mimic3": _taskless(read_mimic3),
    "table": Format(read_table, None, packed=True),
    "glue": Format(read_glue, tuple(GLUE_TASKS)),
    "trec": Format(read_trec, ("", "fine")),
    "imdb": _taskless(read_imdb),
    "toxic": _taskless(read_toxic),
    "aapd": _taskless(read_aapd),
    "imdb10": _taskless(read_imdb10, packed=True),
    "yelp2014": _taskless(read_yelp2014, packed=True),
}


def read_corpus(format_name: str, path: Path, task: str = "") -> Corpus:
    """Read a corpus of a named format.

    Args:
        task: which of the format's tasks, such as "mrpc" of "glue".
    Raises:
        ConfigError: no such format or task, or no such file or folder.
        DocumentError: what is there is not of this format.
    """
    if format_name not in FORMATS:
        formats = ", ".join(sorted(FORMATS))
        raise ConfigError(f"There is no reader for {format_name!r}: name one of {formats}.")
    form = FORMATS[format_name]
    if form.tasks is not None and task not in form.tasks:
        offered = ", ".join(f"“{name}”" for name in form.tasks)
        raise ConfigError(f"{format_name} has no task “{task}”: data.task is one of {offered}.")
    if not (path.is_dir() or (form.packed and path.is_file())):
        raise _missing(path, packed=form.packed)
    return form.read(path, task)


def _missing(path: Path, *, packed: bool) -> ConfigError:
    place = path.resolve()  # of a relative path, one cannot see where it was looked for
    if packed:
        return ConfigError(
            f"There is no file or folder {place}: name the file of the corpus, or the folder of "
            "its splits."
        )
    return ConfigError(f"There is no corpus folder {place}: name the folder of its splits.")
