"""`python -m core suggest`: concepts for many documents, from file to file.

Each result is written as soon as it is there, so that a batch that is broken off keeps what it has
done. The report, warnings and the progress bar go to standard error.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from io import TextIOWrapper
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TextIO

from core.boundaries import system_reason
from core.documents.document import Document
from core.documents.inputs import InputDocument, read_inputs
from core.errors import ConfigError, VocabularyError
from core.settings import Settings
from core.suggest.opening import (
    decisions_of,
    load_suggester,
    new_concepts,
    open_suggester,
    with_names,
)
from core.suggest.protocol import Suggester
from core.suggest.suggestions import Prediction, Suggestion
from core.vocabulary.bounded import read_bounded
from core.vocabulary.versions.vocabulary_versions import VocabularyVersions

DIGITS = 6


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
        type=Path,
        required=True,
        help="JSON Lines, JSON array or CSV (also .gz) with id, title and text; .txt file or folder",
    )
    parser.add_argument(
        "--output", required=True, help="JSON lines, one a document; - for standard output"
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


def _load(bundle_dir: Path, *, names: bool) -> Suggester:
    """Open a bundle's suggesters, with names where its vocabulary is one of codes."""
    suggester = open_suggester(bundle_dir, None, Settings.from_env().home, names=names)
    assert suggester is not None
    return suggester


def _labels_of(vocabulary: Path) -> Suggester:
    """Make what suggests from a vocabulary that no model has learned."""
    settings = Settings.from_env()
    with TemporaryDirectory() as folder:
        entry = read_bounded([vocabulary], home=Path(folder)).entry
        assert entry is not None
        hierarchy = VocabularyVersions(Path(folder)).load(entry.key)
    suggester = with_names(None, hierarchy, settings.home, language=settings.language)
    if suggester is None:
        raise VocabularyError(f"{vocabulary} has no concept that could be suggested.")
    return suggester


def _of_project(name: str, bundle_dir: Path | None) -> Suggester:
    """Make what suggests in a project, with all that was decided there.

    Args:
        name: of the project, or its id.
        bundle_dir: takes the place of the project's model.
    """
    from core.review.store.store import Store
    from core.serving.learning import DecisionTeacher
    from core.serving.setup import named_project

    settings = Settings.from_env()
    store = Store.open(settings.database_url)
    try:
        named = named_project(store, settings, name, bundle_dir=bundle_dir)
        project, directory = named.project, named.directory
        suggester = with_names(
            load_suggester(directory) if directory else None,
            named.hierarchy,
            settings.home,
            new=new_concepts(named.hierarchy, named.known) if named.known else (),
            learns=True,
            bundled=decisions_of(directory),
            bundle_dir=directory,
            language=settings.language,
        )
        if suggester is None:
            raise ConfigError(f"Nothing suggests in the project {project.name}.")
        teacher = DecisionTeacher(lambda: store)
        while teacher.teach(suggester, project.project_id):
            pass
    finally:
        store.close()
    return suggester


def run(args: argparse.Namespace, load: SuggesterFactory | None = None) -> int:
    """Suggest for every document of the input; returns the exit code.

    Args:
        load: makes a suggester of a bundle's folder; tests bring their own.

    Raises:
        ConfigError: the input or the output cannot be used.
        BundleError: the bundle cannot be loaded.
        VocabularyError: the vocabulary cannot be read.
    """
    batch = OutputBatch(args.input)
    first = next(batch, None)
    if first is None:
        batch.report()
        sys.stderr.write(f"{args.input} holds no document that can be read; nothing written.\n")
        return 1
    if args.project and args.vocabulary:
        raise ConfigError("A project has a vocabulary: leave out --vocabulary or --project.")
    if args.vocabulary:
        suggester = _labels_of(args.vocabulary)
    elif args.project:
        suggester = _of_project(args.project, args.bundle)
    else:
        load = load or partial(_load, names=args.names)
        suggester = load(args.bundle or Settings.from_env().bundle_dir)
    given: deque[InputDocument] = deque()
    documents = _noted(chain([first], batch), given)
    try:
        with _open_output(args.output, args.input) as output, _progress(args.input) as advance:
            for prediction in suggester.suggest_batch(
                documents, limit=args.limit, threshold=args.threshold
            ):
                output.write(_line(given.popleft(), prediction))
                output.flush()
                advance()
    finally:
        batch.report()
    return 0


@dataclass
class OutputBatch:
    """The documents of an input; bad lines are reported at once, and counted."""

    path: Path
    n_read: int = 0
    n_skipped: int = 0
    seen: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._reading = read_inputs(self.path)

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


def _line(item: InputDocument, prediction: Prediction) -> str:
    """One line of the output."""
    suggestions = [_fields(suggestion) for suggestion in prediction.suggestions]
    line = {"id": item.given_id, "suggestions": suggestions}
    return json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n"


def _fields(suggestion: Suggestion) -> dict[str, object]:
    return {
        "concept_id": suggestion.concept_id,
        "uri": suggestion.uri,
        "notation": suggestion.notation,
        "pref_label": suggestion.pref_label,
        "probability": round(suggestion.probability, DIGITS),
        "rank": suggestion.rank,
        "source": suggestion.source,
    }


@contextmanager
def _open_output(name: str, source: Path) -> Iterator[TextIO]:
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
def _progress(path: Path) -> Iterator[Callable[[], None]]:
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
    total = _count(path) if path.is_file() or path.is_dir() else None
    with Progress(*columns, console=Console(stderr=True)) as progress:
        task = progress.add_task("", total=total, rate="")

        def advance() -> None:
            progress.advance(task)
            speed = progress.tasks[task].speed
            progress.update(task, rate=f"{speed:.1f}/s" if speed else "")

        yield advance
