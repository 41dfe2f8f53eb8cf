"""Strata's command line: read vocabularies, suggest, search, and look after an installation."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module

from core import __version__, logs
from core.errors import StrataError
from core.home import PRIVATE_UMASK

# The module of each command has `add_arguments(parser)` and `run(arguments) -> int`; it is imported
# when its command is asked for, so that reading a vocabulary loads no model.
COMMANDS = {
    "vocabulary": ("core.vocabulary.report", "report what is in a SKOS file"),
    "suggest": ("core.suggest.command", "suggest concepts for documents in a file or folder"),
    "search": ("core.commands.search", "search a vocabulary for words as the box of a page does"),
    "bundle": ("core.commands.bundle", "send a model bundle, bring one, or show its card"),
    "backup": ("core.commands.backup", "write everything of this installation into one file"),
    "restore": ("core.commands.restore", "put a backup in the place of what is here"),
    "doctor": ("core.commands.doctor", "look whether everything here is whole"),
    "migrate": ("core.commands.migrate", "copy a database to SQLite or PostgreSQL"),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Returns:
        0, or 1 after one sentence on stderr where the command is refused.
    """
    arguments, run = _parse(sys.argv[1:] if argv is None else argv)
    os.umask(PRIVATE_UMASK)  # what is written may hold people's texts
    try:
        status = run(arguments)
        sys.stdout.flush()
    except StrataError as exc:
        print(" ".join(str(exc).split()), file=sys.stderr)
        return 1
    except BrokenPipeError:  # the reader, as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return status


def _parse(
    argv: Sequence[str],
) -> tuple[argparse.Namespace, Callable[[argparse.Namespace], int]]:
    parser = argparse.ArgumentParser(prog="python -m core", description=__doc__)
    parser.add_argument("--version", action="version", version=f"Strata {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    asked = next((argument for argument in argv if argument in COMMANDS), None)
    for name, (module, summary) in COMMANDS.items():
        command = commands.add_parser(name, help=summary)
        if name == asked:
            import_module(module).add_arguments(command)
    arguments = parser.parse_args(argv)
    return arguments, import_module(COMMANDS[arguments.command][0]).run


if __name__ == "__main__":
    logs.install()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # labels are in many scripts, terminals are not
            stream.reconfigure(errors="backslashreplace")
    sys.exit(main())
