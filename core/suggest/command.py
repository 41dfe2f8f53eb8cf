"""`python -m core suggest`: concepts for many documents, from file to file.

Each result is written as soon as it is there, so that a batch that is broken off keeps what it has
done. The report, warnings and the progress bar go to standard error.
"""

from __future__ import annotations

import argparse
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from io import TextIOWrapper
from itertools import chain
from pathlib import Path
from typing import TextIO

from core.batches.chosen import ChosenSuggester
from core.batches.engines import PartWriter, SingleEngine
from core.batches.parts import DEFAULT_DOCUMENTS
from core.batches.places import OutputFolder, is_url
from core.batches.ray_engine import RayEngine
from core.batches.reading import PARQUET
from core.batches.results import RESULT_FORMATS, json_line, result_of
from core.batches.run import BatchRun, run_in_parts
from core.boundaries import system_reason
from core.documents.document import Document
from core.documents.inputs import InputDocument, read_inputs
from core.documents.rows.files import suffix_of
from core.errors import ConfigError
from core.settings import Settings
from core.suggest.protocol import Suggester

RAY = "ray"

SuggesterFactory = Callable[[Path], Suggester]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the command line."""
    source = parser.add_mutually_exclusive_group()
    source.add_argument(
        "--bundle",
        type=Path,
        default=None,
        help="folder of the model bundle (default: STRATA_BUNDLE, or the bundle that is shipped)",
    )
    source.add_argument(
        "--vocabulary",
        type=Path,
        metavar="FILE",
        help="suggest from the labels of this vocabulary, without a model",
    )
    parser.add_argument(
        "--project",
        metavar="NAME",
        help="correct the model by what was decided in this project; without --bundle by its own",
    )
    parser.add_argument(
        "--input",
        required=True,
        help="JSON Lines, JSON array, CSV (also .gz) or Parquet with id, title and text; .txt file "
        "or folder; also s3:// and what else fsspec opens",
    )
    parser.add_argument(
        "--output",
        required=True,
        help="JSON lines, one a document; - for standard output; a folder, with / at its end, or "
        "an address such as s3://bucket/folder, for parts that a killed run goes on with",
    )
    parser.add_argument(
        "--limit", type=whole_number, default=20, help="most suggestions a document (default: 20)"
    )
    parser.add_argument(
        "--threshold",
        type=probability,
        default=0.0,
        help="least probability of a suggestion, 0 to 1 (default: 0)",
    )
    parser.add_argument(
        "--no-names",
        dest="names",
        action="store_false",
        help="leave it to the model, also where a code stands in the text by its name",
    )
    parts = parser.add_argument_group("in parts, into a folder")
    parts.add_argument(
        "--engine",
        choices=("single", RAY),
        help="who computes: this process (default), or workers of Ray (requirements-ray.txt)",
    )
    parts.add_argument("--address", help="of a Ray cluster (default: one on this machine)")
    parts.add_argument(
        "--workers", type=whole_number, help="of Ray (default: one a GPU, or one a core)"
    )
    parts.add_argument("--format", choices=tuple(RESULT_FORMATS), help="of a part (default: jsonl)")
    parts.add_argument(
        "--part-documents",
        type=whole_number,
        metavar="N",
        help=f"documents in a part (default: {DEFAULT_DOCUMENTS})",
    )


def whole_number(text: str) -> int:
    """Parse a number from 1 up; anything else is a complaint that argparse shows."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a number from 1 up")
    return number


def probability(text: str) -> float:
    """Parse a number from 0 to 1; anything else is a complaint that argparse shows."""
    number = float(text)
    if not 0 <= number <= 1:
        raise argparse.ArgumentTypeError(f"{text} is not between 0 and 1")
    return number


def run(args: argparse.Namespace, load: SuggesterFactory | None = None) -> int:
    """Suggest for every document of the input; returns the exit code.

    Args:
        load: makes a suggester of a bundle's folder; tests bring their own.

    Raises:
        ConfigError: the input or the output cannot be used.
        BundleError: the bundle cannot be loaded.
        VocabularyError: the vocabulary cannot be read.
    """
    chosen = ChosenSuggester(args.bundle, args.vocabulary, args.project, args.names)
    if _in_parts(args):
        return _run_in_parts(args, chosen, load)
    batch = OutputBatch(args.input)
    first = next(batch, None)
    if first is None:
        batch.report()
        sys.stderr.write(f"{args.input} holds no document that can be read; nothing written.\n")
        return 1
    suggester = _opened(chosen, load)
    given: deque[InputDocument] = deque()
    documents = _noted(chain([first], batch), given)
    try:
        with _open_output(args.output, args.input) as output, _progress(args.input) as advance:
            for prediction in suggester.suggest_batch(
                documents, limit=args.limit, threshold=args.threshold
            ):
                output.write(json_line(result_of(given.popleft(), prediction)))
                output.flush()
                advance()
    finally:
        batch.report()
    return 0


def _opened(chosen: ChosenSuggester, load: SuggesterFactory | None) -> Suggester:
    """Open what was chosen, a bundle by `load` where there is one."""
    if load is None or chosen.vocabulary or chosen.project:
        return chosen.open()
    return load(chosen.bundle or Settings.from_env().bundle_dir)


def _in_parts(args: argparse.Namespace) -> bool:
    """Return whether the output is a folder of parts.

    Raises:
        ConfigError: it has to be, and is named as a file.
    """
    output = args.output
    is_folder = output.endswith("/") or is_url(output) or Path(output).is_dir()
    if is_folder and output != "-":
        return True
    asked = next((name for name in ("engine", "format", "part_documents", "workers", "address")
                  if getattr(args, name)), None)  # fmt: skip
    if asked is not None or is_url(args.input) or suffix_of(args.input) == PARQUET:
        raise ConfigError(
            f"{output} would be one file, and this is written in parts: name a folder for the "
            "output, with / at its end."
        )
    return False


def _run_in_parts(
    args: argparse.Namespace, chosen: ChosenSuggester, load: SuggesterFactory | None
) -> int:
    """Suggest part by part, and go on where an earlier run stood.

    Raises:
        ConfigError: Ray is asked for and not installed, or its options without it.
    """
    suffix = args.format or "jsonl"
    writer = PartWriter(OutputFolder(args.output), args.limit, args.threshold, suffix)
    batch = BatchRun(args.input, chosen, writer, args.part_documents or DEFAULT_DOCUMENTS)
    if args.engine == RAY:
        ray = RayEngine(chosen, writer, address=args.address or "", n_workers=args.workers or 0)
        return run_in_parts(batch, ray)
    if args.address or args.workers:
        raise ConfigError("--address and --workers are for --engine ray.")
    return run_in_parts(batch, SingleEngine(chosen, writer, partial(_opened, chosen, load)))


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
        if key in self.seen:
            sys.stderr.write(f"id {key}: there more than once; kept\n")
        self.seen.add(key)

    def report(self) -> None:
        """Say how many documents were read, and how many lines skipped."""
        sys.stderr.write(f"{self.n_read} documents read, {self.n_skipped} skipped\n")


def _noted(batch: Iterable[InputDocument], given: deque[InputDocument]) -> Iterator[Document]:
    """Yield the documents alone; what they were called waits in `given` for their predictions."""
    for item in batch:
        given.append(item)
        yield item.document


@contextmanager
def _open_output(name: str, source: str) -> Iterator[TextIO]:
    """The output as a text file, or standard output for "-".

    Raises:
        ConfigError: it cannot be written, also later on, or it is the input.
    """
    if name != "-" and Path(name).exists() and Path(name).samefile(source):
        raise ConfigError(f"{name} is the input; name another file for the output.")
    try:
        with _standard_output() if name == "-" else _new_file(name) as file:
            yield file
    except BrokenPipeError:  # who read the output has seen enough
        raise
    except OSError as error:
        reason = system_reason(error)
        raise ConfigError(f"The output {name} cannot be written: {reason}.") from error


def _standard_output() -> AbstractContextManager[TextIO]:
    """Standard output in UTF-8 wherever we are; it stays open."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")
    return nullcontext(sys.stdout)


def _new_file(name: str) -> TextIO:
    return Path(name).open("w", encoding="utf-8", newline="\n")


def _count(path: Path) -> int:
    """How many documents will come, for the time left; reading is quick beside predicting."""
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
