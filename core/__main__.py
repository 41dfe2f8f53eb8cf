"""Strata's command line: read vocabularies, suggest, search, and look after an installation."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from core import logs
from core.commands.options import PLAIN, run_command
from core.errors import StrataError
from core.home import PRIVATE_UMASK
from core.version import __version__

PROGRAM = "python -m core"
COMMANDS = {
    "vocabulary": "report what is in a SKOS file",
    "suggest": "suggest concepts for documents in a file or folder",
    "search": "search a vocabulary for words as the box of a page does",
    "bundle": "send a model bundle, bring one, or show its card",
    "person": "say who works here, with which role",
    "erase": "erase a document or a person for good",
    "backup": "write everything of this installation into one file",
    "restore": "put a backup in the place of what is here",
    "doctor": "look whether everything here is whole",
    "migrate": "copy a database to SQLite or PostgreSQL",
}
"""Name, also of its module in `core.commands` -> what it does."""


class DeferredCommands(TyperGroup):
    """Commands that are imported when they are asked for: reading a vocabulary loads no model."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the name of the command, the command, and its arguments."""
        name, _, rest = super().resolve_command(ctx, args)
        return name, typer.main.get_command(import_module(f"core.commands.{name}").app), rest


app = typer.Typer(cls=DeferredCommands, **PLAIN)
for _name, _does in COMMANDS.items():
    app.command(_name, help=_does)(lambda: None)


def _say_version(asked: bool) -> None:
    if asked:
        print(f"Strata {__version__}")
        raise typer.Exit


@app.callback(help=__doc__)
def _options(
    *,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_say_version, is_eager=True, help="name the version"),
    ] = False,
) -> None:
    """Options without a command."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Returns:
        0, or 1 after one sentence on stderr where the command is refused, 2 where it is not
        understood.
    """
    os.umask(PRIVATE_UMASK)  # what is written may hold people's texts
    try:
        status = run_command(app, PROGRAM, sys.argv[1:] if argv is None else argv)
        sys.stdout.flush()
    except StrataError as exc:
        print(" ".join(str(exc).split()), file=sys.stderr)
        return 1
    except BrokenPipeError:  # the reader, as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return status


if __name__ == "__main__":
    logs.install()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # labels are in many scripts, terminals are not
            stream.reconfigure(errors="backslashreplace")
    sys.exit(main())
