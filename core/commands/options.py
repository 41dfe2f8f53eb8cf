"""How a command line is declared and run, here and in the laboratory."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, closing
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from core.review.store.store import Store

PLAIN: dict[str, Any] = {
    "add_completion": False,
    "rich_markup_mode": None,
    "context_settings": {"max_content_width": 100},
}
"""Of every `typer.Typer`: help as plain text, and nothing is installed into a shell."""


def run_command(app: typer.Typer, program: str, argv: Sequence[str]) -> int:
    """Run what a command line asks for; what the command itself raises is passed on.

    Args:
        program: as it is typed, such as `python -m core`.
    Returns:
        0, or the status that the command ends with; 2 after one sentence on stderr where the
        command line is not understood.
    """
    command = typer.main.get_command(app)
    try:
        with command.make_context(program, list(argv)) as context:
            command.invoke(context)
    except typer.Exit as ended:
        return ended.exit_code
    except typer.TyperException as error:
        place = getattr(getattr(error, "ctx", None), "command_path", program)
        print(f"{_sentence(error)} See `{place} --help`.", file=sys.stderr)
        return error.exit_code
    return 0


def _sentence(error: typer.TyperException) -> str:
    sentence = " ".join(error.format_message().split()).replace("Value error, ", "")  # pydantic's
    return sentence if sentence.endswith((".", "?")) else f"{sentence}."


def run_function(function: Callable[..., None], module: str) -> int:
    """Run a function as the only command of a module, with the arguments of `python -m MODULE`.

    Returns:
        The status, as of `run_command`.
    """
    app = typer.Typer(**PLAIN)
    app.command()(function)
    return run_command(app, f"python -m {module}", sys.argv[1:])


def open_store() -> AbstractContextManager[Store]:
    """Return the store of the settings, open until the end of the block.

    It is imported here and not before: many commands do without.
    """
    from core.review.store.store import Store
    from core.settings import Settings

    return closing(Store.open(Settings.from_env().database_url))


def refuse_both(**given: object) -> None:
    """Refuse options that exclude each other.

    Args:
        given: name of an option -> its value; what is none was not named.
    Raises:
        typer.BadParameter: more than one was named.
    """
    named = [f"--{name}" for name, value in given.items() if value is not None]
    if len(named) > 1:
        raise typer.BadParameter("name one of them alone", param_hint=" and ".join(named))
