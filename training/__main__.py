"""Command line of the laboratory; `python -m training --help` lists its commands with examples."""

from __future__ import annotations

import os
import re
import sys
import textwrap
from collections.abc import Sequence
from typing import Any

import typer
from typer.core import TyperGroup

from core.commands.options import PLAIN, run_command
from core.errors import StrataError
from training.cli import codes, compare, measure, prepare, ship, train
from training.cli.options import COMMANDS, FAMILIES, Command
from training.fitting.memory import is_shortage
from training.judging.recorded import PROGRAM

MODULES = (prepare, train, compare, codes, measure, ship)
"""Of commands, which these modules have declared when they are imported."""

GROUPS = ("Your documents", "Train", "Judge and compare", "Ship", "The record")

HELP = """\
The laboratory: from documents and a vocabulary to a model that is served, and to tables of its
quality.

One file, CONFIG.toml, describes a run: its data, its encoder and plan, how text is read, and how
the model is trained. It holds only what differs from its preset (`paper`, `small` and others, see
training/config/presets.py); relative paths in it start at its own folder. The configurations of
the committed results are in training/configs. A run that is stopped or killed goes on where it was
when the same command is given again, or `resume` with its folder, and its numbers are those of an
unbroken run. Several graphics cards or processes, here two:
`torchrun --nproc-per-node 2 -m training train CONFIG.toml`."""

END = """\
`python -m training COMMAND --help` lists the options of a command, with an example, or the commands
of a family. docs/laboratory.md describes each method, docs/results.md the results."""


class CommandList(TyperGroup):
    """Commands whose help lists them by the steps of the work."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the list."""
        formatter.write(f"\n{command_list()}\n")


def command_list() -> str:
    """Return every command and family with a line or two, in the order of the work."""
    lines = []
    for group in GROUPS:
        lines.append(f"\n{group}\n")
        members = [command for command in COMMANDS if command.group == group]
        for name in dict.fromkeys(command.family or command.name for command in members):
            text = f"{name:<13}{_summary(name, members)}"
            lines += textwrap.wrap(text, 96, initial_indent="  ", subsequent_indent=" " * 15)
    return "\n".join(lines).strip("\n")


def _summary(name: str, members: Sequence[Command]) -> str:
    if name in FAMILIES:
        of_family = ", ".join(command.name for command in members if command.family == name)
        return f"{FAMILIES[name]} ({of_family})"
    does = next(command.does for command in members if command.name == name)
    return re.split(r"(?<=[.]) |[:;] ", does)[0].rstrip(".") + "."


def command_line() -> typer.Typer:
    """Return it with all commands."""
    app = typer.Typer(cls=CommandList, help=HELP, epilog=END, **PLAIN)
    families = {name: typer.Typer(help=does, **PLAIN) for name, does in FAMILIES.items()}
    for name, family in families.items():
        app.add_typer(family, name=name)
    for command in COMMANDS:
        place = families[command.family] if command.family else app
        place.command(command.name, epilog=f"\b\nExample: {PROGRAM} {command.example}")(command.run)
    return app


SHORTAGE = (
    "There is not enough memory: close what else runs, or read fewer or shorter documents "
    "(data.newest, reading.max_length_tokens)."
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; 0, or 1 and a sentence on stderr where it cannot be done."""
    given = sys.argv[1:] if arguments is None else arguments
    try:
        return run_command(command_line(), PROGRAM, given)
    except StrataError as error:
        print(error, file=sys.stderr)
        return 1
    except (MemoryError, RuntimeError) as error:
        if not is_shortage(error):
            raise
        print(SHORTAGE, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Stopped; the same command goes on from the last checkpoint.", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # The reader of the output has closed the pipe (`| head`); nothing may be flushed into it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        # A folder that may not be written to, a full disk, a file that went meanwhile.
        place = f"{error.filename}: " if error.filename else ""
        print(f"{place}{error.strerror or error}.", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
