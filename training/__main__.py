"""Command line of the laboratory; `python -m training --help` lists its commands."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence

from core.errors import StrataError
from training.cli.commands import parser
from training.fitting.memory import is_shortage


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; 0, or 1 and a sentence on stderr where it cannot be done."""
    options = parser().parse_args(arguments)
    command: Callable[[argparse.Namespace], None] = options.command
    try:
        command(options)
    except StrataError as error:
        print(error, file=sys.stderr)
        return 1
    except (MemoryError, RuntimeError) as error:
        if not is_shortage(error):
            raise
        print(
            "There is not enough memory: close what else runs, or read fewer or shorter "
            "documents (data.newest, reading.max_length_tokens).",
            file=sys.stderr,
        )
        return 1
    except KeyboardInterrupt:
        print("Stopped; the same command goes on from the last checkpoint.", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # The reader of the output has closed the pipe (`| head`); nothing may be flushed into it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        # A folder that may not be written to, a full disk, a file that went meanwhile.
        print(f"{_place(error)}{error.strerror or error}.", file=sys.stderr)
        return 1
    return 0


def _place(error: OSError) -> str:
    return f"{error.filename}: " if error.filename else ""


if __name__ == "__main__":
    sys.exit(main())
