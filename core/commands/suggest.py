"""`python -m core suggest`: concepts for many documents, from file to file.

Each result is written as soon as it is there, so that a batch that is broken off keeps what it has
done. The report, warnings and the progress bar go to standard error.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from io import TextIOWrapper
from itertools import chain
from pathlib import Path
from typing import Annotated, Literal, TextIO

from typer import Exit, Option, Typer

from core.batches.chosen import ChosenSuggester
from core.batches.engines import PartWriter, SingleEngine
from core.batches.parts import DEFAULT_DOCUMENTS
from core.batches.places import OutputFolder, is_url
from core.batches.ray_engine import RayEngine
from core.batches.reading import PARQUET
from core.batches.results import ResultFormat, json_line, result_of
from core.batches.run import BatchRun, run_in_parts
from core.boundaries import system_reason
from core.commands.options import PLAIN, refuse_both
from core.documents.document import Document
from core.documents.inputs import InputDocument, read_inputs
from core.documents.kinds import names_document
from core.documents.rows.files import suffix_of
from core.errors import ConfigError

app = Typer(**PLAIN)


@app.command()
def suggest(
    *,
    source: Annotated[
        str,
        Option(
            "--input",
            help="JSON Lines, JSON array, CSV (also .gz) or Parquet with id, title and text; a text, PDF, "
            "Word, OpenDocument or HTML file, or a folder of these; also s3:// and what else fsspec opens",
        ),
    ],
    output: Annotated[
        str,
        Option(
            help="JSON lines, one a document; - for standard output; a folder, with / at its end, "
            "or an address such as s3://bucket/folder, for parts that a killed run goes on with"
        ),
    ],
    bundle: Annotated[
        Path | None,
        Option(help="folder of the model bundle (STRATA_BUNDLE, or the bundle that is shipped)"),
    ] = None,
    vocabulary: Annotated[
        Path | None,
        Option(metavar="FILE", help="suggest from the labels of this vocabulary, without a model"),
    ] = None,
    project: Annotated[
        str | None,
        Option(
            metavar="NAME",
            help="correct the model by what was decided in this project; without --bundle by its "
            "own",
        ),
    ] = None,
    limit: Annotated[int, Option(min=1, help="most suggestions a document")] = 20,
    threshold: Annotated[
        float, Option(min=0, max=1, help="least probability of a suggestion")
    ] = 0.0,
    no_names: Annotated[
        bool,
        Option(
            "--no-names",
            help="leave it to the model, also where a code stands in the text by its name",
        ),
    ] = False,
    engine: Annotated[
        Literal["single", "ray"] | None,
        Option(
            help="who computes parts: this process (default), or workers of Ray "
            "(requirements-ray.txt)"
        ),
    ] = None,
    address: Annotated[str | None, Option(help="of a Ray cluster (one on this machine)")] = None,
    workers: Annotated[int | None, Option(min=1, help="of Ray (one a GPU, or one a core)")] = None,
    suffix: Annotated[ResultFormat | None, Option("--format", help="of a part (jsonl)")] = None,
    part_documents: Annotated[
        int | None,
        Option(min=1, metavar="N", help=f"documents in a part ({DEFAULT_DOCUMENTS})"),
    ] = None,
) -> None:
    """Suggest concepts for documents in a file or folder."""
    refuse_both(bundle=bundle, vocabulary=vocabulary)
    chosen = ChosenSuggester(bundle, vocabulary, project, not no_names)
    asked = any((engine, address, workers, suffix, part_documents))
    if not _is_in_parts(source, output, asked=asked):
        raise Exit(_run_in_one(source, output, chosen, limit=limit, threshold=threshold))
    writer = PartWriter(OutputFolder(output), limit, threshold, suffix or "jsonl")
    batch = BatchRun(source, chosen, writer, part_documents or DEFAULT_DOCUMENTS)
    if engine == "ray":
        ray = RayEngine(chosen, writer, address=address or "", n_workers=workers or 0)
        raise Exit(run_in_parts(batch, ray))
    if address or workers:
        raise ConfigError("--address and --workers are for --engine ray.")
    raise Exit(run_in_parts(batch, SingleEngine(chosen, writer)))


def _run_in_one(
    source: str, output: str, chosen: ChosenSuggester, *, limit: int, threshold: float
) -> int:
    """Suggest for every document of the input; returns the exit code.

    Raises:
        ConfigError: the input or the output cannot be used.
        BundleError: the bundle cannot be loaded.
        VocabularyError: the vocabulary cannot be read.
    """
    batch = OutputBatch(source)
    first = next(batch, None)
    if first is None:
        batch.report()
        sys.stderr.write(f"{source} holds no document that can be read; nothing written.\n")
        return 1
    suggester = chosen.open()
    given: deque[InputDocument] = deque()
    documents = _noted(chain([first], batch), given)
    try:
        with _open_output(output, source) as file, _progress(source) as advance:
            for prediction in suggester.suggest_batch(documents, limit=limit, threshold=threshold):
                file.write(json_line(result_of(given.popleft(), prediction)))
                file.flush()
                advance()
    finally:
        batch.report()
    return 0


def _is_in_parts(source: str, output: str, *, asked: bool) -> bool:
    """Return whether the output is a folder of parts.

    Args:
        asked: whether an option for parts was named.
    Raises:
        ConfigError: it has to be, and is named as a file.
    """
    is_folder = output.endswith("/") or is_url(output) or Path(output).is_dir()
    if is_folder and output != "-":
        return True
    if asked or is_url(source) or suffix_of(source) == PARQUET:
        raise ConfigError(
            f"{output} would be one file, and this is written in parts: name a folder for the "
            "output, with / at its end."
        )
    return False


@dataclass
class OutputBatch:
    """The documents of an input; bad lines are reported at once, and counted."""

    path: str
    n_read: int = 0
    n_skipped: int = 0
    seen: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._reading = read_inputs(Path(self.path))

    def __iter__(self) -> Iterator[InputDocument]:
        return self

    def __next__(self) -> InputDocument:
        for item in self._reading:
            if isinstance(item, InputDocument):
                self._note(item)
                return item
            self.n_skipped += 1
            sys.stderr.write(f"{item.where}: {item.reason}; skipped\n")
        raise StopIteration

    def _note(self, item: InputDocument) -> None:
        self.n_read += 1
        key = str(item.given_id)
        sys.stderr.writelines(item.remarks())
        if key in self.seen:
            sys.stderr.write(f"id {key}: there more than once; kept\n")
        self.seen.add(key)

    def report(self) -> None:
        """Say how many documents were read, and how many lines skipped."""
        sys.stderr.write(f"{self.n_read} documents read, {self.n_skipped} skipped\n")


def _noted(batch: Iterable[InputDocument], given: deque[InputDocument]) -> Iterator[Document]:
    """Yield the documents; their names are queued in `given` until their predictions arrive."""
    for item in batch:
        given.append(item)
        yield item.document


@contextmanager
def _open_output(name: str, source: str) -> Iterator[TextIO]:
    """The output as a text file, or standard output for "-".

    Raises:
        ConfigError: it cannot be written, also later on, or it is the input or a document in it.
    """
    if name != "-" and Path(name).exists() and _is_of(Path(name), Path(source)):
        raise ConfigError(f"{name} is the input; name another file for the output.")
    try:
        with _standard_output() if name == "-" else _new_file(name) as file:
            yield file
    except BrokenPipeError:  # who read the output has seen enough
        raise
    except OSError as error:
        reason = system_reason(error)
        raise ConfigError(f"The output {name} cannot be written: {reason}.") from error


def _is_of(path: Path, source: Path) -> bool:
    """Return whether a file is the input, or a document in the folder that is."""
    return path.samefile(source) or (names_document(path.name) and path.parent.samefile(source))


def _standard_output() -> AbstractContextManager[TextIO]:
    """Standard output in UTF-8 wherever we are; it stays open."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")
    return nullcontext(sys.stdout)


def _new_file(name: str) -> TextIO:
    return Path(name).open("w", encoding="utf-8", newline="\n")


def _count(path: Path) -> int:
    """How many documents will come, for the time left; reading rows is quick beside predicting.

    Documents are counted by their names, since a PDF takes longer to read than to predict.
    """
    if path.is_dir() or names_document(path.name):
        files = path.iterdir() if path.is_dir() else [path]
        return sum(names_document(file.name) for file in files)
    return sum(isinstance(item, InputDocument) for item in read_inputs(path))


@contextmanager
def _progress(source: str) -> Iterator[Callable[[], None]]:
    """A bar with documents a second and the time left; nothing where no one looks."""
    if not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("documents, {task.fields[rate]}, left"),
        TimeRemainingColumn(),
    )
    path = Path(source)
    total = _count(path) if path.is_file() or path.is_dir() else None
    with Progress(*columns, console=Console(stderr=True)) as progress:
        task = progress.add_task("", total=total, rate="")

        def advance() -> None:
            progress.advance(task)
            speed = progress.tasks[task].speed
            progress.update(task, rate=f"{speed:.1f}/s" if speed else "")

        yield advance
