"""Command lines of the laboratory, read without being run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from training.__main__ import parser


def options_of(words: Sequence[str]) -> dict[str, Any]:
    """Return what a command line names; typer refuses one that it does not understand."""
    command = parser().commands[words[0]]
    return dict(command.make_context(words[0], list(words[1:])).params)
