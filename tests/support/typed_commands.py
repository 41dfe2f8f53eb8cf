"""Command lines of the laboratory, read without being run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import typer

from training.__main__ import command_line


def options_of(words: Sequence[str]) -> dict[str, Any]:
    """Return what a command line names; typer refuses one that it does not understand."""
    commands: Any = typer.main.get_command(command_line())
    command, rest = commands.commands[words[0]], list(words[1:])
    if hasattr(command, "commands"):
        command = command.commands[rest.pop(0)]
    return dict(command.make_context(words[0], rest).params)
