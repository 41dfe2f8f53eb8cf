"""Command line of the laboratory; `python -m training --help` lists its commands."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import typer

from core.errors import StrataError
from training.cli.commands import parser
from training.cli.options import PROGRAM
from training.fitting.memory import is_shortage

SHORTAGE = (
    "There is not enough memory: close what else runs, or read fewer or shorter documents "
    "(data.newest, reading.max_length_tokens)."
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; 0, or 1 and a sentence on stderr where it cannot be done."""
    command = parser()
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        with command.make_context(PROGRAM, given) as context:
            command.invoke(context)
    except typer.Exit as ended:
        return ended.exit_code
    except typer.TyperException as error:
        print(f"{error.format_message()} See `{PROGRAM} --help`.", file=sys.stderr)
        return error.exit_code
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
