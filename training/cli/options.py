"""How a command declares itself, and what several share: where things lie, data, encoders, arms."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from typer import Argument, Option

from core.errors import ConfigError
from core.paths import PROJECT_ROOT
from training.config import NO_PLACES, DataConfig, RunConfig, load_config
from training.judging.recorded import typed_command

RUNS = PROJECT_ROOT / "runs"
RESULTS = PROJECT_ROOT / "docs" / "results"


FAMILIES = {
    "encoder": "Make an encoder or word vectors of your own.",
    "fit": "Fit the weights by which suggestions are ranked, for a bundle or for all of them.",
    "measure": "Measure what a person meets: suggestions, hints, search, learning, and time.",
}
"""Name of several commands -> what they do together."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command: what it runs, the step of the work that it belongs to, and an example of it."""

    run: Callable[..., None]
    group: str
    example: str

    @property
    def family(self) -> str:
        """The family that it belongs to, or ""."""
        first = self.example.split()[0]
        return first if first in FAMILIES else ""

    @property
    def name(self) -> str:
        """The command's name within its family."""
        return self.example.split()[1 if self.family else 0]

    @property
    def does(self) -> str:
        """What it does."""
        return " ".join((self.run.__doc__ or "").split())


COMMANDS: list[Command] = []
"""In the order in which the modules of commands declare them."""


def command(
    group: str, example: str, **shared: Callable[..., Any]
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Make a function a command: its docstring is the help, its signature the options.

    Args:
        group: title of a step of the work.
        example: what is typed behind the program's name.
        shared: argument of the function -> what makes it from options of its own, which the
            command then has as well.
    """

    def add(function: Callable[..., None]) -> Callable[..., None]:
        COMMANDS.append(Command(_with_shared(function, shared), group, example))
        return function

    return add


def _with_shared(
    function: Callable[..., None], shared: Mapping[str, Callable[..., Any]]
) -> Callable[..., None]:
    """Return a function with the options of others in place of the arguments that these make."""
    parameters = inspect.signature(function, eval_str=True).parameters
    theirs = {name: inspect.signature(make, eval_str=True) for name, make in shared.items()}

    def run(**given: Any) -> None:
        made = {
            name: shared[name](**{key: given.pop(key) for key in signature.parameters})
            for name, signature in theirs.items()
        }
        function(**given, **made)

    options = [option for signature in theirs.values() for option in signature.parameters.values()]
    arguments = [argument for name, argument in parameters.items() if name not in shared]
    run.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [option.replace(kind=option.KEYWORD_ONLY) for option in (*arguments, *options)]
    )
    run.__doc__ = function.__doc__
    return run


def say(line: str) -> None:
    """Print a line to stderr.

    Of several processes only the first prints, by the rank that torchrun and accelerate give each.
    """
    if os.environ.get("RANK", "0") == "0":
        print(line, file=sys.stderr, flush=True)


Config = Annotated[Path, Argument(metavar="CONFIG.toml")]
Encoder = Annotated[str, Option(help="hub id or folder, instead of the configured one")]
Out = Annotated[Path | None, Option(help="folder of the run (runs/NAME)")]
Fresh = Annotated[bool, Option("--fresh", help="do not resume a run that is there")]
TablesOnly = Annotated[bool, Option("--tables-only", help="train nothing")]
Split = Annotated[Literal["dev", "test"], Option()]
Origins = Annotated[
    list[str] | None,
    Option(
        metavar="DATE=BUNDLE",
        help="a bundle of the same recipe that has learned from the documents before the date: the "
        "later ones of train are fitted on beside dev; repeatable",
    ),
]
Depth = Annotated[int, Option(help="levels that are judged")]
Documents = Annotated[int, Option(min=0, help="only so many; 0 for all")]


@dataclass(frozen=True, slots=True)
class NamedRun:
    """The configuration that a command line names, with the encoder that it names."""

    config: Config
    encoder: Encoder = ""

    def load(self) -> RunConfig:
        """Read it.

        Raises:
            ConfigError: there is no such file, or it is none.
        """
        config = load_config(self.config)
        return config.replace("model.encoder", self.encoder) if self.encoder else config

    @property
    def shown_encoder(self) -> str:
        """The encoder, if it is of the hub, for a command that is to be typed again."""
        return "" if Path(self.encoder).exists() else self.encoder

    def command(self, name: str) -> str:
        """Return a command to type again; it names an encoder of the hub, but no folder."""
        return typed_command(name, self.config, encoder=self.shown_encoder)


def origin_of(origin: str) -> tuple[str, Path]:
    """Parse the date up to which an earlier bundle has learned, and its folder.

    Raises:
        ConfigError: it is not written as a date and a folder.
    """
    date, _, folder = origin.partition("=")
    if not (date[:4].isdecimal() and folder):
        raise ConfigError(f"--origin {origin}: write a date and a bundle, 2013-01-01=FOLDER.")
    return date, Path(folder)


def data_options(
    *,
    data: Annotated[str, Option(help="folder of the corpus")] = "",
    form: Annotated[
        str, Option("--format", help="of the corpus: acts_jsonl, eurlex57k, reuters, table …")
    ] = "",
    task: Annotated[str, Option(help="of the corpus's tasks, such as mrpc of glue")] = "",
    fold: Annotated[str, Option(help="such as 2/5: the second fifth is test")] = "",
    vocabulary: Annotated[str, Option(help="SKOS file, or icd10cm")] = "",
) -> DataConfig:
    """Return the data options of a command line; "" where an option is not given.

    Raises:
        ConfigError: a place that it names is not there.
    """
    named = NO_PLACES["data.vocabulary"]
    for place in (data, "" if vocabulary in named else vocabulary):
        if place and not Path(place).exists():
            raise ConfigError(f"There is no {place}.")
    return DataConfig(format=form, path=data, vocabulary=vocabulary, task=task, fold=fold)
